"""`python -m tests.bench [NAME …]`: prints the figures that the README quotes. It measures and asserts nothing.

Names: start, latency, load, anytime, cache, state, memory, scan, telegram, discord, requests. Without names,
all of them.
"""

from __future__ import annotations

import asyncio
import os
import platform
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from tests.bench import anytime, cache, discord, latency, load, memory, requests, scan, start, state, telegram

Rows = list[tuple[str, str]]

BENCHES: dict[str, Callable[[], Coroutine[Any, Any, Rows]]] = {
    "start": start.rows,
    "latency": latency.rows,
    "load": load.rows,
    "anytime": anytime.rows,
    "cache": cache.rows,
    "state": state.rows,
    "memory": memory.rows,
    "scan": scan.rows,
    "telegram": telegram.rows,
    "discord": discord.rows,
    "requests": requests.rows,
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        print(f"no such bench: {', '.join(unknown)}; there are {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    print(f"Python {platform.python_version()}, {_processor()}, {time.strftime('%Y-%m-%d')}\n")
    print("| what | figure |\n| --- | --- |")
    for name in names or BENCHES:
        for what, figure in asyncio.run(BENCHES[name]()):
            print(f"| {what} | {figure} |", flush=True)
    return 0


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    return f"{os.cpu_count()} cores, {model}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
