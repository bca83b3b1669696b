"""The profile's memory behind its gate: stores, what waits, and who decides it. And the desk where that is asked.

Which writes wait is `memory.gate`'s rule; here it learns who is an operator and where the console is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from commands.authority import CONSOLE, role_of
from commands.spec import Role
from gateway.agent.snapshot import limits
from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.engine.arrival.session_key import access_rules
from gateway.engine.care.remains import Remains
from gateway.engine.gates.review_fates import ReviewFates
from gateway.errors import InnkeeperError
from gateway.state.protocols import Store
from memory.gate import Gate, Rule
from memory.model import Applied, Draft, Unchanged
from memory.pending.deciding import Decider
from memory.pending.folder import PendingFolder, W
from memory.pending.model import PendingWrite
from memory.pending.outcomes import Approved, Decided, Edited, Rejected, Resolved
from memory.pending.resolve import Resolver
from memory.pending.store import PendingStore
from memory.scan.doubt import doubt_draft
from memory.scan.scanner import check
from memory.shelf import Shelf
from platforms.messages import ChatRef

SHELL = "shell"
"""Who gives orders at the shell: whoever can open the profile's folder."""

ORDERS_KEPT = 50
"""Orders of which is kept what they meant; a crash can only repeat the last ones."""

Made = TypeVar("Made")
SetKey = Callable[[str, str], Awaitable[None]]
"""Sets a key of config.yaml to a value as written there, and brings it into force."""


@dataclass(frozen=True, slots=True)
class Memories:
    """`shelf` holds the stores, `resolver` decides what waits in `pending/memory`, `remains` knows what else holds
    what is to be gone everywhere."""

    shelf: Shelf
    resolver: Resolver
    remains: Remains

    @property
    def pendings(self) -> PendingFolder[PendingWrite]:
        return self.resolver.pendings

    def repair(self) -> list[str]:
        """At start: what killed writers and deciders left. Lines for the log."""
        return [*self.shelf.repair(), *self.resolver.mend()]

    def taken_back(self) -> dict[str, bool]:
        """By the id of each change, whether it is taken back. Raises FileTrouble."""
        return {each.id: each.undone_by is not None for each in self.shelf.changes()}


def memories(profile: Profile, settings: Callable[[], Settings], now: Callable[[], float]) -> Memories:
    """The memory of a profile, scanned and gated."""
    pendings = PendingStore(profile.pending / "memory", now)
    gate = Gate(
        rule=lambda: settings().memory.write_approval,
        console=at_console,
        operator=lambda who: may_decide(who, settings()),
        put=pendings.put,
        doubt=lambda draft: _doubtful(draft) if settings().memory.hold_doubtful else "",
    )
    shelf = Shelf(profile.memories, lambda: limits(settings()), now, check=check, decide=gate)
    return Memories(shelf, Resolver(pendings, shelf.holding, shelf.own, now), Remains(profile, settings))


def _doubtful(draft: Draft) -> str:
    found = doubt_draft(draft)
    return found.words if found is not None else ""


def at_console(chat: str | None) -> bool:
    """Whether a chat (by its key) is one where somebody sits and watches."""
    return chat is not None and ChatRef.parse(chat).platform == CONSOLE


def may_decide(who: str, settings: Settings) -> bool:
    """Whether a person (`platform:id`) is an operator."""
    platform, _, person = who.partition(":")
    return who == SHELL or (bool(who) and role_of(platform, person, access_rules(settings)) >= Role.OPERATOR)


class Fates(Protocol):
    """Who notes what became of what waited."""

    async def settle(self) -> None: ...


class Gatehouse(Generic[W, Made]):
    """`commands.ports.Gatehouse`: where writes of one kind are decided, and where a turn may wait for that. `key` is
    the kind's switch in config.yaml, `rule()` what it says now; `now()` in seconds since the epoch; `fates` notes
    what becomes of the writes of reviews."""

    def __init__(
        self,
        resolver: Decider[W, Made],
        store: Store,
        now: Callable[[], float],
        rule: Callable[[], Rule],
        key: str,
        set_key: SetKey,
        fates: Fates,
    ) -> None:
        self._resolver = resolver
        self._store = store
        self._now = now
        self._rule = rule
        self._key = key
        self._set_key = set_key
        self._fates = fates
        self._waits: dict[str, asyncio.Future[Resolved[W, Made] | None]] = {}

    @property
    def resolver(self) -> Decider[W, Made]:
        return self._resolver

    def now(self) -> float:
        return self._now()

    async def offered(self, chat: ChatRef, message_id: str, action: str) -> bool:
        return action in await self._store.outbox.offers(chat, message_id)

    async def meant(self, item_id: int, names: Sequence[str] = ()) -> Sequence[str]:
        orders: dict[str, list[str]] = await self._store.facts.get("pending", "meant") or {}
        if names and str(item_id) not in orders:
            orders = dict([*orders.items(), (str(item_id), list(names))][-ORDERS_KEPT:])
            await self._store.facts.put("pending", "meant", orders)
        return orders.get(str(item_id), ())

    async def decided(self, name: str, resolution: Resolved[W, Made]) -> None:
        if isinstance(resolution, Approved | Rejected | Edited | Decided):
            self._tell(name, resolution)
            await self.settle()

    async def settle(self) -> None:
        await self._fates.settle()

    def put_off(self, name: str) -> None:
        self._tell(name, None)

    def _tell(self, name: str, resolution: Resolved[W, Made] | None) -> None:
        waiting = self._waits.pop(name, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(resolution)

    def decision(self, name: str) -> asyncio.Future[Resolved[W, Made] | None]:
        """What will be decided about a write; None when it was put off."""
        return self._waits.setdefault(name, asyncio.get_running_loop().create_future())

    def rule(self) -> bool | str:
        return self._rule()

    async def set_rule(self, value: str) -> str:
        return await _tried(self._set_key(self._key, value))


class PendingDesk(Gatehouse[PendingWrite, Applied | Unchanged]):
    """`commands.ports.Pending`."""

    def __init__(
        self,
        memories: Memories,
        store: Store,
        settings: Callable[[], Settings],
        now: Callable[[], float],
        set_key: SetKey,
    ) -> None:
        key = "memory.write_approval"
        fates = ReviewFates(store.review_books, "memory", memories.resolver, memories.taken_back)
        super().__init__(memories.resolver, store, now, lambda: settings().memory.write_approval, key, set_key, fates)
        self._memories = memories

    @property
    def resolver(self) -> Resolver:
        return self._memories.resolver


class HomesDesk:
    """`commands.ports.Homes`."""

    def __init__(self, set_key: SetKey) -> None:
        self._set_key = set_key

    async def set(self, chats: Sequence[ChatRef]) -> str:
        listed = ", ".join(f"'{each.key}'" for each in chats)
        return await _tried(self._set_key("access.home_chats", f"[{listed}]"))


async def _tried(step: Awaitable[None]) -> str:
    try:
        await step
    except (InnkeeperError, OSError) as error:
        return str(error)
    return ""
