"""What an outside memory is to the house: its entry in the register, what it is asked, and what can go wrong.

Owns the words. Deadlines, order, scanning and fencing of what is recalled belong to gateway/providers/attendant.py;
networks and SDKs to each provider.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

OWNER = "owner"
"""The subject of everything that only owners hear."""


class ProviderFault(Exception):
    """The root of what a provider raises. `str(fault)` is one line fit for a person; it holds no secrets."""


class Unreachable(ProviderFault):
    """The service is not there, or not now: it is left alone for a while, and what was to be kept is tried again."""


class Refused(ProviderFault):
    """The service understood and said no (a wrong key, a spent quota, too large): this is not tried again."""


@dataclass(frozen=True, slots=True)
class SecretNeed:
    """One secret that a provider needs: the environment variable that holds it (asked for by `memory setup`, kept in
    the profile's `.env`), and what it is, in a few words. One that is not `required` may be missing."""

    variable: str
    help: str
    required: bool = True


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds that each kind of call may take. The house cuts them at ceilings of its own."""

    start: float = 20.0
    block: float = 2.0
    prefetch: float = 4.0
    sync: float = 30.0
    tool: float = 30.0
    close: float = 5.0


@dataclass(frozen=True, slots=True)
class ProviderManifest:
    """One provider's entry in the register (entry-point group `innkeeper.providers`, registered under `name`).

    `provider` is an import string `package.module:callable`; the callable takes a `ProviderContext` and returns a
    `Provider`; it opens nothing. `settings` is an import string of a pydantic model (a `platforms.settings.Section`)
    for `memory.providers.<name>` in config.yaml, or None. `about` is one line for a list. `extra` names the optional
    dependencies that it needs (`pip install innkeeper[EXTRA]`), when there are any. `local`: nothing that it keeps
    leaves this machine. `packages` are requirements for an environment of its own, beside the gateway's: `innkeeper
    memory setup NAME --install` makes that one on request. Importing the manifest imports no SDK.
    """

    name: str
    provider: str
    about: str = ""
    settings: str | None = None
    secrets: tuple[SecretNeed, ...] = ()
    extra: str = ""
    local: bool = False
    patience: Patience = field(default_factory=Patience)
    packages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProviderContext:
    """What a provider gets from the house: its settings (validated; defaults filled in), the secrets of its manifest
    that are set (by variable), a folder of its own in the profile (it exists, and is backed up), the profile's name,
    the time in seconds since the epoch, and where an environment of its own lies when one was installed (no backup
    takes that along; see `ProviderManifest.packages`)."""

    settings: Mapping[str, Any]
    secrets: Mapping[str, str] = field(repr=False)
    folder: Path
    profile: str = "default"
    now: Callable[[], float] = time.time
    environment: Path | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """Whose memory, and in which conversation.

    `subject` keeps memories apart: `owner`, `people/NAME` or `rooms/NAME`. What was kept for one subject is never
    recalled for another; a provider maps it to its service's user, space, bank or folder. `session` names a stretch
    of a chat up to `/new`; `chat` is the chat's key (`telegram:111`).
    """

    subject: str
    session: str
    chat: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A turn is about to begin: the person's own words."""

    where: Conversation
    text: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """A turn that was answered: the person's own words and the reply, without the gateway's notes, without documents
    and results of tools, secrets taken out. `answered` is empty where the turn read text from outside: what such a
    text made the assistant say is not kept. `at` is in seconds since the epoch.

    `id` is the same when the same exchange is handed over again after a fault: a service that knows keys for that
    (idempotency, document ids) is told it.
    """

    id: str
    where: Conversation
    asked: str
    answered: str
    at: float
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Write:
    """Entries of the built-in memory changed: `store` is `memory` or `user`, `removed` and `added` are whole entries,
    a changed one stands in both."""

    where: Conversation
    store: str
    removed: tuple[str, ...]
    added: tuple[str, ...]


Run = Callable[[Mapping[str, Any], Conversation], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class ProviderTool:
    """A tool of the provider's own. `name` is `<provider>_<verb>`; `parameters` is a JSON Schema object, the same
    each time. `run` returns what the model reads; for arguments that will not do it raises `Refused`, which the model
    reads too. Whatever it returns is scanned and fenced as text from outside. One that `writes` changes what is kept:
    it is refused in a turn that read text from outside."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Run
    writes: bool = False


class Provider(Protocol):
    """One outside memory. All its coroutines run in one event loop, on a thread of their own: whatever blocks there
    holds up nobody else. The house awaits one `sync` or hook at a time, in order; `prefetch`, `prompt_block` and
    tools may run beside that. Every call may be cancelled at any moment, when its patience is over or a person says
    stop: that must leave the provider usable. Faults are `Unreachable` or `Refused`; any other exception is a fault
    of the provider's, and treated as `Unreachable`.
    """

    @property
    def name(self) -> str:
        """As in the manifest."""

    async def start(self) -> None:
        """Connect, and find out whether key and address are right. Called again after a fault."""

    async def prompt_block(self, where: Conversation) -> str:
        """What the prompt of a session that begins now should hold, or nothing. Frozen with the session."""

    async def prefetch(self, question: Question) -> str:
        """What is known that may help with this turn, as plain text; empty when nothing is. Whole: the house decides
        how much of it is shown."""

    async def sync(self, exchange: Exchange) -> None:
        """Keep a turn that was answered."""

    def tools(self) -> Sequence[ProviderTool]:
        """Its own tools; known without `start`, the same each time."""

    async def wrote(self, write: Write) -> None:
        """The built-in memory was changed."""

    async def ended(self, where: Conversation, reason: str) -> None:
        """A boundary was drawn: the session is over. All its exchanges were handed over before."""

    async def compacting(self, where: Conversation) -> None:
        """The older part of the session gave way to a summary; the session goes on."""

    async def close(self) -> None:
        """Let go of everything; also when `start` failed or was never called, and more than once."""


class Silent:
    """A provider that does nothing by itself: for those that have no use for every part of the protocol."""

    name = "silent"

    async def start(self) -> None:
        return

    async def prompt_block(self, where: Conversation) -> str:
        return ""

    async def prefetch(self, question: Question) -> str:
        return ""

    async def sync(self, exchange: Exchange) -> None:
        return

    def tools(self) -> Sequence[ProviderTool]:
        return ()

    async def wrote(self, write: Write) -> None:
        return

    async def ended(self, where: Conversation, reason: str) -> None:
        return

    async def compacting(self, where: Conversation) -> None:
        return

    async def close(self) -> None:
        return
