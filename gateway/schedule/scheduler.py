"""Notes runs that are due, claims what may begin, and wakes up for the next: the truth is in the store.

When a schedule runs is `timetable`'s to say, being woken is `clockwork`'s, one run's course `runner`'s.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from gateway.clock import Clock, iso
from gateway.errors import InnkeeperError
from gateway.schedule.clockwork import Clockwork, Report
from gateway.schedule.runner import LEASE_SECONDS, JobNotice, Runner
from gateway.schedule.timetable import Timetable
from gateway.state.job_protocols import JobRuns, Jobs
from gateway.state.job_records import Job, JobKind, JobRun, JobSpec, JobStanding

AT_ONCE: Mapping[JobKind, int] = {"prompt": 2, "maintenance": 1}
"""Runs that may be under way at the same time."""

LATE_SECONDS = 60.0
"""A run that begins later than this is worth a line."""

SET_BACK_SECONDS = 1.0
"""A job that was seen to later than now by more than this tells of a clock that was set back."""

HEAVY_PATIENCE = 6 * 3600.0
"""Seconds for which a heavy run waits for an idle host; then it begins all the same."""

AGAIN_SECONDS = 60.0
"""Seconds until what could not be done, or told, is tried again."""

WAITS_FOR_IDLE = "waits until the host is idle and no turn runs"
WAITS_FOR_ROOM = "waits for other jobs to end"


class JobStore(Protocol):
    """The part of the store that this room needs."""

    @property
    def jobs(self) -> Jobs: ...

    @property
    def job_runs(self) -> JobRuns: ...


class Scheduler:
    """`await run()` beside the engine: one for the house, and alone on the profile."""

    def __init__(
        self,
        store: JobStore,
        clock: Clock,
        clockwork: Clockwork,
        runner: Runner,
        report: Report,
        quiet: Callable[[], Awaitable[bool]],
        seeds: Callable[[], Sequence[JobSpec]] = tuple,
    ) -> None:
        """`quiet` says whether the host is idle and no turn runs; `seeds` gives the program's own jobs."""
        self._store = store
        self._clock = clock
        self._clockwork = clockwork
        self._runner = runner
        self._report = report
        self._quiet = quiet
        self._seeds = seeds
        self._timetable = Timetable()
        self._bell = asyncio.Event()
        self._owner = ""
        self._running: dict[int, asyncio.Task[None]] = {}
        self._telling: asyncio.Task[None] | None = None
        self._tell_at = 0.0
        self._waits: dict[int, str] = {}
        self._unreadable: set[tuple[int, int]] = set()

    async def run(self) -> None:
        """Until cancelled; what runs then is given back. A fault of the store ends it: begin it anew."""
        self._new_owner()
        now = self._clock.now()
        for each in await self._store.job_runs.take_back(self._owner, now, everyone=True):
            self._report.info("job.taken_back", run=each.id, state=each.state)
        for name in await self._store.jobs.seed(self._seeds(), now):
            self._report.error("job.name_taken", job=name)
        self._clockwork.start(self.wake)
        try:
            while True:
                self._bell.clear()
                await self._look()
                await self._bell.wait()
        finally:
            await self._clockwork.stop()
            await self._stop()

    def wake(self) -> None:
        """It is time, a job was changed, or a run was asked for or ended."""
        self._bell.set()

    def waits(self) -> dict[int, str]:
        """Why runs that are due have not begun, by the id of the run."""
        return dict(self._waits)

    async def _look(self) -> None:
        runs, now = self._store.job_runs, self._clock.now()
        standing = await runs.standing()
        lost = [each for each in standing.runs if each.state == "claimed" and each.id not in self._running]
        if any(each.lease_until <= now for each in lost):
            for each in await runs.take_back(self._owner, now):
                self._report.error("job.claim_ran_out", run=each.id, state=each.state)
            standing = await runs.standing()
        if await self._note_what_is_due(standing, now):
            standing = await runs.standing()
        await self._start_what_may(standing, now)
        self._tell(standing, now)
        self._set_clock(standing, now)

    async def _note_what_is_due(self, standing: JobStanding, now: float) -> bool:
        """Whether something was due."""
        found = False
        for job in standing.jobs:
            if job.considered_at > now + SET_BACK_SECONDS:
                found = True
                await self._store.job_runs.rewind(job, now)
                continue
            moment = self._reading(job, lambda each: self._timetable.due(each, now))
            if moment is None:
                continue
            found = True
            run = await self._store.job_runs.due(job, moment, now)
            if run is not None and now - moment > LATE_SECONDS:
                late = round(now - moment)
                self._report.info("job.missed", job=job.name, run=run.id, scheduled=iso(moment), late_s=late)
        return found

    def _reading(self, job: Job, what: Callable[[Job], float | None]) -> float | None:
        """One job that cannot be read stops no other; it is reported once a version of it."""
        try:
            return what(job)
        except InnkeeperError as error:
            key = (job.id, job.version)
            if key not in self._unreadable:
                self._unreadable.add(key)
                self._report.error("job.unreadable", job=job.name, why=str(error))
            return None

    async def _start_what_may(self, standing: JobStanding, now: float) -> None:
        jobs = {job.id: job for job in standing.jobs}
        # Runs of jobs that were removed meanwhile are under way still.
        busy = {each.job_id for each in standing.runs if each.state == "claimed"}
        under_way = Counter(jobs[each].spec.kind for each in busy if each in jobs)
        self._waits = {}
        for run in standing.runs:
            job = jobs.get(run.job_id)
            if run.state != "waiting" or job is None or run.job_id in busy:
                continue
            if not self._runner.can(job):
                await self._skip(job, run, now)
            elif under_way[job.spec.kind] >= AT_ONCE[job.spec.kind]:
                self._waits[run.id] = WAITS_FOR_ROOM
            elif await self._must_wait(job, run, now):
                self._waits[run.id] = WAITS_FOR_IDLE
            elif await self._start(job, run, now):
                busy.add(job.id)
                under_way[job.spec.kind] += 1

    async def _skip(self, job: Job, run: JobRun, now: float) -> None:
        why = "this Innkeeper does not know how to do it"
        await self._store.job_runs.skip(run.id, why, now)
        self._report.error("job.skipped", job=job.name, run=run.id, why=why)

    async def _must_wait(self, job: Job, run: JobRun, now: float) -> bool:
        """Heavy work waits for a quiet house, unless a person asked for it, or it has waited for long."""
        task = self._runner.task_of(job)
        if task is None or not task.heavy or run.cause == "person" or now - run.asked_at >= HEAVY_PATIENCE:
            return False
        return not await self._quiet()

    async def _start(self, job: Job, run: JobRun, now: float) -> bool:
        claimed = await self._store.job_runs.claim(run.id, self._owner, now + LEASE_SECONDS, now)
        if claimed is None:
            self._bell.set()
            return False
        self._report.info("job.started", job=job.name, run=run.id, cause=run.cause, start=claimed.starts)
        self._running[run.id] = asyncio.ensure_future(self._see_to(job, claimed))
        return True

    async def _see_to(self, job: Job, run: JobRun) -> None:
        try:
            if not await self._runner.see_to(job, run):
                # The claim stands in the store. Under a new name it is another's, and is taken back when it runs out.
                self._new_owner()
        finally:
            del self._running[run.id]
            self._bell.set()

    def _tell(self, standing: JobStanding, now: float) -> None:
        """What the owner is owed, beside the jobs: a chat that cannot be reached stops none of them."""
        jobs = {job.id: job for job in standing.jobs}
        owed = [JobNotice(jobs[each.job_id], each) for each in standing.notices if each.job_id in jobs]
        waits = now < self._tell_at <= now + AGAIN_SECONDS  # later than that, the clock was set back since
        if owed and self._telling is None and not waits:
            self._telling = asyncio.ensure_future(self._tell_all(owed))

    async def _tell_all(self, owed: Sequence[JobNotice]) -> None:
        try:
            for notice in owed:
                if not await self._runner.tell(notice):
                    self._tell_at = self._clock.now() + AGAIN_SECONDS
        finally:
            self._telling = None
            self._bell.set()

    def _set_clock(self, standing: JobStanding, now: float) -> None:
        """The next moment at which something may have to be done."""
        moments = [self._reading(job, self._timetable.next) for job in standing.jobs]
        moments += [max(each.lease_until, now + 1.0) for each in standing.runs if each.state == "claimed"]
        if WAITS_FOR_IDLE in self._waits.values():
            moments.append(now + AGAIN_SECONDS)
        if now < self._tell_at <= now + AGAIN_SECONDS:
            moments.append(self._tell_at)
        self._clockwork.wake_at(min((each for each in moments if each is not None), default=None))

    def _new_owner(self) -> None:
        self._owner = f"{os.getpid()}-{secrets.token_hex(8)}"

    async def _stop(self) -> None:
        ending = [*self._running.values(), *([self._telling] if self._telling else [])]
        for each in ending:
            each.cancel()
        await asyncio.gather(*ending, return_exceptions=True)
