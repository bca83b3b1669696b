"""What commands need of the house, as protocols; the application passes the implementations in.

Times are seconds since the epoch. A port that is None in `Ports` does not exist on this surface.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from memory.model import Applied, Unchanged
from memory.pending.deciding import Decider
from memory.pending.folder import W
from memory.pending.model import PendingWrite
from memory.pending.outcomes import Resolved
from memory.pending.resolve import Resolver
from memory.pending.skill_model import SkillWrite
from memory.skills.model import SkillApplied, SkillUnchanged
from memory.store import Stores
from platforms.messages import ChatRef

if TYPE_CHECKING:
    from commands.cron_ports import Cron
    from commands.dashboard_ports import Dashboard
    from commands.host_ports import HostStates
    from commands.journey_ports import Journey
    from commands.maintenance_ports import Maintenance
    from commands.review_ports import Reviews
    from commands.search_ports import Finder
    from commands.session_ports import Entry, Retention
    from commands.skill_ports import Skills
    from commands.tool_ports import CallPending, Tools

Made = TypeVar("Made")
"""What carrying out a pending write gives."""

Listed = Literal["all", "open", "pinned"]
"""Which sessions a list shows."""


@dataclass(frozen=True, slots=True)
class SessionView:
    """A session in a list or in a reply."""

    id: str
    chat: str
    title: str
    messages: int
    started_at: float
    active_at: float
    open: bool
    end_reason: str | None = None
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One message of a transcript, as a person reads it."""

    message_id: int
    role: str
    text: str
    time: float


@dataclass(frozen=True, slots=True)
class Opened:
    """What `/new` did. `carried` says in words what the new session begins with."""

    closed: SessionView | None
    carried: str
    waiting: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """What `/stop` did: whether a turn ran, and the texts that waited and were set aside."""

    ran: bool
    dropped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UsageView:
    """Summed usage of one task on one model."""

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
class ModelView:
    """The model that answers in a chat, and why this one."""

    name: str
    chosen_here: bool
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StatusView:
    """The state of the house, as pairs of a name and words for people; `data` is the same for programs."""

    lines: Sequence[tuple[str, str]]
    data: Mapping[str, object] = field(default_factory=dict)


class Archive(Protocol):
    """Sessions, as stored. `keys` limits what a chat may see to these session keys; None is everything."""

    async def recent(
        self, limit: int, keys: tuple[str, ...] | None, offset: int = 0, *, only: Listed = "all"
    ) -> list[SessionView]: ...

    async def keys(self) -> list[str]:
        """The session keys that there are, in order: those of chats, and those of people in a group."""

    async def find(self, prefix: str, keys: tuple[str, ...] | None) -> list[SessionView]: ...

    async def transcript(self, session_id: str) -> list[Line]: ...

    async def head(self, session_id: str) -> SessionView | None:
        """A session for taking away: secrets in its title are masked. None when it is not there any more."""

    async def rows(self, session_id: str) -> list[int]:
        """The ids of a session's rows, in order."""

    def entries(self, session_id: str, after: int = 0) -> AsyncIterator[Entry]:
        """Every row of a session with an id above `after`, tool calls and all, for taking away: secrets are masked,
        and never all of it is held at once."""

    async def rename(self, session_id: str, title: str) -> None: ...

    async def pin(self, session_id: str, pinned: bool) -> None:
        """Whether it stays when old sessions leave."""


class Conversation(Protocol):
    """The running engine's side of one chat."""

    async def new(self, key: str, name: str, chat: ChatRef, who: str, *, direct: bool) -> Opened:
        """Draw the boundary in this chat. `who` (`platform:id`) asks for it; `direct`: nobody else reads along."""

    async def stop(self, key: str, item_id: int) -> Stopped:
        """End what runs and set aside what waits. `item_id` is the command's event: what came after it stays; 0
        leaves nothing."""

    async def retry(self, key: str, chat: ChatRef, item_id: int) -> Literal["sent", "running", "nothing", "busy"]:
        """Send the last reply again, or run the last turn again when it has none."""

    async def reanswer(self, key: str, item_id: int) -> Literal["running", "nothing"]:
        """Answer the message of a stored event as it reads since it was changed."""

    async def current(self, key: str) -> SessionView | None: ...

    async def resume(self, session_id: str, key: str, chat: ChatRef) -> SessionView: ...

    async def backlog(self, key: str, answer: bool) -> int:
        """Answer what waited while the process was down, or let it be; the number of messages."""


class Models(Protocol):
    """Which model answers in a chat."""

    async def current(self, chat: ChatRef | None) -> ModelView: ...

    async def choose(self, chat: ChatRef, name: str | None) -> ModelView:
        """Pick `host/model` for one chat, or go back to the main one. Raises LookupError with words for people."""


class Books(Protocol):
    """Usage."""

    async def session(self, key: str) -> list[UsageView]: ...

    async def since(self, days: int) -> list[UsageView]: ...


class Status(Protocol):
    """The state of everything."""

    async def view(self, key: str | None) -> StatusView: ...


