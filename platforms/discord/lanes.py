"""Order: what belongs to one channel is done one after the other, channels beside each other.

Owns the tasks and their end. What is done, and what becomes of a fault, is the steps' own matter.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable

_LOG = logging.getLogger(__name__)

Step = Callable[[], Awaitable[None]]
"""Something to do; it deals with its own faults."""


class Lanes:
    """One lane for each key that has something to do."""

    def __init__(self) -> None:
        self._waiting: dict[int, deque[Step]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def put(self, key: int, step: Step) -> None:
        """Do this after everything that was put under the same key."""
        if self._closed:
            return
        lane = self._waiting.get(key)
        if lane is not None:
            lane.append(step)
            return
        self._waiting[key] = deque([step])
        self._start(key)

    async def settle(self, seconds: float) -> None:
        """Take nothing more; let what is there end, as long as a stop may take, and break off the rest."""
        self._closed = True
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _start(self, key: int) -> None:
        task = asyncio.ensure_future(self._work(key))
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    async def _work(self, key: int) -> None:
        lane = self._waiting[key]
        try:
            while lane:
                await lane.popleft()()
        finally:
            if lane and not self._closed:
                self._start(key)  # a step failed: those behind it go on
            else:
                del self._waiting[key]

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            _LOG.error("something that Discord told was lost: %s", type(fault).__name__, exc_info=fault)
