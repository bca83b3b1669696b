"""How many requests a host takes at once: a fair queue before it, and the count of what is in flight.

One `HostLimit` per host, shared by all its models; `Limited` puts a client behind it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from gateway.models.client import Delta, HostInfo, ModelClient, Request, Waiting
from gateway.models.streams import opened


class HostLimit:
    """First come, first served. `concurrency` None does not limit; `in_flight` counts requests on the wire.

    `moved` is called with a request's task whenever one of that task comes, gets its turn, or goes.
    """

    def __init__(self, concurrency: int | None, moved: Callable[[str], None] | None = None) -> None:
        self._turns = asyncio.Semaphore(concurrency) if concurrency is not None else None
        self._moved = moved
        self._flying: Counter[str] = Counter()
        self._queued: Counter[str] = Counter()

    @property
    def full(self) -> bool:
        return self._turns is not None and self._turns.locked()

    @property
    def in_flight(self) -> int:
        return self._flying.total()

    @property
    def waiting(self) -> int:
        return self._queued.total()

    def wanted_by(self, besides: str = "") -> int:
        """Requests in flight or waiting, those of the task `besides` left out."""
        both = self._flying + self._queued
        return both.total() - both[besides]

    async def enter(self, task: str = "") -> None:
        """Wait for a turn. Cancelled while it waits, the request was never counted as in flight."""
        if self._turns is not None:
            self._count(self._queued, task, 1)
            try:
                await self._turns.acquire()
            finally:
                self._count(self._queued, task, -1)
        self._count(self._flying, task, 1)

    def leave(self, task: str = "") -> None:
        """Give the turn back."""
        self._count(self._flying, task, -1)
        if self._turns is not None:
            self._turns.release()

    def _count(self, where: Counter[str], task: str, change: int) -> None:
        where[task] += change
        if self._moved is not None:
            self._moved(task)


class Limited:
    """A client that waits for its turn at the host, and says so."""

    def __init__(self, client: ModelClient, limit: HostLimit) -> None:
        self._client = client
        self._limit = limit

    @property
    def host(self) -> str:
        return self._client.host

    @property
    def model(self) -> str:
        return self._client.model

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        if self._limit.full:
            yield Waiting("waiting for its turn at the host")
        await self._limit.enter(request.task)
        try:
            async with aclosing(opened(self._client, request)) as deltas:
                async for delta in deltas:
                    yield delta
        finally:
            self._limit.leave(request.task)

    async def info(self) -> HostInfo:
        return await self._client.info()

    async def close(self) -> None:
        await self._client.close()
