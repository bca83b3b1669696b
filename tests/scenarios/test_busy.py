"""A further message while a turn runs: it waits, it interrupts, or it steers. Nobody waits without being told."""

from __future__ import annotations

import asyncio
from pathlib import Path

from gateway.models.client import Request
from tests.fakes.guesthouse import guesthouse
from tests.fakes.scripted_model import Script, Turn
from tests.scenarios.props import counter, gateway, held


def said(request: Request) -> list[str]:
    """What people said, as the model reads it, without the line with the time."""
    return [each.content.split("]\n")[-1] for each in request.messages if each.role == "user"]


async def test_queued_messages_are_answered_in_order(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with guesthouse(tmp_path, [Turn(["One", gate, "."]), "Two.", "Three."]) as house:
        await house.adapter.say("1")
        await house.adapter.until_text("One")
        await house.adapter.say("2")
        await house.adapter.until_text("1 waiting")
        await house.adapter.say("3")
        await house.adapter.until_text("2 waiting")
        gate.set()
        await house.adapter.until_text("Three.")
        assert [text for text in house.adapter.texts() if "⏳" not in text] == ["One.", "Two.", "Three."]
        assert said(house.model.requests[2]) == ["1", "2", "3"]
        assert house.model.most_active == 1


async def test_an_interrupting_message_ends_the_answer_and_is_answered(tmp_path: Path) -> None:
    gate = asyncio.Event()
    script: Script = [Turn(["Once upon", gate, " a time."]), "Four."]
    async with guesthouse(tmp_path, script, with_settings=gateway(busy="interrupt")) as house:
        await house.adapter.say("a story")
        await house.adapter.until_text("Once upon")
        await house.adapter.say("2 + 2?")
        await house.adapter.until_text("Four.")
        await house.adapter.until_text("the current answer ends here")
        assert house.model.abandoned == 1
        talk = [(each.role, each.content.split("]\n")[-1]) for each in house.model.requests[1].messages[1:]]
        assert talk == [("user", "a story"), ("assistant", "Once upon"), ("user", "2 + 2?")]
        assert house.adapter.texts().count("Once upon") == 1


async def test_what_is_interrupted_before_it_began_is_not_lost(tmp_path: Path) -> None:
    """Two messages in the same instant: the second must not make the first one vanish."""
    async with guesthouse(tmp_path, lambda request: "Both seen.", with_settings=gateway(busy="interrupt")) as house:
        await asyncio.gather(house.adapter.say("my name is Ada"), house.adapter.say("what is my name?"))
        await house.adapter.until(lambda: len({e for s in house.adapter.summaries() for e in s.event_ids}) == 2)
        assert said(house.model.requests[-1])[0].startswith("my name is Ada")
        assert "what is my name?" in said(house.model.requests[-1])[-1]


async def test_an_interruption_that_comes_too_late_does_not_cut_its_own_answer(tmp_path: Path) -> None:
    """The running answer ends in the very moment in which the next message arrives."""
    gate = asyncio.Event()
    script: Script = [Turn(["One", gate, "."]), "Two."]
    async with guesthouse(tmp_path, script, with_settings=gateway(busy="interrupt")) as house:
        await house.adapter.say("1")
        await house.adapter.until_text("One")
        box = house.engine.workers.box("inprocess:c1")
        first = box.running
        assert first is not None
        assert first.task is not None
        gate.set()
        await house.adapter.say("2")
        await first.task
        await house.adapter.until_text("Two.")


async def test_a_command_between_turns_is_not_interrupted(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["One.", "Two."], with_settings=gateway(busy="interrupt")) as house:
        await house.adapter.reply_to("1")
        await asyncio.gather(house.adapter.say("/title Stories"), house.adapter.say("2"))
        await house.adapter.until_text("Two.")
        await house.adapter.until_text("now called «Stories»")
        assert await house.store.inbox.open_items() == []


async def test_steering_is_taken_in_after_a_tool_and_answered_in_the_same_turn(tmp_path: Path) -> None:
    started, gate = asyncio.Event(), asyncio.Event()
    script: Script = [Turn(calls=[("count", {"word": "a"})]), "Counted, in French: un."]
    tools = [held(started, gate)]
    async with guesthouse(tmp_path, script, tools=tools, with_settings=gateway(busy="steer")) as house:
        first = await house.adapter.say("count a")
        await started.wait()
        second = await house.adapter.say("in French, please")
        await house.adapter.until_text("taken in at the next step")
        gate.set()
        await house.adapter.until_text("un.")
        roles = [each.role for each in house.model.requests[1].messages]
        assert roles == ["system", "user", "assistant", "tool", "user"]
        assert said(house.model.requests[1]) == ["count a", "in French, please"]
        assert len(house.model.requests) == 2
        done = {first.event_id, second.event_id}
        await house.adapter.until(lambda: {e for s in house.adapter.summaries() for e in s.event_ids} == done)


async def test_steering_without_a_further_step_becomes_a_turn_of_its_own(tmp_path: Path) -> None:
    gate = asyncio.Event()
    script: Script = [Turn(["One", gate, "."]), "Two."]
    async with guesthouse(tmp_path, script, with_settings=gateway(busy="steer")) as house:
        await house.adapter.say("1")
        await house.adapter.until_text("One")
        await house.adapter.say("2")
        await house.adapter.until_text("taken in")
        gate.set()
        await house.adapter.until_text("Two.")
        assert said(house.model.requests[1]) == ["1", "2"]
        assert [text for text in house.adapter.texts() if "⏳" not in text] == ["One.", "Two."]


async def test_steering_keeps_its_place_behind_what_waits(tmp_path: Path) -> None:
    """A command that waits for the turn was given first, and is carried out first."""
    gate = asyncio.Event()
    script: Script = [Turn(["One", gate, "."]), "Two."]
    async with guesthouse(tmp_path, script, with_settings=gateway(busy="steer")) as house:
        await house.adapter.say("1")
        await house.adapter.until_text("One")
        await house.adapter.say("/title Numbers")
        await house.adapter.say("2")
        gate.set()
        await house.adapter.until_text("Two.")
        texts = [text for text in house.adapter.texts() if "⏳" not in text]
        assert texts == ["One.", "This session is now called «Numbers».", "Two."]


async def test_a_restart_answers_what_waited(tmp_path: Path) -> None:
    """Queued and steered messages are events of their own until a turn takes them."""
    for mode in ("queue", "steer"):
        folder, started, gate = tmp_path / mode, asyncio.Event(), asyncio.Event()
        script: Script = [Turn(calls=[("count", {"word": "a"})])]
        rules = gateway(busy=mode, drain_seconds=0)
        async with guesthouse(folder, script, tools=[held(started, gate)], with_settings=rules) as house:
            await house.adapter.say("count a")
            await started.wait()
            await house.adapter.say("and then b")
            await house.adapter.until_text("⏳")
        async with guesthouse(folder, ["A.", "B."], tools=[counter([])]) as house:
            await house.adapter.until_text("B.")
            assert house.adapter.texts() == ["A.", "B."]
            assert said(house.model.requests[1]) == ["count a", "and then b"]


async def test_a_pressed_resume_does_not_wait_for_the_running_answer(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with guesthouse(tmp_path, ["Noted.", Turn(["Once upon", gate]), "Blue."]) as house:
        await house.adapter.reply_to("my colour is blue")
        back = (await house.adapter.reply_to("/new")).partition("one: ")[2]
        await house.adapter.say("a story")
        await house.adapter.until_text("Once upon")
        await house.adapter.press_action("c1", back, "m1")
        await house.adapter.until_text("Back in")
        assert house.model.abandoned == 1
        assert await house.adapter.reply_to("my colour?") == "Blue."
        assert "my colour is blue" in said(house.model.requests[-1])
        assert await house.store.turns.running() == []


async def test_a_pressed_resume_of_the_session_that_is_open_ends_nothing(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with guesthouse(tmp_path, [Turn(["Once upon", gate, " a time."])]) as house:
        await house.adapter.say("a story")
        await house.adapter.until_text("Once upon")
        session = await house.store.sessions.current("inprocess:c1")
        assert session is not None
        await house.adapter.press_action("c1", f"/resume {session.id}", "m1")
        await house.adapter.until_text("Back in")
        gate.set()
        await house.adapter.until_text("Once upon a time.")


async def test_a_pressed_retry_is_answered_while_a_turn_runs(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with guesthouse(tmp_path, ["One.", Turn(["Two", gate, "."])]) as house:
        await house.adapter.reply_to("1")
        await house.adapter.say("2")
        await house.adapter.until_text("Two")
        await house.adapter.press_action("c1", "/retry", "m1")
        await house.adapter.until_text("being written")
        gate.set()
        await house.adapter.until_text("Two.")
        await house.adapter.reply_to("/status")
        assert sum(text in ("One.", "Two.") for text in house.adapter.texts()) == 2
        assert len(house.model.requests) == 2
