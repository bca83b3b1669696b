"""A review gives way to people, and comes back; it waits for hosts, survives restarts, and never runs twice."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from gateway.models.errors import HostDown, ModelError
from gateway.state.review_records import QueuedReview
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.scripted_model import Turn
from tests.scenarios.keeping import adds, kept
from tests.scenarios.looking_back import Thinker, ended, every, open_house, queue, results, settled
from tests.scenarios.props import later


async def begun(house: Guesthouse, thinker: Thinker, clock: FakeClock, calls: int = 1) -> None:
    """Let the clock run until a review has asked so often."""
    await later(clock, lambda: len(thinker.asked) >= calls, 1.0)


async def back(house: Guesthouse, clock: FakeClock, step: float = 0.0) -> QueuedReview:
    """The one review, once it waits again."""
    found: list[QueuedReview] = []

    async def look() -> bool:
        found[:] = await queue(house)
        return len(found) == 1 and not found[0].running

    await settled(clock, look, step)
    return found[0]


async def test_a_message_two_seconds_later_is_answered_with_the_review_not_started(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker()
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("one")
        await clock.advance(2)
        await house.adapter.reply_to("two")
        assert thinker.asked == []
        await clock.advance(14)
        assert thinker.asked == []
        await ended(house, clock)
        assert len(thinker.asked) == 1


async def test_a_prompt_ends_the_review_on_the_wire_and_it_comes_back(tmp_path: Path) -> None:
    clock, hold = FakeClock(), asyncio.Event()
    thinker = Thinker(adds("Ada drinks tea."), Turn(["I kept", hold]))
    async with open_house(tmp_path, thinker, clock, every(2)) as house:
        await house.adapter.reply_to("I drink tea")
        await house.adapter.reply_to("every day")
        await begun(house, thinker, clock, 2)
        await house.adapter.reply_to("quick question")
        assert thinker.abandoned == 1
        assert thinker.most_active == 1
        waiting = await back(house, clock)
        assert (waiting.cancelled, waiting.reason) == (1, "a prompt needed the model host")
        assert waiting.progress
        assert waiting.spent.calls == 1
        (result,) = await ended(house, clock)
        assert (result.outcome, result.spent.calls, result.cancelled) == ("memory", 2, 1)
        assert kept(tmp_path).count("Ada drinks tea.") == 1
        assert [write.fate for write in result.writes] == ["kept"]
        # What it had asked is not asked again: its third request goes on behind the tool's result.
        assert [each.messages[-1].role for each in thinker.asked] == ["user", "tool", "tool"]
        # The message that came meanwhile is another review's.
        await house.adapter.reply_to("one more")
        _, second = await ended(house, clock, 2)
        assert second.after == {"memory": result.upto}


async def test_a_newer_request_takes_the_place_of_what_was_begun(tmp_path: Path) -> None:
    clock, hold = FakeClock(), asyncio.Event()
    thinker = Thinker(adds("Ada drinks tea."), Turn(["I kept", hold]))
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("I drink tea")
        await begun(house, thinker, clock, 2)
        first = clock.now()
        await house.adapter.reply_to("and coffee")
        (result,) = await ended(house, clock)
        assert result.first_asked_at < first
        assert (result.outcome, result.cancelled) == ("memory", 1)
        assert len(thinker.asked) == 3
        assert "and coffee" in "".join(each.content for each in thinker.asked[-1].messages)
        assert [write.fate for write in result.writes] == ["kept"]


async def test_a_turn_on_another_host_does_not_end_it(tmp_path: Path) -> None:
    clock, hold = FakeClock(), asyncio.Event()
    thinker = Thinker(Turn(["Let me", hold]))
    async with OpenAIServer() as server:
        hosts = {"far": {"kind": "openai", "base_url": server.base_url}}
        rules = every(1, more={"hosts": hosts, "model": {"provider": "local"}})
        async with open_house(tmp_path, thinker, clock, rules) as house:
            await house.adapter.reply_to("one")
            await begun(house, thinker, clock)
            await house.store.facts.put("inprocess:c2", "model", "far")
            await house.adapter.reply_to("hello", chat="c2")
            running = next(each for each in await queue(house) if each.running)
            assert running.cancelled == 0
            hold.set()
            (result,) = await ended(house, clock, step=0.0)
            assert (result.cancelled, thinker.abandoned) == (0, 0)
            # The other chat's review goes to its own host.
            _, other = await ended(house, clock, 2)
            assert other.host == "far"


async def test_after_three_times_it_waits_for_a_longer_pause(tmp_path: Path) -> None:
    clock, hold = FakeClock(), asyncio.Event()
    thinker = Thinker(*[Turn(["Let me", hold]) for _ in range(3)])
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("one")
        for number in range(3):
            await begun(house, thinker, clock, number + 1)
            await house.adapter.reply_to(f"again {number}")
            assert (await back(house, clock)).cancelled == number + 1
        await clock.advance(110)
        assert len(thinker.asked) == 3
        (result,) = await ended(house, clock)
        assert (result.cancelled, result.outcome) == (3, "none")


async def test_an_end_in_good_order_puts_it_back_and_the_next_process_goes_on(tmp_path: Path) -> None:
    clock, hold = FakeClock(), asyncio.Event()
    thinker = Thinker(adds("Ada drinks tea."), Turn(["I kept", hold]))
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("I drink tea")
        await begun(house, thinker, clock, 2)
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        waiting = await back(house, clock)
        assert (waiting.cancelled, waiting.died, waiting.spent.calls) == (0, 0, 1)
        (result,) = await ended(house, clock)
        assert (result.outcome, result.spent.calls) == ("memory", 2)
        assert kept(tmp_path).count("Ada drinks tea.") == 1
        assert thinker.asked[-1].messages[-1].role == "tool"


async def test_a_process_that_dies_in_a_review_leaves_it_to_the_next(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker()
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("one")
        await settled(clock, partial(_queued, house), 0.0)
    async with open_house(tmp_path, thinker, clock, every(1, enabled=False)) as house:
        (entry,) = await queue(house)
        await house.store.reviews.claim(entry.id, "somebody who died", clock.now() + 1e6)
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        waiting = await back(house, clock)
        assert (waiting.died, waiting.reason) == (1, "the process ended while it ran")
        await ended(house, clock)
        await clock.advance(120)
        assert len(thinker.asked) == len(await results(house)) == 1


async def test_what_a_dead_process_did_not_come_to_ask_for_is_asked_for(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker()
    async with open_house(tmp_path, thinker, clock, every(0)) as house:
        await house.adapter.reply_to("one")
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        (result,) = await ended(house, clock)
        assert result.cause == "cadence"


async def test_a_host_that_is_down_is_left_alone_for_a_while(tmp_path: Path) -> None:
    clock = FakeClock()
    thinker = Thinker(*[HostDown("nobody answers at local") for _ in range(12)], adds("Ada drinks tea."))
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("I drink tea")
        await begun(house, thinker, clock)
        waiting = await back(house, clock, 1.0)
        assert (waiting.cancelled, waiting.failed) == (1, 0)
        assert "nobody answers" in waiting.reason
        asked = len(thinker.asked)
        await clock.advance(20)
        assert len(thinker.asked) == asked
        assert house.reviews is not None
        (standing,) = await house.reviews.waiting()
        assert standing.why == "its model host did not answer"
        (result,) = await ended(house, clock, step=20.0)
        assert (result.outcome, result.failed) == ("memory", 0)


async def test_a_failure_is_tried_again_after_a_pause_and_not_for_ever(tmp_path: Path) -> None:
    clock = FakeClock()
    thinker = Thinker(*[ModelError("the host makes no sense") for _ in range(9)])
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("one")
        await begun(house, thinker, clock)
        waiting = await back(house, clock)
        assert (waiting.failed, waiting.reason) == (1, "the host makes no sense")
        (result,) = await ended(house, clock, step=30.0)
        assert result.outcome == "dropped"
        assert result.reason == "it failed 3 times, the last time so: the host makes no sense"
        assert await queue(house) == []


async def test_a_fault_of_any_kind_ends_one_review_and_no_other(tmp_path: Path) -> None:
    clock = FakeClock()
    thinker = Thinker(RuntimeError("boom"))
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("one")
        await house.adapter.reply_to("two", chat="c2")
        (result,) = await ended(house, clock)
        assert result.outcome == "none"
        assert house.notes.named("review.fault")[0]["why"] == "RuntimeError: boom"
        assert (await back(house, clock)).failed == 1
        await ended(house, clock, 2)


async def test_one_at_a_time_on_a_host_that_chats_need(tmp_path: Path) -> None:
    clock, hold = FakeClock(), asyncio.Event()
    thinker = Thinker(Turn(["Let me", hold]))
    async with open_house(tmp_path, thinker, clock, every(1, defer_max_age_s=30)) as house:
        await house.adapter.reply_to("one")
        await house.adapter.reply_to("two", chat="c2")
        await begun(house, thinker, clock)
        await clock.advance(60)
        assert house.reviews is not None
        whys = [each.why for each in await house.reviews.waiting()]
        assert sorted(whys) == ["another review is at work on its model host", "it runs"]
        assert thinker.most_active == 1
        hold.set()
        await ended(house, clock, 2)


async def test_who_asks_for_a_review_does_not_wait_for_one_that_nobody_waits_for(tmp_path: Path) -> None:
    clock, hold = FakeClock(), asyncio.Event()
    thinker = Thinker(Turn(["Let me", hold]))
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("one")
        while not await queue(house):  # it is asked for after the reply is out
            await asyncio.sleep(0.01)
        await house.adapter.reply_to("two", chat="c2")
        await begun(house, thinker, clock)
        await house.adapter.reply_to("/refine", chat="c2")
        (result,) = await ended(house, clock, step=0.0)
        assert result.cause == "person"
        (other,) = await queue(house)
        assert other.cancelled == 1
        await ended(house, clock, 2)


async def test_a_review_that_somebody_asked_for_runs_beside_the_chat(tmp_path: Path) -> None:
    clock, hold = FakeClock(), asyncio.Event()
    thinker = Thinker(Turn(["Let me", hold]))
    async with open_house(tmp_path, thinker, clock, every(0, 1)) as house:
        await house.adapter.reply_to("one")
        await house.adapter.reply_to("/refine")
        await begun(house, thinker, clock)
        asked = asyncio.ensure_future(house.adapter.reply_to("two"))
        await clock.advance(5)
        (running,) = await queue(house)
        assert running.running
        hold.set()
        await asked
        (result,) = await ended(house, clock, step=0.0)
        assert (result.cause, result.cancelled) == ("person", 0)


async def test_one_that_was_asked_for_and_failed_stands_in_nobodys_way_while_it_pauses(tmp_path: Path) -> None:
    clock, hold = FakeClock(), asyncio.Event()
    thinker = Thinker(ModelError("the host makes no sense"), Turn(["Let me", hold]))
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("one")
        await house.adapter.reply_to("two", chat="c2")
        await house.adapter.reply_to("/refine")
        await begun(house, thinker, clock, 2)
        await clock.advance(10)
        assert thinker.abandoned == 0
        hold.set()
        (result,) = await ended(house, clock)
        assert (result.cause, result.cancelled) == ("cadence", 0)
        _, asked = await ended(house, clock, 2)
        assert (asked.cause, asked.failed) == ("person", 1)


async def _queued(house: Guesthouse) -> bool:
    return bool(await queue(house))
