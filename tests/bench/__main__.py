"""`python -m tests.bench [NAME …]`: prints the figures that the README quotes. It measures and asserts nothing.

Names: start, latency, load, anytime, cache, review, state, memory, scan, telegram, discord, requests, starmap,
maintenance, and `search [--messages N] [--corpus FOLDER]`. Without names, all of them but the last two, which take
minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from tests.bench import (
    anytime,
    cache,
    discord,
    latency,
    load,
    maintenance,
    memory,
    requests,
    review,
    scan,
    search,
    starmap,
    start,
    state,
    telegram,
)

Rows = list[tuple[str, str]]

BENCHES: dict[str, Callable[[], Coroutine[Any, Any, Rows]]] = {
    "start": start.rows,
    "latency": latency.rows,
    "load": load.rows,
    "anytime": anytime.rows,
    "cache": cache.rows,
    "review": review.rows,
    "state": state.rows,
    "memory": memory.rows,
    "scan": scan.rows,
    "telegram": telegram.rows,
    "discord": discord.rows,
    "requests": requests.rows,
    "starmap": starmap.rows,
}


def main(arguments: list[str]) -> int:
    reader = argparse.ArgumentParser(prog="python -m tests.bench")
    reader.add_argument("names", nargs="*")
    reader.add_argument("--messages", type=int, default=search.MESSAGES, help="how large the archive is")
    reader.add_argument("--corpus", default="", help="a folder in which the archive is kept for the next time")
    given = reader.parse_args(arguments)
    names = given.names
    benches = BENCHES | {"maintenance": maintenance.rows, "search": lambda: search.rows(given.messages, given.corpus)}
    unknown = [name for name in names if name not in benches]
    if unknown:
        print(f"no such bench: {', '.join(unknown)}; there are {', '.join(benches)}", file=sys.stderr)
        return 2
    print(f"Python {platform.python_version()}, {_processor()}, {time.strftime('%Y-%m-%d')}\n")
    print("| what | figure |\n| --- | --- |")
    for name in names or BENCHES:
        for what, figure in asyncio.run(benches[name]()):
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
