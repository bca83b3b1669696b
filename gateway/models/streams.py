"""A client's stream as something that can be closed: the protocol promises an iterator, generators can do more."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from gateway.models.client import Delta, ModelClient, Request


async def opened(client: ModelClient, request: Request) -> AsyncGenerator[Delta, None]:
    """`client.stream(request)`, which is closed when this generator is."""
    stream = client.stream(request)
    try:
        async for delta in stream:
            yield delta
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()
