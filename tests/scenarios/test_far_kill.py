"""The gateway is killed while an approved call is being made: nothing is made twice, and nobody is told a tale."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from tests.cli.shell import Shell
from tests.fakes.gateway_process import GatewayProcess
from tests.fakes.openai_server import OpenAIServer, Step
from tests.scenarios.far_tools import calls, server, until, waiting
from tests.tools.mcp.stand import log

CONSOLE = {"innkeeper.platforms": {"console": "platforms.console.manifest:manifest"}}


async def ask(gateway: GatewayProcess, folder: Path, text: str) -> str:
    """`innkeeper ask --chat desk`, beside the running gateway."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gateway.cli.main", "ask", "--chat", "desk", text),
        env={**os.environ, "INNKEEPER_HOME": str(gateway.home)},
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await process.communicate()
    return said.decode()


def children(folder: Path) -> list[int]:
    """The processes of the server that belongs to this folder."""
    found = []
    for each in Path("/proc").iterdir():
        try:
            words = (each / "cmdline").read_bytes() if each.name.isdecimal() else b""
        except OSError:
            continue
        if b"mcp_server.py" in words and str(folder).encode() in words:
            found.append(int(each.name))
    return found


async def test_killed_during_an_approved_call(tmp_path: Path) -> None:
    wish = [calls("mcp_fake_write", word="inn"), Step(text="I asked for a yes.")]
    async with OpenAIServer([*wish, Step(text="Nobody can say whether it was written.")]) as host:
        config: dict[str, Any] = {
            "model": {"provider": "openai", "model": "m", "base_url": host.base_url, "api_key": "none"},
            "auxiliary": {"background_review": {"enabled": False}, "title": {"provider": "auto"}},
            "sessions": {"boundary_hint": "off"},
            "mcp_servers": {"fake": server(tmp_path, {"seconds": 60, "stays": True}, timeout_s=90)},
        }
        gateway = GatewayProcess(tmp_path, config, entry_points=CONSOLE, environment={"HOME": str(tmp_path)})
        try:
            await gateway.start()
            await until(lambda: (gateway.home / "cache" / "mcp" / "fake.json").exists())
            assert "I asked for a yes." in await ask(gateway, tmp_path, "Call the writer with inn.")
            (call,) = waiting(gateway.home)
            done = await asyncio.to_thread(Shell(gateway.home), "tools", "approve", call["id"])
            assert "approved" in done.output
            await until(lambda: bool(log(tmp_path)))
            assert children(tmp_path)
            await gateway.kill()
            await until(lambda: not children(tmp_path))
            server(tmp_path, {})
            await gateway.start()
            await until(
                lambda: "Nobody knows whether it was carried out" in str([each.json() for each in host.chats])
            )
            await until(lambda: not list((gateway.home / "pending" / "calls" / "approved").iterdir()))
            assert log(tmp_path) == [{"tool": "write", "word": "inn"}]
            assert await gateway.terminate() == 0
            await until(lambda: not children(tmp_path))
        finally:
            await gateway.discard()
