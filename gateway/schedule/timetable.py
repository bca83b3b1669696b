"""What jobs' schedules come to: whether one is due, and when it runs next. Pause, and what was seen to, count.

Instants are `times`' matter; noting and doing runs is for the scheduler.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from gateway.schedule import times
from gateway.schedule.wall import zone_named
from gateway.state.job_records import Job

Read = tuple[times.Schedule, ZoneInfo]
KEPT = 1000
"""Schedules that are kept as they were read, at most."""


class Timetable:
    """Reads each schedule once. All methods raise UnknownSchedule or UnclearTime for one that cannot be read."""

    def __init__(self) -> None:
        self._read: dict[tuple[str, str], Read] = {}
        self._next: dict[int, tuple[object, float | None]] = {}

    def due(self, job: Job, now: float) -> float | None:
        """The run that is due: the last one since runs were seen to, for all of them. Seconds since the epoch."""
        first = self.next(job)
        if first is None or first > now:
            return None
        schedule, zone = self.read(job)
        run = times.missed(schedule, zone, _moment(_since(job)), _moment(math.floor(now)))
        return run.timestamp() if run else None

    def next(self, job: Job) -> float | None:
        """The next run that was not seen to, which may be past; None for one that will not run by itself."""
        since = _since(job)
        if math.isinf(since) or not job.enabled or job.removed_at is not None:
            return None
        key = (job.version, since)
        kept = self._next.get(job.id)
        if kept is None or kept[0] != key:
            schedule, zone = self.read(job)
            run = times.next_run(schedule, zone, _moment(since))
            if len(self._next) >= KEPT:
                self._next.clear()
            self._next[job.id] = kept = (key, run.timestamp() if run else None)
        return kept[1]

    def coming(self, job: Job, now: float, count: int = 3) -> tuple[datetime, ...]:
        """The next runs after now, with offsets in the job's zone; none for one that will not run by itself."""
        since = max(_since(job), math.floor(now))
        if math.isinf(since) or not job.enabled or job.removed_at is not None:
            return ()
        schedule, zone = self.read(job)
        return times.next_runs(schedule, zone, _moment(since), count)

    def read(self, job: Job) -> Read:
        """The job's schedule and zone."""
        key = (job.spec.schedule, job.spec.zone)
        if key not in self._read:
            if len(self._read) >= KEPT:
                self._read.clear()
            self._read[key] = (times.load(key[0]), zone_named(key[1]))
        return self._read[key]


def _since(job: Job) -> float:
    """Runs after this moment were not seen to; a whole second, as runs fall on whole seconds."""
    if job.paused_until == math.inf:
        return math.inf
    return max(float(math.floor(job.considered_at)), math.ceil(job.paused_until) - 1.0)


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
