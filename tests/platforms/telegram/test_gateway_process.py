"""The real gateway, as a process, with Telegram: it is killed, it is stopped, and the person reads one answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.fakes.gateway_process import GatewayProcess
from tests.fakes.openai_server import OpenAIServer, Step
from tests.fakes.telegram import BotApi

ENTRY_POINTS = {"innkeeper.platforms": {"telegram": "platforms.telegram.manifest:manifest"}}
PATIENCE = 30.0
"""Real seconds: a process starts on a busy machine."""


@asynccontextmanager
async def gateway_on(folder: Path, server: BotApi, host: OpenAIServer) -> AsyncIterator[GatewayProcess]:
    config = {
        "model": {"provider": "openai", "model": "fake-model", "base_url": f"{host.root}/v1", "api_key": "none"},
        "platforms": {"telegram": {"token": server.token, "base_url": server.root, "allowed_users": [111]}},
        "gateway": {"drain_seconds": 2},
    }
    gateway = GatewayProcess(folder, config, entry_points=ENTRY_POINTS, environment={"HOME": str(folder)})
    await gateway.start()
    try:
        yield gateway
    except TimeoutError as error:
        raise AssertionError(f"{error}\n{gateway.said()}") from error
    finally:
        await gateway.discard()


async def test_a_killed_gateway_answers_once_what_it_had_heard(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with BotApi() as server, OpenAIServer([Step(text="never told", gate=gate)]) as host:
        host.script.append(Step(text="The inn has **seven** rooms."))
        ada = server.user(111, "Ada")
        async with gateway_on(tmp_path, server, host) as gateway:
            ada.says("How many rooms are there?")
            await server.until_confirmed(seconds=PATIENCE)
            async with asyncio.timeout(PATIENCE):
                while not any(request.path.endswith("/chat/completions") for request in host.requests):
                    await asyncio.sleep(0.01)
            await gateway.kill()
            await gateway.start()
            await server.until(lambda: ada.texts() == ["The inn has seven rooms."], PATIENCE)
            assert await gateway.terminate() == 0
        assert ada.texts() == ["The inn has seven rooms."]
        assert ada.seen()[0].formatted("bold") == ["seven"]
        told = [path for path in tmp_path.rglob("*") if path.is_file() and server.token.encode() in path.read_bytes()]
        assert [path.name for path in told] == ["config.yaml"], "the token comes to rest nowhere else"
