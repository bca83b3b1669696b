"""Waking up: a moment is given, and at that moment, or as soon after it as can be, the scheduler is called.

APScheduler lives here and does nothing else; which moment it is, and what is done then, is the scheduler's matter.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Protocol

LOOK_EVERY = 60
"""Seconds between two calls at most: another process may have changed a job, or the machine may have slept."""

NEXT, LOOK = "next", "look"


class Report(Protocol):
    """Where faults are written down."""

    def info(self, event: str, **fields: object) -> object: ...

    def error(self, event: str, **fields: object) -> object: ...


class Clockwork(Protocol):
    """Calls `wake` at a moment."""

    def start(self, wake: Callable[[], None]) -> None: ...

    def wake_at(self, moment: float | None) -> None:
        """At this moment next, in seconds since the epoch, instead of the one that was set; None: no moment."""

    async def stop(self) -> None: ...


class ApsClockwork:
    """By the machine's clock. A call may be late, and is never left out; what is missed all the same is reported."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._scheduler: Any = None
        self._wake: Callable[[], None] = _nothing

    def start(self, wake: Callable[[], None]) -> None:
        from apscheduler.events import EVENT_JOB_ERROR, EVENT_JOB_MAX_INSTANCES, EVENT_JOB_MISSED
        from apscheduler.schedulers.asyncio import AsyncIOScheduler

        self._wake = wake
        generous = {"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
        self._scheduler = AsyncIOScheduler(timezone=UTC, job_defaults=generous)
        self._scheduler.add_listener(self._heard, EVENT_JOB_MISSED | EVENT_JOB_ERROR | EVENT_JOB_MAX_INSTANCES)
        self._scheduler.add_job(self._call, "interval", seconds=LOOK_EVERY, id=LOOK)
        self._scheduler.start()

    def wake_at(self, moment: float | None) -> None:
        if moment is not None:
            at = datetime.fromtimestamp(moment, UTC)
            self._scheduler.add_job(self._call, "date", run_date=at, id=NEXT, replace_existing=True)
        elif self._scheduler.get_job(NEXT) is not None:
            self._scheduler.remove_job(NEXT)

    async def stop(self) -> None:
        if self._scheduler is not None:
            self._scheduler.remove_all_jobs()
            self._scheduler.shutdown(wait=False)
            self._scheduler = None

    async def _call(self) -> None:
        # A coroutine: a plain function would be called in a thread.
        self._wake()

    def _heard(self, event: Any) -> None:
        why = getattr(event, "exception", None)
        self._report.error("clockwork.missed", job=event.job_id, code=event.code, why=str(why or ""))


def _nothing() -> None:
    """Nobody wants to be woken yet."""
