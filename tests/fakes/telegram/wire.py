"""A small HTTP/1.1 server on loopback whose connections can hang, break and be cut in the middle of an answer.

Owns sockets and bytes. A client that hangs up cancels the handling of its request.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back. `cut` sends the half and hangs up; `reset` sends nothing and tears the connection down."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    cut: bool = False
    reset: bool = False

    @classmethod
    def of(cls, value: object, status: int = 200) -> Answer:
        return cls(status, json.dumps(value).encode())


Handler = Callable[[Request], Awaitable[Answer]]


class _Connection(asyncio.Protocol):
    """One client: requests one after the other."""

    def __init__(self, handler: Handler, open_connections: set[_Connection]) -> None:
        self._handler = handler
        self._open = open_connections
        self._received = b""
        self._task: asyncio.Task[None] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._open.discard(self)
        if self._task is not None:
            self._task.cancel()

    def data_received(self, data: bytes) -> None:
        self._received += data
        self._next()

    def hang_up(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def _next(self) -> None:
        if self._task is None and (request := self._complete()) is not None:
            self._task = asyncio.get_running_loop().create_task(self._serve(request))

    def _complete(self) -> Request | None:
        head, end, rest = self._received.partition(b"\r\n\r\n")
        if not end:
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        size = int(headers.get("content-length", 0))
        if len(rest) < size:
            return None
        self._received = rest[size:]
        method, target, _ = first.split(" ", 2)
        path, _, query = target.partition("?")
        return Request(method, path, query, headers, rest[:size])

    async def _serve(self, request: Request) -> None:
        answer = await self._handler(request)
        assert self._transport is not None
        if answer.reset:
            self._transport.abort()
            return
        head = f"HTTP/1.1 {answer.status} X\r\nContent-Type: {answer.content_type}\r\n"
        self._transport.write(f"{head}Content-Length: {len(answer.body)}\r\n\r\n".encode())
        if answer.cut:
            self._transport.write(answer.body[: len(answer.body) // 2])
            self._transport.close()
            return
        self._transport.write(answer.body)
        self._task = None
        self._next()


class HttpServer:
    """Listens on a loopback port, which it keeps when it is closed and opened again."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._server: asyncio.Server | None = None
        self._open: set[_Connection] = set()
        self.port = 0

    async def open(self, port: int = 0) -> None:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: _Connection(self._handler, self._open), "127.0.0.1", port or self.port, reuse_address=True
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Refuse connections from now on, and break those that are open."""
        if self._server is not None:
            self._server.close()
            for connection in list(self._open):
                connection.hang_up()
            await self._server.wait_closed()
            self._server = None
        await asyncio.sleep(0)  # lets the connections hear that they are lost
