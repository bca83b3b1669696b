"""What a platform delivers twice is handled once; what came in long ago is asked about, once."""

from __future__ import annotations

import asyncio
from pathlib import Path

from platforms.in_process import InProcess
from platforms.messages import ChatRef
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse
from tests.fakes.scripted_model import Script, Turn
from tests.scenarios.props import CHAT, START, event, gateway, later, until

HOUR = 3600.0


async def test_a_redelivered_message_is_answered_once(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["Deleted."]) as house:
        adapter = house.adapter
        await adapter.reply_to("delete the draft")
        await adapter.redeliver()
        await adapter.reply_to("/status")
        assert len(house.model.requests) == 1
    async with guesthouse(tmp_path, [], adapter=adapter) as house:
        await adapter.redeliver(adapter.heard[0])
        await adapter.reply_to("/status")
        assert house.model.requests == []
        assert adapter.texts().count("Deleted.") == 1


async def test_the_same_id_on_another_platform_is_another_message(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, lambda request: "Hello.") as house:
        await house.adapter.say("hi", event_id="500")
        await house.engine.reception(event("hi", "500", ChatRef("console", "c9")))
        await until(lambda: len(house.model.requests) == 2)


async def test_a_redelivered_command_does_nothing(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["One.", "Two."]) as house:
        adapter = house.adapter
        await adapter.reply_to("1")
        await adapter.reply_to("/new")
        command = adapter.heard[-1]
        await adapter.reply_to("2")
        await adapter.redeliver(command)
        assert await house.store.sessions.current("inprocess:c1") is not None
    async with guesthouse(tmp_path, ["Three."], adapter=adapter) as house:
        await adapter.redeliver(command)
        await adapter.reply_to("3")
        assert [each.role for each in house.model.requests[0].messages] == ["system", "user", "assistant", "user"]
        assert sum("fresh session" in text for text in adapter.texts()) == 1


async def flood(house: Guesthouse, old: int, fresh: int, *, first: int = 0) -> None:
    """Messages as a platform hands them over after a long absence, all at once."""
    now = house.house.clock.now()
    for number in range(first, first + old):
        await house.engine.reception(event(f"old {number}", f"o{number}", at=now - 2 * HOUR + number))
    for number in range(fresh):
        await house.engine.reception(event(f"fresh {number}", f"f{number}", at=now - 60 + number))


async def test_an_old_backlog_is_one_question(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, lambda request: "An answer.", clock=clock) as house:
        await flood(house, old=38, fresh=2)
        await later(clock, lambda: any("Shall I answer now?" in text for text in house.adapter.texts()))
        await until(lambda: len(house.model.requests) == 2)
        questions = [seen for seen in house.adapter.transcript() if "Shall I answer now?" in seen.text]
        assert len(questions) == 1
        assert "38 messages" in questions[0].text
        assert questions[0].labels == ("Answer now", "Leave it")
        await house.adapter.press("c1", "Answer now")
        await until(lambda: len(house.model.requests) == 3)
        asked = house.model.requests[2].messages[-1].content
        assert asked.count("old ") == 38
        assert asked.index("old 0") < asked.index("old 37")
        await house.adapter.until(lambda: sum(text == "An answer." for text in house.adapter.texts()) == 3)
        await house.adapter.press("c1", "Answer now")
        await house.adapter.until_text("Nothing waits from before.")
        assert len(house.model.requests) == 3


async def test_leave_it(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, ["Hello."], clock=clock) as house:
        await flood(house, old=3, fresh=0)
        await later(clock, lambda: bool(house.adapter.texts()))
        await house.adapter.press("c1", "Leave it")
        await house.adapter.until_text("Put aside: 3")
        assert await house.adapter.reply_to("hello") == "Hello."
        assert not any("old" in each.content for each in house.model.requests[0].messages)


async def test_the_question_survives_a_restart(tmp_path: Path) -> None:
    clock = FakeClock()
    adapter = InProcess(now=clock.now)
    async with guesthouse(tmp_path, [], clock=clock, adapter=adapter) as house:
        await flood(house, old=38, fresh=0)
        await later(clock, lambda: bool(adapter.texts()))
    async with guesthouse(tmp_path, ["An answer."], clock=clock, adapter=adapter) as house:
        await clock.advance(10)
        await adapter.reply_to("/status")
        assert sum("Shall I answer now?" in text for text in adapter.texts()) == 1
        await adapter.press("c1", "Answer now")
        await adapter.until_text("An answer.")
        assert house.model.requests[0].messages[-1].content.count("old ") == 38


async def test_a_restart_before_the_question_asks_it(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, [], clock=clock) as house:
        await flood(house, old=5, fresh=0)
    async with guesthouse(tmp_path, [], clock=clock) as house:
        await later(clock, lambda: any("5 messages" in text for text in house.adapter.texts()))
        await clock.advance(30)
        assert len(house.adapter.texts()) == 1


async def test_events_that_a_dead_process_stored_are_handled_once_and_in_order(tmp_path: Path) -> None:
    """6 was answered; 7 and 8 were stored when the process died."""
    async with guesthouse(tmp_path, ["Six."]) as house:
        await house.adapter.reply_to("6")
        for number in (7, 8):
            now = house.house.clock.now()
            await house.store.inbox.accept(event(str(number), f"u{number}", at=now), CHAT.key, now)
    async with guesthouse(tmp_path, ["Seven.", "Eight."]) as house:
        await house.adapter.until_text("Eight.")
        assert house.adapter.texts() == ["Seven.", "Eight."]
        said = [each.content.split("]\n")[-1] for each in house.model.requests[1].messages if each.role == "user"]
        assert said == ["6", "7", "8"]


async def test_an_old_command_is_carried_out_and_not_asked_about(tmp_path: Path) -> None:
    clock = FakeClock(START)
    async with guesthouse(tmp_path, [], clock=clock) as house:
        await house.engine.reception(event("/status", "o1", at=START - 5 * HOUR))
        await house.adapter.until_text("fine")


async def test_a_backlog_that_is_to_be_answered_is_answered_after_a_kill(tmp_path: Path) -> None:
    """Answer now was pressed while a turn ran; the process ends before the old messages get theirs."""
    clock, gate = FakeClock(), asyncio.Event()
    adapter, rules = InProcess(now=clock.now), gateway(drain_seconds=0)
    script: Script = [Turn(["On", gate])]
    async with guesthouse(tmp_path, script, clock=clock, adapter=adapter, with_settings=rules) as house:
        await flood(house, old=3, fresh=0)
        await later(clock, lambda: bool(adapter.texts()))
        await adapter.say("1")
        await house.model.arrived(1)
        pressed = await adapter.press("c1", "Answer now")
        await until(lambda: any(pressed.event_id in each.event_ids for each in adapter.summaries()))
    async with guesthouse(tmp_path, ["One.", "An answer."], clock=clock, adapter=adapter) as house:
        await adapter.until_text("An answer.")
        assert house.model.requests[1].messages[-1].content.count("old ") == 3
        await clock.advance(30)
        assert sum("Shall I answer now?" in text for text in adapter.texts()) == 1
        assert len(house.model.requests) == 2
