"""The gateway as a process under a service manager of the test's own: ready, alive, probed, stopping."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

from gateway.hosting.asking import ask
from tests.fakes.gateway_process import GatewayProcess
from tests.hosting.test_notify import heard, manager


def free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port: int = door.getsockname()[1]
        return port


async def until(door: socket.socket, word: str, said: list[str]) -> None:
    async with asyncio.timeout(60):
        while not any(word in each for each in said):
            said += heard(door)
            await asyncio.sleep(0.02)


async def test_from_start_to_end(tmp_path: Path) -> None:
    port = free_port()
    config = {
        "model": {"provider": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "none", "api_key": "x"},
        "gateway": {"health_port": port, "drain_seconds": 7},
    }
    where = str(tmp_path / "notify")
    environment = {"NOTIFY_SOCKET": where, "WATCHDOG_USEC": "400000"}
    house = GatewayProcess(tmp_path, config, entry_points={}, environment=environment)
    said: list[str] = []
    with manager(where) as door:
        try:
            await house.start()
            await until(door, "READY=1", said)
            assert said[0] == "STATUS=running"
            said.clear()
            await until(door, "WATCHDOG=1", said)
            health = await asyncio.to_thread(ask, port)
            assert health == {"status": "ok", "platforms": {}, "store": "ok", "queue": {"messages": 0, "parts": 0}}
            said.clear()
            assert await house.terminate() == 0
            said += heard(door)
            assert "STOPPING=1\nSTATUS=stopping\nEXTEND_TIMEOUT_USEC=22000000" in said
        finally:
            await house.discard()
    assert not (house.home / "gateway.sock").exists()
    assert await asyncio.to_thread(ask, port) is None


async def test_without_a_manager_and_a_port_there_is_neither(tmp_path: Path) -> None:
    config = {"model": {"provider": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "none", "api_key": "x"}}
    house = GatewayProcess(tmp_path, config, entry_points={}, environment={})
    try:
        await house.start()
        async with asyncio.timeout(60):
            while "Ctrl-C ends it" not in house.said():
                await asyncio.sleep(0.02)
        listening = Path(f"/proc/{house.pid}/net/tcp").exists() and _listening(house.pid)
        assert not listening
        assert await house.terminate() == 0
    finally:
        await house.discard()


def _listening(pid: int) -> list[str]:
    """The process's own TCP doors."""
    sockets = set()
    for each in Path(f"/proc/{pid}/fd").iterdir():
        try:
            sockets.add(str(each.readlink()))
        except OSError:
            continue
    lines = Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
    return [line for line in lines if line.split()[3] == "0A" and f"socket:[{line.split()[9]}]" in sockets]
