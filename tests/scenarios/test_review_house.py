"""Reviews in the gateway as people run it: everything that the application puts together, with real libraries."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from gateway.app import App
from gateway.state.review_records import ReviewResult
from tests.fakes.openai_server import OpenAIServer, Step
from tests.fakes.telegram import BotApi
from tests.scenarios.telegram_inn import PATIENCE, Inn

ASKED = "[Innkeeper] This is a look back"
REVIEWED: dict[str, Any] = {
    "memory": {"nudge_interval": 1},
    "auxiliary": {"background_review": {"quiet_s": 0, "reasoning_effort": "high"}},
}


def answers(given: dict[str, Any]) -> Step:
    """Chats are answered; a review keeps one thing."""
    messages = given["messages"]
    if messages[-1]["role"] == "tool":
        return Step(text="Kept.")
    if ASKED in str(messages[-1]["content"]):
        keep = {"target": "user", "action": "add", "content": "Ada drinks tea."}
        return Step(calls=[{"id": "c1", "name": "memory", "arguments": keep}])
    return Step(text="Noted.")


async def ended(app: App, count: int = 1) -> list[ReviewResult]:
    """Wait until so many reviews are over."""
    async with asyncio.timeout(PATIENCE):
        while len(found := await app.engine.house.store.review_books.results(9)) < count:
            await asyncio.sleep(0.02)
    return found


async def test_what_was_said_is_kept_when_the_house_is_quiet(tmp_path: Path) -> None:
    async with BotApi() as server, OpenAIServer(otherwise=answers) as host:
        inn = Inn(tmp_path, server, host, REVIEWED)
        async with inn.open() as app:
            assert await inn.says("I drink tea") == "Noted."
            (result,) = await ended(app)
            assert (result.outcome, result.spent.calls, result.cause) == ("memory", 2, "cadence")
            assert inn.file("USER.md").strip() == "Ada drinks tea."
            (warning,) = [each for each in app.lines if "background_review" in each]
            assert warning.startswith("auxiliary.background_review.reasoning_effort is set, and does nothing")
        first, second = host.chats[0].json(), host.chats[1].json()
        assert second["tools"] == first["tools"]
        assert json.dumps(second["messages"])[:-1].startswith(json.dumps(first["messages"])[:-1])
        (line,) = [
            json.loads(each)
            for each in (tmp_path / "logs" / "agent.log").read_text().splitlines()
            if "Background review complete" in each
        ]
        assert line["event"].startswith("Background review complete: thread=bg-review calls=2 in=")
        assert " result=memory " in line["event"]
        assert " prefix=same " in line["event"]


async def test_the_end_of_the_gateway_does_not_wait_for_a_review(tmp_path: Path) -> None:
    gate = asyncio.Event()

    def slow(given: dict[str, Any]) -> Step:
        step = answers(given)
        if ASKED in str(given["messages"][-1]["content"]) and not gate.is_set():
            step.gate = gate
        return step

    async with BotApi() as server, OpenAIServer(otherwise=slow) as host:
        inn = Inn(tmp_path, server, host, REVIEWED)
        async with inn.open():
            await inn.says("I drink tea")
            async with asyncio.timeout(PATIENCE):
                while len(host.chats) < 2:
                    await asyncio.sleep(0.02)
        gate.set()
        async with inn.open() as app:
            (result,) = await ended(app)
            assert (result.outcome, result.died, result.cancelled) == ("memory", 0, 0)
        assert inn.file("USER.md").strip() == "Ada drinks tea."


@pytest.mark.parametrize("at", [0, 1])
async def test_a_message_during_a_review_is_answered_first(tmp_path: Path, at: int) -> None:
    """One slot: while the review held it, nobody else would be answered. It hangs before or behind its first word."""
    gate = asyncio.Event()

    def slow(given: dict[str, Any]) -> Step:
        if ASKED not in str(given["messages"][-1]["content"]) or gate.is_set():
            return answers(given)
        gate.set()
        return Step(text="Let me see", gate=asyncio.Event()) if at == 0 else Step(pieces=["Let", "me"], hang_after=at)

    async with BotApi() as server, OpenAIServer(otherwise=slow) as host:
        hosts = {"slot": {"kind": "openai", "base_url": host.base_url, "concurrency": 1, "api_key": "none"}}
        inn = Inn(tmp_path, server, host, {**REVIEWED, "hosts": hosts, "model": {"provider": "slot", "model": "m"}})
        async with inn.open() as app:
            await inn.says("I drink tea")
            async with asyncio.timeout(PATIENCE):
                await gate.wait()
            assert await inn.says("and you?") == "Noted."
            (result,) = await ended(app)
            assert (result.outcome, result.cancelled) == ("memory", 1)
