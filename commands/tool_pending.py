"""Deciding which calls of tools are made: the common flow in their words, and allowing a tool for a whole session."""

from __future__ import annotations

import asyncio
from pathlib import Path

from commands import tool_pending_words as words
from commands.context import Context
from commands.pending_flow import NAMED, Carried, Flow, Kind
from commands.pending_words import literal
from commands.ports import Gatehouse
from commands.reply import CommandReply
from commands.spec import Action, Arguments, Role
from memory.pending.call_model import PendingCall
from memory.pending.call_resolve import Ordered
from memory.pending.call_store import PendingCalls

OFF = CommandReply("No tools of other programs are configured: see mcp_servers in config.yaml.", ok=False)


def approved(name: str, call: PendingCall, outcome: Ordered) -> Carried:
    """It is made by the running gateway, or the next one; its result goes to the conversation that wished for it."""
    what = f"{literal(call.tool)} of {literal(call.server)}"
    when = "when the gateway is started next" if outcome.asleep else "by the running gateway"
    text = f"✅ `{name}` approved: {what} is called once {when}; the result goes to the conversation."
    return Carried(text, outcome.id)


def ruled(rule: bool | str) -> str:
    """There is no switch for all tools together."""
    return "What holds for each tool is in /tools."


def _folder(profile: Path, now: float) -> PendingCalls:
    return PendingCalls(profile / "pending" / "calls")


FLOW: Flow[PendingCall, Ordered] = Flow(
    Kind(
        "tools",
        OFF,
        gate=lambda ports: ports.call_pending,
        at=_folder,
        listed=words.in_full,
        in_full=words.in_full,
        as_data=words.as_data,
        buttons=words.buttons,
        approved=approved,
        ruled=ruled,
    )
)


async def for_session(context: Context, gate: Gatehouse[PendingCall, Ordered], arguments: Arguments) -> CommandReply:
    """Approve one, and from now on all calls of the same tool in the same session."""
    call = await FLOW.wanted(gate, arguments.get("id"))
    if isinstance(call, CommandReply):
        return call
    desk = context.ports.call_pending
    assert desk is not None, "its gate was passed"
    resolution = await asyncio.to_thread(
        gate.resolver.approve, call.id, context.who, gate.resolver.pendings.mark(call)
    )
    reply = FLOW.reply([(call.id, resolution)], gate)
    if reply.ok:
        await desk.allow_here(call)
    await gate.decided(call.id, resolution)
    return reply


_LEAST = Role.OPERATOR
ACTIONS = (
    *(each for each in FLOW.actions if each.name != "approval"),
    Action("show", "one that waits", FLOW.at_the_gate(FLOW.show), (NAMED,), _LEAST),
    Action(
        "session", "approve it, and the same tool for this session", FLOW.at_the_gate(for_session), (NAMED,), _LEAST
    ),
)
"""For the command `/tools`."""
