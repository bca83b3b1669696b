"""The time of one call of the memory tool, from arguments to answer: threat scan, lock, journal, file and folder
synced."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from gateway.tools.memory_tool import memory_tool
from gateway.tools.tool import ToolContext
from memory.model import Limits
from memory.scan.scanner import check
from memory.store import Stores
from platforms.messages import ChatRef
from tests.bench.figures import milliseconds

ROUNDS = 150


async def rows() -> list[tuple[str, str]]:
    # The working folder, since a folder for temporary files may lie in memory, where fsync costs nothing.
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        stores = Stores(Path(folder) / "memories", Limits, time.time, check=check)
        tool = memory_tool(stores)
        assert tool is not None
        times: dict[str, list[float]] = {"add": [], "patch": [], "remove": []}
        for number in range(-5, ROUNDS):
            fact = f"fact {number} of the bench " + "that goes on for a while " * 20
            for action, wish in (
                ("add", {"content": fact}),
                ("patch", {"old_text": f"fact {number} of", "content": f"word {number} of"}),
                ("remove", {"old_text": f"word {number} of"}),
            ):
                context = ToolContext(ChatRef("bench", "c1"), "s1", number, "bench:1")
                arguments: dict[str, Any] = {"target": "memory", "action": action, **wish}
                began = time.perf_counter()
                result = await tool.run(arguments, context)
                if number >= 0:
                    times[action].append(time.perf_counter() - began)
                assert result.ok, result.text
    return [(f"memory tool, {action}, fsync included", milliseconds(each)) for action, each in times.items()]
