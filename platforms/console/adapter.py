"""The terminal as a platform: serves chat windows over the profile's socket from inside the engine's process.

Owns the windows that are attached, and the ids of messages. A chat without a window takes no messages: its parts
wait with the engine until one attaches. What is kept for absent windows is only how turns ended.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import pwd
import re
import secrets
import stat
from collections import deque
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from platforms.adapter import Capabilities, Sink
from platforms.console import protocol
from platforms.console.attach import attachment as as_attachment
from platforms.console.place import Place, take
from platforms.errors import Absent, Refused
from platforms.manifest import AdapterContext
from platforms.messages import Attachment, ChatKind, ChatRef, Inbound, Outbound, Sender, TurnSummary

OWNER = "owner"
"""The sender id of whoever sits at the console: the console is the owner's."""

_FILES = 1_000_000_000  # bytes of one
_CAPABILITIES = Capabilities(
    limit=100_000, edits=True, buttons=True, edit_seconds=0.05, sends_files=_FILES, takes_files=_FILES
)
_CHAT_NAME = re.compile(r"[\w.@+-]{1,64}")
_BACKLOG = 16 * 1024 * 1024  # bytes that a window which does not read may owe before it is let go
_KEPT_ENDINGS = 20
_REMEMBERED = 10_000  # message ids; older ones are taken as known


class _Attached:
    """One window on this side of the socket."""

    def __init__(self, chat: ChatRef, kind: protocol.Kind, writer: asyncio.StreamWriter) -> None:
        self.chat = chat
        self.kind = kind
        self._writer = writer

    def tell(self, message: protocol.FromServer) -> bool:
        """Hand one line over, without waiting; a window that stopped reading long ago is cut off. Whether it took."""
        transport = self._writer.transport
        if transport.is_closing():
            return False
        if transport.get_write_buffer_size() > _BACKLOG:
            transport.abort()
            return False
        self._writer.write(protocol.encode(message))
        return True


