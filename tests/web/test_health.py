"""The page about how things are: what is known, and where nobody knows."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace
from datetime import UTC
from pathlib import Path

from httpx import ASGITransport, AsyncClient
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from commands.ports import Ports
from commands.registry import built_in
from commands.spec import Role
from gateway.clock import SystemClock
from gateway.config.load import load_settings
from gateway.config.paths import Profile
from gateway.config.profiles import prepare
from gateway.config.schema import Settings
from gateway.engine.turns.grades import Grades
from gateway.models.trial import Grade
from gateway.short_lived import stored_ports
from gateway.state.records import PartDraft
from gateway.state.store import SqliteStore
from gateway.tools.mcp.shelf import FOLDER, KnownTools, Standing
from gateway.transcript import Usage
from gateway.web.health import platforms, routes, spent
from gateway.web.pages import Pages, Person, Visit
from platforms.messages import ChatRef
from tests.fakes.openai_server import OpenAIServer
from tests.web.stage import OPERATOR, OWNER, USER, dashboard_stage, settings
from tests.web.talks import ADAS, talked

BUDGETS = {"gateway": {"drain_seconds": 1, "budgets": {"chat": 1000, "total": 500}}}


def text(page: str) -> str:
    """The words of a page, one blank between them."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


async def test_everything_that_is_known_is_shown(tmp_path: Path):
    async with dashboard_stage(tmp_path, config=BUDGETS) as stage:
        await talked(stage)
        store = stage.app.engine.house.store
        await store.usage.add(
            ADAS, "local", "qwen", "chat", Usage(input=600, cached=300, output=40, calls=3), time.time()
        )
        await store.facts.put("platform:telegram", "heard", time.time() - 600)
        page = text((await (await stage.client(OWNER)).get("/health")).text)
        assert "The gateway is up for 0 min, 0 turns running." in page
        assert "telegram not connected not started; last noted 10 min ago" in page
        assert "openai/m idle main" in page
        assert "Never tested: innkeeper models test" in page
        assert "chat 655 of 1,000" in page
        assert "in total 655 of 500 used up" in page
        assert "Turns running none" in page
        assert re.search(r"Database \d+\.\d [KM]B", page)
        assert "chat local/qwen 3 600 50 % 40 not known" in page
        assert "No review waits." in page
        assert "Undelivered nothing" in page


