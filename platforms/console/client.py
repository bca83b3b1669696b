"""A chat window's end of the socket: says things until they are stored, and hears what the gateway shows.

Owns connecting, reconnecting while the gateway restarts, and the repetition of what was not acknowledged, always
under the same event id. Leaves to its users what to print.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from platforms.console import protocol
from platforms.console.place import locate

_PAUSES = (0.05, 0.1, 0.2, 0.5, 1.0)  # seconds between attempts to come back; the last one repeats
_TRIES = 3  # for an event that the gateway could not store


class NoGateway(Exception):
    """Nobody serves the profile's socket, or the gateway refused this window. `str(error)` says which."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The connection broke; the window goes on trying."""


@dataclass(frozen=True, slots=True)
class Back:
    """The connection is there again, and what was not stored has been said again."""


Event = protocol.FromServer | Lost | Back


@dataclass(slots=True)
class _Unstored:
    message: protocol.Say | protocol.Press
    tries: int = 1


class Window:
    """One window on one chat, as an async context manager.

    `folder` is the profile's. `patience` is how many seconds a broken connection may last before the events end
    with NoGateway; None waits for ever. Entering raises NoGateway when nobody serves the socket.
    """

    def __init__(
        self, folder: Path, chat: str, kind: protocol.Kind = "chat", *, patience: float | None = 60.0
    ) -> None:
        self.chat = chat
        self._folder = folder
        self._kind = kind
        self._patience = patience
        self._unstored: dict[str, _Unstored] = {}
        self._events: asyncio.Queue[Event | NoGateway] = asyncio.Queue()
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Window:
        try:
            reader = await self._connect()
        except OSError as error:
            raise NoGateway(f"no gateway serves {self._folder}: {error.strerror or error}") from error
        self._reading = asyncio.create_task(self._read_on(reader))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._write(protocol.Bye())
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
        if self._writer is not None:
            self._writer.close()
            try:
                await self._writer.wait_closed()
            except OSError:
                pass  # it was broken already

    @property
    def unstored(self) -> int:
        """How many events the gateway has not acknowledged yet."""
        return len(self._unstored)

    async def say(self, text: str, files: Sequence[str] = ()) -> str:
        """Say something, with files by their whole paths; returns its event id at once. It is repeated after a
        reconnect until it is stored."""
        return await self._tell(protocol.Say(_event_id(), text, tuple(files)))

    async def press(self, action: str, message_id: str) -> str:
        """Take a button; as `say`."""
        return await self._tell(protocol.Press(_event_id(), action, message_id))

    async def events(self) -> AsyncIterator[Event]:
        """What the gateway shows, as it comes. Raises NoGateway when the window cannot go on."""
        while True:
            event = await self._events.get()
            if isinstance(event, NoGateway):
                raise event
            yield event

    async def _tell(self, message: protocol.Say | protocol.Press) -> str:
        self._unstored[message.event_id] = _Unstored(message)
        self._write(message)
        return message.event_id

    def _write(self, message: protocol.FromClient) -> None:
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(protocol.encode(message))

    async def _connect(self) -> asyncio.StreamReader:
        path = locate(self._folder)
        reader, self._writer = await asyncio.open_unix_connection(str(path), limit=protocol.LONGEST_LINE)
        self._write(protocol.Hello(self.chat, self._kind))
        for unstored in self._unstored.values():
            self._write(unstored.message)
        return reader

    async def _read_on(self, reader: asyncio.StreamReader) -> None:
        """Read until the window closes, through as many connections as it takes."""
        try:
            while True:
                await self._read(reader)
                self._events.put_nowait(Lost())
                reader = await self._come_back()
                self._events.put_nowait(Back())
        except NoGateway as error:
            self._events.put_nowait(error)

    async def _read(self, reader: asyncio.StreamReader) -> None:
        """Read one connection to its end."""
        while True:
            try:
                line = await reader.readuntil(b"\n")
            except (OSError, asyncio.IncompleteReadError):
                return
            except asyncio.LimitOverrunError as error:
                raise NoGateway("the gateway sent a line that is too long") from error
            try:
                event = protocol.from_server(line)
            except protocol.ProtocolError as error:
                raise NoGateway(f"gateway and window do not understand each other: {error}") from error
            self._take(event)

    def _take(self, event: protocol.FromServer) -> None:
        if isinstance(event, protocol.Stored):
            self._unstored.pop(event.event_id, None)
        elif isinstance(event, protocol.Error):
            if event.fatal:
                raise NoGateway(event.text)
            unstored = self._unstored.get(event.event_id or "")
            if unstored is not None and unstored.tries < _TRIES:
                unstored.tries += 1
                asyncio.get_running_loop().call_later(1.0, self._write, unstored.message)
                return  # not worth a word yet
            self._unstored.pop(event.event_id or "", None)
        self._events.put_nowait(event)

    async def _come_back(self) -> asyncio.StreamReader:
        if self._writer is not None:
            self._writer.close()
        loop = asyncio.get_running_loop()
        since, attempt = loop.time(), 0
        while True:
            await asyncio.sleep(_PAUSES[min(attempt, len(_PAUSES) - 1)])
            attempt += 1
            try:
                return await self._connect()
            except OSError as error:
                if self._patience is not None and loop.time() - since >= self._patience:
                    raise NoGateway("the gateway went away and did not come back") from error


def _event_id() -> str:
    return secrets.token_hex(8)
