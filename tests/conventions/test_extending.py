"""The page about extending, run as it stands: its modules are installed, its settings used, and people meet them."""

from __future__ import annotations

import asyncio
import re
import tomllib
from pathlib import Path

import yaml

from tests.conventions.source import ROOT
from tests.fakes.gateway_process import GatewayProcess
from tests.fakes.openai_server import OpenAIServer, Step

PAGE = (ROOT / "gateway/docs/extending.md").read_text("utf-8")
BLOCK = re.compile(r"^```\w+\n# (\S+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = {match[1]: match[2] for match in BLOCK.finditer(PAGE)}


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
        async with asyncio.timeout(90):
            while not (self._folder / "out").exists():
                assert self._gateway.runs, self._gateway.said()
                await asyncio.sleep(0.05)
            draft.write_text(text)
            draft.rename(self._folder / "in" / f"{self._count}.txt")
            while not (answer.exists() and answer.read_text()):
                assert self._gateway.runs, self._gateway.said()
                await asyncio.sleep(0.05)
        return answer.read_text()


async def test_the_page_runs(tmp_path: Path) -> None:
    points = tomllib.loads(EXAMPLES["pyproject.toml"])["project"]["entry-points"]
    config = yaml.safe_load(EXAMPLES["config.yaml"])
    async with OpenAIServer([Step(calls=[{"name": "rooms", "arguments": {"floor": 2}}]), Step(text="Two.")]) as host:
        config["hosts"]["cellar"]["base_url"] = host.base_url
        gateway = GatewayProcess(tmp_path, config, entry_points=points, environment={"HOME": str(tmp_path)})
        for name in ("letterbox.py", "double.py", "rooms.py"):
            (tmp_path / "plugins" / name).write_text(EXAMPLES[name])
        (gateway.home / "floor-2.txt").write_text("the blue room, the red room")
        await gateway.start()
        try:
            desk = Desk(gateway)
            assert await desk.writes("How many rooms are on the second floor?") == "Two."
            assert host.chats[-1].json()["model"] == "qwen"
            assert host.chats[-1].json()["messages"][-1]["content"] == "the blue room, the red room"
            assert await desk.writes("/double 21") == "42"
            assert "/double: twice a number" in await desk.writes("/help")
            assert await gateway.terminate() == 0
        finally:
            await gateway.discard()
