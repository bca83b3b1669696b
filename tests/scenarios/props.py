"""Things that scenarios play with: tools that count or will not end, settings in one line, waiting for the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from gateway.clock import Clock
from gateway.config.schema import Settings
from gateway.models.client import ToolSchema
from gateway.tools.tool import Tool, ToolContext, ToolResult
from platforms.messages import ChatKind, ChatRef, Inbound, Sender
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import settings

CHAT = ChatRef("inprocess", "c1")
START = 1_800_000_000.0
"""The moment at which a FakeClock stands at first."""

WORD = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}


def event(text: str, event_id: str, chat: ChatRef = CHAT, *, at: float = START, sender: str = "ada") -> Inbound:
    """An event as a platform hands it over, with the time at which it was sent."""
    return Inbound("house", event_id, chat, ChatKind.DIRECT, Sender(sender, sender.title()), text, at)


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


async def later(clock: FakeClock, holds: Callable[[], bool], step: float = 0.5) -> None:
    """Let the clock run until something holds, with a little real time for the store between two steps."""
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.005)
            await clock.advance(step)


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that nobody announces (a real deadline of thirty seconds)."""
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.005)


def failing(name: str = "count") -> Tool:
    """A tool that raises."""

    async def run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        raise ValueError("no numbers today")

    return Tool(ToolSchema(name, "Counts a word.", WORD), run)
