"""How many requests a host takes at once: a fair queue before it, and the count of what is in flight.

One `HostLimit` per host, shared by all its models; `Limited` puts a client behind it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from gateway.models.client import Delta, HostInfo, ModelClient, Request, Waiting
from gateway.models.streams import opened


class HostLimit:
    """First come, first served. `concurrency` None does not limit; `in_flight` counts requests on the wire."""

    def __init__(self, concurrency: int | None) -> None:
        self._turns = asyncio.Semaphore(concurrency) if concurrency is not None else None
        self.in_flight = 0
        self.waiting = 0

    @property
    def full(self) -> bool:
        return self._turns is not None and self._turns.locked()

    async def enter(self) -> None:
        if self._turns is not None:
            self.waiting += 1
            try:
                await self._turns.acquire()
            finally:
                self.waiting -= 1
        self.in_flight += 1

    def leave(self) -> None:
        self.in_flight -= 1
        if self._turns is not None:
            self._turns.release()


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
        await self._limit.enter()
        try:
            async with aclosing(opened(self._client, request)) as deltas:
                async for delta in deltas:
                    yield delta
        finally:
            self._limit.leave()

    async def info(self) -> HostInfo:
        return await self._client.info()

    async def close(self) -> None:
        await self._client.close()
