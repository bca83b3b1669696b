"""Reviews on the real local server, with its one slot: when they come, how they give way, and what is read again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest

from gateway.state.review_records import QueuedReview, ReviewResult
from platforms.in_process import InProcess
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse
from tests.fakes.overheard import Heard, Overheard
from tests.scenarios.looking_back import every, queue, results

pytestmark = [pytest.mark.model, pytest.mark.timeout(600)]

PERSONA = "You are a helpful AI assistant named Innkeeper. Give correct, short answers." + " Be polite." * 20
WARM = 0.95
TRIES = 4
PATIENCE = 240.0
"""Real seconds, on a machine whose cores are taken."""


@asynccontextmanager
async def inn(
    folder: Path, weights: Path, clock: FakeClock, *, turns: int = 1, tools: bool = False, window: int | None = None
) -> AsyncIterator[tuple[Guesthouse, Overheard]]:
    """A house that looks back after so many turns, and whose only model is the embedded one. Its clock is moved by
    the test, so that quiet times pass at once and at no other moment; the server's is the real one."""
    server = Overheard(weights, folder, tools=tools, window=window)
    try:
        async with guesthouse(
            folder,
            clock=clock,
            adapter=InProcess(now=clock.now),
            hosts=[server],
            prompt=PERSONA,
            with_settings=every(turns),
            with_memory=True,
            with_reviews=True,
        ) as house:
            yield house, server
    finally:
        await server.close()


async def says(house: Guesthouse, text: str, chat: str = "c1") -> str:
    return await house.adapter.reply_to(text, chat=chat, seconds=PATIENCE)


async def waiting(house: Guesthouse) -> QueuedReview:
    """The one review, once it waits."""
    async with asyncio.timeout(PATIENCE):
        while not (found := await queue(house)) or found[0].running:
            await asyncio.sleep(0.01)
    (entry,) = found
    return entry


async def begun(server: Overheard, clock: FakeClock, count: int = 1) -> Heard:
    """Let quiet time pass until so many requests of reviews came to the server."""
    async with asyncio.timeout(PATIENCE):
        while len(server.reviews) < count:
            await asyncio.sleep(0.01)
            await clock.advance(0.5)
    return server.reviews[count - 1]


async def ended(house: Guesthouse, count: int = 1) -> ReviewResult:
    """The last of so many results."""
    async with asyncio.timeout(PATIENCE):
        while len(found := await results(house)) < count:
            await asyncio.sleep(0.01)
    return found[-1]


async def put_back(house: Guesthouse, clock: FakeClock) -> ReviewResult:
    """Let quiet time pass until a review is over that was ended before; other sessions' may come first."""
    async with asyncio.timeout(PATIENCE):
        while not (found := [each for each in await results(house) if each.cancelled]):
            await asyncio.sleep(0.01)
            await clock.advance(0.5)
    return found[0]


def share(after: Heard, before: Heard) -> float:
    """What `after` did not read again, of the prompt of `before`."""
    assert after.usage is not None
    assert before.usage is not None
    return after.usage.cached / before.usage.input


async def test_a_review_waits_for_quiet_reads_almost_nothing_again_and_leaves_the_cache_warm(
    tmp_path: Path, weights: Path
) -> None:
    clock = FakeClock()
    async with inn(tmp_path, weights, clock, turns=2) as (house, server):
        await says(house, "What is the capital of Greece?")
        await says(house, "And of France?")
        asked = (await waiting(house)).first_asked_at
        await clock.advance(2)
        await says(house, "And of Italy?")
        assert server.reviews == []
        before = server.chats[-1]
        await clock.advance(14)
        assert server.reviews == []
        review = await begun(server, clock)
        result = await ended(house)
        assert (result.first_asked_at, result.cancelled, result.spent.calls) == (asked, 0, 1)
        assert server.order[-2:] == ["background_review begins", "background_review ends"]
        assert review.request.schema is not None, "the embedded model is asked once, by a schema"
        assert review.request.tools == ()
        assert review.request.messages[: len(before.request.messages)] == before.request.messages
        assert share(review, before) >= WARM
        assert review.usage is not None
        assert before.usage is not None
        # What was read for the question counts as read, although the server was given it in portions.
        assert review.usage.cached <= before.usage.input + before.usage.output + 2
        await says(house, "And of Spain?")
        assert share(server.chats[-1], before) >= WARM


