"""The tools of one profile: in one order, serialised to the same bytes each time, and run behind one door."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from gateway.models.client import ToolSchema
from gateway.tools.tool import Tool, ToolContext, ToolResult
from gateway.transcript import ToolCall

SMALL = 1000
"""Characters of a result of which nobody asks whether they are many."""


More = Callable[[], Iterable[Tool]]
"""Tools that come and go, as they are now."""


class Toolset:
    """An ordered set of tools with unique names. `spill` makes of a large result what is read of it; it touches the
    disk. `more()` gives tools that come and go; a session keeps the schemas that it began with."""

    def __init__(
        self,
        tools: Iterable[Tool] = (),
        disabled: Iterable[str] = (),
        *,
        spill: Callable[[str], str] = lambda text: text,
        more: More = tuple,
    ) -> None:
        self._spill = spill
        self._hidden = frozenset(disabled)
        self._more = more
        shown = [tool for tool in tools if tool.toolset not in self._hidden]
        self._own = {tool.name: tool for tool in sorted(shown, key=lambda tool: tool.name)}

    @property
    def _tools(self) -> dict[str, Tool]:
        """By name, in the order of the names; a name belongs to the tool that was there first."""
        others = [each for each in self._more() if each.toolset not in self._hidden and each.name not in self._own]
        if not others:
            return self._own
        return dict(sorted([*self._own.items(), *((each.name, each) for each in others)]))

    def __bool__(self) -> bool:
        return bool(self._tools)

    @property
    def spill(self) -> Callable[[str], str]:
        """What makes of a large result what is read of it."""
        return self._spill

    @property
    def schemas(self) -> tuple[ToolSchema, ...]:
        return tuple(tool.schema for tool in self._tools.values() if tool.listed)

    def of(self, toolset: str) -> frozenset[str]:
        """The names of the tools of one toolset."""
        return frozenset(name for name, tool in self._tools.items() if tool.toolset == toolset)

    def serialise(self, hidden: Iterable[str] = (), narrowed: Mapping[str, ToolSchema] | None = None) -> str:
        """The schemas as the JSON that is frozen into a session, without the tools of the hidden names; a narrowed
        one stands in its tool's place."""
        names, instead = set(hidden), narrowed or {}
        shown = [instead.get(each.name, each) for each in self.schemas if each.name not in names]
        return dump_schemas(tuple(shown))

    async def run(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """Run a call. A fault, a time-out or an unknown name is an error result; only cancellation goes through."""
        tool = (tools := self._tools).get(call.name)
        if tool is None:
            listed = [name for name, each in tools.items() if each.listed]
            return ToolResult.error(f"there is no tool {call.name!r} any more", offered=listed)
        try:
            async with asyncio.timeout(tool.seconds):
                result = await tool.run(call.parsed(), context)
        except TimeoutError:
            return ToolResult.error(f"{call.name} did not finish within {tool.seconds:g} s")
        except Exception as error:  # noqa: BLE001 - a tool's fault is an answer to the model, not the turn's end
            return ToolResult.error(f"{call.name} failed: {type(error).__name__}: {error}")
        if not tool.spills or len(result.text) < SMALL:
            return result
        return replace(result, text=await asyncio.to_thread(self._spill, result.text))


def dump_schemas(schemas: tuple[ToolSchema, ...]) -> str:
    """Schemas as JSON, the same bytes for the same schemas."""
    return json.dumps(
        [{"name": each.name, "description": each.description, "parameters": each.parameters} for each in schemas],
        ensure_ascii=False,
        sort_keys=True,
        separators=(",", ":"),
    )


def load_schemas(body: str) -> tuple[ToolSchema, ...]:
    """The inverse of `dump_schemas`."""
    return tuple(ToolSchema(each["name"], each["description"], each["parameters"]) for each in json.loads(body))
