"""When reviews come: after so many turns or calls, before what is left behind, and not when nobody wants them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from gateway.models.client import Request
from tests.fakes.clock import FakeClock
from tests.fakes.scripted_model import Scripted, Turn
from tests.scenarios.keeping import adds, kept
from tests.scenarios.looking_back import Thinker, ended, every, open_house, queue, queued, results
from tests.scenarios.props import counter, later

COUNTS = Turn(calls=[("count", {"word": "a"})])


async def test_a_review_after_so_many_turns_once_the_house_is_quiet(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker(adds("Ada drinks tea."))
    async with open_house(tmp_path, thinker, clock, every(3)) as house:
        for number in range(2):
            await house.adapter.reply_to(f"tea {number}")
        await clock.advance(60)
        assert await queue(house) == []
        await house.adapter.reply_to("tea 2")
        (waiting,) = await queued(house, clock)
        assert waiting.kinds == {"memory"}
        assert waiting.cause == "cadence"
        await clock.advance(10)
        assert thinker.asked == []
        (result,) = await ended(house, clock)
        assert result.outcome == "memory"
        assert [write.fate for write in result.writes] == ["kept"]
        assert "Ada drinks tea." in kept(tmp_path)
        assert await queue(house) == []


async def test_what_comes_before_the_house_is_quiet_goes_into_one_review(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker()
    thinker.said.extend(["Noted.", COUNTS])
    async with open_house(tmp_path, thinker, clock, every(2, 1), tools=[counter([])]) as house:
        await house.adapter.reply_to("one")
        await house.adapter.reply_to("two")
        (waiting,) = await queued(house, clock)
        assert waiting.kinds == {"memory", "skill"}
        await house.adapter.reply_to("three")
        (result,) = await ended(house, clock)
        assert result.kinds == {"memory", "skill"}
        assert result.outcome == "none"
        assert result.after == {"memory": 0, "skill": 0}
        await house.adapter.reply_to("four")
        await clock.advance(60)
        assert len(thinker.asked) == 1
        await house.adapter.reply_to("five")
        _, second = await ended(house, clock, 2)
        assert second.kinds == {"memory"}
        assert second.after == {"memory": result.upto}


async def test_turns_are_counted_across_restarts(tmp_path: Path) -> None:
    clock, thinker, rules = FakeClock(), Thinker(), every(3)
    for number in range(3):
        async with open_house(tmp_path, thinker, clock, rules) as house:
            await house.adapter.reply_to(f"message {number}")
            if number == 2:
                await ended(house, clock)
    assert len(thinker.asked) == 1


async def test_a_turn_that_was_stopped_leaves_it_to_the_next(tmp_path: Path) -> None:
    clock, thinker, gate = FakeClock(), Thinker(), asyncio.Event()
    async with open_house(tmp_path, thinker, clock, every(3)) as house:
        for number in range(2):
            await house.adapter.reply_to(f"message {number}")
        thinker.said.append(Turn(["Let me", gate]))
        await house.adapter.say("a third")
        await thinker.arrived(3)
        await house.adapter.reply_to("/stop")
        await clock.advance(60)
        assert await queue(house) == []
        await house.adapter.reply_to("a fourth")
        (waiting,) = await queued(house, clock)
        assert waiting.cause == "cadence"


async def test_what_no_review_has_seen_is_put_down_at_new(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker(adds("Ada rides a bicycle."))
    async with open_house(tmp_path, thinker, clock, every(10)) as house:
        await house.adapter.reply_to("I ride a bicycle")
        await house.adapter.reply_to("/new")
        (waiting,) = await queued(house, clock)
        assert waiting.cause == "boundary"
        (result,) = await ended(house, clock)
        assert "I ride a bicycle" in thinker.asked[0].messages[1].content
        assert result.outcome == "memory"
        await house.adapter.reply_to("what do I ride?")
        assert "Ada rides a bicycle." in thinker.requests[-1].messages[0].content
        before = len(thinker.asked)
        await house.adapter.reply_to("/new")
        await house.adapter.reply_to("/new")
        await ended(house, clock, 2)
        await clock.advance(60)
        assert len(thinker.asked) == before + 1


async def test_a_reset_by_the_clock_is_a_boundary_too(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker()
    rules = every(10, more={"sessions": {"reset": {"mode": "idle", "idle_minutes": 60}}})
    async with open_house(tmp_path, thinker, clock, rules) as house:
        await house.adapter.reply_to("hello")
        await clock.advance(7200)
        assert thinker.asked == []
        await house.adapter.reply_to("hello again")
        (waiting,) = await queued(house, clock)
        assert waiting.cause == "boundary"
        session = await house.store.sessions.current("inprocess:c1")
        assert session is not None
        assert session.id != waiting.session_id


async def test_before_the_older_part_gives_way_to_a_summary(tmp_path: Path) -> None:
    clock = FakeClock()

    class Summariser(Thinker):
        def _answer(self, request: Request) -> Scripted:
            return "Short." if request.task == "compaction" else super()._answer(request)

    thinker = Summariser(window=12_000)
    async with open_house(tmp_path, thinker, clock, every(100)) as house:
        for number in range(20):
            await house.adapter.reply_to(f"{number} " + "word " * 600)
            if any(each.task == "compaction" for each in thinker.requests):
                break
        (waiting,) = await queue(house)
        assert waiting.cause == "compaction"
        (result,) = await ended(house, clock)
        assert result.outcome == "none"
        assert "0 word" in "".join(each.content for each in thinker.asked[0].messages)


async def test_who_writes_in_the_conversation_begins_the_count_anew(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker()
    async with open_house(tmp_path, thinker, clock, every(2)) as house:
        await house.adapter.reply_to("one")
        thinker.said.append(adds("Ada likes one."))
        await house.adapter.reply_to("two")
        await house.adapter.reply_to("three")
        await clock.advance(60)
        assert thinker.asked == []
        await house.adapter.reply_to("four")
        await ended(house, clock)
        assert len(thinker.asked) == 1


async def test_a_call_that_wrote_nothing_does_not(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker()
    async with open_house(tmp_path, thinker, clock, every(2)) as house:
        await house.adapter.reply_to("one")
        thinker.said.append(Turn(calls=[("memory", {"target": "user", "action": "remove", "old_text": "nowhere"})]))
        await house.adapter.reply_to("two")
        await ended(house, clock)


async def test_switched_off_nothing_is_asked_for_and_nothing_starts(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker()
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("one")
        await queued(house, clock)
        house.change(every(1, enabled=False))
        await clock.advance(600)
        assert thinker.asked == []
        assert house.reviews is not None
        (waiting,) = await house.reviews.waiting()
        assert waiting.why == "automatic reviews are switched off"
        await house.adapter.reply_to("/new")
        await house.adapter.reply_to("two")
        assert len(await queue(house)) == 1
        house.change(every(1))
        await ended(house, clock)


async def test_zero_turns_a_kind_off(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker()
    async with open_house(tmp_path, thinker, clock, every(0)) as house:
        for number in range(3):
            await house.adapter.reply_to(f"message {number}")
        await house.adapter.reply_to("/new")
        await clock.advance(60)
        assert await queue(house) == []
        assert await results(house) == []


async def test_without_memory_tools_nobody_looks_for_memory(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker()
    rules = every(1, more={"agent": {"disabled_toolsets": ["memory"]}})
    async with open_house(tmp_path, thinker, clock, rules) as house:
        await house.adapter.reply_to("one")
        await clock.advance(60)
        assert await queue(house) == []


async def test_somebody_may_ask_for_one_although_they_are_switched_off(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker(adds("Ada drinks tea."))
    async with open_house(tmp_path, thinker, clock, every(1, enabled=False)) as house:
        await house.adapter.reply_to("I drink tea")
        await house.adapter.reply_to("/refine my drinks")
        await later(clock, lambda: len(thinker.asked) == 2, 0.0)
        assert "my drinks" in thinker.asked[0].messages[-1].content
        (result,) = await ended(house, clock, step=0.0)
        assert (result.cause, result.outcome) == ("person", "memory")
