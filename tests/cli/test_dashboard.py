"""`innkeeper dashboard`: the running gateway's pages, or its own until Ctrl-C; links, rights, everybody's logout."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.scenarios.shell import COMMAND, Home

CONFIG = """\
model: {base_url: 'http://127.0.0.1:1/v1', model: m}
access: {owners: ['telegram:111']}
platforms: {telegram: {allowed_users: [111, 333]}}
dashboard: {port: 0}
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home", CONFIG)


async def first_page(link: str) -> httpx.Response:
    """Log in by a link."""
    at = httpx.URL(link)
    origin = f"{at.scheme}://{at.netloc.decode()}"
    async with httpx.AsyncClient(trust_env=False, follow_redirects=True, headers={"Origin": origin}) as browser:
        return await browser.post(f"{origin}/login", data={"token": at.path.rpartition("/")[2]})


@asynccontextmanager
async def serving(home: Home, *words: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, dict[str, Any]]]:
    """The command as it serves by itself, and what it printed."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "dashboard", "--json", *words, env=home.environment, stdout=pipe, stderr=pipe
    )
    try:
        assert process.stdout is not None
        line = await asyncio.wait_for(process.stdout.readline(), 60)
        assert line, await process.communicate()
        yield process, json.loads(line)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def test_without_a_gateway_it_serves_until_ctrl_c(home: Home) -> None:
    async with serving(home) as (process, told):
        assert (told["who"], told["gateway"]) == ("shell", False)
        assert told["url"].startswith(f"{told['address']}/login/")
        page = await first_page(told["url"])
        assert page.status_code == 200
        for words in ("the shell", ">owner<", "No gateway runs"):
            assert words in page.text
        process.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(process.wait(), 30) == 0
    key = home.folder / "cache" / "dashboard.key"
    assert key.stat().st_mode & 0o777 == 0o600


async def test_another_link_beside_and_everybody_out(home: Home) -> None:
    async with serving(home, "--for", "telegram:333") as (_, told):
        page = await first_page(told["url"])
        assert (page.status_code, "telegram:333" in page.text, ">user<" in page.text) == (200, True, True)
        said = await home.innkeeper("dashboard", "--sign-out-all")
        assert (said.code, said.out) == (0, "1 login ended.\n")
        said = await home.innkeeper("dashboard", "--sign-out-all", "--json")
        assert json.loads(said.out) == {"ended": 0}


async def test_a_link_is_for_somebody_who_may_talk(home: Home) -> None:
    said = await home.innkeeper("dashboard", "--no-open", "--for", "telegram:999")
    assert (said.code, said.out) == (1, "")
    assert said.err == "telegram:999 may not talk to this bot, and so has no rights here\n"


async def test_the_running_gateway_serves_its_own_pages(home: Home) -> None:
    async with home.gateway():
        said = await home.innkeeper("dashboard", "--json")
        assert said.code == 0, said.err
        told = json.loads(said.out)
        assert told["gateway"] is True
        page = await first_page(told["url"])
        assert (page.status_code, "No gateway runs" in page.text) == (200, False)
        again = await home.innkeeper("dashboard", "--no-open")
        assert told["address"] in again.out
        token = told["url"].rpartition("/")[2]
        for path in [*home.folder.glob("state.db*"), *(home.folder / "logs").glob("*")]:
            assert token.encode() not in path.read_bytes(), path
