"""Whether a call of another program's tool is made now, waits for a yes, or is never made; and asking where somebody
sits.

What is asked about is put aside first, so that nothing is lost when nobody answers: elsewhere than at the console the
card comes to the operators, and the call is made once one of them says yes.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from commands.tool_pending_words import asking, session_buttons
from gateway.clock import Clock
from gateway.config.mcp import McpServer
from gateway.engine.gates.call_desk import CallDesk
from gateway.engine.gates.inline import PATIENCE, decision
from gateway.engine.outgoing.delivery import Delivery
from gateway.tools.mcp.shapes import RemoteTool
from gateway.tools.tool import ToolContext, ToolResult
from memory.files import FileTrouble
from memory.model import Author, Origin
from memory.pending.call_model import PendingCall
from memory.pending.call_store import Aside
from memory.pending.outcomes import Approved, Decided, Rejected
from platforms.adapter import Adapter

WAITS = (
    "It waits for a yes as {id}; it has not been done. Once it is approved, it is done, and its result comes as a "
    "message of its own. Tell the person so, and do not call it again."
)
DENIED = "It was turned down by {who}. It was not done; do not try again."
DENIALS = 200
"""Questions and refusals that are remembered, so that one turn does not ask the same twice."""

NOT_IN_A_REVIEW = "{name} needs a person's yes, and is not used while looking back at a conversation."


@dataclass(frozen=True, slots=True)
class CallRules:
    """`of(server)` are a server's settings in force; `owners(context)` says whether nobody but owners is heard where
    a call comes from."""

    of: Callable[[str], McpServer]
    owners: Callable[[ToolContext], bool]

    def rule(self, tool: RemoteTool, context: ToolContext) -> Literal["ask", "allow", "deny"]:
        """What holds for this call. What a tool says of itself is believed where only owners are heard."""
        chosen = self.of(tool.server).rule(tool.tool)
        if chosen != "auto":
            return chosen
        return "allow" if tool.reads and self.owners(context) else "ask"


class CallGate:
    """`gateway.tools.mcp.door.Gate`."""

    def __init__(
        self, rules: CallRules, desk: CallDesk, delivery: Delivery, adapters: Mapping[str, Adapter], clock: Clock
    ) -> None:
        self._rules = rules
        self._desk = desk
        self._delivery = delivery
        self._adapters = adapters
        self._clock = clock
        self._asked: dict[str, int] = {}
        self._refused: deque[tuple[int, str, str]] = deque(maxlen=DENIALS)

    async def __call__(
        self, tool: RemoteTool, arguments: Mapping[str, Any], context: ToolContext
    ) -> ToolResult | None:
        """None: it is to be made now. Else what the model is answered instead."""
        match self._rules.rule(tool, context):
            case "allow":
                return None
            case "deny":
                return ToolResult.error(f"{tool.name} may not be called: the owner of this bot denies it")
        if not context.turn_id:  # a review; it is no turn, and nobody waits for its result
            return ToolResult.error(NOT_IN_A_REVIEW.format(name=tool.name))
        if await self._desk.allowed(context.session_id, tool.server, tool.tool):
            return None
        this = (context.turn_id, tool.name, json.dumps(arguments, sort_keys=True))
        if this in self._refused:
            return ToolResult.error(DENIED.format(who="the person"))
        put = await asyncio.to_thread(self._put, tool, arguments, context)
        if isinstance(put, str):
            return ToolResult.error(f"{tool.name} needs a yes, and cannot wait for one: {put} It was not done.")
        if not self._attended(context) or self._asked.get(put.id) == context.turn_id:
            return _waits(put.id)
        answer = await self._ask(put.id, context)
        if answer is not None and not answer.ok:
            self._refused.append(this)
        return answer

    def _put(self, tool: RemoteTool, arguments: Mapping[str, Any], context: ToolContext) -> Aside | str:
        author = Author(
            context.origin or Origin.FOREGROUND,
            context.session_id,
            context.booked,
            chat=context.chat.key,
            flags=(f"untrusted:{context.untrusted}",) if context.untrusted else (),
            speaker=context.speaker,
        )
        given = json.loads(json.dumps(arguments))  # exactly what will stand in the file
        now, direct = self._clock.now(), context.direct
        return self._desk.resolver.calls.put(
            lambda name: PendingCall(name, author, now, tool.server, tool.tool, tool.name, given, direct)
        )

    def _attended(self, context: ToolContext) -> bool:
        adapter = self._adapters.get(context.chat.platform)
        return adapter is not None and adapter.attended(context.chat)

    async def _ask(self, name: str, context: ToolContext) -> ToolResult | None:
        """Show it where somebody sits, and wait for the answer. What is approved there is made by the turn itself."""
        self._desk.asking.add(name)
        self._asked = {**dict(list(self._asked.items())[-DENIALS:]), name: context.turn_id}
        try:
            call = await asyncio.to_thread(self._desk.resolver.pendings.get, name)
            if isinstance(call, PendingCall):
                source = f"ask:{name}:{context.turn_id}"
                await self._delivery.post(context.chat, source, asking(call), buttons=session_buttons(call))
            late = self._clock.monotonic() + PATIENCE
            match await decision(self._desk, name, self._clock, late, lambda: self._attended(context)):
                case Approved():
                    return await self._take(name)
                case Decided(receipt) if receipt.result == "approved":
                    return await self._take(name)
                case Decided(receipt):
                    return await self._denied(name, receipt.who)
                case Rejected():
                    return await self._denied(name, "the person")
                case _:
                    return _waits(name)
        except FileTrouble:
            return _waits(name)
        finally:
            self._desk.asking.discard(name)

    async def _take(self, name: str) -> ToolResult | None:
        """Ours to make, once; what a crash leaves of it is the turn's to tell."""
        decided = self._desk.resolver.calls.decided
        if await asyncio.to_thread(decided.take, name) is None:
            return ToolResult.error(f"{name} was approved and taken up already; its result comes as a message")
        await asyncio.to_thread(decided.forget, name)
        return None

    async def _denied(self, name: str, who: str) -> ToolResult:
        await self._desk.told([name])  # it is told right here
        return ToolResult.error(DENIED.format(who=who))


def _waits(name: str) -> ToolResult:
    said = {"success": True, "staged": True, "pending_id": name, "message": WAITS.format(id=name)}
    return ToolResult(json.dumps(said, ensure_ascii=False))
