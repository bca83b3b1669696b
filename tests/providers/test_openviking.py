"""OpenViking through its command-line tool: sessions are kept, and what was extracted of them is found.

Each day against a stand-in for the tool; with `-m soak` the real tool and the real server, installed into an
environment of their own the way `innkeeper memory setup openviking --install` does it, models on loopback.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway.providers.environment import install, installed
from gateway.providers.openviking import OpenViking, OpenVikingSettings, manifest
from memory.providers.contract import ELSEWHERE, HERE, ProviderContract, Sample, fault_of, keep, recalled, started
from memory.providers.protocol import Provider, ProviderContext, ProviderManifest, Question, Refused, Unreachable
from tests.fakes.memory_service import KEY
from tests.fakes.model_service import DIMENSIONS, ModelService
from tests.fakes.openviking_server import OpenVikingServer
from tests.providers.services import ServiceContract, ServiceStage

TOOL = Path(__file__).parents[1] / "fakes" / "openviking_tool.py"


class OpenVikingStage(ServiceStage[OpenVikingServer]):
    def __init__(self, server: OpenVikingServer, folder: Path) -> None:
        self.tool = folder / "ov"
        self.tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{TOOL}" "$@"\n')
        self.tool.chmod(0o700)
        super().__init__(manifest, server, folder)

    def another(self, key: str = KEY, in_profile: str = "default", **settings: Any) -> Provider:
        return super().another(key, in_profile, **{"command": str(self.tool), **settings})


class TestOpenViking(ServiceContract):
    @pytest.fixture
    async def stage(self, tmp_path: Path) -> AsyncIterator[OpenVikingStage]:
        async with OpenVikingServer() as server:
            assert isinstance(server, OpenVikingServer)
            stage = OpenVikingStage(server, tmp_path)
            yield stage
            await stage.provider.close()

    async def test_it_may_wait_for_the_end_of_the_session(self, stage: OpenVikingStage) -> None:
        stage.provider = stage.another(extract="session")
        async with started(stage) as provider:
            await keep(stage)
            assert await recalled(stage) == ""
            await provider.ended(HERE, "new")
            assert stage.sample.word in await recalled(stage)

    async def test_a_key_of_one_user_is_refused_before_anything_is_sent(self, stage: OpenVikingStage) -> None:
        stage.server.bound_to = "somebody"
        fault = await fault_of(stage.provider.start())
        assert isinstance(fault, Refused)
        assert "may not act for several users" in str(fault)
        assert stage.server.pending == {}

    async def test_templates_of_the_server_are_no_memories(self, stage: OpenVikingStage) -> None:
        async with started(stage) as provider:
            assert await provider.prefetch(Question(HERE, "What is in the templates?")) == ""

    async def test_long_words_go_in_pieces(self, stage: OpenVikingStage) -> None:
        words = " ".join(f"記憶を保つ{number}" for number in range(8_000))
        async with started(stage):
            await stage.told(words)
        [kept] = stage.server.events.values()
        assert len(kept) > 1
        assert " ".join(kept) == words

    async def test_the_key_lies_in_no_folder_of_the_profile(self, stage: OpenVikingStage, tmp_path: Path) -> None:
        async with started(stage) as provider:
            assert isinstance(provider, OpenViking)
            home = provider._home
            assert home is not None
            assert KEY in (home / ".openviking" / "ovcli.conf").read_text()
            assert not home.is_relative_to(tmp_path)
            assert [file for file in tmp_path.rglob("*") if file.is_file()] == [stage.tool]
        assert not home.exists()

    async def test_it_searches_when_asked(self, stage: OpenVikingStage) -> None:
        async with started(stage) as provider:
            [tool] = provider.tools()
            await keep(stage)
            assert stage.sample.word in await tool.run({"query": "Where are the bees?"}, HERE)
            assert await tool.run({"query": "Where are the bees?"}, ELSEWHERE) == "Nothing like that is kept."


async def test_without_the_tool_it_says_how_to_get_it(tmp_path: Path) -> None:
    provider = OpenViking(ProviderContext(OpenVikingSettings().model_dump(), {}, tmp_path))
    said = str(await fault_of(provider.start()))
    assert said == "OpenViking's tool is not installed: innkeeper memory setup openviking --install"


async def test_a_tool_that_is_another_one_counts_as_away(tmp_path: Path) -> None:
    settings = OpenVikingSettings(command="/bin/echo").model_dump()
    fault = await fault_of(OpenViking(ProviderContext(settings, {}, tmp_path)).start())
    assert isinstance(fault, Unreachable)
    assert "gives no answer" in str(fault)


class RealStage:
    """The real tool and server; each test is a crowd of users of its own."""

    sample = Sample()
    secrets: tuple[str, ...] = ()
    manifest: ProviderManifest = manifest

    def __init__(self, address: str, environment: Path, folder: Path) -> None:
        settings = OpenVikingSettings(base_url=address, user=f"test-{uuid.uuid4().hex[:8]}").model_dump()
        self.provider: Provider = OpenViking(ProviderContext(settings, {}, folder, environment=environment))

    async def settled(self) -> None:
        assert isinstance(self.provider, OpenViking)
        await self.provider._ran("default", "wait")

    async def lose(self) -> bool:
        return False


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cache = tmp_path_factory.mktemp("cache")
    assert installed(cache, "openviking") is None
    install(cache, "openviking", manifest.packages, os.environ)
    found = installed(cache, "openviking")
    assert found is not None
    return found


@pytest.fixture(scope="module")
def address(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The real server, its models on loopback."""
    folder = tmp_path_factory.mktemp("openviking")
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    models = ModelService()
    asyncio.run_coroutine_threadsafe(models.start(), loop).result(30)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    model = {"provider": "openai", "api_base": models.root, "api_key": KEY, "model": "m"}
    config = {
        "storage": {"workspace": str(folder / "data")},
        "server": {"host": "127.0.0.1", "port": port},
        "embedding": {"dense": {**model, "dimension": DIMENSIONS}},
        "vlm": model,
    }
    (folder / "ov.conf").write_text(json.dumps(config))
    process = subprocess.Popen(
        [str(environment / "bin" / "openviking-server"), "--config", str(folder / "ov.conf")],
        env={"PATH": os.defpath, "HOME": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        where = f"http://127.0.0.1:{port}"
        _wait_for(where)
        yield where
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        asyncio.run_coroutine_threadsafe(models.close(), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _wait_for(where: str) -> None:
    until = time.monotonic() + 120
    while True:
        try:
            if httpx.get(f"{where}/health").is_success:
                return
        except httpx.TransportError:
            pass
        assert time.monotonic() < until, "the server did not begin"
        time.sleep(0.5)


@pytest.mark.soak
@pytest.mark.timeout(900)
class TestTheRealOpenViking(ProviderContract):
    @pytest.fixture
    async def stage(self, address: str, environment: Path, tmp_path: Path) -> RealStage:
        return RealStage(address, environment, tmp_path)
