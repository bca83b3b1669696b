"""The cache of files, kept small: what is old goes at the start and daily; open conversations keep what they show."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection

from gateway.attachments.cache import FileCache
from gateway.attachments.intake import Report
from gateway.clock import Clock
from gateway.config.schema import Settings
from gateway.state.connection import DatabaseFault

DAY = 86_400.0


class Upkeep:
    """`in_use()` gives the paths that open conversations still show to their models."""

    def __init__(
        self,
        cache: FileCache,
        in_use: Callable[[], Awaitable[Collection[str]]],
        settings: Callable[[], Settings],
        clock: Clock,
        report: Report,
    ) -> None:
        self._cache = cache
        self._in_use = in_use
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
        bounds = self._settings().attachments
        oldest = self._clock.now() - bounds.keep_days * DAY
        try:
            wanted = await self._in_use()
            swept = await asyncio.to_thread(self._cache.sweep, wanted, oldest, bounds.max_cache_bytes)
        except (OSError, DatabaseFault) as fault:
            self._report.warning("attachments.not_swept", why=str(fault))
            return
        if swept.files:
            self._report.info("attachments.swept", files=swept.files, bytes=swept.bytes)
