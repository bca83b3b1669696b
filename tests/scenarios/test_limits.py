"""Waiting is shown, loops end, budgets stop with a reason, and whatever goes wrong has words."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from gateway.config.schema import Model
from gateway.models.chain import Chain
from gateway.models.client import ReadingProgress, Usage, Waiting
from gateway.models.errors import HostDown, StreamBroken
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.scripted_model import Script, ScriptedModel, Turn
from tests.scenarios.props import counter, gateway, held


async def test_reading_and_waiting_are_shown(tmp_path: Path) -> None:
    before: list[Waiting | ReadingProgress] = [Waiting("loading model"), ReadingProgress(512, 3000)]
    gate = asyncio.Event()
    async with guesthouse(tmp_path, [Turn([gate, "Here."], before=before)]) as house:
        await house.adapter.say("hi")
        await house.adapter.until(lambda: house.adapter.typed() >= 1)
        assert house.adapter.progressed() == ["loading model", "reading 512 of 3,000 tokens"]
        gate.set()
        await house.adapter.until_text("Here.")


async def test_a_slow_host_is_asked_once(tmp_path: Path) -> None:
    clock, gate = FakeClock(), asyncio.Event()
    script: Script = [Turn([gate, "At last."], before=[Waiting("still reading")])]
    async with guesthouse(tmp_path, script, clock=clock) as house:
        await house.adapter.say("hi")
        await house.adapter.until(lambda: house.adapter.progressed() == ["still reading"])
        await clock.advance(1800)
        assert len(house.model.requests) == 1
        gate.set()
        await house.adapter.until_text("At last.")
        assert house.model.most_active == 1


async def test_endless_repetition_is_cut_and_said(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, [Turn(["Well, "] + ["la "] * 5000), "Fine."]) as house:
        said = await house.adapter.reply_to("sing")
        assert "began to repeat itself" in said
        assert len(said) < 2500
        assert await house.adapter.reply_to("and now?") == "Fine."
        assert "repeat itself" not in house.model.requests[1].messages[2].content


async def test_a_budget_ends_the_day_with_a_reason(tmp_path: Path) -> None:
    clock = FakeClock()
    script: Script = [Turn("Hello.", usage=Usage(input=900, cached=300, output=200, calls=1)), "Good morning."]
    rules = gateway(budgets={"chat": 1000})
    async with guesthouse(tmp_path, script, clock=clock, with_settings=rules, full_status=True) as house:
        assert await house.adapter.reply_to("hi") == "Hello."
        said = await house.adapter.reply_to("hi again")
        assert "today's budget for chat is used up (1,100 of 1,000 tokens)" in said
        assert len(house.model.requests) == 1
        assert "chat 1,100 of 1,000" in await house.adapter.reply_to("/status")
        usage = await house.adapter.reply_to("/usage")
        assert "chat, scripted/script: 1 calls, 900 in (33 % cached), 200 out" in usage
        await clock.advance(86_400)
        assert (await house.adapter.reply_to("good morning")).startswith("Good morning.")


async def test_a_budget_stops_a_turn_in_its_middle(tmp_path: Path) -> None:
    """A loop of tool calls within one turn is what budgets are for."""
    call = Turn(calls=[("count", {"word": "a"})], usage=Usage(input=600, output=0, calls=1))
    counted: list[str] = []
    rules = gateway(budgets={"total": 1000})
    async with guesthouse(tmp_path, [call] * 9, tools=[counter(counted)], with_settings=rules) as house:
        said = await house.adapter.reply_to("count on")
        assert "today's budget is used up" in said
        assert len(house.model.requests) == 2
        assert counted == ["a", "a"]


async def test_the_limit_of_steps_ends_with_an_answer(tmp_path: Path) -> None:
    call = Turn(calls=[("count", {"word": "a"})])
    rules = settings(agent={"max_iterations": 3})
    counted: list[str] = []
    script: Script = [call, call, call, "That was enough."]
    async with guesthouse(tmp_path, script, tools=[counter(counted)], with_settings=rules) as house:
        assert await house.adapter.reply_to("count") == "That was enough."
        assert len(counted) == 3
        assert "limit of steps" in house.model.requests[3].messages[-1].content


async def test_a_model_that_calls_for_ever_ends_with_a_reason(tmp_path: Path) -> None:
    call = Turn(calls=[("count", {"word": "a"})])
    rules = settings(agent={"max_iterations": 2})
    async with guesthouse(tmp_path, lambda request: call, tools=[counter([])], with_settings=rules) as house:
        said = await house.adapter.reply_to("count")
        assert "limit of steps" in said
        assert len(house.model.requests) == 3


async def test_a_host_that_is_down_is_a_reason_with_a_button(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, [HostDown("nobody answers at main"), "Here I am."]) as house:
        said = await house.adapter.reply_to("hi")
        assert "⚠️ nobody answers at main." in said
        assert house.adapter.transcript()[-1].labels == ("Retry",)
        await house.adapter.press("c1", "Retry")
        await house.adapter.until_text("Here I am.")
        assert house.model.requests[1].messages[-1].content.endswith("hi")


async def test_an_answer_that_breaks_off_keeps_what_was_said(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with guesthouse(tmp_path, [Turn(["Once upon", gate], error=StreamBroken("main broke off"))]) as house:
        await house.adapter.say("a story")
        await house.adapter.until_text("Once upon")
        gate.set()
        await house.adapter.until_text("main broke off")
        assert len(house.adapter.texts()) == 1
        assert house.adapter.texts()[0].startswith("Once upon")


async def test_an_empty_answer_is_a_reason_and_is_asked_again(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["", "Now."]) as house:
        assert "The model gave no answer" in await house.adapter.reply_to("hi")
        await house.adapter.say("/retry")
        await house.adapter.until_text("Now.")
        assert len(house.model.requests) == 2


@asynccontextmanager
async def chained(folder: Path, main: Script, other: Script) -> AsyncIterator[tuple[Guesthouse, ScriptedModel]]:
    first, second = ScriptedModel(main, host="main"), ScriptedModel(other, host="spare")
    async with guesthouse(folder, first, hosts=[Chain([first, second])]) as house:
        yield house, second


async def test_the_fallback_is_said_once(tmp_path: Path) -> None:
    down = HostDown("main is down")
    async with chained(tmp_path, [down, down, "Back."], ["From the spare.", "Again."]) as (house, _):
        said = await house.adapter.reply_to("hi")
        assert said.startswith("From the spare.")
        assert "spare/script answered" in said
        assert await house.adapter.reply_to("and now?") == "Again."
        assert await house.adapter.reply_to("and now?") == "Back."


async def test_a_tool_sequence_stays_with_the_spare_that_began_it(tmp_path: Path) -> None:
    call = Turn(calls=[("count", {"word": "a"})])
    first = ScriptedModel([HostDown("main is down")], host="main")
    second = ScriptedModel([call, "Counted."], host="spare")
    async with guesthouse(tmp_path, first, hosts=[Chain([first, second])], tools=[counter([])]) as house:
        said = await house.adapter.reply_to("count")
        assert said.startswith("Counted.")
        assert said.count("spare/script answered") == 1
        assert len(first.requests) == 1


async def test_it_stays_there_after_steering_and_after_a_call_that_was_none(tmp_path: Path) -> None:
    """Rows of a person's role within the sequence do not end it."""
    call, none = Turn(calls=[("count", {"word": "a"})]), Turn(calls=[("cuont", {"word": "a"})])
    first, second = ScriptedModel([call, none, HostDown("main is down")], host="main"), ScriptedModel(host="spare")
    started, gate = asyncio.Event(), asyncio.Event()
    chain, tools, rules = Chain([first, second]), [held(started, gate)], gateway(busy="steer")
    async with guesthouse(tmp_path, first, hosts=[chain], tools=tools, with_settings=rules) as house:
        await house.adapter.say("count")
        await started.wait()
        await house.adapter.say("and quickly")
        await house.adapter.until_text("taken in at the next step")
        gate.set()
        await house.adapter.until_text("main is down")
        assert [each.messages[-1].role for each in first.requests[1:]] == ["user", "user"]
        assert second.requests == []


