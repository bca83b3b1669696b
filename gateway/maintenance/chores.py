"""The house's own jobs in a house that no gateway runs in: a window that stays open does what is due, between two
talks, one after the other. Who talks for a minute waits for nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from gateway.clock import Clock
from gateway.maintenance.desk import MaintenanceDesk

LOOK = 600.0
"""Seconds from the opening to the first look, and between two."""


class Chores:
    """`busy()` tells whether somebody is being answered. `run()` beside the engine."""

    def __init__(self, desk: MaintenanceDesk, clock: Clock, busy: Callable[[], bool]) -> None:
        self._desk = desk
        self._clock = clock
        self._busy = busy

    async def run(self) -> None:
        """Until cancelled. Raises DatabaseFault."""
        while True:
            await self._clock.sleep(LOOK)
            for name in await self._desk.due():
                if not self._busy():
                    await self._desk.catch_up(name)
