"""The closing instruction, as a model reads it."""

from __future__ import annotations

from typing import Any

import pytest

from gateway.models.tokens import estimate
from gateway.reviews.prompts import FOCUS_CHARS, instruction, question
from gateway.state.review_records import ReviewKind
from gateway.transcript import Message

ABOUT: tuple[ReviewKind, ...] = ("memory",)
SKILLS, MEMORY = "Skills (the tool", "Memory (the tool"


@pytest.mark.parametrize(
    ("kinds", "held", "left_out"),
    [
        (("memory",), [MEMORY], [SKILLS]),
        (("skill",), [SKILLS, "skill_view before you change it"], [MEMORY]),
        (("memory", "skill"), [MEMORY, SKILLS], []),
    ],
)
def test_it_is_about_what_is_due(kinds: Any, held: list[str], left_out: list[str]) -> None:
    text = instruction(kinds)
    assert all(each in text for each in held)
    assert not any(each in text for each in left_out)
    assert "Nothing is a good result" in text
    assert "secrets" in text
    assert estimate([Message("user", text)]) < 650


def test_focus_and_live_entries_come_with_it() -> None:
    text = instruction(ABOUT, focus=" the deploys ", live="[Innkeeper] Memory changed: …", fresh=3)
    assert "look at this above all: the deploys\n" in text
    assert "[Innkeeper] Memory changed: …" in text
    assert "all but the last 3 of the person's messages" in text
    bare = instruction(ABOUT)
    assert "above all" not in bare
    assert "earlier look back" not in bare


def test_a_long_focus_is_cut() -> None:
    assert len(instruction(ABOUT, focus="x" * 9_000)) < FOCUS_CHARS + 3_000


def test_a_model_without_tools_is_asked_for_json_about_its_stores() -> None:
    text = question(("user",), focus="names")
    assert '{"keep": []}' in text
    assert 'target ("user")' in text
    assert "memory is for" not in text
    assert "above all: names" in text
    assert '"user" or "memory"' not in text
    assert '"memory" or "user"' in question(("memory", "user"))
