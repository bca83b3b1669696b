"""The caches of files, kept small: what is old goes, what is still wanted stays. When is for whoever runs the house's
jobs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass

from gateway.attachments.cache import FileCache, Swept
from gateway.clock import Clock
from gateway.config.schema import Settings

DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Room:
    """One cache. `wanted()` gives the paths that stay whatever their age: those that open conversations still show to
    their models, or that a chat is still to get."""

    cache: FileCache
    wanted: Callable[[], Awaitable[Collection[str]]]


class Upkeep:
    """Of all `rooms`, each by the same bounds."""

    def __init__(self, rooms: Sequence[Room], settings: Callable[[], Settings], clock: Clock) -> None:
        self._rooms = rooms
        self._settings = settings
        self._clock = clock

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