async def test_a_call_that_was_none_begins_no_sequence(tmp_path: Path) -> None:
    none = Turn(calls=[("cuont", {"word": "a"})])
    first, second = (
        ScriptedModel([none, HostDown("main is down")], host="main"),
        ScriptedModel(["Here."], host="spare"),
    )
    async with guesthouse(tmp_path, first, hosts=[Chain([first, second])], tools=[counter([])]) as house:
        assert (await house.adapter.reply_to("count")).startswith("Here.")


async def test_how_long_the_main_model_may_think_is_said_to_it_and_to_no_other(tmp_path: Path) -> None:
    main, other = ScriptedModel(["Thought."], host="main"), ScriptedModel(["Quick."], host="other")
    rules = settings(model=Model(reasoning_effort="high"))
    async with guesthouse(tmp_path, main, hosts=[main, other], with_settings=rules) as house:
        assert await house.adapter.reply_to("hi") == "Thought."
        await house.adapter.reply_to("/model other/script")
        assert await house.adapter.reply_to("hi") == "Quick."
        assert [main.requests[0].reasoning_effort, other.requests[0].reasoning_effort] == ["high", None]


async def test_text_then_a_tool_then_nothing(tmp_path: Path) -> None:
    """What was said before the tool stays, and the missing end is said."""
    script: Script = [Turn("I count.", calls=[("count", {"word": "a"})]), "", "Done."]
    async with guesthouse(tmp_path, script, tools=[counter([])]) as house:
        said = await house.adapter.reply_to("count")
        assert said.startswith("I count.")
        assert "The model gave no answer" in said
        await house.adapter.say("/retry")
        await house.adapter.until_text("Done.")
        assert all(each.content for each in house.model.requests[-1].messages if not each.tool_calls)


async def test_a_tool_sequence_stays_with_its_host(tmp_path: Path) -> None:
    call = Turn(calls=[("count", {"word": "a"})])
    first, second = ScriptedModel([call, HostDown("main is down")], host="main"), ScriptedModel([], host="spare")
    chain = Chain([first, second])
    async with guesthouse(tmp_path, first, hosts=[chain], tools=[counter([])]) as house:
        assert "main is down" in await house.adapter.reply_to("count")
        assert second.requests == []