async def test_what_a_trial_found_and_what_could_not_be_sent(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        store = stage.app.engine.house.store
        await Grades(store.facts).put(Grade("openai", "m", "2026-11-30T10:00:00", reachable=True, tools=True))
        await store.outbox.put(ChatRef("telegram", "111"), "x:1", [PartDraft("a"), PartDraft("b")], time.time())
        page = text((await (await stage.client(OPERATOR)).get("/health")).text)
        assert "It calls tools, tested 2026-11-30" in page
        assert "telegram not connected 2 undelivered" in page
        assert "Undelivered 2 parts" in page


async def test_usage_goes_as_far_back_as_is_asked(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        store, ada = stage.app.engine.house.store, await stage.client(OWNER)
        await store.usage.add("s", "old", "m", "chat", Usage(input=1, output=1, calls=1), time.time() - 5 * 86_400)
        assert "old/m" not in (await ada.get("/health")).text
        assert "old/m" in (await ada.get("/health?days=7")).text
        assert "old/m" not in (await ada.get("/health?days=999")).text


async def test_reviews_that_wait_are_an_owners_to_see_everywhere_and_an_operators_in_their_chat(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        await talked(stage)
        await stage.app.engine.house.store.reviews.offer(ADAS, frozenset({"memory"}), "cadence", time.time() - 60)
        assert f'href="/sessions/{ADAS}"' in (await (await stage.client(OWNER)).get("/health")).text
        page = (await (await stage.client(OPERATOR)).get("/health")).text
        assert ADAS not in page
        assert "No review waits." in page


async def test_it_is_for_operators(tmp_path: Path):
    async with dashboard_stage(tmp_path) as stage:
        mallory = await stage.client(USER)
        answer = await mallory.get("/health")
        assert answer.status_code == 403
        assert "Database" not in answer.text
        assert 'href="/health"' not in (await mallory.get("/")).text


async def looked(ports: Ports, known: Settings) -> str:
    """The page over some ports, as an owner sees it."""
    pages = Pages(ports, built_in(()), SystemClock(), lambda: known, lambda: UTC, live=False)
    shown = Starlette(routes=routes(pages))

    async def with_ada(scope: Scope, receive: Receive, send: Send) -> None:
        visit = Visit(Person(OWNER, Role.OWNER, "Ada"), "session", "token")
        await shown(scope | {"innkeeper.visit": visit}, receive, send)

    async with AsyncClient(transport=ASGITransport(with_ada), base_url="http://inn") as ada:
        answer = await ada.get("/health")
    assert answer.status_code == 200
    return text(answer.text)


async def test_without_a_gateway_it_says_what_nobody_knows(tmp_path: Path):
    profile = prepare(Profile("default", tmp_path, tmp_path))
    async with OpenAIServer() as host:
        profile.config.write_text(json.dumps(settings(host)))
        loaded = load_settings(profile, {})
        store = await SqliteStore.open(profile.database)
        try:
            ports = stored_ports(profile, loaded, store, SystemClock(), "not running", {})
            page = await looked(ports, loaded.settings)
            assert "The gateway is not running." in page
            assert "telegram not known not known: the gateway is not running here" in page
            assert "openai/m unknown main nobody watches it: the gateway is not running." in page
            assert "Turns running not known here" in page
            assert "not connected" not in page
            bare = replace(ports, hosts=None, reviews=None)
            page = await looked(bare, loaded.settings)
            assert "What its host does is not known: the gateway is not running here." in page
            assert "There are no reviews here." in page
        finally:
            await store.close()


def test_a_platform_that_runs_is_shown_as_it_says():
    states = {
        "telegram": {"up": False, "state": "deaf: last heard 300 s ago"},
        "console": {"up": True, "state": "listening"},
    }
    lines = platforms({"platforms": states, "undelivered_on": {"telegram": 4}, "heard": {"telegram": 5.0}}, {})
    assert [(each.name, each.up, each.parts, each.heard) for each in lines] == [
        ("console", True, 0, None),
        ("telegram", False, 4, 5.0),
    ]


def test_a_budget_of_which_nothing_was_spent_is_shown_too():
    assert [(each.task, each.tokens, each.bound) for each in spent({"budgets": {"cron": 9}})] == [
        ("cron", 0, 9),
        ("in total", 0, None),
    ]
    assert spent({}) == []


async def test_servers_of_tools_are_named_as_the_gateway_last_saw_them(tmp_path: Path):
    profile = prepare(Profile("default", tmp_path, tmp_path))
    servers = {
        "gone": {"command": "/nowhere/at/all"},
        "here": {"command": "/bin/cat"},
        "new": {"command": "/bin/cat"},
    }
    async with OpenAIServer() as host:
        profile.config.write_text(json.dumps({**settings(host), "mcp_servers": servers}))
        loaded = load_settings(profile, {})
        known, ago = KnownTools(profile.cache / FOLDER), time.time() - 600
        for name, standing in (
            ("gone", Standing("down", "<b>it</b> ended", ago)),
            ("here", Standing("ready", "", ago)),
        ):
            known.stood(name, loaded.settings.mcp_servers[name], standing)
        store = await SqliteStore.open(profile.database)
        try:
            page = await looked(
                stored_ports(profile, loaded, store, SystemClock(), "not running", {}), loaded.settings
            )
        finally:
            await store.close()
    assert "gone down 0 tools; &lt;b&gt;it&lt;/b&gt; ended; so since 10 min ago" in page
    assert "here ready 0 tools; so since 10 min ago" in page
    assert "new not known 0 tools" in page
