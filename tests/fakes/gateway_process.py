"""The gateway as a process of its own, to be ended in every way that a process can end.

Owns its folder, configuration and environment. Plugins are registered by a folder on its import path that looks like
an installed distribution; nothing is installed.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


class GatewayProcess:
    """`start()`, then `kill()` or `terminate()`, as often as wanted; each start goes on with the same home."""

    def __init__(
        self,
        folder: Path,
        config: Mapping[str, Any],
        *,
        entry_points: Mapping[str, Mapping[str, str]],
        environment: Mapping[str, str],
    ) -> None:
        self.home = folder / "home"
        self.log = folder / "gateway.out"
        self.home.mkdir()
        # JSON is YAML.
        (self.home / "config.yaml").write_text(json.dumps(config, indent=1), encoding="utf-8")
        plugins = folder / "plugins"
        _announce(plugins, entry_points)
        self._environment = {
            "PATH": os.environ.get("PATH", ""),
            "INNKEEPER_HOME": str(self.home),
            "PYTHONPATH": os.pathsep.join([str(plugins), str(ROOT)]),
            "PYTHONUNBUFFERED": "1",
            **environment,
        }
        self._process: asyncio.subprocess.Process | None = None

    @property
    def database(self) -> Path:
        return self.home / "state.db"

    @property
    def runs(self) -> bool:
        return self._process is not None and self._process.returncode is None

    @property
    def pid(self) -> int:
        """The number of the process that was started last."""
        assert self._process is not None, "it was never started"
        return self._process.pid

    async def start(self) -> None:
        """Returns at once; the process is ready some time later."""
        assert not self.runs, "it runs already"
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "gateway.cli.main", "run"),
                env=self._environment,
                cwd=self.home,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    async def kill(self) -> None:
        """SIGKILL. Fails when the process had ended by itself: what it said is in the message."""
        assert self.runs, f"the gateway had ended by itself:\n{self.said()}"
        await self._end(signal.SIGKILL)

    async def terminate(self) -> int:
        """SIGTERM, and wait; the exit code."""
        assert self.runs, f"the gateway had ended by itself:\n{self.said()}"
        return await self._end(signal.SIGTERM)

    async def discard(self) -> None:
        """End it however it stands: for the way out of a test."""
        if self.runs:
            await self._end(signal.SIGKILL)

    def said(self) -> str:
        """The last lines that it printed."""
        text = self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""
        return text[-4000:]

    async def _end(self, how: signal.Signals) -> int:
        assert self._process is not None
        os.kill(self._process.pid, how)
        return await self._process.wait()


def _announce(folder: Path, entry_points: Mapping[str, Mapping[str, str]]) -> None:
    """A distribution's metadata, which is all that a register of plugins reads."""
    distribution = folder / "testplugins-1.0.dist-info"
    distribution.mkdir(parents=True)
    (distribution / "METADATA").write_text("Metadata-Version: 2.1\nName: testplugins\nVersion: 1.0\n", "utf-8")
    lines = []
    for group, entries in entry_points.items():
        lines += [f"[{group}]", *(f"{name} = {target}" for name, target in entries.items())]
    (distribution / "entry_points.txt").write_text("\n".join(lines) + "\n", "utf-8")
