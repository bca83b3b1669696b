"""What other processes of the profile want of jobs, heard by the one that starts them.

A command at the shell can only store that a job is to run; here that is noticed, and the scheduler is woken.
"""

from __future__ import annotations

from collections.abc import Callable

from gateway.clock import Clock
from gateway.state.connection import DatabaseFault
from gateway.state.job_protocols import JobRuns

LOOK = 1.0
"""Seconds between two looks."""


class Elsewhere:
    """`run()` beside the scheduler, whose `wake` it calls."""

    def __init__(self, runs: JobRuns, clock: Clock, wake: Callable[[], object]) -> None:
        self._runs = runs
        self._clock = clock
        self._wake = wake

    async def run(self) -> None:
        """Until cancelled. What this process itself changed wakes the scheduler once more, which costs one look."""
        before: tuple[float, ...] | None = None
        while True:
            await self._clock.sleep(LOOK)
            try:
                mark = await self._runs.mark()
            except DatabaseFault:  # the scheduler meets and reports the same fault
                continue
            if mark != before:
                before = mark
                self._wake()
