"""Order within a session: one piece of work at a time, in order of arrival. The only place that knows "busy".

A mailbox does not know what work is; it starts it, waits for it, cancels it, and lets go of work that will not end.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from gateway.clock import Clock

W = TypeVar("W")
Halt = Literal["stop", "new", "interrupt", "shutdown"]
GRACE = 1.0
"""Seconds that cancelled work has to end before its session goes on without it."""


@dataclass(slots=True, eq=False)
class Running(Generic[W]):
    """Work in progress. `halted` tells it why it was cancelled; `steered` is what came in meanwhile."""

    work: W
    task: asyncio.Task[None] | None = None
    halted: Halt | None = None
    gathering: bool = True
    """It is being put together; what comes now may belong to it."""
    begun: bool = False
    """It has taken its events for good, and can be interrupted or steered."""
    steered: deque[W] = field(default_factory=deque)
    released: asyncio.Event = field(default_factory=asyncio.Event)
    settled: bool = False
    """Somebody who halted it sees to what it leaves."""


Worker = Callable[["Running[W]", "Mailbox[W]"], Awaitable[None]]


class Mailbox(Generic[W]):
    """One session key's queue and its worker. Ends by itself when nothing waits."""

    def __init__(
        self, key: str, worker: Worker[W], clock: Clock, spawn: Callable[[Coroutine[Any, Any, None]], object]
    ) -> None:
        self.key = key
        self.waiting: deque[W] = deque()
        self.running: Running[W] | None = None
        self._worker = worker
        self._clock = clock
        self._spawn = spawn
        self._active = False
        self._arrival = asyncio.Event()
        self._turnstile = asyncio.Event()
        self._turnstile.set()
        self._boundaries = 0
        self._frozen = False

    @property
    def busy(self) -> bool:
        return self.running is not None

    @property
    def idle(self) -> bool:
        """Whether nobody would miss it: it has nothing to do, and no boundary is being drawn in it."""
        return not self._active and not self._boundaries

    def put(self, work: W, *, first: bool = False) -> None:
        """Queue work and see to it that somebody takes it."""
        if first:
            self.waiting.appendleft(work)
        else:
            self.waiting.append(work)
        self._arrival.set()
        if not self._active:
            self._active = True
            self._spawn(self._serve())

    async def arrival(self, seconds: float, beyond: int = 0) -> bool:
        """Wait until more than `beyond` pieces are queued; False when no more came in time."""
        if len(self.waiting) > beyond:
            return True
        self._arrival.clear()
        arrived = asyncio.ensure_future(self._arrival.wait())
        late = asyncio.ensure_future(self._clock.sleep(seconds))
        try:
            await asyncio.wait({arrived, late}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            arrived.cancel()
            late.cancel()
        return len(self.waiting) > beyond

    async def halt(self, why: Halt, *, cancel: bool = True) -> Running[W] | None:
        """Cancel what runs, once, and wait until it is over or its time is up; then its task is not done. What ran,
        or None.

        Work that ended makes room for the next by itself. What did not end in time holds its place until whoever
        halted it sets `released`. Without `cancel` it is only waited for.
        """
        running = self.running
        if running is None or running.task is None:
            return None
        if cancel and running.halted is None:
            running.halted = why
            running.task.cancel()
        late = asyncio.ensure_future(self._clock.sleep(GRACE))
        try:
            await asyncio.wait({running.task, late}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            late.cancel()
        return running

    @contextmanager
    def between(self) -> Iterator[None]:
        """Nothing new is started inside this block: the time to draw a boundary."""
        self._boundaries += 1
        self._turnstile.clear()
        try:
            yield
        finally:
            self._boundaries -= 1
            if not self._boundaries and not self._frozen:
                self._turnstile.set()

    def freeze(self) -> None:
        """Start nothing more, for good: the house is closing."""
        self._frozen = True
        self._turnstile.clear()

    async def _serve(self) -> None:
        while self.waiting:
            while not self._turnstile.is_set():
                await self._turnstile.wait()
            if not self.waiting:
                break
            running = self.running = Running(self.waiting.popleft())
            running.task = asyncio.ensure_future(self._worker(running, self))
            released = asyncio.ensure_future(running.released.wait())
            await asyncio.wait({running.task, released}, return_when=asyncio.FIRST_COMPLETED)
            released.cancel()
            self.running = None
            if running.steered:
                self.waiting.extendleft(reversed(running.steered))
                running.steered.clear()
        self._active = False
