"""Tool calls in every shape: stored history holds only valid ones, and a bad one is answered with a right one."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from gateway.models.client import HostInfo, Request
from tests.fakes.guesthouse import Guesthouse, guesthouse
from tests.fakes.scripted_model import Script, ScriptedModel, Turn
from tests.scenarios.props import counter, failing, gateway


async def rows(house: Guesthouse) -> list[tuple[str, str]]:
    session = await house.store.sessions.current("inprocess:c1")
    assert session is not None
    stored = await house.store.turns.messages(session.id)
    for each in stored:
        for call in each.row.tool_calls:
            assert isinstance(json.loads(call.arguments), dict)
    return [(each.row.role, each.row.content or each.row.note) for each in stored]


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "count", "arguments": {"word": "a"}}',
        '```json\n{"name": "count", "arguments": {"word": "a"}}\n```',
        '<tool_call>\n{"name": "count", "arguments": {"word": "a"}}\n</tool_call>',
        '{"name": "COUNT", "arguments": "{\\"word\\": \\"a\\"}"}',
    ],
    ids=["plain", "fence", "tags", "wrong case, arguments as text"],
)
async def test_a_call_written_as_text_is_a_call(tmp_path: Path, text: str) -> None:
    counted: list[str] = []
    async with guesthouse(tmp_path, [text, "Counted."], tools=[counter(counted)]) as house:
        assert await house.adapter.reply_to("count a") == "Counted."
        assert counted == ["a"]
        assert [role for role, _ in await rows(house)] == ["user", "assistant", "tool", "assistant"]
        assert house.model.requests[1].messages[2].tool_calls[0].name == "count"
        assert not any("{" in seen for seen in house.adapter.texts())


@pytest.mark.parametrize(
    "bad",
    [
        Turn(calls=[("cuont", {"word": "a"})]),
        Turn(calls=[("count", {"wrong": 1})]),
        Turn(calls=[("count", '{"word": ')]),
        '<tool_call>{"name": "count", "arguments": {"wrong": 1}}</tool_call>',
    ],
    ids=["unknown tool", "wrong arguments", "broken arguments", "wrong as text"],
)
async def test_a_misfire_is_handed_back_with_the_right_call(tmp_path: Path, bad: Turn | str) -> None:
    counted: list[str] = []
    script: Script = [bad, Turn(calls=[("count", {"word": "a"})]), "Counted."]
    async with guesthouse(tmp_path, script, tools=[counter(counted)]) as house:
        assert (await house.adapter.reply_to("count a")).endswith("Counted.")
        assert counted == ["a"]
        handed = house.model.requests[1].messages[-1].content
        assert "No tool was run." in handed
        assert "count" in handed
        assert "word" in handed
        for request in house.model.requests:
            for message in request.messages:
                assert all(call.name == "count" and call.parsed() == {"word": "a"} for call in message.tool_calls)
        await rows(house)


async def test_misfires_without_end_are_a_visible_end(tmp_path: Path) -> None:
    bad = Turn(calls=[("nothing", {})])
    async with guesthouse(tmp_path, lambda request: bad, tools=[counter([])]) as house:
        assert "a tool that it may not use" in await house.adapter.reply_to("count a")
        assert len(house.model.requests) == 4


async def test_two_calls_at_once_run_in_order(tmp_path: Path) -> None:
    counted: list[str] = []
    script: Script = [Turn(calls=[("count", {"word": "a"}), ("count", {"word": "b"})]), "Both."]
    async with guesthouse(tmp_path, script, tools=[counter(counted)]) as house:
        await house.adapter.reply_to("count both")
        assert counted == ["a", "b"]
        ids = [call.id for call in house.model.requests[1].messages[2].tool_calls]
        assert [each.tool_call_id for each in house.model.requests[1].messages[3:5]] == ids


async def test_a_tool_that_fails_is_an_answer_to_the_model(tmp_path: Path) -> None:
    script: Script = [Turn(calls=[("count", {"word": "a"})]), "It failed."]
    async with guesthouse(tmp_path, script, tools=[failing()]) as house:
        assert await house.adapter.reply_to("count a") == "It failed."
        assert "count failed: ValueError: no numbers today" in house.model.requests[1].messages[-1].content


def helpless(answers: Script) -> ScriptedModel:
    return ScriptedModel(answers, info=HostInfo(window=8192, tools=False))


async def test_a_model_without_tools_is_asked_by_schema_when_it_matters(tmp_path: Path) -> None:
    counted: list[str] = []
    said = helpless(['{"tool": "count", "arguments": {"word": "a"}}', "Counted."])
    async with guesthouse(tmp_path, said, tools=[counter(counted)], wants_tool=lambda text: "count" in text) as house:
        assert await house.adapter.reply_to("count a") == "Counted."
        assert counted == ["a"]
        question, answer = house.model.requests
        assert question.schema is not None
        assert question.tools == answer.tools == ()
        assert answer.schema is None
        assert all(each.role != "tool" and not each.tool_calls for each in answer.messages)
        assert "counted a" in answer.messages[-1].content
        assert [role for role, _ in await rows(house)] == ["user", "assistant", "tool", "assistant"]


async def test_small_talk_costs_no_second_call(tmp_path: Path) -> None:
    async with guesthouse(
        tmp_path, helpless(["Hello."]), tools=[counter([])], wants_tool=lambda text: False
    ) as house:
        await house.adapter.reply_to("hi")
        (only,) = house.model.requests
        assert only.tools == ()
        assert only.schema is None


@pytest.mark.parametrize("choice", ['{"tool": "none"}', "no idea", '{"tool": "nothing", "arguments": {}}', "[1]"])
async def test_no_tool_is_wanted_after_all(tmp_path: Path, choice: str) -> None:
    counted: list[str] = []
    said = helpless([choice, "Hello."])
    async with guesthouse(tmp_path, said, tools=[counter(counted)], wants_tool=lambda text: True) as house:
        assert await house.adapter.reply_to("hi") == "Hello."
        assert counted == []


async def test_a_choice_with_wrong_arguments_never_runs(tmp_path: Path) -> None:
    counted: list[str] = []
    said = helpless(['{"tool": "count", "arguments": {"wrong": 1}}', "Hello."])
    async with guesthouse(tmp_path, said, tools=[counter(counted)], wants_tool=lambda text: True) as house:
        assert await house.adapter.reply_to("count a") == "Hello."
        assert counted == []
        assert [role for role, _ in await rows(house)] == ["user", "assistant"]


async def test_no_time_line_in_assisted_mode(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, helpless(lambda request: "Hello.")) as house:
        await house.adapter.reply_to("hi")
        assert house.model.requests[0].messages[-1].content == "hi"


async def test_a_crash_between_the_assisted_call_and_the_answer_asks_no_second_time(tmp_path: Path) -> None:
    """Handled like any other tool call: its row is stored, and it is not made again."""
    counted: list[str] = []
    gate = asyncio.Event()

    def first(request: Request) -> Turn | str:
        return '{"tool": "count", "arguments": {"word": "a"}}' if request.schema else Turn(["Cou", gate])

    rules = gateway(drain_seconds=0)
    tools = [counter(counted)]
    async with guesthouse(
        tmp_path, helpless(first), tools=tools, wants_tool=lambda text: True, with_settings=rules
    ) as house:
        await house.adapter.say("count a")
        await house.adapter.until_text("Cou")
    async with guesthouse(tmp_path, helpless(first), tools=tools, wants_tool=lambda text: True) as house:
        gate.set()
        await house.adapter.until(lambda: bool(house.adapter.summaries()))
        assert counted == ["a"]
        assert all(request.schema is None for request in house.model.requests)
