"""Where calls of other programs' tools are decided: what waits, what was allowed for a session, and what a session is
to be told of what people turned down.

Whether a call waits at all is `call_gate`'s rule; what was approved is carried out by `call_runs`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from commands.pending_words import literal
from gateway.engine.gates.gatekeeper import Gatehouse, SetKey
from gateway.state.protocols import Facts, Store
from memory.files import FileTrouble
from memory.pending.call_model import PendingCall
from memory.pending.call_resolve import CallResolution, CallResolver, Ordered
from memory.pending.call_store import PendingCalls
from memory.pending.receipts import Receipts

ALLOWED = "calls_allowed"
"""The fact of a session: tools (`server/tool`) that somebody allowed for as long as it lasts."""


class NoFates:
    """Nothing of what reviews wrote is decided here."""

    async def settle(self) -> None:
        return


def call_resolver(folder: Path, now: Callable[[], float], *, asleep: bool = False) -> CallResolver:
    """What decides the calls in `pending/calls`. `asleep`: no gateway runs."""
    return CallResolver(PendingCalls(folder), Receipts(folder / "decided.jsonl"), now, asleep=asleep)


class CallDesk(Gatehouse[PendingCall, Ordered]):
    """`commands.tool_ports.CallPending`."""

    def __init__(self, resolver: CallResolver, store: Store, now: Callable[[], float], set_key: SetKey) -> None:
        super().__init__(resolver, store, now, lambda: False, "mcp_servers", set_key, NoFates())
        self._calls = resolver
        self._facts: Facts = store.facts
        self.asking: set[str] = set()
        """Ids of calls whose turn waits for the answer and will make them itself."""
        self.rung = asyncio.Event()
        """Set when something was decided here."""

    @property
    def resolver(self) -> CallResolver:
        return self._calls

    async def decided(self, name: str, resolution: CallResolution) -> None:
        await super().decided(name, resolution)
        self.rung.set()

    async def allow_here(self, call: PendingCall) -> None:
        """The same tool may be called without asking, for as long as the session of this call lasts."""
        session = call.author.session or ""
        known = await self._facts.get(session, ALLOWED) or []
        if (name := named(call.server, call.tool)) not in known:
            await self._facts.put(session, ALLOWED, [*known, name])

    async def allowed(self, session: str, server: str, tool: str) -> bool:
        """Whether somebody allowed it for this session."""
        return named(server, tool) in (await self._facts.get(session, ALLOWED) or [])

    async def news(self, session: str) -> tuple[str, list[str]]:
        """What a session is to be told of what was turned down, and the ids that are told with it."""
        try:
            turned = await asyncio.to_thread(self._calls.calls.decided.turned_down, session)
        except FileTrouble:
            return "", []
        lines = [
            f"[Innkeeper] {each.who} turned down the call of {each.call.offered} {literal(each.call.id)}: it was not "
            "made. Do not try again unless the person asks for it."
            for each in turned
        ]
        return "\n".join(lines), [each.call.id for each in turned]

    async def told(self, names: list[str]) -> None:
        """The news stand in a row now."""
        await asyncio.to_thread(self._calls.calls.decided.told, names)


def named(server: str, tool: str) -> str:
    """A tool as facts know it."""
    return f"{server}/{tool}"
