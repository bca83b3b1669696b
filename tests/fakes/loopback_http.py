"""A small HTTP/1.1 server on loopback for fakes that must misbehave: it streams, resets, hangs, and sees hang-ups.

Owns connections and the record of requests; what is answered is a subclass's `handle`.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Recorded:
    """One request as it came. `abandoned` tells that the client hung up before the answer was complete."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    abandoned: bool = False
    done: asyncio.Event = field(default_factory=asyncio.Event)

    def json(self) -> Any:
        return json.loads(self.body)


class Answering:
    """The answer's side of a connection: a whole body at once, or chunks, or an end without manners."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.reusable = True

    async def whole(
        self,
        status: int,
        body: object,
        *,
        headers: dict[str, str] | None = None,
        content_type: str = "application/json",
    ) -> None:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        await self._head(status, {"Content-Type": content_type, "Content-Length": str(len(data)), **(headers or {})})
        await self._write(data)

    async def start_events(self) -> None:
        await self._head(200, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"})

    async def event(self, data: object, name: str | None = None) -> None:
        """One server-sent event; text goes out as it is, anything else as JSON."""
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=True)
        block = (f"event: {name}\n" if name else "") + f"data: {text}\n\n"
        raw = block.encode()
        await self._write(b"%x\r\n%s\r\n" % (len(raw), raw))

    async def end_events(self) -> None:
        await self._write(b"0\r\n\r\n")

    def reset(self) -> None:
        """Tear the connection down without a word."""
        self.reusable = False
        self._writer.transport.abort()

    async def _head(self, status: int, headers: dict[str, str]) -> None:
        lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in headers.items())]
        await self._write("\r\n".join(lines).encode() + b"\r\n\r\n")

    async def _write(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()


class LoopbackServer:
    """`async with` it; `requests` holds everything that came, `most_active` how many were answered at one time."""

    def __init__(self) -> None:
        self.requests: list[Recorded] = []
        self.active = 0
        self.most_active = 0
        self.port = 0
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._arrived = asyncio.Condition()

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self, port: int = 0) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._connections):
            task.cancel()
        if self._connections:
            await asyncio.wait(self._connections)
        self._server = None

    async def __aenter__(self) -> LoopbackServer:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def arrived(self, count: int, path: str = "") -> Recorded:
        """Wait for the `count`-th request whose path ends in `path` (a real deadline of thirty seconds)."""

        def matching() -> list[Recorded]:
            return [request for request in self.requests if request.path.endswith(path)]

        async with asyncio.timeout(30), self._arrived:
            await self._arrived.wait_for(lambda: len(matching()) >= count)
        return matching()[count - 1]

    async def handle(self, request: Recorded, answer: Answering) -> None:
        """Answer one request; a subclass does. Cancelled when the client hangs up."""
        raise NotImplementedError

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # the callback runs in a task of its own
        self._connections.add(task)
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        request = Recorded(method, path, headers, body)
        async with self._arrived:
            self.requests.append(request)
            self._arrived.notify_all()
        answer = Answering(writer)
        self.active += 1
        self.most_active = max(self.most_active, self.active)
        try:
            await self._until_done_or_hung_up(request, answer, reader)
        finally:
            self.active -= 1
            request.done.set()
        return answer.reusable and not request.abandoned

    async def _until_done_or_hung_up(
        self, request: Recorded, answer: Answering, reader: asyncio.StreamReader
    ) -> None:
        handling = asyncio.create_task(self.handle(request, answer))
        listening = asyncio.create_task(reader.read(1))
        try:
            await asyncio.wait((handling, listening), return_when=asyncio.FIRST_COMPLETED)
            if not handling.done():
                request.abandoned = True
                return
            await handling
        except ConnectionError:
            request.abandoned = True
        finally:
            handling.cancel()
            listening.cancel()
            await asyncio.wait((handling, listening))
            for task in (handling, listening):
                if not task.cancelled():
                    task.exception()  # looked at, so that the loop does not complain
