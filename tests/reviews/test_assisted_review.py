"""A review by a model that cannot call tools: one question, and what becomes of answers of all kinds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gateway.models.errors import HostDown
from gateway.models.schema_check import problems
from gateway.reviews.assisted_review import ANSWER_TOKENS, AssistedReview, read_proposals
from gateway.reviews.prompts import PROPOSAL_CHARS, PROPOSALS, proposal_schema
from gateway.reviews.review import Finding
from gateway.state.records import Row
from gateway.state.review_records import ReviewKind
from gateway.tools.memory_guidance import schema
from gateway.tools.toolset import dump_schemas
from gateway.transcript import ToolCall
from memory.model import Target
from tests.fakes.scripted_model import ScriptedModel, Turn
from tests.memory.shelf import MEMORY, USER
from tests.reviews.desks import BOTH, Desk, Inn, stored

STORES = ("memory", "user")


@pytest.fixture
def inn(tmp_path: Path) -> Inn:
    return Inn(tmp_path)


def keeping(*facts: tuple[str, str]) -> str:
    return json.dumps({"keep": [{"target": target, "content": content} for target, content in facts]})


ROWS = stored(
    Row("user", "Hello, my name is Ada. I am a nurse, and we deploy on Fridays. What is the capital of France?"),
    Row("assistant", "Paris. You like tea."),
    Row("user", "ありがとう。私は東京に住んでいます。"),
    Row("assistant", "Noted."),
)


async def asked(inn: Inn, model: ScriptedModel, kinds: frozenset[ReviewKind] = BOTH, **more: Any) -> Finding:
    given = inn.given(model, kinds=kinds, made=inn.read(ROWS, assisted=True), **more)
    return await AssistedReview(Desk(), given).run()


async def test_it_is_one_call_bound_to_a_schema(inn: Inn) -> None:
    model = ScriptedModel([keeping(("user", "Is called Ada."), ("memory", "Deploys happen on Fridays."))])
    found = await asked(inn, model)
    assert (found.outcome, found.calls) == ("memory", 1)
    assert inn.shelf.entries(USER) == ["Is called Ada."]
    assert inn.shelf.entries(MEMORY) == ["Deploys happen on Fridays."]
    assert {each.message for each in inn.authors} == {"review:12"}
    (request,) = model.requests
    assert request.messages[:-1] == inn.read(ROWS, assisted=True).messages
    assert (request.tools, request.task, request.max_tokens) == ((), "background_review", ANSWER_TOKENS)
    assert request.schema == proposal_schema(STORES)


async def test_nothing_is_an_answer(inn: Inn) -> None:
    found = await asked(inn, ScriptedModel(['{"keep": []}']))
    assert (found.outcome, found.reason, inn.ran.total()) == ("none", "", 0)


async def test_what_stands_there_already_is_no_yield(inn: Inn) -> None:
    inn.shelf.fill(["Is called Ada."], USER)
    found = await asked(inn, ScriptedModel([keeping(("user", "Is called Ada."))]))
    assert (found.outcome, inn.shelf.entries(USER)) == ("none", ["Is called Ada."])


@pytest.mark.parametrize(
    "answer",
    [
        "I think nothing needs to be kept.",
        "",
        "[]",
        '{"keep": "Ada"}',
        '{"keep": [{"target": "diary", "content": "x"}]}',
        '{"keep": [{"target": "user", "content": 7}]}',
        '{"keep": [{"target": "user", "content": "Is cal',
        "and so on and on " * 100,
    ],
)
async def test_an_answer_of_another_kind_is_an_end(inn: Inn, answer: str) -> None:
    model = ScriptedModel([answer])
    found = await asked(inn, model)
    assert (found.outcome, found.calls, len(model.requests), inn.ran.total()) == ("error", 1, 1, 0)


async def test_skills_alone_are_not_for_such_a_model(inn: Inn) -> None:
    model = ScriptedModel()
    found = await asked(inn, model, frozenset(("skill",)))
    assert (found.outcome, found.calls, model.requests) == ("none", 0, [])


async def test_the_session_says_which_stores_there_are(inn: Inn) -> None:
    narrowed = [schema([Target.USER]) if each.name == "memory" else each for each in inn.schemas]
    inn.session = replace(inn.session, tools=dump_schemas(tuple(narrowed)))
    model = ScriptedModel([keeping(("user", "Is called Ada."))])
    await asked(inn, model)
    assert model.requests[0].schema == proposal_schema(("user",))
    assert '"memory"' not in model.requests[0].messages[-1].content


async def test_a_budget_that_is_too_small_costs_no_call(inn: Inn) -> None:
    model = ScriptedModel()
    found = await asked(inn, model, budget=50)
    assert (found.outcome, found.calls) == ("error", 0)


async def test_a_host_that_fails_is_told(inn: Inn) -> None:
    with pytest.raises(HostDown):
        await asked(inn, ScriptedModel([Turn(error=HostDown("gone"))]))


def test_few_and_short_additions_are_taken_each_once() -> None:
    long, many = ("user", "x" * (PROPOSAL_CHARS + 1)), [("user", f"{each}.") for each in range(9)]
    answer = keeping(("user", " One.\n Two. "), ("user", "One. Two."), long, ("user", " "), *many)
    found = read_proposals(answer, STORES)
    assert found is not None
    assert [each["content"] for each in found] == ["One. Two.", *(f"{each}." for each in range(9))]
    assert found[0] == {"target": "user", "action": "add", "content": "One. Two."}


async def test_of_many_additions_three_are_made(inn: Inn) -> None:
    facts = ["Ada is a nurse.", "The name is Ada.", "Ada deploys on Fridays.", "Ada the nurse deploys on Fridays."]
    await asked(inn, ScriptedModel([keeping(*(("user", each) for each in facts))]))
    assert inn.shelf.entries(USER) == facts[:PROPOSALS]


@pytest.mark.parametrize(
    "made_up",
    [
        "…",
        "the fact itself",
        "The capital of France is Paris.",
        "The user likes tea.",
        "The user wants to learn Rust.",
        "who the person is and what they prefer",
        "secrets (passwords, keys, tokens)",
        "毎日コーヒーを飲む。",
    ],
)
async def test_what_no_person_said_is_not_kept(inn: Inn, made_up: str) -> None:
    found = await asked(inn, ScriptedModel([keeping(("user", made_up))]))
    assert (found.outcome, found.reason) == ("none", "what it proposed is nothing that a person said")
    assert inn.ran.total() == 0


async def test_what_a_tool_answered_was_said_by_no_person(inn: Inn) -> None:
    call = ToolCall("c", "memory", "{}")
    rows = stored(
        Row("user", "[Innkeeper] Memory changed since this conversation began. In effect now:\nI speak Dutch."),
        Row("assistant", "", tool_calls=(call,)),
        Row("tool", "The deploys are on Fridays.", tool_call_id="c"),
        Row("assistant", "Aha."),
    )
    model = ScriptedModel([keeping(("memory", "Deploys are on Fridays."), ("user", "Speaks Dutch."))])
    await AssistedReview(Desk(), inn.given(model, made=inn.read(rows, assisted=True))).run()
    assert (inn.shelf.entries(), inn.shelf.entries(USER)) == ([], ["Speaks Dutch."])


@pytest.mark.parametrize(
    "fact",
    [
        "Is called Ada.",
        "The user is a nurse.",
        "They deploy every Friday.",
        "東京に住んでいる。",
    ],
)
async def test_what_a_person_said_is_kept_in_other_forms_too(inn: Inn, fact: str) -> None:
    assert (await asked(inn, ScriptedModel([keeping(("user", fact))]))).outcome == "memory"


def test_the_schema_holds_what_is_read() -> None:
    right = json.loads(keeping(("user", "Is called Ada.")))
    assert problems(right, proposal_schema(STORES)) == []
    assert problems({"keep": [{"target": "diary", "content": "x"}]}, proposal_schema(STORES))
