"""An environment of its own for plugins: what is installed there goes with it, and the tests' own stays as it is.

It sees all that the tests' environment has, by a path file; pip installs into it without any index.
"""

from __future__ import annotations

import asyncio
import json
import os
import sysconfig
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


class PluginPlace:
    """A folder for plugins that are written, and an `innkeeper` with a home of its own that they are installed to."""

    def __init__(self, folder: Path) -> None:
        self.workshop = folder / "workshop"
        self.home = folder / "home"
        for each in (self.workshop, self.home):
            each.mkdir()
        venv.EnvBuilder(with_pip=False, symlinks=True).create(folder / "env")
        self.python = folder / "env" / "bin" / "python"
        outside = sysconfig.get_paths()["purelib"]
        (inside,) = (folder / "env" / "lib").glob("python*/site-packages")
        (inside / "outside.pth").write_text(f"import site; site.addsitedir({outside!r})\n{ROOT}\n")
        self._inside = inside
        self.environment = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(folder),
            "INNKEEPER_HOME": str(self.home),
            "PYTHONUNBUFFERED": "1",
            # No index, and the build backend of the tests' environment.
            "PIP_NO_INDEX": "1",
            "PIP_NO_BUILD_ISOLATION": "false",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_NO_INPUT": "1",
        }

    def configure(self, config: dict[str, Any]) -> None:
        (self.home / "config.yaml").write_text(json.dumps(config, indent=1), encoding="utf-8")  # JSON is YAML

    def there(self) -> set[str]:
        """The distributions that are installed here."""
        return {each.name.partition("-")[0] for each in self._inside.glob("*.dist-info")}

    async def begun(self, *words: str) -> asyncio.subprocess.Process:
        """A process of this place's Python."""
        return await asyncio.create_subprocess_exec(
            str(self.python),
            *words,
            cwd=self.workshop,
            env=self.environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )

    async def orders(self, *words: str, code: int = 0) -> str:
        """What `innkeeper WORDS` says; it ends with this code."""
        return await self.runs("-m", "gateway.cli.main", *words, code=code)

    async def runs(self, *words: str, code: int = 0) -> str:
        process = await self.begun(*words)
        said, _ = await process.communicate()
        assert process.returncode == code, said.decode()
        return said.decode()
