"""What the engine's parts share: the store, the clock, the settings in force, and the doors to everything else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from commands.cron_ports import Cron
from commands.dashboard_ports import Dashboard
from commands.maintenance_ports import Maintenance
from gateway.agent.scopes import NOWHERE, Scope, ScopeOf
from gateway.agent.snapshot import Opening
from gateway.attachments.cache import FileCache
from gateway.attachments.intake import Intake
from gateway.clock import Clock
from gateway.config.schema import Settings
from gateway.engine.gates.gatekeeper import HomesDesk, Memories, PendingDesk
from gateway.engine.gates.remote_tools import RemoteTools
from gateway.engine.gates.skill_gatekeeper import GatedSkills, SkillDesk
from gateway.engine.outgoing.delivery import Delivery
from gateway.engine.sessions.session_notes import SessionNotes
from gateway.events import Bus, TurnFinished
from gateway.models.client import ModelClient
from gateway.state.protocols import Store
from gateway.state.records import Session, Turn, TurnState
from gateway.tools.send_file import Outlet
from gateway.tools.toolset import Toolset
from gateway.transcript import Usage
from memory.store import Stores
from platforms.adapter import Adapter
from platforms.messages import ChatRef, Inbound


class Hosts(Protocol):
    """The model hosts, by name."""

    def resolve(self, name: str | None) -> ModelClient:
        """The client for `host/model`, or for the main model with its fallbacks when None.

        Raises ConfigurationError for a name that is not configured.
        """

    def resolve_for(self, provider: str, model: str) -> ModelClient:
        """The client for a side task's `provider` and `model`; `auto` for both is the main model. Raises likewise."""

    def forget(self, session: str) -> None:
        """Erase what hosts keep of a session."""


class Report(Protocol):
    """Where faults are written down: structured, redacted, and never the person's text."""

    def info(self, event: str, **fields: object) -> object: ...

    def warning(self, event: str, **fields: object) -> object: ...

    def error(self, event: str, **fields: object) -> object: ...


class LooksBack(Protocol):
    """Who sees to it that what is about to be left behind is reviewed. Each call is a step on a person's way, and
    costs as little as a row in the store."""

    async def before_end(self, session_id: str) -> object:
        """A boundary is about to be stored for this session."""

    async def before_summary(self, session_id: str) -> object:
        """The older part of this session is about to give way to a summary."""

    async def written(self, session_id: str, kind: Literal["memory", "skill"]) -> None:
        """A turn of this session wrote something of this kind itself."""


class Outside(Protocol):
    """An outside memory beside the files. What it does not say in time is nothing, and never a fault."""

    @property
    def words(self) -> str:
        """How it is doing, in a line."""

    @property
    def data(self) -> Mapping[str, object]:
        """The same for programs."""

    async def block(self, event: Inbound, session_id: str) -> str:
        """What the prompt of a session that begins with this event holds of it."""

    async def recall(self, session: Session, event: Inbound, text: str, window: int | None) -> str:
        """What it recalls for a message with this text, marked as such, for the note of its row; `window` is the
        model's, in tokens."""

    def compacting(self, session_id: str) -> None:
        """The older part of a session gave way to a summary."""


Open = Callable[[Inbound], Opening]
"""What a session that begins with this event is opened with."""


def no_memory(chat: ChatRef, who: str, direct: bool) -> Scope:
    """The scope of every chat in a house without memory."""
    return NOWHERE


@dataclass(frozen=True, slots=True)
class House:
    """One running engine's belongings. `settings()` gives what is in force now; it may change between two calls."""

    store: Store
    clock: Clock
    settings: Callable[[], Settings]
    adapters: Mapping[str, Adapter]
    delivery: Delivery
    hosts: Hosts
    toolset: Toolset
    opening: Open
    report: Report
    started_at: float
    carried: Callable[[Scope], str]
    """What a new session begins with, in words."""
    wants_tool: Callable[[str], bool] = lambda text: False
    notes: SessionNotes | None = None
    scope: ScopeOf = no_memory
    memories: Memories | None = None
    pending: PendingDesk | None = None
    skills: GatedSkills | None = None
    skill_pending: SkillDesk | None = None
    homes: HomesDesk | None = None
    cron: Cron | None = None
    maintenance: Maintenance | None = None
    dashboard: Dashboard | None = None
    intake: Intake | None = None
    """Where attachments are fetched; without it they are named and nothing more."""
    outlet: Outlet | None = None
    """Where files for chats are put; without it, what would be one is sent as text."""
    bus: Bus = field(default_factory=Bus)
    remote: RemoteTools | None = None
    """Tools of MCP servers; without it there are none."""
    looks_back: LooksBack | None = None
    """Without it, nothing is reviewed."""
    outside: Outside | None = None
    mask: Callable[[str], str] | None = None
    """Takes secrets out of what leaves the house; without it, those that are known by their shape."""
    caches: tuple[FileCache, ...] = ()
    """Where the files of conversations lie."""

    @property
    def stores(self) -> Stores | None:
        """The owner's own."""
        return self.memories.shelf.own if self.memories is not None else None

    def turn_ended(self, turn: Turn, state: TurnState, usage: Usage | None = None) -> None:
        """Say how a turn ended, to everybody who wants to know. Nobody else publishes that."""
        seconds = self.clock.now() - turn.began_at
        self.bus.publish(TurnFinished(turn.id, turn.session_id, turn.chat, state, usage or Usage(), seconds))
