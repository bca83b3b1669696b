"""The pages about plugins, run as they stand: their modules are installed, their settings used, people meet them, and
their own tests pass."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from gateway.config.plugins import GROUPS
from tests.conventions.source import ROOT
from tests.fakes.gateway_process import GatewayProcess
from tests.fakes.openai_server import OpenAIServer, Step

DOCS = ROOT / "gateway" / "docs"
DOORS = ("platforms", "commands", "tools", "hosts")
BLOCK = re.compile(r"^```\w+\n# (\S+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(door: str) -> dict[str, str]:
    """The examples on a door's page, by the names of their files."""
    return {match[1]: match[2] for match in BLOCK.finditer((DOCS / f"plugin-{door}.md").read_text("utf-8"))}


def modules() -> dict[str, str]:
    return {name: text for door in DOORS for name, text in examples(door).items() if name.endswith(".py")}


def points() -> dict[str, dict[str, str]]:
    found: dict[str, Any] = {}
    for door in DOORS:
        found |= tomllib.loads(examples(door)["pyproject.toml"])["project"]["entry-points"]
    return found


class Desk:
    """A person who writes letters and reads the answers."""

    def __init__(self, gateway: GatewayProcess) -> None:
        self._gateway = gateway
        self._folder = gateway.home / "letterbox"
        self._count = 0

    async def writes(self, text: str) -> str:
        self._count += 1
        draft = self._folder / f"{self._count}.draft"
        answer = self._folder / "out" / f"{self._count:04}.txt"
        async with asyncio.timeout(30):
            while not (self._folder / "out").exists():
                assert self._gateway.runs, self._gateway.said()
                await asyncio.sleep(0.05)
            draft.write_text(text)
            draft.rename(self._folder / "in" / f"{self._count}.txt")
            while not (answer.exists() and answer.read_text()):
                assert self._gateway.runs, self._gateway.said()
                await asyncio.sleep(0.05)
        return answer.read_text()


async def test_the_pages_run(tmp_path: Path) -> None:
    config = yaml.safe_load(examples("hosts")["config.yaml"])
    async with OpenAIServer([Step(calls=[{"name": "rooms", "arguments": {"floor": 2}}]), Step(text="Two.")]) as host:
        config["hosts"]["cellar"]["base_url"] = host.base_url
        gateway = GatewayProcess(tmp_path, config, entry_points=points(), environment={"HOME": str(tmp_path)})
        for name, text in modules().items():
            (tmp_path / "plugins" / name).write_text(text)
        (gateway.home / "floor-2.txt").write_text("the blue room, the red room")
        await gateway.start()
        try:
            desk = Desk(gateway)
            assert await desk.writes("How many rooms are on the second floor?") == "Two."
            assert host.chats[-1].json()["model"] == "qwen"
            assert host.chats[-1].json()["messages"][-1]["content"] == "the blue room, the red room"
            assert await desk.writes("/double 21") == "42"
            assert "/double: twice a number" in await desk.writes("/help")
            assert "attic/auto" in await desk.writes("/model attic/auto")
            assert (await desk.writes("Good day")).endswith("Good day hear, hear")
            assert await gateway.terminate() == 0
        finally:
            await gateway.discard()


async def test_their_own_tests_pass(tmp_path: Path) -> None:
    for name, text in modules().items():
        (tmp_path / name).write_text(text)
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)),
        cwd=tmp_path,
        env={"PATH": os.environ.get("PATH", ""), "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said = (await process.communicate())[0].decode()
    assert process.returncode == 0, said


@pytest.mark.parametrize("page", ["plugins.md", "extending.md"])
def test_each_door_has_its_page(page: str) -> None:
    text = (DOCS / page).read_text("utf-8")
    linked = re.findall(r"\]\(([\w-]+\.md)\)", text)
    assert {f"plugin-{door}.md" for door in DOORS} | {"providers.md"} <= set(linked)
    assert [name for name in linked if not (DOCS / name).exists()] == []
    assert page == "extending.md" or all(group in text for group in GROUPS.values())
