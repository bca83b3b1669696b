"""A clock that stands still until a test moves it; sleepers wake in the order of their moments.

Only `gateway.clock.Clock` is imitated: timers of the event loop itself (asyncio.sleep, timeouts) stay real.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools

SETTLE_ROUNDS = 20
"""Passes of the event loop that a woken task gets before the next sleeper wakes."""


class FakeClock:
    """`now` starts at `start` (seconds since the epoch), `monotonic` at 0; both move with `advance` alone."""

    def __init__(self, start: float = 1_800_000_000.0) -> None:
        self._start = start
        self._elapsed = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = itertools.count()

    def now(self) -> float:
        return self._start + self._elapsed

    def monotonic(self) -> float:
        return self._elapsed

    def set_back(self, seconds: float) -> None:
        """Somebody sets the clock on the wall back; what is asleep on this one sleeps on."""
        self._start -= seconds

    async def sleep(self, seconds: float) -> None:
        """Returns once the clock was moved past `seconds` from now; at once (after one pass) for zero or less."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed + seconds, next(self._order), waiting))
        await waiting

    @property
    def sleepers(self) -> int:
        """How many tasks are asleep on this clock."""
        return sum(not waiting.done() for _, _, waiting in self._sleepers)

    async def advance(self, seconds: float) -> None:
        """Move on by `seconds`, stopping at each sleeper's moment so that it may run, and perhaps sleep again."""
        await settle()
        target = self._elapsed + seconds
        while self._sleepers and self._sleepers[0][0] <= target:
            moment, _, waiting = heapq.heappop(self._sleepers)
            if waiting.done():
                continue
            self._elapsed = max(self._elapsed, moment)
            waiting.set_result(None)
            await settle()
        self._elapsed = target
        await settle()

    async def advance_until(
        self, task: asyncio.Future[object], *, step: float = 1.0, limit: float = 86_400.0
    ) -> None:
        """Move on in steps until `task` is done. Raises AssertionError when `limit` seconds were not enough.

        For what runs in process alone. Where sockets or threads take part, wait for what they bring, then advance.
        """
        end = self._elapsed + limit
        while not task.done():
            if self._elapsed >= end:
                raise AssertionError(f"not done after {limit:g} seconds of the fake clock")
            await self.advance(step)


async def settle(rounds: int = SETTLE_ROUNDS) -> None:
    """Let everything that can run do so, for a bounded number of passes of the event loop."""
    for _ in range(rounds):
        await asyncio.sleep(0)
