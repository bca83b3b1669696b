"""One client of the gateway: frames in, frames out in order, compressed when it asked for that; and its end.

Owns the websocket. What the frames mean is `gateway`'s matter.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from dataclasses import dataclass
from typing import Any, Protocol

from aiohttp import WSMsgType, web

from tests.fakes.discord.faults import ABNORMAL
from tests.fakes.discord.world import Raw

GOODBYE_SECONDS = 0.5
"""How long a closing connection waits for the client's own close frame."""


@dataclass
class Ended(Exception):
    """The gateway closes this connection."""

    code: int
    reason: str


class Hearing(Protocol):
    """Who is told of a connection's life."""

    def opened(self, connection: Connection) -> None: ...
    def heard(self, connection: Connection, frame: Raw) -> None: ...
    def gone(self, connection: Connection, code: int) -> None: ...


class Connection:
    """`send` and `end` return at once; a task of the connection's own writes, in order."""

    def __init__(self, request: web.Request, hearing: Hearing) -> None:
        self._request = request
        self._hearing = hearing
        self._socket = web.WebSocketResponse(timeout=GOODBYE_SECONDS, max_msg_size=4096 * 4)
        compressed = request.query.get("compress") == "zlib-stream"
        self._deflate = zlib.compressobj() if compressed else None
        self._outgoing: asyncio.Queue[Raw | int] = asyncio.Queue()
        self.ended = False
        self.silent = False
        """Carries nothing any more, and does not say so."""
        self.deaf = False
        """Carries no events any more."""

    def send(self, frame: Raw) -> bool:
        """Whether the frame goes out: not on a connection that is silent, deaf to it, or at its end."""
        if self.ended or self.silent or (self.deaf and frame["t"] is not None):
            return False
        self._outgoing.put_nowait(frame)
        return True

    def end(self, code: int) -> None:
        """Close with a code once everything before has been written; 1006 tears the connection down."""
        if not self.ended:
            self.ended = True
            self._outgoing.put_nowait(code)

    async def run(self) -> web.WebSocketResponse:
        """Serve until either side ends it."""
        await self._socket.prepare(self._request)
        if self._request.query.get("v") not in ("9", "10"):
            await self._socket.close(code=4012, message=b"Invalid API version.")
            return self._socket
        writing = asyncio.create_task(self._write())
        try:
            self._hearing.opened(self)
            await self._read()
        finally:
            self._hearing.gone(self, self._socket.close_code or ABNORMAL)
            writing.cancel()
            await asyncio.wait([writing])
        return self._socket

    async def _read(self) -> None:
        async for message in self._socket:
            if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                break
            try:
                self._hearing.heard(self, _decoded(message.data))
            except Ended as end:
                self.ended = True
                await self._close(end.code, end.reason)

    async def _write(self) -> None:
        while True:
            frame = await self._outgoing.get()
            try:
                if isinstance(frame, int):
                    await self._close(frame)
                    return
                await self._put(json.dumps(frame))
            except (ConnectionError, RuntimeError):
                return  # the reading side hears that the client is gone

    async def _put(self, text: str) -> None:
        if self._deflate is None:
            await self._socket.send_str(text)
        else:
            squeezed = self._deflate.compress(text.encode()) + self._deflate.flush(zlib.Z_SYNC_FLUSH)
            await self._socket.send_bytes(squeezed)

    async def _close(self, code: int, reason: str = "as asked") -> None:
        if code != ABNORMAL:
            await self._socket.close(code=code, message=reason.encode())
        if self._request.transport is not None:
            self._request.transport.abort()


def _decoded(data: Any) -> Raw:
    try:
        frame = json.loads(data)
    except ValueError:
        raise Ended(4002, "Error while decoding payload.") from None
    if not isinstance(frame, dict):
        raise Ended(4002, "Error while decoding payload.")
    return frame