@dataclass(frozen=True, slots=True)
class Traces:
    """What holds a text, beside memory itself: messages of the archive, large texts put aside, files of
    conversations, facts of the outside memory on this machine, calls that were decided.

    Nobody here erases it in the memories named in `outside`, which keep what they were told, nor in `backups`, which
    are replaced by newer ones. `named` are paths of the files that are counted here, `unread` those of what could not
    be looked into, or removed."""

    messages: int = 0
    large: int = 0
    files: int = 0
    facts: int = 0
    calls: int = 0
    outside: tuple[str, ...] = ()
    backups: int = 0
    named: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


class Memory(Protocol):
    """Curated memory, and what lies around it."""

    @property
    def stores(self) -> Stores:
        """The owner's two files, or those that `at` gave. Synchronous: to be called off the event loop."""

    def at(self, chat: ChatRef | None, who: str, *, direct: bool) -> Memory | None:
        """The same for what this person (`platform:id`) may see and change in this chat; None when that is nothing,
        or others would see it. No chat is the shell."""

    def writing(self) -> AbstractContextManager[None]:
        """To be held around a change: a session that begins meanwhile waits for it."""

    async def diagnosis(self, key: str | None) -> list[str]:
        """Why something may not have been remembered, in lines for people: causes in order, and the next step."""

    async def traces(self, texts: Sequence[str]) -> Traces:
        """What holds one of these texts."""

    async def erase(self, texts: Sequence[str]) -> Traces:
        """Erase these texts from the archive, what hosts keep of its sessions, and every file that holds one; what
        was touched."""

    async def cause(self, message: str | None) -> str:
        """The words of the message behind a change (`turn:12`, `inbox:34`); empty when it is not there any more."""

    async def spot(self, message: str | None) -> tuple[str, int] | None:
        """The session, and in it the row, of the message behind a change; None when it is in no session."""

    async def wish(self, turn: int, key: str | None) -> str:
        """What the person asked to have kept in this turn of this chat; empty when there was no such wish."""

    async def ordered(self, item_id: int, key: str | None) -> str:
        """The words of an earlier order in this chat; empty when there is none."""


class Gatehouse(Protocol[W, Made]):
    """Writes of one kind that wait for a yes."""

    @property
    def resolver(self) -> Decider[W, Made]:
        """Decides. Synchronous: to be called off the event loop."""

    def now(self) -> float: ...

    async def offered(self, chat: ChatRef, message_id: str, action: str) -> bool:
        """Whether this message is one of ours in this chat, with a button for this action on it."""

    async def meant(self, item_id: int, names: Sequence[str] = ()) -> Sequence[str]:
        """Which ids an order (by its stored event) was first taken to mean; `names` are noted when it is new."""

    async def decided(self, name: str, resolution: Resolved[W, Made]) -> None:
        """Told each decision, for whoever waits for one, and for the books of reviews."""

    async def settle(self) -> None:
        """Told that a change was taken back, or that what waited went without a decision: the books of reviews say
        what became of theirs."""

    def put_off(self, name: str) -> None:
        """Nobody is to wait for this one any longer; an empty name is no one's."""

    def rule(self) -> bool | str:
        """The kind's `write_approval` as it is in force."""

    async def set_rule(self, value: str) -> str:
        """Set it in config.yaml and in force; the empty string, or why that could not be."""


class Pending(Gatehouse[PendingWrite, Applied | Unchanged], Protocol):
    """Writes to memory that wait; these can be edited as well."""

    @property
    def resolver(self) -> Resolver: ...


SkillPending = Gatehouse[SkillWrite, SkillApplied | SkillUnchanged]
"""Changes of skills that wait."""


@dataclass(frozen=True, slots=True)
class GuestView:
    """Somebody who asks to be let in (`until`: the end of the code) or who was let in by `who`. `id` is
    `platform:person`, `since` the moment of asking or of being let in."""

    id: str
    name: str
    chat: str
    since: float
    who: str = ""
    until: float | None = None


class Pairing(Protocol):
    """People whom no allowlist names."""

    async def asking(self) -> list[GuestView]: ...

    async def guests(self) -> list[GuestView]:
        """Those who were let in."""

    async def approve(self, code: str, who: str) -> GuestView:
        """Let in whoever this code was given to, and tell them. Raises LookupError with words for people."""

    async def revoke(self, guest_id: str) -> bool:
        """Put somebody out again; whether they were in."""


class Homes(Protocol):
    """Where operators are told what waits."""

    async def set(self, chats: Sequence[ChatRef]) -> str:
        """Make these the home chats, in config.yaml and in force; the empty string, or why that could not be."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything a command may ask for."""

    archive: Archive
    books: Books
    status: Status
    models: Models
    conversation: Conversation | None = None
    memory: Memory | None = None
    pending: Pending | None = None
    skill_pending: SkillPending | None = None
    skills: Skills | None = None
    homes: Homes | None = None
    pairing: Pairing | None = None
    reviews: Reviews | None = None
    retention: Retention | None = None
    finder: Finder | None = None
    cron: Cron | None = None
    maintenance: Maintenance | None = None
    journey: Journey | None = None
    hosts: HostStates | None = None
    dashboard: Dashboard | None = None
    tools: Tools | None = None
    call_pending: CallPending | None = None
