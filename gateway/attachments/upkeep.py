"""The caches of files, kept small: what is old goes, what is still wanted stays. When is for whoever runs the house's
jobs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass

from gateway.attachments.cache import FileCache, Swept
from gateway.attachments.intake import Report
from gateway.clock import Clock
from gateway.config.schema import Settings
from gateway.state.connection import DatabaseFault

DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Room:
    """One cache. `wanted()` gives the paths that stay whatever their age: those that open conversations still show to
    their models, or that a chat is still to get."""

    cache: FileCache
    wanted: Callable[[], Awaitable[Collection[str]]]


class Upkeep:
    """Of all `rooms`, each by the same bounds."""

    def __init__(
        self, rooms: Sequence[Room], settings: Callable[[], Settings], clock: Clock, report: Report | None = None
    ) -> None:
        self._rooms = rooms
        self._settings = settings
        self._clock = clock
        self._report = report

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self.once()
            await self._clock.sleep(DAY)

    async def once(self) -> None:
        """One clean-up. What goes wrong is reported; there is another one tomorrow."""
        try:
            swept = await self.sweep()
        except (OSError, DatabaseFault) as fault:
            if self._report is not None:
                self._report.warning("attachments.not_swept", why=str(fault))
            return
        if swept.files and self._report is not None:
            self._report.info("attachments.swept", files=swept.files, bytes=swept.bytes)

    async def sweep(self, *, dry: bool = False) -> Swept:
        """One clean-up of all rooms, or with `dry` what it would take. Raises OSError and DatabaseFault."""
        bounds = self._settings().attachments
        oldest = self._clock.now() - bounds.keep_days * DAY
        files = freed = 0
        for room in self._rooms:
            wanted = await room.wanted()
            swept = await asyncio.to_thread(room.cache.sweep, wanted, oldest, bounds.max_cache_bytes, dry=dry)
            files, freed = files + swept.files, freed + swept.bytes
        return Swept(files, freed)
