"""The vocabulary that adapters and the engine share: what came in, what goes out, and where.

Everything here is frozen and plain; nothing here imports an SDK. Times are seconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal


@dataclass(frozen=True, slots=True)
class ChatRef:
    """A place on a platform: platform, chat id, and the topic or thread within it, if any."""

    platform: str
    chat_id: str
    thread_id: str | None = None

    @property
    def key(self) -> str:
        """`platform:chat` or `platform:chat:thread`, as written in configuration and in the database. A colon, a `#`
        or a `%` within an id is written as in an address: `%3A`, `%23`, `%25`."""
        tail = f":{_escaped(self.thread_id)}" if self.thread_id is not None else ""
        return f"{self.platform}:{_escaped(self.chat_id)}{tail}"

    @classmethod
    def parse(cls, key: str) -> ChatRef:
        """The inverse of `key`. Raises ValueError when there is no chat id."""
        platform, _, rest = key.partition(":")
        chat_id, _, thread_id = rest.partition(":")
        if not platform or not chat_id:
            raise ValueError(f"not a chat: {key!r} (expected platform:chat or platform:chat:thread)")
        return cls(platform, _unescaped(chat_id), _unescaped(thread_id) or None)


def _escaped(part: str) -> str:
    return part.replace("%", "%25").replace(":", "%3A").replace("#", "%23")


def _unescaped(part: str) -> str:
    return part.replace("%23", "#").replace("%3A", ":").replace("%25", "%")


class ChatKind(StrEnum):
    """Who can hear: one person, or several."""

    DIRECT = "direct"
    GROUP = "group"


@dataclass(frozen=True, slots=True)
class Sender:
    """Who spoke. `id` is the platform's own, as text; an anonymous speaker has an empty id."""

    id: str
    name: str = ""
    is_bot: bool = False


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a message. `locator` is what the adapter needs to fetch it; `size` in bytes."""

    kind: Literal["picture", "document", "voice", "video"]
    name: str
    media_type: str
    size: int
    locator: str


PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""Media types that chat networks show as pictures."""


@dataclass(frozen=True, slots=True)
class OutFile:
    """A file to be sent. `path` is where its bytes lie until it has arrived; a `picture` is shown as one."""

    name: str
    media_type: str
    path: str

    @property
    def picture(self) -> bool:
        return self.media_type in PICTURES


@dataclass(frozen=True, slots=True)
class Button:
    """One tap. `action` is a command line such as `/new`; at most 64 bytes of UTF-8, and never free text."""

    label: str
    action: str


@dataclass(frozen=True, slots=True)
class Inbound:
    """One event from a platform, before anybody has judged it.

    `event_id` is unique per (platform, account) and the same when the platform delivers the event again.
    `units` is the length of `text` in the platform's own unit, 0 when a split is impossible there.
    `addressed` is true in direct chats, and in groups for a mention of or a reply to the bot.
    `pressed` marks a button press: `text` is then the button's action and `message_id` the card's id.
    `sent_at` is the platform's own time for the event. `edited` marks a message that the person changed: `text` is
    the new one, `message_id` says which, and `sent_at` is the time of the change. `quoted` holds the words of the
    message that this one answers, if it does, or those of them that the person picked; `quoted_from` is who wrote
    them, None when the platform does not say. `passed_on` marks what somebody else wrote and the
    sender only forwards.
    """

    account: str
    event_id: str
    chat: ChatRef
    kind: ChatKind
    sender: Sender
    text: str
    sent_at: float
    message_id: str | None = None
    addressed: bool = True
    pressed: bool = False
    units: int = 0
    media_group: str | None = None
    attachments: tuple[Attachment, ...] = ()
    edited: bool = False
    quoted: str = ""
    quoted_from: Sender | None = None
    passed_on: bool = False


@dataclass(frozen=True, slots=True)
class Outbound:
    """One message to send or to become (on edit). `text` is Markdown and already fits the platform's limit.

    `nonce` names this part for platforms that refuse a repetition of one (`Capabilities.nonce_seconds`). With a
    `file`, `text` is what stands under it, and may be empty; a message with a file is never edited.
    """

    chat: ChatRef
    text: str
    buttons: tuple[tuple[Button, ...], ...] = field(default=())
    reply_to: str | None = None
    nonce: str | None = None
    quiet: bool = False
    file: OutFile | None = None


@dataclass(frozen=True, slots=True)
class TurnSummary:
    """What became of one or more inbound events, said once when nothing more will be sent for them.

    `event_ids` are the events that were answered together. `reply` is the whole stored answer, empty when a command
    answered with messages alone. `usage` holds numbers by name (`input`, `cached`, `output` tokens, `calls`,
    `cost` in US dollars or None). `notices` are the lines that were said beside the answer. `outcome` is
    `answered`, `command`, `stopped`, `refused` or `failed`.
    """

    event_ids: tuple[str, ...]
    session_id: str
    reply: str
    usage: Mapping[str, float | int | None] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    outcome: str = "answered"