async def met(house: Guesthouse, server: Overheard, clock: FakeClock, when: str) -> asyncio.Future[str]:
    """The answer to come to a message that met a review there; it waits at the gate. An answer of a few words may be
    over before it is met: then that of the next review is."""
    for _ in range(TRIES):
        await waiting(house)
        review = await begun(server, clock, len(server.reviews) + 1)
        await getattr(review, when).wait()
        server.gate.clear()
        answer = asyncio.ensure_future(says(house, "And of France?"))
        await review.over.wait()
        if review.given_up:
            return answer
        server.gate.set()
        await answer
    raise AssertionError("no review was met")


@pytest.mark.parametrize("when", ["reads", pytest.param("writes", marks=pytest.mark.soak)])
async def test_a_message_ends_the_review_on_the_wire_and_it_comes_back(
    tmp_path: Path, weights: Path, when: Literal["reads", "writes"]
) -> None:
    clock = FakeClock()
    async with inn(tmp_path, weights, clock) as (house, server):
        await says(house, "What is the capital of Greece?")
        answer = await met(house, server, clock, when)
        # Nothing but the review had the slot, and the chat waits at the door: so the server itself let go of it.
        try:
            async with asyncio.timeout(PATIENCE):
                await server.rests()
        finally:
            server.gate.set()
        await answer
        assert server.order[-4:] == [
            "background_review begins",
            "background_review given up",
            "chat begins",
            "chat ends",
        ]
        before, chat = server.chats[-2:]
        assert share(chat, before) >= WARM
        put_back = await waiting(house)
        assert (put_back.cancelled, put_back.reason) == (1, "a prompt needed the model host")
        over = len(await results(house))
        again = await begun(server, clock, len(server.reviews) + 1)
        result = await ended(house, over + 1)
        assert (result.cancelled, result.spent.calls) == (1, 1)
        assert result.spent == again.usage
        assert share(again, chat) >= WARM
        await says(house, "And of Spain?")
        assert share(server.chats[-1], chat) >= WARM


async def test_a_message_in_another_chat_ends_it_too_and_takes_nobodys_cache(tmp_path: Path, weights: Path) -> None:
    clock = FakeClock()
    async with inn(tmp_path, weights, clock, turns=2) as (house, server):
        await says(house, "What is the capital of Greece?", "bob")
        bobs = server.chats[-1]
        await says(house, "What is the capital of France?")
        await says(house, "And of Italy?")
        mine = server.chats[-1]
        said = mine.request.messages
        await waiting(house)
        review = await begun(server, clock)
        await review.reads.wait()
        await says(house, "And of Spain?", "bob")
        assert review.given_up
        assert share(server.chats[-1], bobs) >= WARM
        result = await put_back(house, clock)
        assert (result.cancelled, result.spent.calls) == (1, 1)
        # Bob's second turn may have been looked back at before it.
        again = [each for each in server.reviews[1:] if each.request.messages[: len(said)] == said][-1]
        assert share(again, mine) >= WARM
        await says(house, "And of Norway?")
        assert share(server.chats[-1], mine) >= WARM


@pytest.mark.soak
async def test_a_model_that_is_taken_for_better_than_it_is_ends_its_review_at_a_bounded_price(
    tmp_path: Path, weights: Path
) -> None:
    """Its template drops the tools, and it answers in prose that has no end of its own."""
    clock = FakeClock()
    async with inn(tmp_path, weights, clock, tools=True, window=2048) as (house, server):
        await says(house, "What is the capital of Greece?")
        before = server.chats[-1]
        await waiting(house)
        review = await begun(server, clock)
        result = await ended(house)
        assert result.outcome in {"none", "error"}
        assert result.writes == ()
        assert review.request.max_tokens == 512
        assert result.spent.calls <= 4
        assert result.spent.output <= 4 * 512
        assert review.request.tools == before.request.tools != ()
        assert review.request.schema is None
        assert review.request.messages[: len(before.request.messages)] == before.request.messages
