"""The state of the fake Discord: people, guilds, channels and threads with their messages, files, and nonces.

Owns ids and what a channel reads. What goes out as JSON is `shapes`' matter, who is told is `gateway`'s.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.discord.faults import Refusal

Raw = dict[str, Any]

EPOCH_MS = 1_420_070_400_000
"""Where Discord's time begins: 2015-01-01, in milliseconds."""

TEXT, DM, VOICE, FORUM, PUBLIC_THREAD, PRIVATE_THREAD = 0, 1, 2, 15, 11, 12
DEFAULT, RECIPIENT_ADD, THREAD_CREATED, REPLY, CHAT_INPUT, THREAD_STARTER = 0, 1, 18, 19, 20, 21
"""Types of channels, and of messages."""

EPHEMERAL, LOADING, QUIET = 1 << 6, 1 << 7, 1 << 12
"""Flags of messages: for one person's eyes; "thinking"; without a sound."""


@dataclass(slots=True)
class Account:
    """A person, or a bot."""

    id: int
    name: str
    is_bot: bool = False


@dataclass(frozen=True, slots=True)
class File:
    """An attachment with its bytes; `url` is on this server."""

    id: int
    name: str
    media_type: str
    data: bytes
    url: str
    description: str = ""
    voice_seconds: float | None = None


@dataclass(slots=True)
class Guild:
    """A server of Discord's, as people call it."""

    id: int
    name: str
    owner: int
    members: dict[int, Account] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    roles: dict[int, str] = field(default_factory=dict)


@dataclass(slots=True)
class Channel:
    """One place. `barred` is what the bot hears here; `parent` is a thread's channel."""

    id: int
    kind: int
    name: str = ""
    guild: Guild | None = None
    parent: Channel | None = None
    recipient: Account | None = None
    owner: int = 0
    joined: bool = True
    archived: bool = False
    locked: bool = False
    barred: Refusal | None = None
    unreadable: Refusal | None = None
    messages: dict[int, Message] = field(default_factory=dict)
    typing: list[float] = field(default_factory=list)

    @property
    def is_thread(self) -> bool:
        return self.kind in (PUBLIC_THREAD, PRIVATE_THREAD)

    @property
    def hidden(self) -> bool:
        """Whether the bot cannot know of it."""
        return self.unreadable is not None or (self.kind == PRIVATE_THREAD and not self.joined)


@dataclass(slots=True)
class Message:
    """One message of anybody. `everyone` and `roles` and `people` are whom it pinged when it was sent."""

    id: int
    channel: Channel
    author: Account
    content: str = ""
    kind: int = DEFAULT
    flags: int = 0
    nonce: str | None = None
    components: list[Raw] = field(default_factory=list)
    embeds: list[Raw] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    reply_to: int | None = None
    everyone: bool = False
    people: tuple[int, ...] = ()
    roles: tuple[int, ...] = ()
    mentions: tuple[int, ...] = ()
    reactions: dict[str, set[int]] = field(default_factory=dict)
    edited_at: float | None = None
    versions: list[str] = field(default_factory=list)
    sent_at: float = 0.0
    interaction: Raw | None = None
    seen_by: int | None = None

    @property
    def ephemeral(self) -> bool:
        return bool(self.flags & EPHEMERAL)


Payload = Callable[[int], Raw | None]
"""What is told, given the intents of the one who is told; None keeps it from them."""

Listener = Callable[[str, Payload], None]


class World:
    """Everything that the server remembers. `now` gives seconds since the epoch."""

    def __init__(self, bot: Account, now: Callable[[], float] = time.time) -> None:
        self.now = now
        self.bot = bot
        self.nonce_seconds = 180.0
        """How long an enforced nonce is remembered; the documentation says "a few minutes"."""
        self.accounts: dict[int, Account] = {bot.id: bot}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self.direct: dict[int, Channel] = {}
        self.files: dict[int, File] = {}
        self.changed = asyncio.Condition()
        self.listeners: list[Listener] = []
        self.root = ""
        self._nonces: dict[tuple[int, str], Message] = {}
        self._last_id = 0

    # Ids and waiting.

    def new_id(self) -> int:
        """A snowflake of this moment, larger than every one before."""
        moment = max(int(self.now() * 1000) - EPOCH_MS, 0) << 22
        self._last_id = max(moment, self._last_id + 1)
        return self._last_id

    def tell(self) -> None:
        """Wake whoever waits for a change."""
        asyncio.ensure_future(self._tell())  # noqa: RUF006 - it ends in the next pass of the loop

    async def _tell(self) -> None:
        async with self.changed:
            self.changed.notify_all()

    async def change(self, seconds: float) -> None:
        """Wait for a change, no longer than so many real seconds."""
        try:
            async with asyncio.timeout(seconds), self.changed:
                await self.changed.wait()
        except TimeoutError:
            pass

    def emit(self, event: str, payload: Payload) -> None:
        """Tell every session of the bot."""
        for listener in self.listeners:
            listener(event, payload)
        self.tell()

    # People and places.

    def account(self, number: int, name: str = "", *, is_bot: bool = False) -> Account:
        return self.accounts.setdefault(number, Account(number, name or f"user{number}", is_bot))

    def direct_channel(self, person: Account) -> Channel:
        """The one DM channel with a person, which is made when it is first asked for."""
        if person.id not in self.direct:
            channel = Channel(self.new_id(), DM, recipient=person)
            self.direct[person.id] = self.channels[channel.id] = channel
        return self.direct[person.id]

    def add_channel(self, channel: Channel) -> Channel:
        self.channels[channel.id] = channel
        if channel.guild is not None and not channel.is_thread:
            channel.guild.channels[channel.id] = channel
        return channel

    def threads(self, guild: Guild) -> list[Channel]:
        """The threads of a guild that are not archived."""
        return [
            each for each in self.channels.values() if each.guild is guild and each.is_thread and not each.archived
        ]

    # Messages and files.

    def write(self, channel: Channel, author: Account, content: str = "", **fields: Any) -> Message:
        """A new message in a channel. It is not told to anybody yet."""
        number = fields.pop("id", None) or self.new_id()
        message = Message(number, channel, author, content, sent_at=self.now(), versions=[content], **fields)
        channel.messages[number] = message
        self.tell()
        return message

    def rewrite(self, message: Message, **fields: Any) -> None:
        """Change a message; `content` among the fields is kept as a version."""
        for name, value in fields.items():
            setattr(message, name, value)
        message.edited_at = self.now()
        if "content" in fields:
            message.versions.append(message.content)
        self.tell()

    def keep_file(
        self,
        channel: Channel,
        name: str,
        media_type: str,
        data: bytes,
        *,
        description: str = "",
        voice_seconds: float | None = None,
    ) -> File:
        number = self.new_id()
        url = f"{self.root}/attachments/{channel.id}/{number}/{name}?ex=7fffffff&is=0&hm=00"
        file = File(number, name, media_type, data, url, description, voice_seconds)
        self.files[number] = file
        return file

    def same_nonce(self, author: Account, nonce: str) -> Message | None:
        """The author's message with this nonce, if it is of the last few minutes. It may have been deleted since."""
        known = self._nonces.get((author.id, nonce))
        return known if known is not None and self.now() - known.sent_at <= self.nonce_seconds else None

    def keep_nonce(self, message: Message) -> None:
        if message.nonce is not None:
            self._nonces[message.author.id, message.nonce] = message
