"""The dashboard within a running house: begun when it is asked for, silent in the logs, gone with the house."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from commands.dashboard_ports import DashboardTrouble
from gateway.app import running
from gateway.config.load import load_settings
from gateway.config.paths import Profile
from gateway.config.profiles import prepare
from gateway.web.server import Server
from tests.web.stage import OPERATOR, USER, dashboard_stage

LATE = ("starlette", "uvicorn", "jinja2", "itsdangerous")


def test_a_house_that_nobody_asks_imports_nothing_of_the_web() -> None:
    code = f"import gateway.app, sys; print([each for each in {LATE!r} if each in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert said.stdout.strip() == "[]"


async def test_it_begins_when_asked_once_for_all_and_ends_with_the_house(tmp_path: Path) -> None:
    handlers = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    async with dashboard_stage(tmp_path) as stage:
        again = await asyncio.gather(*(stage.dashboard.start() for _ in range(3)))
        assert set(again) == {stage.address}
        assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == handlers
        assert (await (await stage.client()).get("/")).status_code == 200
    async with httpx.AsyncClient(trust_env=False) as late:
        with pytest.raises(httpx.ConnectError):
            await late.get(stage.address)
    with pytest.raises(DashboardTrouble, match="closing"):
        await stage.dashboard.start()


async def test_of_two_servers_that_begin_at_once_one_is_told_why_it_cannot() -> None:
    async def nothing(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError("nobody asks")

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    begun = [Server.begin(nothing, "127.0.0.1", port) for _ in range(2)]
    one, other = await asyncio.gather(*begun, return_exceptions=True)
    assert isinstance(one, Server)
    assert isinstance(other, DashboardTrouble)
    await one.end()


async def test_a_port_that_is_taken_is_said_with_what_to_do(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        profile = prepare(Profile("default", tmp_path, tmp_path))
        profile.config.write_text(f"dashboard: {{port: {port}}}\n")
        async with running(profile, load_settings(profile, {}), {}, only=()) as app:
            dashboard = app.engine.ports.dashboard
            assert dashboard is not None
            with pytest.raises(DashboardTrouble, match=rf"cannot listen on 127.0.0.1 port {port}.*dashboard\.port"):
                await dashboard.start()
            taken.close()
            assert await dashboard.start() == f"http://127.0.0.1:{port}"  # a fault is no verdict for good


async def test_no_address_of_this_machine_is_said(tmp_path: Path) -> None:
    async def app(scope: object, receive: object, send: object) -> None:
        raise AssertionError("nobody asks")

    with pytest.raises(DashboardTrouble, match=r"cannot listen on 192\.0\.2\.1"):
        await Server.begin(app, "192.0.2.1", 0)


async def test_links_use_the_public_address_and_cookies_are_for_https_alone(tmp_path: Path) -> None:
    config = {"dashboard": {"port": 0, "public_url": "https://inn.example.org/"}}
    async with dashboard_stage(tmp_path, config=config) as stage:
        link = httpx.URL(await stage.link())
        assert (link.scheme, link.host) == ("https", "inn.example.org")
        outside = {"Host": "inn.example.org", "Origin": "https://inn.example.org"}
        visitor = stage.stranger(**outside)
        visitor.follow_redirects = False
        answer = await visitor.post("/login", data={"token": link.path.rpartition("/")[2]})
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith("__Host-innkeeper-")
        for attribute in ("HttpOnly", "SameSite=lax", "Secure", "Path=/"):
            assert attribute in cookie
        assert "Domain" not in cookie
        pair = cookie.partition(";")[0]
        assert (await visitor.get("/", headers={"Cookie": pair})).status_code == 200
        assert (await visitor.get("/", headers={"Cookie": pair, "Host": "other.example.org"})).status_code == 421


async def test_who_asks_through_a_proxy_is_told_apart_only_when_there_is_one(tmp_path: Path) -> None:
    config = {"dashboard": {"port": 0, "public_url": "https://inn.example.org"}}
    for sections, last in (({}, 429), (config, 410)):
        folder = tmp_path / str(last)
        folder.mkdir()
        async with dashboard_stage(folder, config=sections) as stage:
            visitor = stage.stranger()
            for number in range(11):
                answer = await visitor.get(
                    "/login/nonsense", headers={"X-Forwarded-For": f"1.1.1.1, 10.0.0.{number}"}
                )
            assert answer.status_code == last


async def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profile = prepare(Profile("default", tmp_path, tmp_path))
    async with running(profile, load_settings(profile, {}), {}, only=()) as app:
        dashboard = app.engine.ports.dashboard
        assert dashboard is not None
        monkeypatch.setitem(sys.modules, "uvicorn", None)
        with pytest.raises(DashboardTrouble, match=r"pip install 'innkeeper\[web\]'"):
            await dashboard.start()


async def test_an_operators_page_is_for_operators(tmp_path: Path) -> None:
    async with dashboard_stage(tmp_path) as stage:
        for who, words in ((OPERATOR, "Waits for a yes"), (USER, "you can talk to it as before")):
            assert words in (await (await stage.client(who)).get("/")).text
