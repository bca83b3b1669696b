"""Servers to be tried without a house around them."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gateway.clock import SystemClock
from gateway.config.mcp import McpServer
from gateway.tools.mcp.door import RemoteDoor
from gateway.tools.mcp.server import Servers, Surroundings, servers
from gateway.tools.mcp.shapes import RemoteTool
from gateway.tools.mcp.shelf import KnownTools
from gateway.tools.tool import ToolContext, ToolResult
from gateway.tools.toolset import Toolset
from gateway.transcript import ToolCall
from platforms.messages import ChatRef

FAKE = Path(__file__).parents[2] / "fakes" / "mcp_server.py"
SECRET = "hunter2hunter2"


@dataclass
class Notes:
    """What was reported."""

    lines: list[tuple[str, dict[str, object]]] = field(default_factory=list)

    def info(self, event: str, **fields: object) -> None:
        self.lines.append((event, fields))

    warning = info


def fake(folder: Path, name: str = "fake", told: Mapping[str, Any] | None = None, **settings: Any) -> McpServer:
    """The settings of a server that behaves as told."""
    state = folder / f"{name}.state"
    if told is not None or not state.exists():
        state.write_text(json.dumps(told or {}))
    chosen = {"command": sys.executable, "args": (str(FAKE), str(state)), "timeout_s": 5, **settings}
    return McpServer.model_validate(chosen)


def log(folder: Path, name: str = "fake") -> list[dict[str, Any]]:
    """What a server was called for."""
    path = folder / f"{name}.log"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@dataclass
class Stand:
    """Servers, and the tools that a model has of them."""

    servers: Servers
    toolset: Toolset
    notes: Notes

    async def call(self, tool: str, /, **arguments: Any) -> ToolResult:
        context = ToolContext(ChatRef("inprocess", "c1"), "s1", 1, "inprocess:ada")
        return await self.toolset.run(ToolCall("c", tool, json.dumps(arguments)), context)

    def names(self) -> list[str]:
        return [each.name for each in self.toolset.schemas]

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not holds():
                await asyncio.sleep(0.01)

    async def ready(self) -> None:
        await self.until(lambda: all(each.state == "ready" for each in self.servers.all))


async def _free(tool: RemoteTool, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult | None:
    return None


@asynccontextmanager
async def stand(
    folder: Path, configured: dict[str, McpServer], *, room: int = 100_000, most: int = 200, wait: bool = True
) -> AsyncIterator[Stand]:
    """The servers, begun; with `wait`, once all of them are ready. Every call is allowed."""
    notes = Notes()
    around = Surroundings(
        clock=SystemClock(),
        report=notes,
        known=KnownTools(folder / "known"),
        environment={"PATH": "/usr/bin:/bin", "HOME": str(folder), "SECRET_TOKEN": "never"},
        folder=str(folder),
        mask=lambda text: text.replace(SECRET, "***"),
        most=most,
    )
    made = servers(lambda: configured, around)
    door = RemoteDoor(made, _free, None, room)
    place = Stand(made, Toolset(more=door.tools), notes)
    await made.remember()
    made.begin()
    try:
        if wait:
            await place.ready()
        yield place
    finally:
        await made.close()
