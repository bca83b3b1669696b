"""What a turn wrote itself, by what its tools answered; a review is not due right behind it."""

from __future__ import annotations

import json

import pytest

from gateway.agent.conversation import INTERRUPTED
from gateway.engine.turns.trail import kinds_written
from gateway.state.records import Row
from gateway.transcript import ToolCall

SAVED = {"success": True, "done": True, "message": "Saved: 1 added. Nothing more needs to be done."}


def turn(tool: str, answer: object, call: str = "c1") -> list[Row]:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return [
        Row("user", "hi"),
        Row("assistant", "", tool_calls=(ToolCall(call, tool, "{}"),)),
        Row("tool", text, tool_call_id=call),
        Row("assistant", "Done."),
    ]


@pytest.mark.parametrize(
    ("tool", "answer", "kinds"),
    [
        ("memory", SAVED, ["memory"]),
        ("memory", {"success": True, "staged": True, "message": "It waits."}, ["memory"]),
        ("memory", {"success": True, "done": True, "message": "It stands there already."}, []),
        ("memory", {"success": False, "error": "no such entry"}, []),
        ("memory", INTERRUPTED, ["memory"]),
        ("memory", "no object", []),
        ("skill_manage", {"success": True, "done": True, "change": "d1", "message": "Saved: new"}, ["skill"]),
        ("skill_manage", {"success": True, "staged": True, "pending_id": "p1"}, ["skill"]),
        ("skill_manage", {"success": True, "done": True, "message": "Everything stands there."}, []),
        ("skill_manage", {"success": False, "error": "no such skill"}, []),
        ("skill_view", {"success": True, "name": "tea"}, []),
        ("count", SAVED, []),
    ],
)
def test_what_was_written_counts(tool: str, answer: object, kinds: list[str]) -> None:
    assert kinds_written(turn(tool, answer)) == kinds


def test_both_kinds_in_one_turn() -> None:
    skill = {"success": True, "done": True, "change": "d1", "message": "Saved: new"}
    assert kinds_written([*turn("skill_manage", skill, "c1"), *turn("memory", SAVED, "c2")]) == ["memory", "skill"]
