"""The profile's memory behind its gate: stores, what waits, and who decides it. And the desk where that is asked.

Which writes wait is `memory.gate`'s rule; here it learns who is an operator and where the console is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from commands.authority import CONSOLE, role_of
from commands.spec import Role
from gateway.agent.snapshot import limits
from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.engine.session_key import access_rules
from gateway.errors import InnkeeperError
from gateway.state.protocols import Store
from memory.gate import Gate
from memory.pending.resolve import Approved, Decided, Edited, Rejected, Resolution, Resolver
from memory.pending.store import PendingStore
from memory.scan.scanner import check
from memory.shelf import Shelf
from platforms.messages import ChatRef

SHELL = "shell"
"""Who gives orders at the shell: whoever can open the profile's folder."""

ORDERS_KEPT = 50
"""Orders of which is kept what they meant; a crash can only repeat the last ones."""

SetKey = Callable[[str, str], Awaitable[None]]
"""Sets a key of config.yaml to a value as written there, and brings it into force."""


@dataclass(frozen=True, slots=True)
class Memories:
    """`shelf` holds the stores, `resolver` decides what waits in `pending/memory`."""

    shelf: Shelf
    resolver: Resolver

    @property
    def pendings(self) -> PendingStore:
        return self.resolver.pendings

    def repair(self) -> list[str]:
        """At start: what killed writers and deciders left. Lines for the log."""
        return [*self.shelf.repair(), *self.resolver.mend()]


def memories(profile: Profile, settings: Callable[[], Settings], now: Callable[[], float]) -> Memories:
    """The memory of a profile, scanned and gated."""
    pendings = PendingStore(profile.pending / "memory", now)
    gate = Gate(
        rule=lambda: settings().memory.write_approval,
        console=lambda chat: chat is not None and ChatRef.parse(chat).platform == CONSOLE,
        operator=lambda who: may_decide(who, settings()),
        put=pendings.put,
    )
    shelf = Shelf(profile.memories, lambda: limits(settings()), now, check=check, decide=gate)
    return Memories(shelf, Resolver(pendings, shelf.holding, shelf.own, now))


def may_decide(who: str, settings: Settings) -> bool:
    """Whether a person (`platform:id`) is an operator."""
    platform, _, person = who.partition(":")
    return who == SHELL or (bool(who) and role_of(platform, person, access_rules(settings)) >= Role.OPERATOR)


class PendingDesk:
    """`commands.ports.Pending`; and where a turn waits for a decision."""

    def __init__(
        self,
        memories: Memories,
        store: Store,
        settings: Callable[[], Settings],
        now: Callable[[], float],
        set_key: SetKey,
    ) -> None:
        self._memories = memories
        self._store = store
        self._settings = settings
        self._now = now
        self._set_key = set_key
        self._waits: dict[str, asyncio.Future[Resolution | None]] = {}

    @property
    def resolver(self) -> Resolver:
        return self._memories.resolver

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

    def decided(self, name: str, resolution: Resolution) -> None:
        if isinstance(resolution, Approved | Rejected | Edited | Decided):
            self._tell(name, resolution)

    def put_off(self, name: str) -> None:
        self._tell(name, None)

    def _tell(self, name: str, resolution: Resolution | None) -> None:
        waiting = self._waits.pop(name, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(resolution)

    def decision(self, name: str) -> asyncio.Future[Resolution | None]:
        """What will be decided about a write; None when it was put off."""
        return self._waits.setdefault(name, asyncio.get_running_loop().create_future())

    def rule(self) -> bool | str:
        return self._settings().memory.write_approval

    async def set_rule(self, value: str) -> str:
        return await _tried(self._set_key("memory.write_approval", value))


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
