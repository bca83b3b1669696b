"""What a review may not do, in the gateway as people run it: go on for ever, reach a person, leave traces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.openai_server import OpenAIServer, Step
from tests.fakes.telegram import BotApi
from tests.scenarios.reviewer import looks_back
from tests.scenarios.telegram_inn import Inn
from tests.scenarios.test_review_house import REVIEWED, ended

BUDGET = 49_152
"""Three quarters of the window."""


def insatiable(read: int, *, same: bool) -> Any:
    """Each call of a review is answered with a call of another tool, or of the same; it reads so many tokens."""
    asked: list[int] = []

    def answers(given: dict[str, Any]) -> Step:
        if not looks_back(given):
            return Step(text="Noted.")
        asked.append(1)
        look = {"find": "deploy" if same else f"deploy {len(asked)}"}
        usage = {"prompt_tokens": read, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 0}}
        return Step(calls=[{"id": f"c{len(asked)}", "name": "skills_list", "arguments": look}], usage=usage)

    return answers


@pytest.mark.parametrize(
    ("read", "same", "calls", "why"),
    [
        (9_000, False, 5, "the next call would have gone beyond its budget of 49,152 input tokens"),
        (100, False, 16, "it made 16 calls"),
        (100, True, 3, "the model made the same calls again and again"),
    ],
    ids=["budget", "calls", "the same call"],
)
async def test_a_model_that_calls_tools_for_ever(read: int, same: bool, calls: int, why: str, tmp_path: Path) -> None:
    async with BotApi() as server, OpenAIServer(otherwise=insatiable(read, same=same), window=65_536) as host:
        inn = Inn(tmp_path, server, host, REVIEWED)
        async with inn.open() as app:
            assert await inn.says("How do we deploy?") == "Noted."
            (result,) = await ended(app)
            assert (result.outcome, result.reason, result.spent.calls) == ("error", why, calls)
            assert result.spent.input == read * calls <= BUDGET
            assert sum(looks_back(each.json()) for each in host.chats) == calls
            assert why in await inn.says("/reviews")
            assert await inn.says("And now?") == "Noted."
        (line,) = [
            json.loads(each)["event"]
            for each in (tmp_path / "logs" / "agent.log").read_text().splitlines()
            if "Background review complete" in each
        ]
        assert f" calls={calls} in={read * calls} out={9 * calls} result=error " in line
        assert line.endswith(f" reason={json.dumps(why)}")


async def test_a_review_does_nothing_but_keep_and_leaves_no_trace_of_itself(tmp_path: Path) -> None:
    """It calls what reaches people and machines; afterwards nobody finds it, counts it, or reviews it."""
    wants = [
        {"id": "c1", "name": "send_file", "arguments": {"name": "tea.txt", "content": "Tea."}},
        {"id": "c2", "name": "session_search", "arguments": {"query": "tea"}},
    ]

    def answers(given: dict[str, Any]) -> Step:
        if not looks_back(given) or given["messages"][-1]["role"] == "tool":
            return Step(text="Noted.")
        return Step(text="I look back and send it.", calls=wants)

    async with BotApi() as server, OpenAIServer(otherwise=answers) as host:
        inn = Inn(tmp_path, server, host, REVIEWED)
        async with inn.open() as app:
            await inn.says("I drink tea")
            store = app.engine.house.store
            (result,) = await ended(app)
            assert (result.outcome, result.spent.calls) == ("none", 2)
            refused = [each for each in host.chats[-1].json()["messages"] if each["role"] == "tool"]
            assert [json.loads(each["content"])["success"] for each in refused] == [False, False]
            assert all("memory" in json.loads(each["content"])["allowed"] for each in refused)
            rows = await store.turns.messages(result.session_id)
            assert [(each.row.role, each.row.content) for each in rows] == [
                ("user", "I drink tea"),
                ("assistant", "Noted."),
            ]
            assert inn.ada.chat.texts() == ["Noted."]
            await inn.says("/new")
            look = Step(calls=[{"id": "s1", "name": "session_search", "arguments": {"query": "look back"}}])
            await inn.says("What did we look back at?", look, "Nothing.")
            assert inn.tool_answer()["results"] == []
            results = await ended(app, 2)
            assert len({each.session_id for each in results}) == 2, "none of the review, and one of what came after"
