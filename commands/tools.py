"""The command /tools: the MCP servers, how they stand, their tools and what holds for each; allowing and denying.
Deciding about single calls is `tool_pending`'s part.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from commands.context import Context
from commands.pending_words import literal
from commands.reply import CommandReply
from commands.spec import Action, Argument, Arguments, CommandSpec, Role
from commands.tool_pending import ACTIONS, OFF
from commands.tool_ports import ServerView, ToolView

LISTED = 30
"""Tools of one server in a chat."""

RULES = {
    "auto": "reading is free where only owners are heard, else each call waits for a yes",
    "ask": "each call waits for a yes",
    "allow": "is called without asking",
    "deny": "is not offered",
}


async def overview(context: Context, arguments: Arguments) -> CommandReply:
    """The servers and their tools."""
    if context.ports.tools is None:
        return CommandReply(OFF.text, data=[])
    wanted, tools = arguments.get("server"), context.ports.tools
    views = [each for each in await asyncio.to_thread(tools.views) if wanted in ("", each.name)]
    if not views:
        return CommandReply(f"There is no MCP server {wanted}: /tools lists them.", ok=False)
    bound = (
        len(max(views, key=lambda each: len(each.tools)).tools) if context.surface == "shell" or wanted else LISTED
    )
    text = "\n\n".join(_told(each, bound) for each in views)
    if not wanted and (problems := tools.problems()):
        text += "\n\n" + "\n".join(f"⚠️ {literal(each)}" for each in problems)
    return CommandReply(text, data=[_data(each) for each in views])


async def allow(context: Context, arguments: Arguments) -> CommandReply:
    """This tool is called without asking."""
    return await _ruled(context, arguments, "allow")


async def ask(context: Context, arguments: Arguments) -> CommandReply:
    """Each call of this tool waits for a yes."""
    return await _ruled(context, arguments, "ask")


async def deny(context: Context, arguments: Arguments) -> CommandReply:
    """This tool is not offered."""
    return await _ruled(context, arguments, "deny")


async def _ruled(context: Context, arguments: Arguments, rule: str) -> CommandReply:
    tools = context.ports.tools
    if tools is None:
        return OFF
    found = _meant(await asyncio.to_thread(tools.views), arguments.get("tool"))
    if isinstance(found, CommandReply):
        return found
    server, tool = found
    if problem := await tools.put_rule(server.name, tool.tool, rule):
        return CommandReply(f"⚠️ {problem}", ok=False)
    text = f"Set: {literal(tool.tool)} of {literal(server.name)} {RULES[rule]}."
    return CommandReply(text, data={"server": server.name, "tool": tool.tool, "rule": rule})


def _meant(views: Sequence[ServerView], wish: str) -> tuple[ServerView, ToolView] | CommandReply:
    """The tool of that name: as models call it, `server/tool`, or its own name where one server has it."""
    pairs = [(server, tool) for server in views for tool in server.tools]
    exact = [each for each in pairs if wish in (each[1].name, f"{each[0].name}/{each[1].tool}")]
    found = exact or [each for each in pairs if each[1].tool == wish]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(f"{server.name}/{tool.tool}" for server, tool in found)
        return CommandReply(f"{wish} may be {names}: say which.", ok=False)
    return CommandReply(f"There is no tool {wish}: /tools lists them.", ok=False)


def _told(server: ServerView, bound: int) -> str:
    lines = [f"**{server.name}** ({literal(server.where)}): {server.words}"]
    for tool in server.tools[:bound]:
        mark = "" if tool.offered else ", not offered"
        lines.append(f"- {literal(tool.tool)}: {tool.rule}{', reads' if tool.reads else ''}{mark}")
    if (more := len(server.tools) - bound) > 0:
        lines.append(f"- and {more} more: /tools list {server.name}")
    return "\n".join(lines)


def _data(server: ServerView) -> dict[str, Any]:
    tools = [
        {"name": each.name, "tool": each.tool, "approval": each.rule, "reads": each.reads, "offered": each.offered}
        for each in server.tools
    ]
    problems = list(server.problems)
    return {"name": server.name, "where": server.where, "state": server.state, "tools": tools, "problems": problems}


SERVER = Argument("server", "one of them")
TOOL = Argument("tool", "which one", required=True)
OWN = (
    Action("list", "the servers, or one of them with all of its tools", overview, (SERVER,)),
    Action("allow", "call this tool without asking", allow, (TOOL,), Role.OWNER),
    Action("ask", "let each call of this tool wait for a yes", ask, (TOOL,), Role.OWNER),
    Action("deny", "do not offer this tool", deny, (TOOL,), Role.OWNER),
)

SPECS = (
    CommandSpec(
        "tools",
        "tools of other programs (MCP), and calls that wait for a yes",
        overview,
        actions=(*OWN, *ACTIONS),
        role=Role.OPERATOR,
        when="anytime",
    ),
)
