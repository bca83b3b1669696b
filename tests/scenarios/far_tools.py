"""What the scenarios about MCP servers share: an inn whose model may call a server's tools, and their answers."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from gateway.app import App
from tests.fakes.openai_server import Step
from tests.scenarios.gate import HOME, SOON
from tests.scenarios.telegram_inn import PATIENCE, Inn, telegram_inn
from tests.tools.mcp.stand import FAKE

OWNER: dict[str, Any] = {"owners": ["telegram:111"]}


def server(
    folder: Path, told: Mapping[str, Any] | None = None, name: str = "fake", **settings: Any
) -> dict[str, Any]:
    """A server of that name, as config.yaml has it."""
    state = folder / f"{name}.state"
    if told is not None or not state.exists():
        state.write_text(json.dumps(told or {}))
    return {"command": sys.executable, "args": [str(FAKE), str(state)], "timeout_s": 5, **settings}


def calls(tool: str, **arguments: Any) -> Step:
    """The model calls a tool."""
    return Step(calls=[{"name": tool, "arguments": arguments}])


@asynccontextmanager
async def far_inn(folder: Path, servers: Mapping[str, Any], **config: Any) -> AsyncIterator[Inn]:
    """An inn with these servers, whose owner is Ada and whose home chat is hers."""
    async with telegram_inn(folder, **{"access": HOME, "mcp_servers": dict(servers), **config}) as inn:
        yield inn


@asynccontextmanager
async def opened(inn: Inn, batch: float = SOON, *, wait: bool = True) -> AsyncIterator[App]:
    """The gateway; with `wait`, once its servers are ready."""
    async with inn.open(batch=batch) as app:
        remote = app.engine.house.remote
        assert remote is not None
        if wait:
            await until(lambda: all(each.state == "ready" for each in remote.servers.all))
        yield app


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that no chat shows."""
    async with asyncio.timeout(PATIENCE):
        while not holds():
            await asyncio.sleep(0.02)


def answers(inn: Inn) -> list[str]:
    """What tools answered, as the model read it in its last request."""
    return [each["content"] for each in inn.request["messages"] if each["role"] == "tool"]


def waiting(folder: Path) -> list[dict[str, Any]]:
    """The files of calls that wait, the oldest first."""
    files = [json.loads(path.read_text()) for path in (folder / "pending" / "calls").glob("*.json")]
    return sorted(files, key=lambda each: (each["created_at"], each["id"]))
