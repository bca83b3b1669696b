"""Changed messages, whatever happens meanwhile: the process ends, they wait, they steer. No answer comes twice."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from gateway.engine.notices import CHANGED
from gateway.models.client import HostInfo, Request
from platforms.in_process import InProcess
from platforms.messages import Inbound, Sender
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import guesthouse
from tests.fakes.scripted_model import Script, ScriptedModel, Turn
from tests.scenarios.props import counter, event, gateway, later

BUTTON = "Answer the new text"


def edit(of: Inbound, text: str, number: int = 1) -> Inbound:
    """The news that a message was changed."""
    return replace(of, event_id=f"edit{number}:{of.event_id}", text=text, edited=True)


def shows(adapter: InProcess, words: str) -> bool:
    return any(words in each for each in adapter.texts())


def last(request: Request) -> str:
    return request.messages[-1].content.partition("]\n")[2] or request.messages[-1].content


async def test_a_message_changed_before_the_process_ended_is_answered_as_it_reads_now(tmp_path: Path) -> None:
    adapter = InProcess()
    async with guesthouse(
        tmp_path, [Turn([asyncio.Event()])], adapter=adapter, with_settings=gateway(drain_seconds=0)
    ) as house:
        await adapter.say("1")
        await house.model.arrived(1)
        second = await adapter.say("how many romes?")
        await adapter.redeliver(edit(second, "how many rooms?"))
    async with guesthouse(tmp_path, ["One.", "Seven."], adapter=adapter) as house:
        await adapter.until_text("Seven.")
        assert last(house.model.requests[1]) == "how many rooms?"
        assert not any(CHANGED in each for each in adapter.texts())


@pytest.mark.parametrize("taken", [False, True])
async def test_an_edit_that_was_stored_and_no_more_is_taken_up_by_the_next_process(
    tmp_path: Path, taken: bool
) -> None:
    """The process died right behind the commit; `taken`: a turn had read the message before."""
    adapter = InProcess()
    async with guesthouse(tmp_path, ["Seven."], adapter=adapter, with_settings=gateway(drain_seconds=0)) as house:
        asked = event("how many romes?", "e1")
        asked = replace(asked, message_id="m1")
        if taken:
            await adapter.redeliver(asked)
            await adapter.until_text("Seven.")
        else:
            await house.store.inbox.accept(asked, asked.chat.key, asked.sent_at)
        await house.store.inbox.accept(edit(asked, "how many rooms?"), asked.chat.key, asked.sent_at)
    async with guesthouse(tmp_path, ["Seven rooms."], adapter=adapter) as house:
        await adapter.until_text(CHANGED if taken else "Seven rooms.")
        assert [last(each) for each in house.model.requests] == ([] if taken else ["how many rooms?"])


async def test_an_offer_outlives_the_process(tmp_path: Path) -> None:
    adapter = InProcess()
    async with guesthouse(tmp_path, ["Seven."], adapter=adapter):
        asked = await adapter.say("how many rooms?")
        await adapter.until_text("Seven.")
        await adapter.redeliver(edit(asked, "how many beds?"))
        await adapter.until_text(CHANGED)
    async with guesthouse(tmp_path, ["Nine."], adapter=adapter) as house:
        await adapter.press("c1", BUTTON)
        await adapter.until_text("Nine.")
        assert house.model.requests[0].messages[-1].content.endswith("how many beds?")


async def test_a_held_message_is_answered_as_it_reads_now(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, ["Seven."], clock=clock) as house:
        old = replace(event("how many romes?", "old", at=clock.now() - 7200), message_id="m1")
        for each in (old, edit(old, "how many rooms are there?"), edit(old, "how many rooms?", 2)):
            await house.adapter.redeliver(each)
        await later(clock, lambda: any("Shall I answer" in text for text in house.adapter.texts()))
        await house.adapter.redeliver(edit(old, "how many free rooms?", 3))
        await asyncio.sleep(0.05)
        await house.adapter.press("c1", "Answer now")
        await house.adapter.until_text("Seven.")
        assert last(house.model.requests[0]) == "how many free rooms?"
        assert len(house.model.requests) == 1


async def test_what_steers_a_turn_and_is_changed_then_is_not_lost(tmp_path: Path) -> None:
    gate = asyncio.Event()
    script: Script = [Turn(["Let me see", gate], calls=[("count", {"word": "x"})]), "Seven.", "Nine."]
    async with guesthouse(tmp_path, script, tools=[counter([])], with_settings=gateway(busy="steer")) as house:
        await house.adapter.say("count")
        await house.adapter.until_text("Let me see")
        more = await house.adapter.say("the rooms")
        await house.adapter.redeliver(edit(more, "the beds"))
        await house.adapter.until_text(CHANGED)
        gate.set()
        await house.adapter.until_text("Seven.")
        await house.adapter.press("c1", BUTTON)
        await house.adapter.until_text("Nine.")
        assert house.model.requests[2].messages[-1].content.endswith("the beds")


async def test_pressed_in_every_moment_of_a_turn_there_is_one_answer_to_the_new_text(tmp_path: Path) -> None:
    for moment in range(12):
        folder = tmp_path / str(moment)
        folder.mkdir()
        async with guesthouse(folder, lambda request: f"Answer to {last(request)}") as house:
            asked = await house.adapter.say("old")
            changed = edit(asked, "new")
            for _ in range(moment * 3):
                await asyncio.sleep(0)
            await house.adapter.redeliver(changed)
            await house.adapter.redeliver(changed)
            await house.adapter.until(partial(shows, house.adapter, "Answer to"))
            if not any("new" in each for each in house.adapter.texts()):
                await house.adapter.until_text(CHANGED)
                await asyncio.gather(*(house.adapter.press("c1", BUTTON) for _ in range(3)))
                await house.adapter.until(partial(shows, house.adapter, "new"))
            await asyncio.sleep(0.02)
            assert sum("new" in last(each) for each in house.model.requests) == 1, moment
            assert sum("Answer to" in each and "new" in each for each in house.adapter.texts()) == 1, moment


async def test_quoted_words_cost_a_model_without_tools_no_second_question(tmp_path: Path) -> None:
    model = ScriptedModel(["Yes?", "Well."], info=HostInfo(window=8192, tools=False))
    async with guesthouse(tmp_path, model, tools=[counter([])], wants_tool=lambda text: "remember" in text) as house:
        await house.adapter.reply_to("hello")
        quoting = replace(event("what does he mean?", "q1"), quoted="remember me", quoted_from=Sender("bob", "Bob"))
        await house.adapter.redeliver(quoting)
        await house.adapter.until_text("Well.")
        assert (
            model.requests[1].messages[-1].content
            == "[This answers words of Bob:]\n> remember me\nwhat does he mean?"
        )
