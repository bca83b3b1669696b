"""A request's fingerprint: the same for the same bytes, and for no others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gateway.agent.fingerprint import fingerprint, noted
from gateway.models.client import ToolSchema
from gateway.transcript import Message, Picture, ToolCall

TOOL = ToolSchema("count", "Counts.", {"type": "object", "properties": {}})
TALK = (
    Message("system", "You are helpful."),
    Message("user", "hi", pictures=(Picture("image/png", "/cache/1.png"),)),
    Message("assistant", "", (ToolCall("c1", "count", "{}"),)),
    Message("tool", "2", tool_call_id="c1"),
)


def test_the_same_again_has_the_same() -> None:
    assert fingerprint(TALK, (TOOL,)) == fingerprint(tuple(replace(each) for each in TALK), (replace(TOOL),))


@pytest.mark.parametrize(
    "other",
    [
        TALK[:3],
        (*TALK, Message("assistant", "")),
        (TALK[0], replace(TALK[1], pictures=()), *TALK[2:]),
        (TALK[0], replace(TALK[1], content="hi "), *TALK[2:]),
        (*TALK[:2], replace(TALK[2], tool_calls=(ToolCall("c2", "count", "{}"),)), TALK[3]),
        (*TALK[:3], replace(TALK[3], tool_call_id="c2")),
        (*TALK[:3], replace(TALK[3], role="user")),
        (replace(TALK[0], content="You are helpful.2:hi"), replace(TALK[1], content=""), *TALK[2:]),
    ],
)
def test_anything_else_has_another(other: tuple[Message, ...]) -> None:
    assert fingerprint(other, (TOOL,)) != fingerprint(TALK, (TOOL,))


def test_tools_count() -> None:
    assert fingerprint(TALK) != fingerprint(TALK, (TOOL,))
    assert fingerprint(TALK, (replace(TOOL, description="Counts!"),)) != fingerprint(TALK, (TOOL,))


def test_half_a_surrogate_pair_is_a_text_like_others() -> None:
    assert len(fingerprint((Message("user", "\ud83d"),))) == 64


def test_the_fact_says_how_many_messages_it_is_about() -> None:
    fact = noted(TALK, (TOOL,), tokens=12, model="near/small")
    assert fact == {"n": 4, "sum": fingerprint(TALK, (TOOL,)), "in": 12, "by": "near/small"}
