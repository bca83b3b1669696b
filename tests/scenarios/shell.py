"""`innkeeper` as a person starts it: whole processes in a home of their own."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

COMMAND = (sys.executable, "-m", "gateway.cli.main")


@dataclass(frozen=True)
class Said:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


class Home:
    """A home folder; `config` is the text of its config.yaml."""

    def __init__(self, folder: Path, config: str = "", models: Path | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        if config:
            self.configure(config)
        if models is not None:
            (folder / "models").symlink_to(models)
        kept = {key: value for key, value in os.environ.items() if not key.endswith(("_TOKEN", "_API_KEY"))}
        self.environment = {**kept, "INNKEEPER_HOME": str(folder), "NO_COLOR": "1"}

    def configure(self, text: str) -> None:
        (self.folder / "config.yaml").write_text(text)

    async def innkeeper(self, *words: str, stdin: str = "") -> Said:
        """Run one command to its end."""
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *COMMAND, *words, env=self.environment, stdin=pipe, stdout=pipe, stderr=pipe
        )
        out, err = await asyncio.wait_for(process.communicate(stdin.encode()), 90)
        assert process.returncode is not None
        return Said(process.returncode, out.decode(), err.decode())

    @asynccontextmanager
    async def gateway(self) -> AsyncIterator[asyncio.subprocess.Process]:
        """`innkeeper run`, ready; ended with SIGTERM, or already dead."""
        process = await asyncio.create_subprocess_exec(
            *COMMAND, "run", env=self.environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        try:
            assert process.stdout is not None
            first = await asyncio.wait_for(process.stdout.readline(), 30)
            assert b"innkeeper runs" in first, first
            while not (self.folder / "gateway.sock").exists():
                await asyncio.sleep(0.01)
            yield process
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
                await asyncio.wait_for(process.communicate(), 30)

    def log(self) -> str:
        return (self.folder / "logs" / "gateway.log").read_text()
