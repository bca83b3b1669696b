"""/stop, however it is written and whatever the owner's rule for busy chats: it stops, says so, and nothing comes
back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse
from tests.fakes.scripted_model import Script, Turn
from tests.scenarios.props import counter, event, gateway, held, stubborn, until


def words(house: Guesthouse) -> str:
    """Everything that any model was ever shown here."""
    return "\n".join(each.content for request in house.model.requests for each in request.messages)


@pytest.mark.parametrize("mode", ["queue", "steer", "interrupt"])
@pytest.mark.parametrize("command", ["/stop", "/stop@OurBot", "/STOP "])
async def test_stop_in_every_mode(tmp_path: Path, mode: str, command: str) -> None:
    gate = asyncio.Event()
    script: Script = [Turn(["Once upon", gate, " a time."]), "Hello!"]
    async with guesthouse(tmp_path, script, with_settings=gateway(busy=mode)) as house:
        await house.adapter.say("a story")
        await house.adapter.until_text("Once upon")
        assert "⏹ Stopped." in await house.adapter.reply_to(command)
        assert house.model.abandoned == 1
        assert await house.adapter.reply_to("hello") == "Hello!"
        assert "stop" not in words(house).lower().replace("(stopped before an answer)", "")
        assert house.adapter.texts()[0] == "Once upon"
    async with guesthouse(tmp_path, []) as house:
        await house.adapter.reply_to("/status")
        assert len(house.adapter.texts()) == 1


@pytest.mark.parametrize("mode", ["queue", "steer"])
async def test_stop_names_what_it_sets_aside(tmp_path: Path, mode: str) -> None:
    gate = asyncio.Event()
    script: Script = [Turn(["Once upon", gate, " a time."]), "Hello!"]
    async with guesthouse(tmp_path, script, with_settings=gateway(busy=mode)) as house:
        await house.adapter.say("a story")
        await house.adapter.until_text("Once upon")
        second = await house.adapter.say("and a poem")
        third = await house.adapter.say("/title Works")
        said = await house.adapter.reply_to("/stop")
        assert "Set aside and not answered: «and a poem», «/title Works»" in said
        await house.adapter.until(
            lambda: {second.event_id, third.event_id} <= {e for s in house.adapter.summaries() for e in s.event_ids}
        )
        assert await house.adapter.reply_to("hello") == "Hello!"
        assert "poem" not in words(house)
    async with guesthouse(tmp_path, []) as house:
        await house.adapter.reply_to("/status")
        assert len(house.adapter.texts()) == 1


async def test_stop_with_nothing_to_stop(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, []) as house:
        assert await house.adapter.reply_to("/stop") == "Nothing is running."


async def test_two_stops_at_once(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with guesthouse(tmp_path, [Turn(["Once upon", gate])]) as house:
        await house.adapter.say("a story")
        await house.adapter.until_text("Once upon")
        await asyncio.gather(house.adapter.say("/stop"), house.adapter.say("/stop"))
        await house.adapter.until(lambda: len(house.adapter.summaries()) == 3)
        assert house.adapter.texts()[0] == "Once upon"
        assert any("Stopped" in text for text in house.adapter.texts())
        session = await house.store.sessions.current("inprocess:c1")
        assert session is not None
        stored = [each.row.content for each in await house.store.turns.messages(session.id)]
        assert stored[1:] == ["Once upon"]


async def test_what_is_said_right_after_stop_is_answered(tmp_path: Path) -> None:
    """Both arrive in one breath: only what came before the command is set aside."""
    gate = asyncio.Event()
    async with guesthouse(tmp_path, [Turn(["Once upon", gate]), "Hello!"]) as house:
        await house.adapter.say("a story")
        await house.adapter.until_text("Once upon")
        await asyncio.gather(house.adapter.say("/stop"), house.adapter.say("hello"))
        await house.adapter.until_text("Hello!")
        assert not any("Set aside" in text for text in house.adapter.texts())


async def test_stop_before_the_turn_has_begun(tmp_path: Path) -> None:
    """The message is stored, and its turn does not exist yet: it never will."""
    async with guesthouse(tmp_path, ["Hello!"]) as house:
        await asyncio.gather(house.adapter.say("a story"), house.adapter.say("/stop"))
        await house.adapter.until(lambda: len(house.adapter.summaries()) == 2)
        assert await house.store.inbox.open_items() == []
        assert await house.store.turns.running() == []
        assert await house.adapter.reply_to("hello") == "Hello!"
        assert "story" not in words(house)
    async with guesthouse(tmp_path, []) as house:
        await house.adapter.reply_to("/status")
        assert house.model.requests == []


async def test_stop_while_a_second_part_is_waited_for(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, ["Hello!"], clock=clock) as house:
        await house.adapter.say("x" * 4090)
        await house.adapter.say("y" * 4090)
        await house.adapter.say("/stop")
        await house.adapter.until_text("⏹")
        assert await house.store.inbox.open_items() == []
        assert await house.adapter.reply_to("hello") == "Hello!"
        assert "xxx" not in words(house)
        assert "yyy" not in words(house)


async def test_stop_while_a_tool_runs_leaves_a_valid_history(tmp_path: Path) -> None:
    started, gate = asyncio.Event(), asyncio.Event()
    script: Script = [Turn("I count.", calls=[("count", {"word": "a"})]), "Hello!"]
    async with guesthouse(tmp_path, script, tools=[held(started, gate)]) as house:
        await house.adapter.say("count a")
        await started.wait()
        assert "Stopped" in await house.adapter.reply_to("/stop")
        assert (await house.adapter.reply_to("hello")).endswith("Hello!")
        roles = [each.role for each in house.model.requests[1].messages]
        assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]
        assert "interrupted" in house.model.requests[1].messages[3].content
        assert house.adapter.texts().count("I count.") == 1


async def test_stop_during_the_pause_before_another_try(tmp_path: Path) -> None:
    """The handling failed and would be tried again in a second: it is not, nor after a restart."""
    clock = FakeClock()
    async with guesthouse(tmp_path, [RuntimeError("boom"), "Hello!"], clock=clock) as house:
        await house.adapter.say("a story")
        await house.model.arrived(1)
        await until(lambda: bool(house.notes.named("turn.fault")))
        assert "Stopped" in await house.adapter.reply_to("/stop")
        assert await house.store.turns.running() == []
        assert await house.adapter.reply_to("hello") == "Hello!"
    async with guesthouse(tmp_path, [], clock=clock) as house:
        await house.adapter.reply_to("/status")
        assert house.model.requests == []


async def test_stop_of_work_that_will_not_end(tmp_path: Path) -> None:
    clock, started = FakeClock(), asyncio.Event()
    script: Script = [Turn(calls=[("count", {"word": "a"})]), "Hello!"]
    async with guesthouse(tmp_path, script, clock=clock, tools=[stubborn(clock, started)]) as house:
        await house.adapter.say("count a")
        await started.wait()
        await house.adapter.say("/stop")
        await clock.advance(1.5)
        await house.adapter.until_text("Stopped")
        assert await house.adapter.reply_to("hello") == "Hello!"
        await clock.advance(10)
        assert house.adapter.texts()[-1] == "Hello!"
        assert len(house.model.requests) == 2


async def test_a_tool_that_shrugs_off_the_stop_does_not_go_on(tmp_path: Path) -> None:
    """It swallows the cancellation and returns at once: the turn ends all the same, without another model call."""
    clock, started = FakeClock(), asyncio.Event()
    script: Script = [Turn(calls=[("count", {"word": "a"})]), "Hello!"]
    async with guesthouse(tmp_path, script, clock=clock, tools=[stubborn(clock, started, 0.0)]) as house:
        await house.adapter.say("count a")
        await started.wait()
        assert "Stopped" in await house.adapter.reply_to("/stop")
        assert len(house.model.requests) == 1
        assert await house.adapter.reply_to("hello") == "Hello!"


async def test_a_stop_that_a_dead_process_had_taken_stops_the_resumed_turn_only(tmp_path: Path) -> None:
    """Stored before the end of the process: «a story», /stop, «hello». The order counts."""
    gate = asyncio.Event()
    async with guesthouse(tmp_path, [Turn(["Once", gate])], with_settings=gateway(drain_seconds=0)) as house:
        await house.adapter.say("a story")
        await house.adapter.until_text("Once")
        for number, text in enumerate(("and a poem", "/stop", "hello")):
            await house.store.inbox.accept(event(text, f"x{number}"), "inprocess:c1", house.house.clock.now())
    async with guesthouse(tmp_path, lambda request: "Hello!", tools=[counter([])]) as house:
        await house.adapter.until_text("Hello!")
        await house.adapter.until_text("⏹")
        asked = [request.messages[-1].content for request in house.model.requests]
        assert asked[-1].endswith("hello")
        assert not any("poem" in each for each in asked)
