"""Things that scenarios play with: tools that count or will not end, settings in one line, waiting for the store."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from gateway.clock import Clock
from gateway.config.schema import Settings
from gateway.models.client import ToolSchema
from gateway.tools.tool import Tool, ToolContext, ToolResult
from tests.fakes.guesthouse import settings

WORD = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}


def counter(seen: list[str], name: str = "count") -> Tool:
    """A tool that notes each call."""

    async def run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        seen.append(str(arguments["word"]))
        return ToolResult(f"counted {arguments['word']}")

    return Tool(ToolSchema(name, "Counts a word.", WORD), run)


def held(started: asyncio.Event, gate: asyncio.Event, name: str = "count") -> Tool:
    """A tool that runs until a gate opens."""

    async def run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        started.set()
        await gate.wait()
        return ToolResult("counted at last")

    return Tool(ToolSchema(name, "Counts a word.", WORD), run)


def stubborn(clock: Clock, started: asyncio.Event, seconds: float = 5.0) -> Tool:
    """A tool that swallows cancellation and goes on for a while."""

    async def run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await clock.sleep(seconds)
        return ToolResult("a late result")

    return Tool(ToolSchema("count", "Counts a word.", WORD), run)


def gateway(**changes: Any) -> Settings:
    """Settings with some keys of the section `gateway` changed."""
    return settings(gateway=changes)


async def eventually(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait for something that nobody announces (a real deadline of five seconds)."""
    async with asyncio.timeout(5):
        while not await holds():
            await asyncio.sleep(0.005)
