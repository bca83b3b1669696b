"""A conversation that outgrows the window: summarised when that works, untouched when it does not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from gateway.models.client import HostInfo, Request
from gateway.models.errors import ContextTooLong, HostDown
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.scripted_model import Scripted, ScriptedModel, Turn
from tests.scenarios.props import counter, later

WINDOW = 2000
LONG = "word " * 150
QUIET = settings(sessions={"boundary_hint": False}, gateway={"drain_seconds": 0})


def model(summary: Callable[[], Scripted]) -> ScriptedModel:
    """Answers chats; `summary()` answers whoever asks for one."""

    def answers(request: Request) -> Scripted:
        if request.task == "compaction":
            return summary()
        said = request.messages[-1]
        if said.role == "user" and said.content.endswith("count"):
            return Turn(calls=[("count", {"word": "a"})])
        return "Noted."

    return ScriptedModel(answers, info=HostInfo(window=WINDOW))


def tries(house: Guesthouse) -> int:
    return sum(request.task == "compaction" for request in house.model.requests)


def over(house: Guesthouse, turns: int, *, or_tried: bool = False) -> bool:
    return len(house.adapter.summaries()) >= turns or (or_tried and tries(house) > 0)


async def fill(house: Guesthouse, messages: int = 11) -> None:
    for number in range(messages):
        await house.adapter.reply_to(f"{LONG} {number}")


async def stored(house: Guesthouse) -> list[str]:
    session = await house.store.sessions.current("inprocess:c1")
    assert session is not None
    return [each.row.content for each in await house.store.turns.messages(session.id)]


async def test_a_summary_stands_for_the_older_part(tmp_path: Path) -> None:
    clock = FakeClock()
    said = model(lambda: "Ada said many words.")
    async with guesthouse(tmp_path, said, clock=clock, with_settings=QUIET) as house:
        await fill(house)
        assert tries(house) >= 1
        assert len(await stored(house)) == 22
        last = house.model.requests[-1]
        assert last.messages[0] == house.model.requests[0].messages[0]
        assert "Ada said many words." in last.messages[1].content
        assert last.messages[-1].content.endswith(" 10")
        assert len(last.messages) < 20
        before = last.messages
    async with guesthouse(tmp_path, model(lambda: "unused"), clock=clock, with_settings=QUIET) as house:
        await house.adapter.reply_to("go on")
        assert house.model.requests[-1].messages[: len(before)] == before


async def test_a_second_summary_takes_the_first_one_in(tmp_path: Path) -> None:
    count = [0]

    def summary() -> str:
        count[0] += 1
        return f"Summary number {count[0]}."

    async with guesthouse(tmp_path, model(summary), clock=FakeClock(), with_settings=QUIET) as house:
        await fill(house, 20)
        asked = [request for request in house.model.requests if request.task == "compaction"]
        assert len(asked) >= 2
        assert "Earlier summary: Summary number 1." in asked[1].messages[-1].content
        last = house.model.requests[-1].messages[1].content
        assert f"Summary number {len(asked)}." in last
        assert "Summary number 1." not in last
        assert len(await stored(house)) == 40


async def test_the_cut_is_never_between_a_call_and_its_result(tmp_path: Path) -> None:
    said = model(lambda: "Short.")
    async with guesthouse(tmp_path, said, clock=FakeClock(), with_settings=QUIET, tools=[counter([])]) as house:
        for number in range(14):
            await house.adapter.reply_to(f"{LONG} {number} count")
        assert tries(house) >= 1
        for request in house.model.requests:
            open_calls: list[str] = []
            for message in request.messages:
                if message.role == "tool":
                    assert message.tool_call_id in open_calls
                open_calls = [call.id for call in message.tool_calls] or open_calls
            assert request.messages[1].role == "user" or request.task == "compaction"


@pytest.mark.parametrize(
    "summary",
    [
        HostDown("nobody answers"),
        "",
        "long " * 3000,
        RuntimeError("boom"),
        Turn(["half a summ"], error=HostDown("gone")),
    ],
    ids=["raises", "empty", "longer", "raises what it should not", "breaks off"],
)
async def test_a_failed_summary_changes_nothing(tmp_path: Path, summary: Scripted) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, model(lambda: summary), clock=clock, with_settings=QUIET) as house:
        for number in range(13):
            await house.adapter.say(f"{LONG} {number}")
            await later(clock, partial(over, house, number + 1), 0.1)
        assert tries(house) == 1
        assert len(await stored(house)) == 26
        assert await house.store.inbox.dead() == []
        last = house.model.requests[-1].messages
        assert [each.role for each in last[1:4]] == ["user", "assistant", "user"]
        assert len(last) == 26
        told = [text for text in house.adapter.texts() if "could not be summarised" in text]
        assert len(told) <= 1
        await clock.advance(601)
        await house.adapter.say("again")
        await later(clock, lambda: tries(house) == 2, 0.1)


async def test_a_process_that_dies_in_a_summary_tries_again_later_only(tmp_path: Path) -> None:
    clock, gate = FakeClock(), asyncio.Event()
    rules = settings(sessions={"boundary_hint": False}, gateway={"drain_seconds": 0})
    said = model(lambda: Turn(["half", gate]))
    async with guesthouse(tmp_path, said, clock=clock, with_settings=rules) as house:
        for number in range(30):
            await house.adapter.say(f"{LONG} {number}")
            await later(clock, partial(over, house, number + 1, or_tried=True), 0.01)
            if tries(house):
                break
        rows = len(await stored(house))
    async with guesthouse(tmp_path, model(lambda: "Short."), clock=clock, with_settings=rules) as house:
        await house.adapter.until_text("Noted.")
        assert len(await stored(house)) == rows + 1
        assert house.model.requests[-1].messages[0].role == "system"


async def test_a_window_that_turns_out_smaller(tmp_path: Path) -> None:
    """The host says that the prompt is too long: summarised once, asked again, answered."""
    too_long = [True]

    def answers(request: Request) -> Scripted:
        if request.task == "compaction":
            too_long[0] = False
            return "Short."
        return ContextTooLong("the prompt is too long") if too_long[0] and len(request.messages) > 6 else "Noted."

    said = ScriptedModel(answers, info=HostInfo(window=None))
    async with guesthouse(tmp_path, said, clock=FakeClock(), with_settings=QUIET) as house:
        await fill(house, 4)
        assert tries(house) == 1
        assert house.adapter.texts()[-1] == "Noted."


async def test_a_window_that_cannot_be_kept_is_a_reason(tmp_path: Path) -> None:
    """Too long, and no summary: the person hears it, and the next message does not ask for a summary again."""

    def answers(request: Request) -> Scripted:
        if request.task == "compaction":
            return ""
        return ContextTooLong("the prompt is too long") if len(request.messages) > 6 else "Noted."

    said = ScriptedModel(answers, info=HostInfo(window=None))
    async with guesthouse(tmp_path, said, clock=FakeClock(), with_settings=QUIET) as house:
        await fill(house, 5)
        assert "/new starts afresh" in house.adapter.texts()[-1]
        assert tries(house) == 1


async def test_the_budget_counts_summaries(tmp_path: Path) -> None:
    said = model(lambda: "Short.")
    rules = settings(sessions={"boundary_hint": False}, gateway={"budgets": {"compaction": 1}})
    async with guesthouse(tmp_path, said, clock=FakeClock(), with_settings=rules) as house:
        await fill(house, 20)
        assert tries(house) == 1
        assert house.adapter.texts()[-1].startswith("Noted.")
