"""The door for probes on loopback: `GET /healthz` gives 200 or 503 with a few facts as JSON; nothing else is there.

Requests are small and short-lived: what is longer, slower, or one too many is turned away. No secret is told, so
nobody is asked who they are; and what a probe asks costs no more than one look a second.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gateway.clock import Clock
from gateway.hosting.health import Health, Pulse

HOST = "127.0.0.1"
PATH = "/healthz"
MOST_BYTES = 8 * 1024
"""Of a request's head."""
SECONDS = 5.0
"""For a request to arrive, and for its answer to leave."""
MOST_AT_ONCE = 16
FRESH = 1.0
"""Seconds for which a look serves all who ask."""

_REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed", 503: "Service Unavailable"}


class Probe:
    """Answers probes; `opened()` gives the port while the door is open."""

    def __init__(self, pulse: Pulse, clock: Clock, seconds: float = SECONDS) -> None:
        self._pulse = pulse
        self._clock = clock
        self._seconds = seconds
        self._inside: set[asyncio.StreamWriter] = set()
        self._looked = float("-inf")
        self._seen: asyncio.Task[Health] | None = None

    @asynccontextmanager
    async def opened(self, port: int) -> AsyncIterator[int]:
        """Listen on loopback; 0 takes a free port. Raises OSError when the port is taken."""
        server = await asyncio.start_server(self._serve, HOST, port, limit=MOST_BYTES)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            for writer in self._inside:
                writer.transport.abort()
            await server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._inside) >= MOST_AT_ONCE:
            writer.transport.abort()
            return
        self._inside.add(writer)
        try:
            async with asyncio.timeout(self._seconds):
                writer.write(await self._answer(await _head(reader)))
                await writer.drain()
            writer.close()
        except (TimeoutError, OSError):
            writer.transport.abort()  # whoever asked is slow, or gone
        finally:
            self._inside.discard(writer)

    async def _answer(self, head: bytes | None) -> bytes:
        words = (head or b"").split(b"\r\n", 1)[0].split(b" ")
        if len(words) != 3 or not words[2].startswith(b"HTTP/1."):
            return _response(400, {"error": "no request of HTTP/1.1"})
        method, path = words[0], words[1].partition(b"?")[0]
        if path != PATH.encode():
            return _response(404, {"error": f"there is only {PATH}"})
        if method not in (b"GET", b"HEAD"):
            return _response(405, {"error": "only GET"}, "Allow: GET, HEAD\r\n")
        health = await self._health()
        return _response(503 if health.status == "down" else 200, health.fields(), body=method == b"GET")

    async def _health(self) -> Health:
        now = self._clock.monotonic()
        if self._seen is None or (self._seen.done() and now - self._looked >= FRESH):
            self._looked = now
            self._seen = asyncio.ensure_future(self._pulse.feel())
        return await asyncio.shield(self._seen)


async def _head(reader: asyncio.StreamReader) -> bytes | None:
    """A request's head; None for one that is too long or cut off."""
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return None


def _response(code: int, fields: dict[str, object], more: str = "", *, body: bool = True) -> bytes:
    data = json.dumps(fields).encode()
    head = (
        f"HTTP/1.1 {code} {_REASONS[code]}\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n"
        f"Cache-Control: no-store\r\n{more}Connection: close\r\n\r\n"
    )
    return head.encode() + (data if body else b"")
