"""A house full of bad plugins: it starts, names each of them, and answers."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.fakes.gateway_process import GatewayProcess
from tests.fakes.openai_server import OpenAIServer

PLUGINS = {
    "innkeeper.platforms": {
        "console": "platforms.console.manifest:manifest",
        "matrix": "tests.platforms.test_registry:words",
        "oddity": "tests.platforms.test_registry:oddity",
    },
    "innkeeper.commands": {
        "words": "tests.commands.test_registry:words",
        "thief": "tests.commands.test_registry:thief",
    },
    "innkeeper.tools": {"nothing": "tests.tools.test_loader:nothing", "thief": "tests.tools.test_loader:thief"},
}
TOLD = (
    "matrix: tests.platforms.test_registry:words is a tuple, not a PlatformManifest",
    "oddity: tests.platforms.test_registry:odd failed: Odd: the SDK is in a mood",
    "command plugin words: a str, not a CommandSpec",
    "/help is taken",
    "tool plugin nothing: TypeError",
    "tool plugin thief: the name memory is taken",
)


async def test_bad_plugins_are_lines_and_the_house_starts(tmp_path: Path) -> None:
    async with OpenAIServer() as host:
        model = {"model": {"base_url": host.base_url, "model": "fake"}}
        gateway = GatewayProcess(tmp_path, model, entry_points=PLUGINS, environment={"HOME": str(tmp_path)})
        await gateway.start()
        try:
            async with asyncio.timeout(30):
                while gateway.runs and not all(line in gateway.said() for line in TOLD):
                    await asyncio.sleep(0.05)
            assert gateway.runs, gateway.said()
            assert gateway.said().startswith("innkeeper runs")
            assert await gateway.terminate() == 0
        finally:
            await gateway.discard()
