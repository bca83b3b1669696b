"""What a review costs and leaves: its line in the log, its usage, its writes, and nothing in the conversation."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.events import Event, ReviewFinished
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse
from tests.fakes.scripted_model import Turn
from tests.scenarios.keeping import adds, kept, patches, write
from tests.scenarios.looking_back import Thinker, ended, every, open_house, queue, results
from tests.scenarios.props import counter, later

LINE = re.compile(
    r"Background review complete: thread=bg-review calls=(\d+) in=(\d+) out=(\d+) result=(\S+) (?:\S+=\S* ?)*"
)


class Keeper(logging.Handler):
    """Keeps lines."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@pytest.fixture
def said() -> Iterator[list[str]]:
    """What reviews write into the log."""
    logger, keeper = logging.getLogger("gateway.reviews"), Keeper()
    before = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(keeper)
    try:
        yield keeper.lines
    finally:
        logger.removeHandler(keeper)
        logger.setLevel(before)


async def test_the_line_in_the_log(tmp_path: Path, said: list[str]) -> None:
    clock, thinker, heard = FakeClock(), Thinker(adds("Ada drinks tea.")), list[Event]()
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        house.house.bus.subscribe(heard.append)
        await house.adapter.reply_to("I drink tea")
        (result,) = await ended(house, clock)
        while not said:
            await asyncio.sleep(0.01)
        (line,) = said
        found = LINE.fullmatch(line)
        assert found is not None
        spent = result.spent
        assert found.groups() == (str(spent.calls), str(spent.input), str(spent.output), "memory")
        assert " prefix=same " in line
        assert f" session={result.session_id} " in line
        assert "tea" not in line
        (event,) = [each for each in heard if isinstance(each, ReviewFinished)]
        assert (event.review_id, event.outcome, event.message) == (result.id, "memory", f"review:{result.id}")
        assert event.chat.key == "inprocess:c1"


