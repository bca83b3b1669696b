"""The real local server behind the whole engine: the prompt's bytes and the cache through turns and restarts."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gateway.clock import SystemClock
from gateway.models.client import Delta, HostInfo, Reply, Request, Usage
from gateway.models.local import LocalHost
from memory.model import Action, Author, Operation, Origin, Staged, Target
from platforms.in_process import InProcess
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings

pytestmark = pytest.mark.model

PERSONA = "You are a helpful AI assistant named Innkeeper. Give correct, short answers." + " Be polite." * 60


@asynccontextmanager
async def inn(folder: Path, weights: Path, adapter: InProcess) -> AsyncIterator[Guesthouse]:
    """A house whose only model is the embedded one, in a server process of its own."""
    host = LocalHost(weights, folder, clock=SystemClock(), temperature=0.0)
    async with guesthouse(folder, adapter=adapter, hosts=[host], prompt=PERSONA) as house:
        yield house
    await host.close()


async def cached(house: Guesthouse, chat: str) -> tuple[int, int]:
    """Cached and whole prompt tokens of a chat's session so far."""
    session = await house.store.sessions.current(f"inprocess:{chat}")
    assert session is not None
    lines = await house.store.usage.of_session(session.id)
    return sum(each.cached for each in lines), sum(each.input for each in lines)


async def said(house: Guesthouse, text: str, chat: str) -> tuple[int, int]:
    """Say something; the cached and the whole prompt tokens of the request that it caused."""
    session = await house.store.sessions.current(f"inprocess:{chat}")
    before = await cached(house, chat) if session is not None else (0, 0)
    await house.adapter.reply_to(text, chat=chat, seconds=60)
    after = await cached(house, chat)
    return after[0] - before[0], after[1] - before[1]


async def test_the_cache_stays_warm_through_turns_other_chats_and_restarts(tmp_path: Path, weights: Path) -> None:
    adapter = InProcess()
    async with inn(tmp_path, weights, adapter) as house:
        _, first = await said(house, "What is the capital of France?", "ada")
        warm, second = await said(house, "And of Italy?", "ada")
        assert warm >= 0.95 * first
        _, bob = await said(house, "How many days are in a week?", "bob")
        warm, third = await said(house, "And of Spain?", "ada")
        assert warm >= 0.95 * second
        prompts = {chat: (await house.store.sessions.current(f"inprocess:{chat}")).prompt for chat in ("ada", "bob")}  # type: ignore[union-attr]
    async with inn(tmp_path, weights, adapter) as house:
        warm, _ = await said(house, "And of Greece?", "ada")
        assert warm >= 0.95 * third
        warm, _ = await said(house, "And in a year?", "bob")
        assert warm >= 0.95 * bob
        for chat, prompt in prompts.items():
            session = await house.store.sessions.current(f"inprocess:{chat}")
            assert session is not None
            assert session.prompt == prompt == PERSONA


class Metered:
    """The embedded model, with what each request cost, in order."""

    def __init__(self, inner: LocalHost) -> None:
        self._inner = inner
        self.usages: list[Usage] = []
        self.requests: list[Request] = []

    @property
    def host(self) -> str:
        return self._inner.host

    @property
    def model(self) -> str:
        return self._inner.model

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        self.requests.append(request)
        async for delta in self._inner.stream(request):
            if isinstance(delta, Reply):
                self.usages.append(delta.usage)
            yield delta

    async def info(self) -> HostInfo:
        return await self._inner.info()

    async def close(self) -> None:
        await self._inner.close()


@pytest.mark.parametrize(
    "tools", [pytest.param(False, id="assisted"), pytest.param(True, id="with tools", marks=pytest.mark.soak)]
)
async def test_the_cache_stays_warm_when_something_is_remembered(tmp_path: Path, weights: Path, tools: bool) -> None:
    host = Metered(LocalHost(weights, tmp_path, clock=SystemClock(), temperature=0.0))
    async with guesthouse(tmp_path, adapter=InProcess(), hosts=[host], prompt=PERSONA, with_memory=True) as house:
        await house.store.facts.put(f"model:{host.host}/{host.model}", "grade", {"tools": tools})
        await house.adapter.reply_to("What is the capital of France?", chat="ada", seconds=60)
        await house.adapter.reply_to("And of Italy?", chat="ada", seconds=60)
        before, asked = host.usages[-1], len(host.usages)
        kept = await house.adapter.reply_to("/remember Ada drinks green tea.", chat="ada", seconds=60)
        assert "Kept in USER.md" in kept
        await house.adapter.reply_to("And of Spain?", chat="ada", seconds=60)
        after, request = host.usages[asked], host.requests[asked]
        assert "- user, new: Ada drinks green tea." in request.messages[-1].content
        assert request.messages[0] == host.requests[0].messages[0], "the prompt stays as it was"
        assert request.tools == host.requests[0].tools
        assert ("memory" in [each.name for each in request.tools]) is tools
        assert after.cached >= 0.95 * before.input, f"{after.cached} cached of {before.input}"
        print(f"cached after a memory write: {after.cached} of the previous request's {before.input} tokens")
    await host.close()


@pytest.mark.soak  # to the model it is what `remembered` is
async def test_the_cache_stays_warm_when_something_is_approved_in_the_middle_of_a_session(
    tmp_path: Path, weights: Path
) -> None:
    tea = "Ada drinks green tea."
    host = Metered(LocalHost(weights, tmp_path, clock=SystemClock(), temperature=0.0))
    gated = settings(memory={"write_approval": True})
    async with guesthouse(
        tmp_path, adapter=InProcess(), hosts=[host], prompt=PERSONA, with_memory=True, with_settings=gated
    ) as house:
        await house.adapter.reply_to("What is the capital of France?", seconds=60)
        await house.adapter.reply_to("And of Italy?", seconds=60)
        before, asked = host.usages[-1], len(host.usages)
        session = await house.store.sessions.current("inprocess:c1")
        assert session is not None
        assert house.house.memories is not None
        by = Author(Origin.FOREGROUND, session.id, "turn:2", chat="inprocess:c1")
        waits = house.house.memories.shelf.own.apply(Target.USER, [Operation(Action.ADD, tea)], by)
        assert isinstance(waits, Staged)
        await house.adapter.reply_to("/memory pending")
        await house.adapter.press("c1", f"Show {waits.pending_id}")
        await house.adapter.until_text("New entry:")
        await house.adapter.press("c1", "✅ Approve")
        await house.adapter.until_text("approved; in USER.md")
        await house.adapter.reply_to("And of Spain?", seconds=60)
        after, request = host.usages[asked], host.requests[asked]
        assert f"- user, new: {tea}" in request.messages[-1].content
        assert request.messages[0] == host.requests[0].messages[0], "the prompt stays as it was"
        assert request.tools == host.requests[0].tools
        assert after.cached >= 0.95 * before.input, f"{after.cached} cached of {before.input}"
        print(f"cached after an approval: {after.cached} of the previous request's {before.input} tokens")
    await host.close()
