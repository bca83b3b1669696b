"""Servers that others wrote, and one over HTTP by the protocol's own library: they are reached, listed and called."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gateway.config.mcp import McpServer
from tests.tools.mcp.stand import Stand, stand

TIME = McpServer(command=sys.executable, args=("-m", "mcp_server_time", "--local-timezone", "UTC"))
HTTP = Path(__file__).parents[2] / "fakes" / "mcp_http.py"
KEY = "a-key-for-the-teller"


def free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


@asynccontextmanager
async def teller(transport: str, port: int) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(sys.executable, str(HTTP), transport, str(port), KEY)
    try:
        async with asyncio.timeout(30):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                    writer.close()
                    break
                except OSError:
                    await asyncio.sleep(0.05)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def by_url(port: int, transport: str = "auto") -> McpServer:
    path = "sse" if transport == "sse" else "mcp"
    return McpServer.model_validate(
        {
            "url": f"http://127.0.0.1:{port}/{path}",
            "transport": transport,
            "headers": {"Authorization": f"Bearer {KEY}"},
            "timeout_s": 5,
        }
    )


async def test_the_time_server(tmp_path: Path) -> None:
    async with stand(tmp_path, {"time": TIME}) as place:
        assert place.names() == ["mcp_time_convert_time", "mcp_time_get_current_time"]
        said = await place.call(
            "mcp_time_convert_time", source_timezone="Asia/Tokyo", time="09:30", target_timezone="UTC"
        )
        assert said.ok, said.text
        assert "T00:30:00+00:00" in said.text
        wrong = await place.call("mcp_time_get_current_time", timezone="Mars/Base")
        assert not wrong.ok


async def test_the_git_server(tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    for words in (["init", "-q", str(folder)], ["-C", str(folder), "config", "user.email", "ada@inn.example"]):
        subprocess.run(["git", *words], check=True)
    git = McpServer(command=sys.executable, args=("-m", "mcp_server_git", "--repository", str(folder)))
    async with stand(tmp_path, {"git": git}) as place:
        assert "mcp_git_git_status" in place.names()
        said = await place.call("mcp_git_git_status", repo_path=str(folder))
        assert said.ok, said.text
        assert "No commits yet" in said.text


@pytest.mark.parametrize("transport", ["auto", "sse"])
async def test_over_http(tmp_path: Path, transport: str) -> None:
    port = free_port()
    async with teller(transport, port):
        async with stand(tmp_path, {"teller": by_url(port, transport)}) as place:
            assert place.names() == ["mcp_teller_add"]
            assert "\n5\n" in (await place.call("mcp_teller_add", a=2, b=3)).text


async def test_over_http_it_may_go_and_come_back(tmp_path: Path) -> None:
    port = free_port()
    async with teller("http", port) as process:
        async with stand(tmp_path, {"teller": by_url(port)}) as place:
            assert "\n5\n" in (await place.call("mcp_teller_add", a=2, b=3)).text
            process.kill()
            await process.wait()
            said = await place.call("mcp_teller_add", a=2, b=3)
            assert not said.ok
            async with teller("http", port):
                assert await _answers(place)


async def _answers(place: Stand) -> bool:
    async with asyncio.timeout(30):
        while not (await place.call("mcp_teller_add", a=2, b=3)).ok:
            await asyncio.sleep(0.2)
    return True


async def test_without_its_key_the_reason_is_said(tmp_path: Path) -> None:
    port = free_port()
    async with teller("http", port):
        strange = by_url(port).model_copy(update={"headers": {}})
        async with stand(tmp_path, {"teller": strange}, wait=False) as place:
            await place.until(lambda: place.servers.all[0].state == "down")
            assert "401" in place.servers.all[0].why or "Unauthorized" in place.servers.all[0].why
