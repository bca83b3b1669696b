"""Reviews on the real local server: what a message costs that meets one, what is read again, and how soon the slot
rests. And what is sent to the conversation's own model and to another one.

The house's clock is moved, so that nobody waits for quiet times; what is measured is real.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from gateway.models.catalogue import DEFAULT_MODEL
from gateway.models.pull import ensure_weights
from gateway.models.tokens import estimate
from platforms.in_process import InProcess
from tests.bench.figures import percentile
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse
from tests.fakes.overheard import Heard, Overheard
from tests.fakes.scripted_model import Turn
from tests.scenarios.looking_back import Thinker, every, open_house, results

ROUNDS = 5
TURNS = 200
SAID = "I am looking for a room with a view of the river for the second weekend in May, and breakfast for two. "
ANSWERED = "There is a room on the second floor whose window looks at the river; breakfast is from seven to ten. " * 2
PERSONA = "You are the assistant of an inn. " + "Answer briefly and exactly, in the language of the guest. " * 20
COUNTRIES = (
    "France",
    "Italy",
    "Spain",
    "Norway",
    "Japan",
    "Egypt",
    "Peru",
    "Cuba",
    "Kenya",
    "Chile",
    "Iran",
    "Nepal",
)
When = Literal["reads", "writes"]


async def rows() -> list[tuple[str, str]]:
    return [*await measured(), *await _sent()]


async def measured(rounds: int = ROUNDS, step: int | None = None) -> list[tuple[str, str]]:
    """`step` tokens read at once, as the house has it when None."""
    weights = ensure_weights(Path.home() / ".cache" / "innkeeper-tests" / "models", DEFAULT_MODEL, lambda a, b: None)
    with tempfile.TemporaryDirectory() as name:
        folder, clock = Path(name), FakeClock()
        server = Overheard(weights, folder, step=step)
        try:
            async with guesthouse(
                folder,
                clock=clock,
                adapter=InProcess(now=clock.now),
                hosts=[server],
                prompt=PERSONA,
                with_settings=every(1, defer_max_age_s=100_000),
                with_memory=True,
                with_reviews=True,
            ) as house:
                meeting = _Meeting(house, server, clock)
                await meeting.say()
                for _ in range(rounds):
                    await meeting.round()
        finally:
            await server.close()
    return meeting.rows()


class _Meeting:
    """Messages that meet a review of their own chat, and some that meet none."""

    def __init__(self, house: Guesthouse, server: Overheard, clock: FakeClock) -> None:
        self._house, self._server, self._clock = house, server, clock
        self._number = 0
        self._words: dict[str, list[float]] = defaultdict(list)
        self._rests: dict[str, list[float]] = defaultdict(list)
        self._shares: dict[str, list[float]] = defaultdict(list)

    def rows(self) -> list[tuple[str, str]]:
        whens = {"alone": "no review", "reads": "a review at its reading", "writes": "a review at its writing"}
        return [
            *((f"first word of an answer, {said}", _seconds(self._words[each])) for each, said in whens.items()),
            *((f"slot rests after a message, {whens[each]}", _seconds(self._rests[each])) for each in self._rests),
            *((f"cached share, {each}", _shares(found)) for each, found in self._shares.items()),
        ]

    async def round(self) -> None:
        """The one review gives way to each message but the first, and ends in the end."""
        self._words["alone"].append(await self.say())
        whens: tuple[When, ...] = ("reads", "writes")
        for when in whens:
            if await self._begun(when):
                self._words[when].append(await self.say())
                self._share("a turn after a review that gave way", self._server.chats)
        for when in whens:
            if await self._begun(when):
                self._rests[when].append(await self._rested())
        review, ended = await self._next(), len(await results(self._house))
        while len(await results(self._house)) == ended:
            await asyncio.sleep(0.005)
        self._share("first call of a review", [self._server.chats[-1], review])
        await self.say()
        self._share("a turn after a review", self._server.chats)

    async def say(self) -> float:
        """Say something; seconds until the first word of what answers it came from the server."""
        asked, began = len(self._server.chats), time.perf_counter()
        country = COUNTRIES[self._number % len(COUNTRIES)]
        self._number += 1
        await self._house.adapter.reply_to(f"What is the capital of {country}?", seconds=300)
        first = self._server.chats[asked].first
        assert first is not None
        return first - began

    async def _rested(self) -> float:
        """The same with the chat held at the door: seconds until the slot has nothing to do."""
        self._server.gate.clear()
        began = time.perf_counter()
        answer = asyncio.ensure_future(self.say())
        await self._server.reviews[-1].over.wait()
        await self._server.rests()
        took = time.perf_counter() - began
        self._server.gate.set()
        await answer
        return took

    async def _next(self) -> Heard:
        asked = len(self._server.reviews)
        while len(self._server.reviews) == asked:
            await asyncio.sleep(0.005)
            await self._clock.advance(5)
        return self._server.reviews[-1]

    async def _begun(self, when: When) -> bool:
        """Whether a review that has begun was met there."""
        review = await self._next()
        await (review.reads if when == "reads" else review.writes).wait()
        return not review.over.is_set()

    def _share(self, what: str, heard: Sequence[Heard]) -> None:
        before, after = heard[-2].usage, heard[-1].usage
        assert before is not None
        assert after is not None
        self._shares[what].append(after.cached / before.input)


def _seconds(values: Sequence[float]) -> str:
    return f"p50 {percentile(values, 0.5):.2f} s, max {max(values, default=0.0):.2f} s ({len(values)} times)"


def _shares(values: Sequence[float]) -> str:
    return f"p50 {percentile(values, 0.5):.1%}, least {min(values):.1%} ({len(values)} times)"


async def _sent() -> list[tuple[str, str]]:
    """One review each of the same conversation of 400 messages."""
    printed: list[tuple[str, str]] = []
    for what, model in (("the conversation's own model", "auto"), ("another model", "local/other")):
        own, other = Thinker(window=131_072), Thinker(window=131_072, model="other")
        own.said.extend(Turn(f"{number}. {ANSWERED}") for number in range(TURNS))
        clock = FakeClock()
        with tempfile.TemporaryDirectory() as folder:
            async with open_house(Path(folder), own, clock, every(0, model=model), others=[other]) as house:
                for number in range(TURNS):
                    await house.adapter.reply_to(f"{number}. {SAID}")
                await house.adapter.reply_to("/refine")
                while not await results(house):
                    await asyncio.sleep(0.005)
        (review,) = own.asked + other.asked
        before = own.requests[TURNS - 1]
        tokens = estimate(review.messages, review.tools)
        known = estimate(before.messages, before.tools) if model == "auto" else 0
        said = f"{len(review.messages)} messages, {tokens:,} tokens, of which its host has read {known:,} before"
        printed.append((f"sent for a review of {2 * TURNS} messages to {what}", said))
    return printed
