"""A call of another program's tool that waits, as pages show it: what would be called with what, what stands in its
way, and how far a call has come that somebody approved.

Sheets and deciding are made elsewhere; calls are made by the gateway alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from commands.tool_ports import CallPending, Tools
from memory.pending.call_model import PendingCall
from memory.skills.diff import spelt_out

LIST_LINES = 1000
"""Lines of arguments beyond which a call is shown on its own page alone."""

NO_SERVERS = "No server is configured: see mcp_servers in config.yaml."


@dataclass(frozen=True, slots=True)
class Called:
    """What would be called. `arguments` is JSON, all of it, with what nobody sees by its number; None where they are
    left out for their length. `offered` is the name by which the model called it."""

    server: str
    tool: str
    offered: str
    arguments: str | None


def called(call: PendingCall, *, among: bool) -> Called:
    """`among`: it is shown with others."""
    long = among and call.shown.count("\n") >= LIST_LINES
    server, tool, offered = map(spelt_out, (call.server, call.tool, call.offered))
    return Called(server, tool, offered, None if long else call.shown)


def obstacle(tools: Tools | None, call: PendingCall) -> str:
    """Why it would come to no good end as things are; empty where nothing is known to stand in its way. Reads
    files."""
    if tools is None:
        return NO_SERVERS
    server = next((each for each in tools.views() if each.name == call.server), None)
    if server is None:
        return f"There is no server {spelt_out(call.server)} any more."
    if not server.tools:  # it was never reached: nobody knows what it has
        return ""
    tool = next((each for each in server.tools if each.tool == call.tool), None)
    if tool is None:
        return f"{server.name} has no tool {spelt_out(call.tool)} any more."
    return "This tool is denied by now." if tool.rule == "deny" else ""


def progress(desk: CallPending, name: str, *, live: bool) -> str:
    """How far an approved call has come. `live`: a gateway runs behind the pages. Reads files."""
    decided = desk.resolver.calls.decided
    if name in decided.ids("json"):
        return (
            "The gateway is about to call it." if live else "It has not been called: the gateway does when it runs."
        )
    if name in decided.ids("running"):
        return (
            "It is being called right now."
            if live
            else "The gateway ended while it was being called; it is not called again, and its conversation is told."
        )
    if name in decided.ids("done"):
        return "It has come to its end; what came of it is about to be told in its conversation."
    return "The gateway has taken it up. What came of it is a matter of its conversation, and not kept here."