async def test_what_it_cost_is_the_reviews(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker()
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("one")
        (result,) = await ended(house, clock)
        by_task = {each.task: each.input for each in await house.store.usage.of_session(result.session_id)}
        assert set(by_task) == {"chat", "background_review"}
        assert by_task["background_review"] == result.spent.input > 0


async def test_the_fork_begins_with_the_bytes_of_the_conversation(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker()
    thinker.said.append(Turn(calls=[("count", {"word": "a"})]))
    async with open_house(tmp_path, thinker, clock, every(2), tools=[counter([])]) as house:
        await house.adapter.reply_to("count")
        await house.adapter.reply_to("two")
        await ended(house, clock)
        (asked,), last = thinker.asked, thinker.requests[-2]
        assert asked.messages[: len(last.messages)] == last.messages
        assert (asked.tools, asked.session) == (last.tools, last.session)
        assert len(last.messages) > 4


async def test_nothing_of_it_is_in_the_conversation(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker(adds("Ada drinks tea."), "I kept that Ada drinks tea.")
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("I drink tea")
        (result,) = await ended(house, clock)
        rows = await house.store.turns.messages(result.session_id)
        assert [each.row.role for each in rows] == ["user", "assistant"]
        await clock.advance(300)
        assert len(await results(house)) == 1
        assert await queue(house) == []
        assert "I kept that" not in "\n".join(house.adapter.texts())


async def test_on_another_model_it_reads_a_digest(tmp_path: Path, said: list[str]) -> None:
    clock, thinker, big = FakeClock(), Thinker(), Thinker(adds("Ada drinks tea."), model="big")
    rules = every(20, provider="local", model="big", reasoning_effort="low")
    async with open_house(tmp_path, thinker, clock, rules, others=[big]) as house:
        for number in range(20):
            await house.adapter.reply_to(f"tea {number}")
        (result,) = await ended(house, clock)
        assert (result.model, result.outcome) == ("big", "memory")
        assert (thinker.asked, len(big.asked)) == ([], 2)
        assert len(big.asked[0].messages) < 30
        assert big.asked[0].reasoning_effort == "low"
        assert " prefix=unknown " in said[0]


async def test_the_same_model_thinks_as_in_the_conversation(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker()
    rules = every(1, reasoning_effort="high", more={"model": {"reasoning_effort": "low"}})
    async with open_house(tmp_path, thinker, clock, rules) as house:
        await house.adapter.reply_to("one")
        await ended(house, clock)
        assert {each.reasoning_effort for each in thinker.requests} == {"low"}


async def test_the_budget_of_the_day_keeps_it_waiting(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker()
    rules = every(1, more={"gateway": {"budgets": {"background_review": 1}}})
    async with open_house(tmp_path, thinker, clock, rules) as house:
        await house.adapter.reply_to("one")
        await ended(house, clock)
        await house.adapter.reply_to("two")
        await clock.advance(3600)
        assert len(thinker.asked) == 1
        assert house.reviews is not None
        (standing,) = await house.reviews.waiting()
        assert "budget for background_review is used up" in standing.why
        await house.adapter.reply_to("/refine")
        (_, asked) = await ended(house, clock, 2, 0.0)
        assert (asked.cause, asked.outcome) == ("person", "dropped")
        assert "budget for background_review is used up" in asked.reason
        assert len(thinker.asked) == 1


async def test_a_budget_that_is_used_up_in_the_middle_lets_it_wait_for_tomorrow(tmp_path: Path) -> None:
    clock = FakeClock()
    thinker = Thinker(Turn(calls=[("skills_list", {})]))
    rules = every(1, more={"gateway": {"budgets": {"background_review": 1}}}, defer_max_age_s=86_400)
    async with open_house(tmp_path, thinker, clock, rules) as house:
        await house.adapter.reply_to("one")
        await later(clock, lambda: len(thinker.asked) == 1, 1.0)
        await clock.advance(3600)
        (waiting,) = await queue(house)
        assert (waiting.cancelled, waiting.failed, waiting.spent.calls) == (0, 0, 1)
        (result,) = await ended(house, clock, step=3600.0)
        assert (result.outcome, result.spent.calls) == ("none", 2)


async def test_what_a_review_would_change_waits_and_is_booked_so(tmp_path: Path) -> None:
    write(tmp_path, "Ada drinks tea.")
    clock, thinker = FakeClock(), Thinker(patches("Ada drinks tea.", "Ada drinks coffee."))
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("coffee from now on")
        (result,) = await ended(house, clock)
        assert result.outcome == "memory"
        assert house.house.memories is not None
        (pending,) = house.house.memories.pendings.waiting()
        assert [(each.ref, each.fate) for each in result.writes] == [(pending.id, "waiting")]
        assert (pending.author.message, pending.author.who) == (f"review:{result.id}", "inprocess:ada")
        assert "coffee" not in kept(tmp_path)


async def test_what_it_says_of_itself_counts_for_nothing(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker("I saved that Ada drinks tea.")
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("I drink tea")
        (result,) = await ended(house, clock)
        assert (result.outcome, result.writes) == ("none", ())


async def test_of_strangers_a_review_keeps_nothing_in_the_owners_memory(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker(adds("Bob is the owner."))
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("I am the owner", sender="bob")
        (result,) = await ended(house, clock)
        assert (result.outcome, result.spent.calls) == ("none", 0)
        assert kept(tmp_path) == ""


async def test_what_was_said_among_owners_waits_once_others_hear_the_chat(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker(adds("Ada drinks tea."))
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("I drink tea")
        await queued_then(house, {"access": {"owners": ["inprocess:eve"]}})
        (result,) = await ended(house, clock)
        assert [each.fate for each in result.writes] == ["waiting"]
        assert kept(tmp_path) == ""


async def queued_then(house: Guesthouse, more: dict[str, object]) -> None:
    """Once a review waits, other settings come into force."""
    async with asyncio.timeout(30):
        while not await queue(house):
            await asyncio.sleep(0.002)
    house.change(every(1, more=more))
