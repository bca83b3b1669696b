"""The grammar behind /cron: where a time ends, what is an option, and that the request is kept to the letter."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.cron_grammar import Unclear, added, cut, edited, wish

TEXT = st.text(alphabet=st.sampled_from("ab |\n:-_" + "promtnae" + "é🙂"), max_size=40)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("daily at 9:00|x", {"when": "daily at 9:00", "prompt": "x"}),
        ("daily at 9:00\n\nx\ny", {"when": "daily at 9:00", "prompt": "x\ny"}),
        ("daily at 9:00 |\nx", {"when": "daily at 9:00", "prompt": "x"}),
        ("when: daily at 9:00 | x", {"when": "daily at 9:00", "prompt": "x"}),
        ("0 9 * * 1-5 | TZ: UTC | x", {"when": "0 9 * * 1-5", "zone": "UTC", "prompt": "x"}),
        ("at 7 | Silent  Unless: a: b | x", {"when": "at 7", "silent_unless": "a: b", "prompt": "x"}),
        ("at 7 | x | y | model: a/b", {"when": "at 7", "prompt": "x | y", "model": "a/b"}),
        ("at 7 | x\nmodel: a/b", {"when": "at 7", "prompt": "x\nmodel: a/b"}),
        ("at 7 | Note: buy milk", {"when": "at 7", "prompt": "Note: buy milk"}),
        ("at 7 | zone: UTC", {"when": "at 7", "zone": "UTC"}),
    ],
)
def test_a_line_and_its_parts(text: str, parts: dict[str, str]) -> None:
    assert added(text) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("daily at 9:00", {"when": "daily at 9:00"}),
        ("daily at 9:00 | name: a\nto: here", {"when": "daily at 9:00", "name": "a", "to": "here"}),
        ("prompt: a | name: b", {"prompt": "a | name: b"}),
        ("prompt:\na\nb", {"prompt": "a\nb"}),
        ("name: a | prompt: b\nc", {"name": "a", "prompt": "b\nc"}),
    ],
)
def test_a_change_and_its_parts(text: str, parts: dict[str, str]) -> None:
    assert edited(text) == parts


def test_values_as_they_are_meant() -> None:
    meant = wish({"skills": "a, /b a", "budget": "1,500", "to": "this chat", "model": "default"}, "telegram:1")
    assert (meant.skills, meant.budget, meant.chat, meant.model) == (("a", "b"), 1500, "telegram:1", "")
    cleared = wish({"skills": "none", "budget": "none", "to": "none", "silent_unless": "-"}, "telegram:1")
    assert (cleared.skills, cleared.budget, cleared.chat, cleared.silent_unless) == ((), 0, "", "")
    assert wish({}, "").chat is None


@given(TEXT)
def test_a_request_after_its_name_is_kept_to_the_letter(text: str) -> None:
    body = text.strip()
    if not body or "|" in body:
        return
    assert added(f"daily at 9:00 | prompt: {body}")["prompt"] == body
    assert edited(f"name: x | prompt: {body}")["prompt"] == body


@given(TEXT)
def test_any_text_is_read_or_refused_with_words(text: str) -> None:
    for read in (added, edited):
        with contextlib.suppress(Unclear):
            assert all(value.strip() for value in read(text).values())
    head, rest = cut(text)
    assert "|" not in head
    assert "\n" not in head
    assert len(head) + len(rest) <= len(text)
