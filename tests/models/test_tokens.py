"""Tokens without a tokenizer."""

from __future__ import annotations

import pytest

from gateway.models.client import Message, ToolCall, ToolSchema
from gateway.models.tokens import estimate


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("a" * 400, 100), ("記憶" * 50, 100), ("日記 " * 20, 45), ("мир" * 40, 60), ("é" * 400, 100), ("", 0)],
)
def test_scripts_differ(text: str, tokens: int) -> None:
    assert estimate([Message("user", text)]) - estimate([Message("user", "")]) == pytest.approx(tokens, abs=1)


def test_tools_and_calls_count() -> None:
    plain = [Message("user", "x")]
    tool = ToolSchema("note", "Keep a note.", {"type": "object", "properties": {"content": {"type": "string"}}})
    called = [Message("assistant", "", (ToolCall("c", "note", '{"content":"' + "tea " * 50 + '"}'),))]
    assert estimate(plain, [tool]) > estimate(plain) + 15
    assert estimate(called) > 50
