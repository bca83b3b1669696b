"""The real gateway, as a process, with Discord: it is killed, it is stopped, and the person reads one answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.fakes.discord import DiscordServer
from tests.fakes.gateway_process import GatewayProcess
from tests.fakes.openai_server import OpenAIServer, Step

ENTRY_POINTS = {"innkeeper.platforms": {"discord": "platforms.discord.manifest:manifest"}}
ADA = 222333444555666777
ANSWERS = ["The inn has **seven** rooms.", "Two are free."]
PATIENCE = 30.0
"""Real seconds: a process starts on a busy machine."""


@asynccontextmanager
async def gateway_on(folder: Path, server: DiscordServer, host: OpenAIServer) -> AsyncIterator[GatewayProcess]:
    addresses = {"api_url": server.api_url, "gateway_url": server.gateway_url}
    config = {
        "model": {"provider": "openai", "model": "fake-model", "base_url": f"{host.root}/v1", "api_key": "none"},
        "platforms": {"discord": {"token": server.token, "allowed_users": [ADA]} | addresses},
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


async def test_a_killed_gateway_answers_once_what_it_had_heard_and_what_it_missed(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with DiscordServer() as server, OpenAIServer([Step(text="never told", gate=gate)]) as host:
        host.script += [Step(text=answer) for answer in ANSWERS]
        ada = server.user(ADA, "Ada")
        async with gateway_on(tmp_path, server, host) as gateway:
            await server.until_connected(PATIENCE)
            ada.says("How many rooms are there?")
            async with asyncio.timeout(PATIENCE):
                while not any(request.path.endswith("/chat/completions") for request in host.requests):
                    await asyncio.sleep(0.01)
            await gateway.kill()
            server.gateway.forget_sessions()
            ada.says("How many are free?")
            await gateway.start()
            await server.until(lambda: set(ANSWERS) <= set(ada.texts()), PATIENCE)
            await server.until(lambda: bool(server.commands.everywhere), PATIENCE)
            order = ada.orders("status")
            await server.until(lambda: "**Discord**: listening" in ada.texts()[-1], PATIENCE)
            await server.until(lambda: not any(each.thinking for each in ada.seen()), PATIENCE)
            assert await gateway.terminate() == 0
        assert [text for text in ada.texts() if text in ANSWERS] == ANSWERS
        assert order.answered is not None
        told = [path for path in tmp_path.rglob("*") if path.is_file() and server.token.encode() in path.read_bytes()]
        assert [path.name for path in told] == ["config.yaml"], "the token comes to rest nowhere else"
