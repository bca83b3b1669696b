"""The tool `count`: it writes down each of its calls, so that a call that was made twice is there for all to see."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gateway.models.client import ToolSchema
from gateway.tools.tool import Tool, ToolContext, ToolResult

FILE = "POST_COUNTS"
"""The environment variable that names the file."""

BEFORE, AFTER = 0.02, 0.03
"""Seconds that a call takes before it writes its line, and after."""

SCHEMA = ToolSchema(
    "count",
    "Count one thing.",
    {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]},
)


def count() -> Tool:
    """The tool as the gateway loads it."""
    path = Path(os.environ[FILE])

    async def run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        await asyncio.sleep(BEFORE)
        line = json.dumps({"key": arguments["key"], "pid": os.getpid(), "at": time.time(), "turn": context.turn_id})
        with path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())
        await asyncio.sleep(AFTER)
        return ToolResult(json.dumps({"success": True, "counted": arguments["key"]}))

    return Tool(SCHEMA, run, toolset="postal")


def counted(path: Path) -> list[str]:
    """The keys in the order in which they were counted."""
    if not path.exists():
        return []
    return [str(json.loads(line)["key"]) for line in path.read_text(encoding="utf-8").splitlines()]
