"""Plugins from the template, in a folder of their own: made, installed with pip, found, used in a conversation,
removed."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gateway.plugins.template import write
from tests.fakes.openai_server import OpenAIServer, Step
from tests.fakes.plugin_place import PluginPlace

KINDS = ("platform", "command", "tool", "host", "provider")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Guest:
    """Somebody who connects to the platform, and writes and reads lines."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def says(self, text: str) -> str:
        """The line that answers it; a receipt, where the turn before it had not quite ended, is none."""
        self._writer.write(f"{text}\n".encode())
        line = "⏳"
        while line.startswith("⏳"):
            line = (await asyncio.wait_for(self._reader.readline(), 60)).decode().strip()
        return line


@asynccontextmanager
async def gateway(place: PluginPlace, port: int) -> AsyncIterator[Guest]:
    """A gateway that runs, and a guest who is connected; it ends in order."""
    process = await place.begun("-m", "gateway.cli.main", "run")
    try:
        async with asyncio.timeout(30):
            while True:
                assert process.returncode is None, (await process.communicate())[0].decode()
                try:
                    reader, writer = await asyncio.open_connection("127.0.0.1", port)
                    break
                except OSError:
                    await asyncio.sleep(0.05)
        yield Guest(reader, writer)
        writer.close()
        process.send_signal(signal.SIGTERM)
        said, _ = await process.communicate()
        assert process.returncode == 0, said.decode()
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


def states(listed: str) -> dict[str, str]:
    return {f"{each['kind']} {each['name']}": each["state"] for each in json.loads(listed) if not each["built_in"]}


async def test_a_platform_and_an_outside_memory_from_the_template_live_and_go(tmp_path: Path) -> None:
    place, port = await asyncio.to_thread(PluginPlace, tmp_path), free_port()
    async with OpenAIServer([Step(text="Noted."), Step(text="In Uppsala.")]) as host:
        model = {
            "hosts": {"lab": {"kind": "openai", "base_url": host.base_url}},
            "model": {"provider": "lab", "model": "qwen"},
        }
        place.configure(model)
        for kind, name in (("platform", "pipe"), ("provider", "ledger")):
            write(kind, name, place.workshop)
        said = await place.orders("plugins", "install", "./innkeeper-pipe", "./innkeeper-ledger", "--yes")
        assert "New: platform pipe\nNew: provider ledger" in said
        assert place.there() == {"innkeeper_pipe", "innkeeper_ledger"}
        listed = await place.orders("plugins", "list", "--json")
        assert states(listed) == {"platform pipe": "on", "provider ledger": "on"}

        place.configure({**model, "platforms": {"pipe": {"port": port}}, "access": {"owners": ["pipe:guest"]}})
        assert "memory.provider is ledger" in await place.orders("memory", "setup", "ledger")
        async with gateway(place, port) as guest:
            assert await guest.says("Annika keeps her bees in Uppsala.") == "Noted."
            async with asyncio.timeout(30):
                while not (place.home / "providers" / "ledger" / "turns.jsonl").exists():
                    await asyncio.sleep(0.05)
            assert await guest.says("Where are the bees of Annika?") == "In Uppsala."
        read = host.chats[-1].json()["messages"][-1]["content"]
        assert "[Recalled by the outside memory ledger" in read
        assert "Annika keeps her bees in Uppsala.\nNoted." in read

        said = await place.orders("plugins", "remove", "innkeeper-pipe", "ledger", "--yes")
        assert "Gone: innkeeper-pipe, innkeeper-ledger." in said
        assert "platforms.pipe" in said  # config.yaml still speaks of it
        place.configure(model)
        assert place.there() == set()
        assert states(await place.orders("plugins", "list", "--json")) == {}


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", KINDS)
async def test_every_kind_is_installed_and_its_own_tests_pass_as_generated(tmp_path: Path, kind: str) -> None:
    place = await asyncio.to_thread(PluginPlace, tmp_path)
    await place.orders("plugins", "new", kind, f"my{kind}")
    folder = place.workshop / f"innkeeper-my{kind}"
    await place.orders("plugins", "install", f"./{folder.name}", "--yes")
    said = await place.runs("-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", str(folder))
    assert " passed" in said
    assert states(await place.orders("plugins", "list", "--json")) == {f"{kind} my{kind}": "on"}
    typed = await place.runs("-m", "mypy", "--strict", "--no-incremental", str(folder / "src"))
    assert "no issues found" in typed
    await place.orders("plugins", "remove", f"my{kind}", "--yes")
    assert place.there() == set()
