"""How long the command takes to answer, and the gateway to be ready, as whole processes."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.figures import percentile

RUNS = 7
INNKEEPER = (sys.executable, "-m", "gateway.cli.main")


async def rows() -> list[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "INNKEEPER_HOME": folder}
        (Path(folder) / "config.yaml").write_text("model: {base_url: http://127.0.0.1:9/v1, model: none}\n")
        out = []
        for words in (["--help"], ["status"], ["config", "check"]):
            seconds = [await _whole(words, environment) for _ in range(RUNS)]
            out.append((f"`innkeeper {' '.join(words)}`, median of {RUNS}", f"{percentile(seconds, 0.5):.2f} s"))
        ready, rss = await _gateway(environment)
        out.append(("gateway ready (console only)", f"{ready:.2f} s"))
        out.append(("its memory when ready, and after the warm-up", rss))
        return out


async def _whole(words: list[str], environment: dict[str, str]) -> float:
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *INNKEEPER, *words, env=environment, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    await process.wait()
    return time.perf_counter() - began


async def _gateway(environment: dict[str, str]) -> tuple[float, str]:
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(*INNKEEPER, "run", env=environment, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    await process.stdout.readline()
    ready = time.perf_counter() - began
    first = rss(process.pid)
    await asyncio.sleep(3)
    warm = rss(process.pid)
    process.send_signal(signal.SIGTERM)
    await process.wait()
    return ready, f"{first:.0f} MB, {warm:.0f} MB"


def rss(pid: int) -> float:
    """Resident memory in megabytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0
