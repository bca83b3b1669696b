"""The `memory` tool as a model meets it: schema, answers, errors, and the end of patience."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from gateway.models.client import ToolCall
from gateway.models.schema_check import example, problems
from gateway.models.toolcalls import validate
from gateway.tools.memory_guidance import guidance
from gateway.tools.memory_tool import memory_tool
from gateway.tools.tool import ToolContext
from gateway.tools.toolset import Toolset
from memory.files import locked
from memory.model import Applied, Author, Draft, Limits, Operation, Origin, Outcome, Refused, Staged, Target
from memory.snapshot import block
from memory.store import Decide, Stores
from platforms.messages import ChatRef
from tests.fakes.guesthouse import guesthouse
from tests.fakes.scripted_model import Turn
from tests.memory.shelf import MEMORY, USER, Shelf

CHAT = ChatRef("inprocess", "c1")


class Watched(Stores):
    """Stores that note what became of each write."""

    def __init__(self, outcomes: list[Outcome], *rest: Any, **more: Any) -> None:
        super().__init__(*rest, **more)
        self._outcomes = outcomes

    def apply(self, target: Target, operations: Sequence[Operation], by: Author) -> Outcome:
        outcome = super().apply(target, operations, by)
        self._outcomes.append(outcome)
        return outcome


@dataclass
class Desk:
    """A shelf with its tool. `says` calls it in a turn; `ran` counts the calls that reached the stores."""

    shelf: Shelf
    outcomes: list[Outcome] = field(default_factory=list)
    decide: Decide | None = None

    def __post_init__(self) -> None:
        shelf, where = self.shelf, self.shelf.folder
        stores = Watched(
            self.outcomes, where, lambda: shelf.limits, lambda: shelf.time, decide=self.decide, patience=5
        )
        tool = memory_tool(stores)
        assert tool is not None
        self.tool = tool

    async def says(self, turn: int = 1, /, **arguments: Any) -> dict[str, Any]:
        result = await self.tool.run(arguments, ToolContext(CHAT, "s1", turn, "inprocess:ada"))
        answer: dict[str, Any] = json.loads(result.text)
        assert answer["success"] is result.ok
        return answer

    async def fails(self, turn: int = 1, /, **arguments: Any) -> dict[str, Any]:
        before = {target: self.shelf.entries(target) for target in Target}
        answer = await self.says(turn, **arguments)
        assert answer["success"] is False, answer
        assert {target: self.shelf.entries(target) for target in Target} == before
        return answer

    @property
    def ran(self) -> int:
        return len(self.outcomes)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(Shelf(tmp_path))


# What models see


def test_the_schema_asks_for_a_target_and_nothing_else_at_the_top(desk: Desk) -> None:
    parameters = desk.tool.schema.parameters
    assert parameters["required"] == ["target"]
    assert parameters["properties"]["target"]["enum"] == ["memory", "user"]
    assert parameters["properties"]["action"]["enum"] == ["add", "patch", "remove"]
    assert list(parameters["properties"]) == ["target", "action", "content", "old_text", "operations"]
    inner = parameters["properties"]["operations"]["items"]
    assert (list(inner["properties"]), inner["required"]) == (["action", "content", "old_text"], ["action"])
    assert problems(example(parameters), parameters) == []


def test_one_store_narrows_schema_and_guidance(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, Limits(enabled=frozenset({USER})))
    tool = memory_tool(shelf.stores)
    assert tool is not None
    assert tool.schema.parameters["properties"]["target"]["enum"] == ["user"]
    seen = json.dumps([tool.schema.description, tool.schema.parameters, guidance([USER])])
    assert "time zone" in seen
    assert "project conventions" not in seen
    assert '"memory"' not in seen


def test_no_store_no_tool_no_guidance(tmp_path: Path) -> None:
    assert memory_tool(Shelf(tmp_path, Limits(enabled=frozenset())).stores) is None
    assert guidance([]) == ""


def test_the_toolset_key_hides_it(desk: Desk) -> None:
    assert not Toolset([desk.tool], disabled=["memory"])


# Successes


async def test_a_success_is_terminal_and_lists_nothing_else(desk: Desk) -> None:
    desk.shelf.fill(["likes tea", "has a cat"])
    assert await desk.says(target="memory", action="add", content="works at night") == {
        "success": True,
        "done": True,
        "target": "memory",
        "usage": "38/2,200",
        "entry_count": 3,
        "message": "Saved: 1 added. Nothing more needs to be done.",
    }


async def test_what_is_rewritten_or_removed_is_shown_in_full(desk: Desk) -> None:
    desk.shelf.fill(["likes tea", "has a cat"])
    answer = await desk.says(target="memory", action="patch", old_text="tea", content="milk")
    assert answer["rewritten"] == [{"before": "likes tea", "after": "likes milk"}]
    answer = await desk.says(target="memory", action="remove", old_text="milk")
    assert answer["removed"] == ["likes milk"]
    assert desk.shelf.entries() == ["has a cat"]


async def test_a_batch_is_one_change(desk: Desk) -> None:
    desk.shelf.fill(["likes tea", "has a cat"])
    batch = [
        {"action": "remove", "old_text": "tea"},
        {"action": "patch", "old_text": "cat", "content": "dog"},
        {"action": "add", "content": "works at night"},
    ]
    answer = await desk.says(target="memory", operations=batch)
    assert answer["message"].startswith("Saved: 1 added, 1 changed, 1 removed.")
    assert desk.shelf.entries() == ["has a dog", "works at night"]
    assert len(desk.shelf.stores.history()) == 2


async def test_a_duplicate_is_a_success_that_adds_nothing(desk: Desk) -> None:
    await desk.says(target="user", action="add", content="Ada")
    answer = await desk.says(target="user", action="add", content="Ada ")
    assert (answer["success"], answer["done"], answer["entry_count"]) == (True, True, 1)
    assert "Nothing was added" in answer["message"]


async def test_a_loose_match_is_reported(desk: Desk) -> None:
    desk.shelf.fill(["a nightly backup to the NAS"])
    answer = await desk.says(target="memory", action="patch", old_text="nightly  backup", content="hourly backup")
    assert desk.shelf.entries() == ["a hourly backup to the NAS"]
    assert 'what was replaced reads: "nightly backup"' in answer["message"]


async def test_a_staged_write_says_that_it_waits(tmp_path: Path) -> None:
    def decide(draft: Draft, by: Author, file: str) -> Staged:
        return Staged(draft.target, "1f2e3d4c", "It waits for approval.")

    desk = Desk(Shelf(tmp_path), decide=decide)
    assert await desk.says(target="user", action="add", content="Ada") == {
        "success": True,
        "staged": True,
        "target": "user",
        "pending_id": "1f2e3d4c",
        "message": "It waits for approval. Say so, and do not try again.",
    }


async def test_who_wrote_is_in_the_journal(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    tool = memory_tool(shelf.stores, origin=Origin.REVIEW)
    assert tool is not None
    await tool.run({"target": "user", "action": "add", "content": "Ada"}, ToolContext(CHAT, "s1", 7, "inprocess:ada"))
    assert shelf.stores.history()[0].author == Author(Origin.REVIEW, "s1", "turn:7", chat=CHAT.key)


@pytest.mark.parametrize(
    "arguments",
    [
        {"action": "patch", "old_string": "tea", "new_string": "milk"},
        {"action": "patch", "old_text": "tea", "new_text": "milk"},
        {"action": " Patch", "old_text": "tea", "content": "milk", "operations": []},
        {"operations": [{"action": "patch", "old_string": "tea", "new_text": "milk", "target": "memory"}]},
        {"action": None, "operations": [{"action": "patch", "old_text": "tea", "content": "milk", "new_text": "no"}]},
    ],
)
async def test_names_that_models_use(desk: Desk, arguments: dict[str, Any]) -> None:
    desk.shelf.fill(["likes tea"])
    await desk.says(target="memory", **arguments)
    assert desk.shelf.entries() == ["likes milk"]


# Errors


async def test_over_the_limit_the_exact_number_is_told(desk: Desk) -> None:
    desk.shelf.fill(["x" * 2_000, "y" * 97])
    answer = await desk.fails(target="memory", action="add", content="z" * 250)
    assert set(answer) == {"success", "error", "current_entries", "usage"}
    assert answer["usage"] == "2,100/2,200"
    assert answer["current_entries"] == ["x" * 2_000, "y" * 97]
    assert "153 characters" in answer["error"]
    assert "ONE batch" in answer["error"]
    batch = [
        {"action": "patch", "old_text": "x" * 2_000, "content": "x" * 1_847},
        {"action": "add", "content": "z" * 250},
    ]
    assert (await desk.says(target="memory", operations=batch))["usage"] == "2,200/2,200"


@pytest.mark.parametrize("target", [None, "", "notes", 3, ["memory"]])
async def test_a_target_is_needed(desk: Desk, target: Any) -> None:
    answer = await desk.fails(target=target, action="remove", old_text="x")
    assert "target" in answer["error"]
    assert 'Example: {"target": "user", "action": "remove", "old_text": ' in answer["error"]
    assert desk.ran == 0


async def test_a_missing_target_is_named_before_anything_is_written(desk: Desk) -> None:
    answer = await desk.fails(operations=[{"action": "add", "content": "x", "target": "memory"}])
    assert "target is missing" in answer["error"]


async def test_an_operation_may_not_name_another_target(desk: Desk) -> None:
    batch = [{"action": "add", "content": "x"}, {"action": "add", "content": "y", "target": "user"}]
    answer = await desk.fails(target="memory", operations=batch)
    assert answer["error"].startswith("Operation 2 of 2: ")
    assert "user" in answer["error"]


async def test_a_store_that_is_off_is_refused(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, Limits(enabled=frozenset({MEMORY})))
    assert "switched off" in (await Desk(shelf).fails(target="user", action="add", content="x"))["error"]
    both = Desk(Shelf(tmp_path))
    both.shelf.limits = Limits(enabled=frozenset({MEMORY}))
    assert "switched off" in (await both.fails(target="user", action="add", content="x"))["error"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"action": "remove"}, ["remove needs old_text", "Example", '"action": "remove"']),
        ({"content": "x"}, ["action is missing", "Example", '"action": "add"']),
        ({"action": "add"}, ["add needs content", "Example"]),
        ({"action": "patch", "content": "x"}, ["patch needs old_text", '"old_text"']),
        ({"action": "patch", "old_text": "x"}, ["patch needs content", '"content"']),
        ({"action": "remove", "old_text": " "}, ["remove needs old_text"]),
        ({"action": "add", "content": 5}, ["content must be a text"]),
        ({"action": "replace", "old_string": "foo", "new_string": "bar"}, ["no replace", "Use patch", '"patch"']),
        ({"action": "read"}, ["no read", "prompt"]),
        ({"action": "erase"}, ["no action", "add, patch and remove"]),
        ({"action": ["add"]}, ["no action"]),
        (
            {"action": "add", "content": "x", "operations": [{"action": "add", "content": "y"}]},
            ["either", "not both"],
        ),
        ({"operations": "add x"}, ["must be a list", '"operations": [{"action": "add"']),
        ({"operations": []}, ["no operation", "Example"]),
        ({"operations": ["add"]}, ["Operation 1 of 1", "object"]),
        ({"operations": [{"action": "add", "content": "x"}, {"action": "replace"}]}, ["Operation 2 of 2", "patch"]),
        ({"action": "patch", "old_text": "tea", "content": ""}, ["longer span", "remove"]),
        ({"action": "add", "content": " "}, ["empty"]),
        ({"action": "add", "content": "a\n§\nb"}, ["exactly §"]),
    ],
)
async def test_an_error_says_what_to_send(desk: Desk, arguments: dict[str, Any], words: list[str]) -> None:
    desk.shelf.fill(["likes tea"])
    error = (await desk.fails(target="memory", **arguments))["error"]
    assert [word for word in words if word not in error] == [], error


async def test_what_is_not_found_comes_with_what_is_near(desk: Desk) -> None:
    desk.shelf.fill(["Likes green tea.", "Has a cat."])
    answer = await desk.fails(target="memory", action="remove", old_text="green teas")
    assert answer["closest_entries"][0] == "Likes green tea."
    desk.shelf.fill(["Likes black tea."])
    answer = await desk.fails(target="memory", action="patch", old_text="tea", content="milk")
    assert answer["matches"] == ["Likes green tea.", "Likes black tea."]


async def test_a_file_that_cannot_be_read_is_an_error_and_stays(desk: Desk) -> None:
    desk.shelf.write(b"\xff\xfe bad")
    answer = await desk.says(target="memory", action="add", content="x")
    assert answer["success"] is False
    assert "not UTF-8" in answer["error"]
    assert desk.shelf.bytes() == b"\xff\xfe bad"


async def test_one_count_in_block_answer_and_error(desk: Desk) -> None:
    answer = await desk.says(target="memory", action="add", content="👨‍👩‍👧 " + "x" * 2_000)
    assert answer["usage"] == "2,006/2,200"
    assert "2,006/2,200 chars]" in block(MEMORY, desk.shelf.entries(), 2_200)
    assert (await desk.fails(target="memory", action="add", content="y" * 500))["usage"] == "2,006/2,200"


def test_the_screen_shows_a_whole_call_for_a_wrong_one(desk: Desk) -> None:
    """What never reaches the tool, because it does not fit the schema, is answered as helpfully."""
    found = validate([ToolCall("1", "memory", '{"action": "replace", "old_string": "a"}')], [desk.tool.schema])
    [line] = found.misfires
    assert "'target' is missing" in line
    assert '"patch"' in line
    assert '{"target": "user", "action": "add", "content": "<the fact to keep>"}' in line


# Patience


async def test_three_failed_calls_end_it_for_this_turn(desk: Desk) -> None:
    desk.shelf.fill(["x" * 2_150])
    for number in range(3):
        answer = await desk.fails(target="memory", action="add", content=f"{number}" * 300)
    assert "answer the person" in answer["error"]
    for number in range(3):
        answer = await desk.fails(target="memory", action="patch", old_text=f"no {number}", content="y")
        assert answer["error"].startswith("Not run")
        assert "answer the person" in answer["error"]
    # A call that would have worked comes too late as well.
    await desk.fails(target="user", action="add", content="Ada")
    assert desk.ran == 3


async def test_the_same_failing_call_is_not_run_twice(desk: Desk) -> None:
    for _ in range(6):
        answer = await desk.fails(target="memory", action="remove", old_text="nowhere")
    assert desk.ran == 1
    assert "answer the person" in answer["error"]


async def test_after_memory_changed_the_same_call_is_run_again(desk: Desk) -> None:
    desk.shelf.fill(["x" * 2_150])
    wish = {"target": "memory", "action": "add", "content": "y" * 300}
    await desk.fails(**wish)
    await desk.says(target="memory", action="patch", old_text="x" * 2_150, content="x" * 100)
    assert (await desk.says(**wish))["entry_count"] == 2


async def test_each_turn_begins_anew(desk: Desk) -> None:
    for _ in range(5):
        await desk.fails(1, target="memory", action="remove", old_text="nowhere")
    await desk.fails(2, target="memory", action="remove", old_text="nowhere")
    await desk.says(2, target="memory", action="add", content="tea")
    assert desk.ran == 3


async def test_a_cancelled_turn_ends_after_its_write(desk: Desk) -> None:
    """Whoever starts anew finds memory before the write or behind it."""
    with locked(desk.shelf.folder / ".lock"):
        turn = asyncio.ensure_future(desk.says(target="memory", action="add", content="tea"))
        await asyncio.sleep(0.05)
        turn.cancel()
        await asyncio.sleep(0.05)
        assert not turn.done()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert desk.shelf.entries() == ["tea"]
    assert isinstance(desk.outcomes[0], Applied)


# Through the whole house


async def test_a_full_store_ends_in_an_answer_and_the_next_turn_writes(desk: Desk, tmp_path: Path) -> None:
    desk.shelf.fill(["x" * 2_150])
    wish = {"target": "memory", "action": "add", "content": "y" * 300}
    quote = {"target": "memory", "action": "patch", "old_text": "x  x", "content": "z"}
    script = [
        *[Turn(calls=[("memory", wish)])] * 3,
        *[Turn(calls=[("memory", quote)])] * 3,
        "It is full.",
        Turn(calls=[("memory", {"target": "user", "action": "add", "content": "Ada"})]),
        "Saved.",
    ]
    async with guesthouse(tmp_path, script, tools=[desk.tool]) as house:
        assert "It is full." in await house.adapter.reply_to("keep this")
        assert isinstance(desk.outcomes[0], Refused)
        assert desk.ran == 1
        told = house.model.requests[6].messages[-1].content
        assert "answer the person" in told
        assert "Saved." in await house.adapter.reply_to("I am Ada")
    assert desk.shelf.entries() == ["x" * 2_150]
    assert desk.shelf.entries(USER) == ["Ada"]
