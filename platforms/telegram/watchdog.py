"""Whether the poller still hears: signs of life, other pollers on the token, and when to give up on it.

Owns the judgement alone; building pollers anew is the adapter's matter.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from platforms.errors import PlatformDown
from platforms.telegram.patience import Patience

_LOOKS = 8
"""How often the clock is looked at within the time after which a poller counts as deaf."""


class Pulse:
    """Signs of life of one adapter, over all its pollers. `now` gives seconds since the epoch."""

    def __init__(self, patience: Patience, now: Callable[[], float]) -> None:
        self._patience = patience
        self._now = now
        self._alive_at = time.monotonic()
        self._storing = 0
        self._conflicts: tuple[float, float] | None = None  # monotonic: the first of this row, and the last
        self._fatal: PlatformDown | None = None
        self._news = asyncio.Event()
        self.last_heard: float | None = None
        """When a poll last ended well, in seconds since the epoch."""
        self.heard_since_start = False

    def start(self) -> None:
        """A new poller begins; it has its whole time to be heard."""
        self._alive_at = time.monotonic()
        self.heard_since_start = False

    def heard(self) -> None:
        """A poll ended well, or an update came."""
        self._alive_at = time.monotonic()
        self.last_heard = self._now()
        self.heard_since_start = True

    def rest(self, seconds: float) -> None:
        """Telegram asked to be left alone; silence until then is no deafness."""
        self._alive_at = time.monotonic() + seconds

    def conflict(self, why: str) -> None:
        """Telegram says that somebody else takes the updates. A poll that lingers after a crash is forgiven."""
        now = time.monotonic()
        self._alive_at = now  # it answers: building the poller anew would not help
        first, last = self._conflicts or (now, now)
        self._conflicts = (first if now - last <= self._patience.calm else now, now)
        if now - self._conflicts[0] > self._patience.conflict:
            self.refuse(f"somebody else takes this bot's messages ({why}); stop that, or use another bot here")

    def refuse(self, why: str) -> None:
        """Nothing will get better by itself."""
        if self._fatal is None:
            self._fatal = PlatformDown(why)
            self._news.set()

    @contextmanager
    def storing(self) -> Iterator[None]:
        """While an update is being stored nothing is polled, and that is no deafness."""
        self._storing += 1
        try:
            yield
        finally:
            self._storing -= 1
            self._alive_at = time.monotonic()

    def deaf(self) -> bool:
        return not self._storing and time.monotonic() - self._alive_at > self._patience.deaf

    async def watch(self, *, polls: bool) -> None:
        """Returns when the poller has gone deaf, never when nothing `polls`. Raises PlatformDown."""
        while self._fatal is None and not (polls and self.deaf()):
            try:
                async with asyncio.timeout(self._patience.deaf / _LOOKS):
                    await self._news.wait()
            except TimeoutError:
                continue
        if self._fatal is not None:
            fatal, self._fatal, self._conflicts = self._fatal, None, None
            self._news.clear()
            raise fatal
