"""A platform in memory, for tests and demonstrations: people speak through it, and it shows what they would see.

Owns a faithful small model of a chat network (limits, edits, nonces, history, faults on request). It is a real
adapter and passes the contract; it has no opinion on what the messages are for.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

from platforms.adapter import Capabilities, Sink
from platforms.chunking import length
from platforms.errors import DeliveryError, Refused, Uncertain
from platforms.messages import Attachment, Button, ChatKind, ChatRef, Inbound, Outbound, OutFile, Sender, TurnSummary

PATIENCE = 60.0
"""Real seconds after which a helper stops waiting and shows what the chat looks like."""


class Fault(Enum):
    """Faults that are not a plain error."""

    HANG = "never answers; nothing was sent"
    LOST_ANSWER = "accepts, then fails with Uncertain"
    ACCEPT_AND_HANG = "accepts, then never answers"


@dataclass(frozen=True, slots=True)
class Seen:
    """One message of the bot as it reads now. `edits` counts how often it changed; `buttons` by row; `bytes` are what
    its file held when it came."""

    message_id: str
    text: str
    buttons: tuple[tuple[Button, ...], ...] = ()
    edits: int = 0
    file: OutFile | None = None
    bytes: bytes = b""

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(button.label for row in self.buttons for button in row)


@dataclass(slots=True)
class _Room:
    """What one chat holds."""

    shown: dict[str, Seen] = field(default_factory=dict)
    nonces: dict[str, tuple[str, float]] = field(default_factory=dict)
    typing: int = 0
    progress: list[str] = field(default_factory=list)
    marks: dict[str, str] = field(default_factory=dict)
    finished: list[TurnSummary] = field(default_factory=list)


class InProcess:
    """The adapter. `now` gives seconds since the epoch; chats may be named by their id alone. Events are numbered
    from `first_event`: a network goes on counting when the house restarts."""

    def __init__(
        self,
        name: str = "inprocess",
        account: str = "house",
        capabilities: Capabilities | None = None,
        now: Callable[[], float] = time.time,
        first_event: int = 1,
    ) -> None:
        self._name = name
        self._account = account
        self._capabilities = capabilities or Capabilities(
            limit=4096, unit="utf16", edit_seconds=0.0, sends_files=50_000_000, takes_files=20_000_000, reactions=True
        )
        self._now = now
        self._rooms: dict[ChatRef, _Room] = {}
        self._attended: set[ChatRef] = set()
        self._faults: dict[str, deque[DeliveryError | Fault]] = {"send": deque(), "edit": deque(), "delete": deque()}
        self._event_ids = itertools.count(first_event)
        self._message_ids = itertools.count(1)
        self._sink: Sink | None = None
        self._changed = asyncio.Condition()
        self.files: dict[str, bytes] = {}
        """What people's attachments hold, by locator."""
        self.heard: list[Inbound] = []
        """Every event that was handed to the sink, in order, redeliveries included."""
        self.closed = False

    # What every adapter offers.

    @property
    def name(self) -> str:
        return self._name

    @property
    def account(self) -> str:
        return self._account

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    @property
    def last_heard(self) -> float | None:
        return None

    def attended(self, chat: ChatRef) -> bool:
        """Whether a test said that somebody sits before this chat (see `watch`)."""
        return chat in self._attended

    def watch(self, chat: str | ChatRef = "c1", *, away: bool = False) -> None:
        """Somebody sits down before this chat, or leaves."""
        (self._attended.discard if away else self._attended.add)(self._ref(chat))

    async def run(self, sink: Sink) -> None:
        self._sink = sink
        await self._tell()
        try:
            await asyncio.Event().wait()
        finally:
            self._sink = None

    async def send(self, message: Outbound) -> str:
        self._check(message)
        return await self._with_fault("send", lambda: self._place(message))

    async def edit(self, message_id: str, message: Outbound) -> None:
        self._check(message)
        if not self._capabilities.edits:
            raise Refused("messages cannot be edited here")
        await self._with_fault("edit", lambda: self._change(message_id, message))

    async def delete(self, chat: ChatRef, message_id: str) -> None:
        def take_back() -> str:
            self._room(chat).shown.pop(message_id, None)
            return message_id

        await self._with_fault("delete", take_back)

    async def fetch(self, attachment: Attachment) -> bytes:
        held = self.files.get(attachment.locator)
        if held is None or len(held) > self._capabilities.takes_files:
            raise Refused("the file is not there, or too large")
        return held

    async def react(self, chat: ChatRef, message_id: str, mark: str) -> None:
        self._room(chat).marks[message_id] = mark
        await self._tell()

    async def typing(self, chat: ChatRef) -> None:
        self._room(chat).typing += 1
        await self._tell()

    async def progress(self, chat: ChatRef, text: str) -> None:
        self._room(chat).progress.append(text)
        await self._tell()

    async def find(self, chat: ChatRef, nonce: str) -> str | None:
        if not self._capabilities.finds:
            return None
        found = self._room(chat).nonces.get(nonce)
        return found[0] if found and found[0] in self._room(chat).shown else None

    async def finished(self, chat: ChatRef, summary: TurnSummary) -> None:
        self._room(chat).finished.append(summary)
        await self._tell()

    async def close(self) -> None:
        self.closed = True
        await self._tell()

    # What people do.

    async def say(
        self,
        text: str,
        *,
        chat: str | ChatRef = "c1",
        sender: str | Sender = "ada",
        kind: ChatKind = ChatKind.DIRECT,
        addressed: bool = True,
        event_id: str | None = None,
        attachments: tuple[Attachment, ...] = (),
        media_group: str | None = None,
    ) -> Inbound:
        """Write a message; returns once the sink has taken it, and raises what the sink raises."""
        event_id = event_id or f"e{next(self._event_ids)}"
        return await self._hand_over(
            Inbound(
                account=self._account,
                event_id=event_id,
                chat=self._ref(chat),
                kind=kind,
                sender=Sender(sender, sender.title()) if isinstance(sender, str) else sender,
                text=text,
                sent_at=self._now(),
                message_id=f"in-{event_id}",
                addressed=addressed,
                units=length(text, self._capabilities.unit),
                media_group=media_group,
                attachments=attachments,
            )
        )

    async def redeliver(self, event: Inbound | None = None) -> Inbound:
        """Deliver an event once more as a platform does that heard no answer; by default the last one."""
        return await self._hand_over(event or self.heard[-1])

    async def press(self, chat: str | ChatRef, label: str, sender: str | Sender = "ada") -> Inbound:
        """Tap the newest button with this label. Raises LookupError when the chat shows none."""
        ref = self._ref(chat)
        for seen in reversed(self.transcript(ref)):
            for button in (button for row in seen.buttons for button in row):
                if button.label == label:
                    return await self.press_action(ref, button.action, seen.message_id, sender)
        raise LookupError(f"no button {label!r} in {ref.key}:\n{self.as_text(ref)}")

    async def press_action(
        self, chat: str | ChatRef, action: str, message_id: str, sender: str | Sender = "ada"
    ) -> Inbound:
        """Tap a button that need not be shown any more, as people do with old cards."""
        return await self._hand_over(
            Inbound(
                account=self._account,
                event_id=f"e{next(self._event_ids)}",
                chat=self._ref(chat),
                kind=ChatKind.DIRECT,
                sender=Sender(sender, sender.title()) if isinstance(sender, str) else sender,
                text=action,
                sent_at=self._now(),
                message_id=message_id,
                pressed=True,
            )
        )

    def remove(self, chat: str | ChatRef, message_id: str) -> None:
        """A person deletes one of the bot's messages."""
        self._room(chat).shown.pop(message_id, None)

    # What people see, and waiting for it.

    def transcript(self, chat: str | ChatRef = "c1") -> list[Seen]:
        """The bot's messages as the chat reads now, oldest first."""
        return list(self._room(chat).shown.values())

    def texts(self, chat: str | ChatRef = "c1") -> list[str]:
        return [seen.text for seen in self.transcript(chat)]

    def as_text(self, chat: str | ChatRef = "c1") -> str:
        """The transcript for people: one message a line, buttons in brackets."""
        return "\n".join(
            f"{seen.message_id}: {seen.text}" + "".join(f" [{label}]" for label in seen.labels)
            for seen in self.transcript(chat)
        )

    def progressed(self, chat: str | ChatRef = "c1") -> list[str]:
        """Every passing line that was shown."""
        return list(self._room(chat).progress)

    def marks(self, chat: str | ChatRef = "c1") -> dict[str, str]:
        """The sign that the bot put on each message of people; empty when it was taken away."""
        return dict(self._room(chat).marks)

    def typed(self, chat: str | ChatRef = "c1") -> int:
        """How often the chat showed that an answer is coming."""
        return self._room(chat).typing

    def summaries(self, chat: str | ChatRef = "c1") -> list[TurnSummary]:
        """What `finished` was told."""
        return list(self._room(chat).finished)

    async def until(self, predicate: Callable[[], bool], seconds: float = PATIENCE) -> None:
        """Wait until `predicate()` holds; it is asked whenever something here changes.

        Raises TimeoutError, with every chat as it reads, after `seconds` of real time.
        """
        try:
            async with asyncio.timeout(seconds), self._changed:
                await self._changed.wait_for(predicate)
        except TimeoutError:
            chats = "\n".join(f"-- {ref.key}\n{self.as_text(ref)}" for ref in self._rooms) or "(no chats)"
            raise TimeoutError(f"waited {seconds:g} s in vain; the chats read:\n{chats}") from None

    async def until_text(self, part: str, chat: str | ChatRef = "c1", seconds: float = PATIENCE) -> Seen:
        """Wait for a message that contains `part` and return it."""
        await self.until(lambda: any(part in text for text in self.texts(chat)), seconds)
        return next(seen for seen in self.transcript(chat) if part in seen.text)

    async def reply_to(
        self,
        text: str,
        *,
        chat: str | ChatRef = "c1",
        sender: str | Sender = "ada",
        seconds: float = PATIENCE,
    ) -> str:
        """Say something and wait for the end of what answers it: the messages that are new or changed, joined by
        empty lines. The end is the summary that names the event."""
        before = set(self.transcript(chat))
        event = await self.say(text, chat=chat, sender=sender)
        await self.until(lambda: any(event.event_id in one.event_ids for one in self.summaries(chat)), seconds)
        return "\n\n".join(seen.text for seen in self.transcript(chat) if seen not in before)

    def fail_next(
        self,
        *,
        send: DeliveryError | Fault | None = None,
        edit: DeliveryError | Fault | None = None,
        delete: DeliveryError | Fault | None = None,
    ) -> None:
        """Make the next call of each kind fail; repeated calls queue up."""
        for operation, fault in (("send", send), ("edit", edit), ("delete", delete)):
            if fault is not None:
                self._faults[operation].append(fault)

    # Inside.

    def _ref(self, chat: str | ChatRef) -> ChatRef:
        return chat if isinstance(chat, ChatRef) else ChatRef(self._name, chat)

    def _room(self, chat: str | ChatRef) -> _Room:
        return self._rooms.setdefault(self._ref(chat), _Room())

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _hand_over(self, event: Inbound) -> Inbound:
        await self.until(lambda: self._sink is not None)
        assert self._sink is not None
        self.heard.append(event)
        await self._sink(event)
        return event

    async def _with_fault(self, operation: str, act: Callable[[], str]) -> str:
        fault = self._faults[operation].popleft() if self._faults[operation] else None
        if isinstance(fault, DeliveryError):
            raise fault
        if fault is Fault.HANG:
            await asyncio.Event().wait()
        result = act()
        await self._tell()
        if fault is Fault.LOST_ANSWER:
            raise Uncertain("the answer was lost")
        if fault is Fault.ACCEPT_AND_HANG:
            await asyncio.Event().wait()
        return result

    def _check(self, message: Outbound) -> None:
        if message.file is None and not message.text.strip():
            raise Refused("a message needs text")
        if message.file is not None and not self._capabilities.sends_files:
            raise Refused("no file can be sent here")
        if length(message.text, self._capabilities.unit) > self._capabilities.limit:
            raise Refused("the message is too long")

    def _place(self, message: Outbound) -> str:
        room = self._room(message.chat)
        if message.nonce and message.nonce in room.nonces:
            known, since = room.nonces[message.nonce]
            if self._now() - since < self._capabilities.nonce_seconds:
                return known
        message_id = f"m{next(self._message_ids)}"
        held = _held(message.file) if message.file is not None else b""
        seen = Seen(message_id, message.text, self._shown_buttons(message), file=message.file, bytes=held)
        room.shown[message_id] = seen
        if message.nonce:
            room.nonces[message.nonce] = (message_id, self._now())
        return message_id

    def _change(self, message_id: str, message: Outbound) -> str:
        room = self._room(message.chat)
        seen = room.shown.get(message_id)
        if seen is None:
            raise Refused("the message to edit is not there")
        buttons = self._shown_buttons(message)
        if (seen.text, seen.buttons) != (message.text, buttons):
            room.shown[message_id] = replace(seen, text=message.text, buttons=buttons, edits=seen.edits + 1)
        return message_id

    def _shown_buttons(self, message: Outbound) -> tuple[tuple[Button, ...], ...]:
        return message.buttons if self._capabilities.buttons else ()


def _held(file: OutFile) -> bytes:
    """A file's bytes. Raises Refused when they are gone, as every adapter does."""
    try:
        return Path(file.path).read_bytes()
    except OSError as error:
        raise Refused(f"the file {file.name} is no longer there ({error.strerror})") from None
