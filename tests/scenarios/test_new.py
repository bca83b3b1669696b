"""/new while a turn runs: the boundary holds, whatever the old turn still does."""

from __future__ import annotations

import asyncio
from pathlib import Path

from gateway.models.client import Request
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import guesthouse
from tests.fakes.scripted_model import Script, Turn
from tests.scenarios.props import stubborn


async def test_new_in_the_middle_of_an_answer(tmp_path: Path) -> None:
    gate = asyncio.Event()
    script: Script = [Turn(["Once upon", gate, " a time."]), "Hi there."]
    async with guesthouse(tmp_path, script) as house:
        await house.adapter.say("a story")
        await house.adapter.until_text("Once upon")
        assert "fresh session" in await house.adapter.reply_to("/new")
        assert await house.adapter.reply_to("hi") == "Hi there."
        assert [each.role for each in house.model.requests[1].messages] == ["system", "user"]
        assert not any("a time" in text for text in house.adapter.texts())


async def test_new_when_the_turn_ignores_cancellation(tmp_path: Path) -> None:
    clock, started = FakeClock(), asyncio.Event()
    script: Script = [Turn(calls=[("count", {"word": "a"})]), "Hi there.", "You were counting."]
    async with guesthouse(tmp_path, script, clock=clock, tools=[stubborn(clock, started, 5)]) as house:
        await house.adapter.say("count a")
        await started.wait()
        await house.adapter.say("/new Fresh air")
        await house.adapter.say("hi")
        await clock.advance(1.5)
        await house.adapter.until_text("Hi there.")
        before = list(house.adapter.texts())
        typed = house.adapter.typed()
        await clock.advance(30)
        assert house.adapter.texts() == before
        assert house.adapter.typed() == typed
        assert len(house.model.requests) == 2
        assert not any("late result" in each.content for each in house.model.requests[1].messages)
        current = await house.store.sessions.current("inprocess:c1")
        assert current is not None
        assert current.title == "Fresh air"
        closed = next(each.session for each in await house.store.sessions.recent(5) if each.session.ended_at)
        assert closed.end_reason == "new"
        assert "Back in" in await house.adapter.reply_to(f"/resume {closed.id}")
        assert await house.adapter.reply_to("what did I want?") == "You were counting."
        roles = [each.role for each in house.model.requests[2].messages]
        assert roles == ["system", "user", "assistant", "tool", "user"]


async def test_a_model_that_goes_on_talking_is_not_heard(tmp_path: Path) -> None:
    """Its stream swallows the cancellation and brings more text later: none of it is shown."""
    clock, talking = FakeClock(), asyncio.Event()

    class Deaf(asyncio.Event):
        async def wait(self) -> bool:  # type: ignore[override]
            try:
                talking.set()
                return await super().wait()
            except asyncio.CancelledError:
                await clock.sleep(5)
                return True

    script: Script = [Turn(["Once upon", Deaf(), " a time.", asyncio.Event()]), "Hi there."]
    async with guesthouse(tmp_path, script, clock=clock) as house:
        await house.adapter.say("a story")
        await house.adapter.until_text("Once upon")
        await talking.wait()
        await house.adapter.say("/new")
        await clock.advance(1.5)
        await house.adapter.until_text("fresh session")
        await clock.advance(30)
        assert not any("a time" in text for text in house.adapter.texts())
        assert await house.adapter.reply_to("hi") == "Hi there."


async def test_what_waited_is_answered_in_the_new_session(tmp_path: Path) -> None:
    gate = asyncio.Event()
    script: Script = [Turn(["Once upon", gate]), "A poem."]
    async with guesthouse(tmp_path, script) as house:
        await house.adapter.say("a story")
        await house.adapter.until_text("Once upon")
        await house.adapter.say("a poem")
        assert "1 waiting message(s) are answered in it" in await house.adapter.reply_to("/new")
        await house.adapter.until_text("A poem.")
        assert [each.role for each in house.model.requests[1].messages] == ["system", "user"]


async def test_resume_brings_back_what_was_said(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["Noted.", "Hi.", "Blue."]) as house:
        await house.adapter.reply_to("my colour is blue")
        said = await house.adapter.reply_to("/new")
        await house.adapter.reply_to("hi")
        await house.adapter.reply_to(said[said.index("/resume") :])
        assert await house.adapter.reply_to("my colour?") == "Blue."
        texts = [each.content for each in house.model.requests[2].messages]
        assert any("my colour is blue" in text for text in texts)
        assert not any(text.endswith("hi") for text in texts)


async def test_two_new_at_once_start_one_session(tmp_path: Path) -> None:
    gate = asyncio.Event()

    def answers(request: Request) -> Turn | str:
        return "Hi." if request.messages[-1].content.endswith("hi") else Turn(["Once upon", gate])

    async with guesthouse(tmp_path, answers) as house:
        await house.adapter.say("a story")
        await house.adapter.until_text("Once upon")
        await asyncio.gather(house.adapter.say("/new"), house.adapter.say("/new"), house.adapter.say("hi"))
        await house.adapter.until_text("Hi.")
        await house.adapter.until(lambda: len(house.adapter.summaries()) == 4)
        assert await house.store.turns.running() == []
        sessions = [each.session for each in await house.store.sessions.recent(9)]
        assert len(sessions) == 2
        assert [each.ended_at is None for each in sessions].count(True) == 1


async def test_a_name_is_for_the_next_session_only(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["One.", "Two."]) as house:
        await house.adapter.reply_to("/new Garden")
        await house.adapter.reply_to("/new")
        await house.adapter.reply_to("1")
        current = await house.store.sessions.current("inprocess:c1")
        assert current is not None
        assert current.title is None