class ConsoleAdapter:
    """The adapter. Of the house it uses `on_attach`, for each window that has attached to a chat, and `now`."""

    def __init__(self, context: AdapterContext) -> None:
        self._folder = Path(context.folder)
        self._on_attach = context.house.on_attach
        self._now = context.house.now
        self._windows: list[_Attached] = []
        self._endings: dict[ChatRef, deque[protocol.Done]] = {}
        self._life = secrets.token_hex(3)
        self._numbers = itertools.count(1)
        self._shown: dict[str, ChatRef] = {}
        self._sender = Sender(OWNER, _account_name())
        self._place: Place | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self.opened = asyncio.Event()
        """Set while the socket takes windows."""

    @property
    def name(self) -> str:
        return "console"

    @property
    def account(self) -> str:
        return "console"

    @property
    def capabilities(self) -> Capabilities:
        return _CAPABILITIES

    def attended(self, chat: ChatRef) -> bool:
        """Whether a person sits at a window of this chat, as opposed to a script or nobody."""
        return any(window.chat == chat and window.kind == "chat" for window in self._windows)

    @property
    def windows(self) -> int:
        """How many windows are attached."""
        return len(self._windows)

    @property
    def last_heard(self) -> float | None:
        return None

    async def run(self, sink: Sink) -> None:
        try:
            place = self._place = await self._entered()
            server = await asyncio.start_unix_server(
                lambda reader, writer: self._serve(reader, writer, sink),
                sock=place.socket,
                limit=protocol.LONGEST_LINE,
            )
            self.opened.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.opened.clear()
                server.close()
                for connection in list(self._connections):
                    connection.cancel()
                await asyncio.gather(*self._connections, return_exceptions=True)
                await server.wait_closed()
        finally:
            self._leave()

    async def send(self, message: Outbound) -> str:
        message = _with_place(message)
        self._check(message)
        message_id = f"{self._life}-{next(self._numbers)}"
        self._show(message.chat, protocol.Message(message_id, message.text, message.buttons))
        self._shown[message_id] = message.chat
        if len(self._shown) > _REMEMBERED:
            del self._shown[next(iter(self._shown))]
        return message_id

    async def edit(self, message_id: str, message: Outbound) -> None:
        """A message of an earlier life of the gateway is edited unseen: windows that were there know it."""
        self._check(message)
        self._known(message_id)
        self._show(message.chat, protocol.Edit(message_id, message.text, message.buttons))

    async def delete(self, chat: ChatRef, message_id: str) -> None:
        self._shown.pop(message_id, None)
        self._tell(chat, protocol.Delete(message_id))

    async def fetch(self, attachment: Attachment) -> bytes:
        """A file of this machine: whoever gave its path may read everything that the gateway may."""

        def read() -> bytes:
            descriptor = os.open(attachment.locator, os.O_RDONLY | os.O_NONBLOCK)  # a pipe must not be waited for
            with os.fdopen(descriptor, "rb") as file:
                found = os.fstat(descriptor)
                if not stat.S_ISREG(found.st_mode) or found.st_size > _FILES:
                    raise Refused("it is no file, or too large")
                return file.read()

        try:
            return await asyncio.to_thread(read)
        except OSError as error:
            raise Refused((error.strerror or "it cannot be read").lower()) from None

    async def react(self, chat: ChatRef, message_id: str, mark: str) -> None:
        return

    async def typing(self, chat: ChatRef) -> None:
        self._tell(chat, protocol.Typing())

    async def progress(self, chat: ChatRef, text: str) -> None:
        self._tell(chat, protocol.Progress(text))

    async def find(self, chat: ChatRef, nonce: str) -> str | None:
        return None

    async def finished(self, chat: ChatRef, summary: TurnSummary) -> None:
        """Tells the chat's windows; without one, the next window that attaches is told."""
        done = protocol.Done(
            summary.event_ids, summary.session_id, summary.reply, summary.usage, summary.notices, summary.outcome
        )
        if not self._tell(chat, done):
            self._endings.setdefault(chat, deque(maxlen=_KEPT_ENDINGS)).append(done)

    async def close(self) -> None:
        self._leave()

    async def _entered(self) -> Place:
        """Take the place. An end in mid-taking, however often it comes, waits for the thread, or the bound socket
        would have no owner."""
        taking = asyncio.ensure_future(asyncio.to_thread(take, self._folder))
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:
            while not taking.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait({taking})
            if not taking.cancelled() and taking.exception() is None:
                self._place = taking.result()
            raise

    def _leave(self) -> None:
        if self._place is not None:
            self._place.socket.close()
            self._place.leave()
            self._place = None

    def _check(self, message: Outbound) -> None:
        if not message.text:
            raise Refused("a message needs text")
        if len(message.text) > _CAPABILITIES.limit:
            raise Refused("the message is too long for the console")

    def _known(self, message_id: str) -> None:
        if (
            message_id.startswith(f"{self._life}-")
            and message_id not in self._shown
            and len(self._shown) < _REMEMBERED
        ):
            raise Refused("the message to edit is not there")

    def _tell(self, chat: ChatRef, message: protocol.FromServer) -> int:
        """Tell every window of the chat; how many took it."""
        return sum(window.tell(message) for window in self._windows if window.chat == chat)

    def _show(self, chat: ChatRef, message: protocol.FromServer) -> None:
        if not self._tell(chat, message):
            raise Absent("no window is open on this chat")

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sink: Sink) -> None:
        """One connection, from its hello to its end."""
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        window: _Attached | None = None
        try:
            window = await self._greet(reader, writer)
            self._attach(window)
            while await self._hear(window, reader, sink):
                pass
        except protocol.ProtocolError as error:
            writer.write(protocol.encode(protocol.Error(str(error), fatal=True)))
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the window is gone; it comes back by itself if it wants to
        finally:
            if window in self._windows:
                self._windows.remove(window)
            self._connections.discard(task)
            writer.close()

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> _Attached:
        hello = protocol.from_client(await _line(reader))
        if not isinstance(hello, protocol.Hello):
            raise protocol.ProtocolError("a window says hello first")
        if hello.version != protocol.VERSION:
            raise protocol.ProtocolError(
                f"the gateway speaks version {protocol.VERSION} of the console protocol, this window version "
                f"{hello.version}: restart the older of the two"
            )
        if not _CHAT_NAME.fullmatch(hello.chat):
            raise protocol.ProtocolError("a chat's name is 1 to 64 letters, digits or . _ - + @")
        return _Attached(ChatRef("console", hello.chat), hello.kind, writer)

    def _attach(self, window: _Attached) -> None:
        self._windows.append(window)
        self._on_attach(window.chat)
        for done in self._endings.pop(window.chat, ()):
            window.tell(done)

    async def _hear(self, window: _Attached, reader: asyncio.StreamReader, sink: Sink) -> bool:
        """Take one line; whether the window stays."""
        said = protocol.from_client(await _line(reader))
        match said:
            case protocol.Bye():
                return False
            case protocol.Hello():
                raise protocol.ProtocolError("a window says hello once")
            case protocol.Say(event_id, text, files):
                event = replace(self._event(window, event_id, text), attachments=tuple(map(as_attachment, files)))
            case protocol.Press(event_id, action, message_id):
                event = self._event(window, event_id, action, message_id)
        try:
            await sink(event)
        except Exception as error:  # noqa: BLE001 - the poller's sink: one event failed, the platform must hear on
            window.tell(protocol.Error(f"could not be stored: {error}", said.event_id))
        else:
            window.tell(protocol.Stored(said.event_id))
        return True

    def _event(self, window: _Attached, event_id: str, text: str, pressed_on: str | None = None) -> Inbound:
        return Inbound(
            account=self.account,
            event_id=event_id,
            chat=window.chat,
            kind=ChatKind.DIRECT,
            sender=self._sender,
            text=text,
            sent_at=self._now(),
            message_id=pressed_on,
            pressed=pressed_on is not None,
        )


def _with_place(message: Outbound) -> Outbound:
    """On this machine a file is given by saying where it lies."""
    if message.file is None:
        return message
    said = f"📎 {message.file.name}: `{message.file.path}`"
    return replace(message, text=f"{message.text}\n{said}" if message.text else said)


async def _line(reader: asyncio.StreamReader) -> bytes:
    """The next line. Raises IncompleteReadError at the end, ProtocolError for one that is too long."""
    try:
        return await reader.readuntil(b"\n")
    except asyncio.LimitOverrunError as error:
        raise protocol.ProtocolError("the line is too long") from error


def _account_name() -> str:
    """The name of the account that runs the gateway, which the socket's mode makes the only one that gets in."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return OWNER
