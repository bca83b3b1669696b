"""The upkeep of stored sessions that nobody asks for: old ones leave at night, and new ones get a title.

Which sessions leave is retention.py's matter, what a title is titles.py's; here is when, and what runs beside.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime

from gateway.engine.boundary import zone
from gateway.engine.cards import quiet
from gateway.engine.engine import Engine
from gateway.engine.house import House
from gateway.engine.retention import StoredRetention
from gateway.engine.titles import TASK, TitleMaker
from gateway.models.host_state import HostWatch
from gateway.models.registry import HostRegistry
from gateway.state.connection import DatabaseFault

EVERY = 600.0
"""Seconds between two looks at whether it is time."""

NIGHT = range(3, 6)
"""Hours of the day that count as quiet where nobody named any."""

SOON, LATE = 20 * 3600.0, 44 * 3600.0
"""Seconds since the last time: not sooner again, and by day if no night came (a machine that is off at night)."""

RAN = ("retention", "ran")
"""Where the last time is kept."""


class NightlyRetention:
    """`running()` is the number of turns that run now."""

    def __init__(self, house: House, retention: StoredRetention, running: Callable[[], int]) -> None:
        self._house = house
        self._retention = retention
        self._running = running

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self.once()
            await self._house.clock.sleep(EVERY)

    async def once(self) -> None:
        """One look. What goes wrong is reported; there is another one soon."""
        try:
            if not await self._due():
                return
            done = await self._retention.daily()
            await self._house.store.facts.put(*RAN, self._house.clock.now())
        except (OSError, DatabaseFault) as fault:
            self._house.report.warning("retention.fault", why=str(fault))
            return
        if done is not None:
            gone = len(done.sessions)
            self._house.report.info(
                "retention.ran", sessions=gone, kept=len(done.kept), messages=done.messages, bytes=done.bytes
            )

    async def _due(self) -> bool:
        now = self._house.clock.now()
        last = await self._house.store.facts.get(*RAN)
        if last is None:  # the first look only sets the clock
            await self._house.store.facts.put(*RAN, now)
            return False
        since = now - last
        return since >= SOON and not self._running() and (self._quiet(now) or since >= LATE)

    def _quiet(self, now: float) -> bool:
        settings = self._house.settings()
        if settings.gateway.quiet_hours is not None:
            return quiet(settings, now)
        return datetime.fromtimestamp(now, zone(settings)).hour in NIGHT


def session_work(engine: Engine, hosts: HostRegistry) -> Mapping[str, Callable[[], Awaitable[None]]]:
    """What runs beside the engine for the sake of stored sessions, by a name for the log."""
    house = engine.house
    watch = HostWatch(hosts, house.clock, besides=TASK)
    return {
        "retention": NightlyRetention(house, engine.retention, lambda: len(engine.workers.running)).run,
        "titles": TitleMaker(house, watch).run,
    }
