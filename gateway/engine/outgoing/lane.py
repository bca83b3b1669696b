"""One chat's way out: one network call at a time, and none before its platform allows it again.

Owns the lock, the gate and the rests between two tries. What is sent, and what became of it, is `delivery`'s.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from gateway.clock import Clock


@dataclass(slots=True)
class Lane:
    """No call is made before `quiet_until` (monotonic). `held` counts the seconds for which something that must
    arrive waited for that; `stale` says that what was read of the outbox holds no longer."""

    clock: Clock
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    quiet_until: float = 0.0
    held: float = 0.0
    rests: asyncio.Event = field(default_factory=asyncio.Event)
    stale: bool = False

    @property
    def resting(self) -> bool:
        """Whether the lane waits for its platform."""
        return self.rests.is_set()

    @property
    def hushed(self) -> bool:
        return self.quiet_until > self.clock.monotonic()

    def hush(self, seconds: float) -> None:
        self.quiet_until = max(self.quiet_until, self.clock.monotonic() + seconds)

    async def rest(self, pause: float, closing: Callable[[], bool]) -> None:
        """Wait as long as the platform asked; otherwise for the pause, or until somebody wakes the lane."""
        self.rests.set()
        began, left = self.clock.monotonic(), self.quiet_until - self.clock.monotonic()
        nap = asyncio.ensure_future(self.clock.sleep(left if left > 0 else pause))
        try:
            while not (nap.done() or closing()):
                self.wake.clear()
                woken = asyncio.ensure_future(self.wake.wait())
                await asyncio.wait({nap, woken}, return_when=asyncio.FIRST_COMPLETED)
                woken.cancel()
                if not self.hushed:
                    break
        finally:
            nap.cancel()
            self.rests.clear()
        if left > 0:
            self.held += self.clock.monotonic() - began
