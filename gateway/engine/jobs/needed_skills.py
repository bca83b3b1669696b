"""Which skills jobs need, for the curator, which puts none of them away."""

from __future__ import annotations

import asyncio
from concurrent.futures import TimeoutError as TookTooLong

from gateway.clock import Clock
from gateway.state.connection import DatabaseFault
from gateway.state.job_protocols import Jobs

KEPT = 30.0
"""Seconds for which an answer of the store is believed."""

PATIENCE = 10.0


class NeededSkills:
    """`memory.skills.caretaker.Refers` by the jobs that there are, paused and proposed ones too. To be made where the
    store's loop runs, and to be asked from other threads. Where the store cannot be asked, every skill counts as
    needed: what stays too long does no harm."""

    def __init__(self, jobs: Jobs, clock: Clock) -> None:
        self._jobs = jobs
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._seen: tuple[float, frozenset[str]] | None = None

    def __call__(self, name: str) -> bool:
        now = self._clock.monotonic()
        if self._seen is None or now - self._seen[0] > KEPT:
            found = self._asked()
            if found is None:
                return True
            self._seen = (now, found)
        return name in self._seen[1]

    def _asked(self) -> frozenset[str] | None:
        try:
            if asyncio.get_running_loop() is self._loop:
                return None  # nobody could answer while this waits
        except RuntimeError:
            pass
        if self._loop.is_closed():
            return None
        asking = asyncio.run_coroutine_threadsafe(self._names(), self._loop)
        try:
            return asking.result(PATIENCE)
        except (DatabaseFault, TookTooLong):
            asking.cancel()
            return None

    async def _names(self) -> frozenset[str]:
        return frozenset(skill for job in await self._jobs.all() for skill in job.spec.skills)
