"""The page about outside memories, run as it stands: its provider passes the suite, is found, and remembers."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import yaml

from tests.conventions.source import ROOT
from tests.fakes.gateway_process import GatewayProcess
from tests.fakes.openai_server import OpenAIServer, Step

PAGE = (ROOT / "gateway/docs/providers.md").read_text("utf-8")
BLOCK = re.compile(r"^```\w+\n# (\S+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = {match[1]: match[2] for match in BLOCK.finditer(PAGE)}


async def run(*words: str, folder: Path, environment: dict[str, str] | None = None, **more: Any) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *words),
        cwd=folder,
        env={"PATH": os.environ.get("PATH", ""), "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", **(environment or {})},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        **more,
    )
    said, _ = await process.communicate()
    return process.returncode or 0, said.decode()


async def test_its_provider_passes_the_suite(tmp_path: Path) -> None:
    for name in ("notebook.py", "test_notebook.py"):
        (tmp_path / name).write_text(EXAMPLES[name])
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"
    )
    code, said = await run("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_notebook.py", folder=tmp_path)
    assert code == 0, said
    assert " passed" in said


async def test_it_is_found_and_remembers_over_a_restart(tmp_path: Path) -> None:
    points = tomllib.loads(EXAMPLES["pyproject.toml"])["project"]["entry-points"]
    config = yaml.safe_load(EXAMPLES["config.yaml"])
    async with OpenAIServer([Step(text="Noted."), Step(text="In Uppsala.")]) as host:
        config["hosts"] = {"cellar": {"base_url": host.base_url}}
        config["model"] = {"provider": "cellar", "model": "qwen"}
        place = GatewayProcess(tmp_path, config, entry_points=points, environment={"HOME": str(tmp_path)})
        (tmp_path / "plugins" / "notebook.py").write_text(EXAMPLES["notebook.py"])
        environment = {"INNKEEPER_HOME": str(place.home), "HOME": str(tmp_path)}

        async def ask(text: str) -> str:
            words = ("-m", "gateway.cli.main", "ask", text)
            code, said = await run(*words, folder=tmp_path / "plugins", environment=environment)
            assert code == 0, said
            return said.strip()

        assert await ask("Annika keeps her bees in Uppsala.") == "Noted."
        assert await ask("Where are the bees of Annika?") == "In Uppsala."
        read = host.chats[-1].json()["messages"][-1]["content"]
        assert "[Recalled by the outside memory notebook" in read
        assert "Annika keeps her bees in Uppsala.\nNoted." in read
        assert read.endswith("Where are the bees of Annika?")
        _, said = await run(
            "-m", "gateway.cli.main", "memory", "status", folder=tmp_path / "plugins", environment=environment
        )
        assert "✅ notebook answers" in said
