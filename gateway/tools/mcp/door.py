"""Tools of servers as the house's own: offered one by one, or, when they are many, found by a search.

Whether a call needs a yes is asked of a gate, before anything is done; what does not fit the tool's arguments gets
no further than here.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from pydantic_core import to_json

from gateway.models.client import ToolSchema
from gateway.models.schema_check import example, problems
from gateway.tools.mcp.results import UNTRUSTED, answered, fenced
from gateway.tools.mcp.server import Servers, Unanswered
from gateway.tools.mcp.shapes import RemoteTool
from gateway.tools.send_file import Outlet
from gateway.tools.tool import Tool, ToolContext, ToolResult

TOOLSET = "mcp"
SEARCH, CALL = "tools_search", "tools_call"
PATIENCE = 300.0
"""Seconds beyond the call itself that somebody may take to answer whether it may be made."""

FOUND = 8
"""Tools in one answer of a search."""

_SEARCH = ToolSchema(
    SEARCH,
    "Find tools of other programs. query: words for what you want to do, such as 'commit git'; empty lists all "
    "names. The answer has names, descriptions and arguments; call one with tools_call.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
_CALL = ToolSchema(
    CALL,
    "Call a tool that tools_search found. name: its name; arguments: an object as its parameters say.",
    {
        "type": "object",
        "properties": {"name": {"type": "string"}, "arguments": {"type": "object"}},
        "required": ["name", "arguments"],
    },
)


class Gate(Protocol):
    """Who is asked before a call."""

    async def __call__(
        self, tool: RemoteTool, arguments: Mapping[str, Any], context: ToolContext
    ) -> ToolResult | None:
        """None: it is to be made now. Else what the model is answered instead."""


class RemoteDoor:
    """`room` is how many characters all schemas together may take before only a search is offered."""

    def __init__(self, servers: Servers, gate: Gate, outlet: Outlet | None, room: int) -> None:
        self._servers = servers
        self._gate = gate
        self._outlet = outlet
        self._room = room

    def tools(self) -> Iterable[Tool]:
        """Everything that can be called now; what is offered to sessions that begin is `listed`."""
        remote = self._servers.tools
        deferred = bool(remote) and sum(each.size for each in remote) > self._room
        longest = max((self._seconds(each) for each in remote), default=PATIENCE)
        yield Tool(_SEARCH, self._search, TOOLSET, listed=deferred)
        yield Tool(_CALL, self._call, TOOLSET, longest, listed=deferred)
        for each in remote:
            yield Tool(each.schema, self._run(each), TOOLSET, self._seconds(each), listed=not deferred)

    async def call(self, tool: RemoteTool, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        """Ask the gate, call, and give the answer as a model reads it."""
        try:  # what cannot be written down would end the connection; a message goes around them
            to_json([[[[dict(arguments)]]]])
        except ValueError:
            return ToolResult.error(
                f"{tool.name} was not called: its arguments hold half a character, or go too deep"
            )
        if wrong := problems(arguments, tool.schema.parameters):
            shown = example(tool.schema.parameters)
            return ToolResult.error(f"{tool.name} was not called: {'; '.join(wrong[:5])}", example=shown)
        instead = await self._gate(tool, arguments, context)
        return instead if instead is not None else await self.carry_out(tool, arguments, context)

    async def carry_out(self, tool: RemoteTool, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        """Past the gate."""
        try:
            said = await self._servers.call(tool.server, tool.tool, arguments)
        except Unanswered as why:
            return ToolResult(fenced(tool.tool, tool.server, str(why), ok=False), ok=False, untrusted=UNTRUSTED)
        return await asyncio.to_thread(answered, tool, said, self._outlet, context.chat)

    def _seconds(self, tool: RemoteTool) -> float:
        return self._servers.rules(tool.server).timeout_s + PATIENCE

    def _run(self, tool: RemoteTool) -> Any:
        async def run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
            return await self.call(tool, arguments, context)

        return run

    async def _search(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        remote = self._servers.tools
        words = re.findall(r"\w+", str(arguments.get("query") or "").casefold())
        if not words:
            return ToolResult(_told({"tools": [each.name for each in remote]}))
        scored = [(_fits(each, words), each.name, each) for each in remote]
        best = sorted((each for each in scored if each[0]), key=lambda each: (-each[0], each[1]))
        shown = [
            {"name": each.name, "description": each.schema.description, "parameters": each.schema.parameters}
            for _, _, each in best[:FOUND]
        ]
        more = [name for _, name, _ in best[FOUND:]]
        found: dict[str, Any] = {"tools": shown}
        if more:
            found["more"] = more
        if not shown:
            found["hint"] = "nothing fits these words; an empty query lists all names"
        return ToolResult(_told(found))

    async def _call(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        name, given = str(arguments.get("name")), arguments.get("arguments")
        tool = self._servers.find(name)
        if tool is None:
            near = [each.name for each in self._servers.tools if _fits(each, re.findall(r"[^\W_]+", name.casefold()))]
            return ToolResult.error(f"there is no tool {name!r}: look with {SEARCH}", near=near[:FOUND])
        if not isinstance(given, Mapping):
            return ToolResult.error("arguments must be an object", example=example(tool.schema.parameters))
        return await self.call(tool, given, context)


def _fits(tool: RemoteTool, words: Iterable[str]) -> int:
    """How well a tool fits: a word in its name counts three times."""
    name, text = tool.name.casefold(), tool.schema.description.casefold()
    return sum(3 * (word in name) + (word in text) for word in words)


def _told(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
