"""What the repositories hand out: frozen rows in the engine's words. Times are seconds since the epoch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from gateway.transcript import Message, Picture, ToolCall
from platforms.messages import Button, ChatRef, Inbound, OutFile

TurnState = Literal["running", "answered", "stopped", "failed", "dropped"]
Only = Literal["all", "open", "pinned"]
"""Which sessions a list shows."""
PartState = Literal["preview", "queued", "sending", "sent", "uncertain", "refused", "expired", "dropped"]


@dataclass(frozen=True, slots=True)
class InboxItem:
    """A stored event that waits for its turn. `wanted`: it was held, and the person wants an answer to it."""

    id: int
    session_key: str
    event: Inbound
    received_at: float
    wanted: bool = False


@dataclass(frozen=True, slots=True)
class Version:
    """A message as it was sent, or as it read after an edit; and what became of that: `turn_id` is the turn that
    took it."""

    item: InboxItem
    state: Literal["new", "held", "taken", "done", "dead"]
    turn_id: int | None


@dataclass(frozen=True, slots=True)
class Session:
    """One stretch of a chat. `tools` is the JSON of the tool schemas, as offered in every request of the session.

    `end_reason` of an open session is `resumed` until its next turn. `pinned` keeps it when `sessions.retention_days`
    takes others away.
    """

    id: str
    session_key: str
    chat: ChatRef
    prompt: str
    tools: str
    title: str | None
    epoch: int
    pinned: bool
    started_at: float
    active_at: float
    ended_at: float | None = None
    end_reason: str | None = None


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session in a list: the number of messages that people see, and the first words that a person said."""

    session: Session
    messages: int
    opening: str


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file that came with a message, or that a tool wants sent. `path` is where its bytes lie in the profile's
    cache, until they are cleaned up."""

    kind: Literal["picture", "document", "voice", "video"]
    name: str
    media_type: str
    path: str


@dataclass(frozen=True, slots=True)
class Row:
    """A message to be stored. `note` is the gateway's own text before the content, kept apart from it."""

    role: Literal["user", "assistant", "tool"]
    content: str
    note: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    model: str | None = None
    untrusted: str = ""
    """Where the text came from when nobody vouches for it: `document`, `web`, `mcp`, `job`."""
    files: tuple[KeptFile, ...] = ()
    """A user's row: what came with the message. A tool's row: what is to be sent with the answer."""


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message row as stored."""

    id: int
    session_id: str
    turn_id: int | None
    row: Row
    created_at: float

    def as_message(self) -> Message:
        """The row as a model reads it: the note first, then the content."""
        row = self.row
        content = f"{row.note}\n{row.content}" if row.note and row.content else row.note or row.content
        seen = row.files if row.role == "user" else ()
        pictures = tuple(Picture(each.media_type, each.path) for each in seen if each.kind == "picture")
        return Message(row.role, content, row.tool_calls, row.tool_call_id, pictures)


@dataclass(frozen=True, slots=True)
class Compaction:
    """A summary that stands for the rows up to and including `upto_message_id`."""

    upto_message_id: int
    summary: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn on one session. Writes are refused once the session's epoch is above the turn's.

    `run` is the job's run that asked for it, None for a turn that people's messages asked for. `unsaid`: nothing of
    it was shown, and it is no part of the conversation.
    """

    id: int
    session_id: str
    chat: ChatRef
    epoch: int
    state: TurnState
    starts: int
    began_at: float
    inbox_ids: tuple[int, ...] = ()
    run: int | None = None
    unsaid: bool = False
    reason: str | None = None
    """Why it ended as it did, where there is something to say of it."""


@dataclass(frozen=True, slots=True)
class PartDraft:
    """A part of a reply before it is stored."""

    text: str
    buttons: tuple[tuple[Button, ...], ...] = ()
    reply_to: str | None = None
    file: OutFile | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One message that must reach a chat. `remote_id` is the platform's id once it is known: then it is edited.

    `tried_at` is the time of a try whose end is unknown; `preview` marks a part that was streamed.
    """

    id: int
    chat: ChatRef
    source: str
    part: int
    text: str
    buttons: tuple[tuple[Button, ...], ...]
    reply_to: str | None
    nonce: str
    state: PartState
    preview: bool
    remote_id: str | None
    tried_at: float | None
    created_at: float
    file: OutFile | None = None


@dataclass(frozen=True, slots=True)
class UsageLine:
    """Summed usage. `cost` in US dollars, None when no host named a price."""

    task: str
    host: str
    model: str
    calls: int
    input: int
    cached: int
    output: int
    cost: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Touched:
    """Where some texts are stored: how many messages hold them, and which sessions."""

    messages: int
    sessions: frozenset[str]


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody whom no allowlist names: who asks to be let in with a code, or was let in by `who`.

    `chat` is the direct chat with them, `since` when they asked or were let in, in seconds since the epoch.
    """

    platform: str
    person: str
    name: str
    chat: ChatRef
    since: float
    who: str = ""

    @property
    def id(self) -> str:
        return f"{self.platform}:{self.person}"


Asked = Literal["new", "open", "quiet", "full"]
"""What asking for a code came to: one was kept; one is open; that was said a moment ago; too many are open."""


@dataclass(frozen=True, slots=True)
class WrongCode:
    """Nobody's open code. `left` is how many wrong ones may still follow within the hour."""

    left: int


@dataclass(frozen=True, slots=True)
class PairingLocked:
    """Too many wrong codes: none is looked at until this moment, in seconds since the epoch."""

    until: float


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """An event that could not be handled."""

    id: int
    chat: str | None
    event_id: str
    error: str
    created_at: float
    body: str = field(repr=False, default="")
