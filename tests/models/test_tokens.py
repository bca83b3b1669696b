"""Tokens without a tokenizer."""

from __future__ import annotations

import pytest

from gateway.models.client import Message, ToolCall, ToolSchema
from gateway.models.tokens import Calibrator, estimate


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


def test_a_measurement_pulls_the_estimate_towards_the_truth() -> None:
    messages = [Message("user", "word " * 1000)]
    calibrator = Calibrator()
    guess = calibrator.tokens(messages)
    assert guess == estimate(messages)
    for _ in range(12):
        calibrator.measured(estimate(messages), 2 * guess)
    assert calibrator.tokens(messages) == pytest.approx(2 * guess, rel=0.05)


@pytest.mark.parametrize(("estimated", "actual"), [(0, 10), (10, 0), (10, 1000), (1000, 10), (-5, 5)])
def test_nonsense_teaches_nothing(estimated: int, actual: int) -> None:
    calibrator = Calibrator()
    calibrator.measured(estimated, actual)
    assert calibrator.ratio == 1.0
