"""What must hold of any text, any limit and either unit when it is split, and while it grows."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from platforms.adapter import Unit
from platforms.chunking import FENCES_FROM, join, length, split
from platforms.graphemes import is_boundary

UNITS: list[Unit] = ["utf16", "codepoint"]
FAMILY = "👨‍👩‍👧"
PIECES = [
    "word ", "a", "naïve ", "e\u0301", "😀", FAMILY, "👍🏽", "❤️", "🇯🇵", "🇩", "1️⃣", "한", "\u1112\u1161\u11ab",
    "क्षि", "漢字。", "」", "、", ". ", "! ", "\n", "\n\n", "\r\n", "\t", "    ", "\u00a0", "\u200d", "\ud83d",
    "\ude00", "```", "```py\n", "```\n", "\n```\n", "~~~\n", "````\n", "  ```js x=1\n", "`", "``", "x" * 30,
    "| a | b |\n", "|---|---|\n", "\n| 1 |",
]  # fmt: skip

texts = st.one_of(
    st.text(max_size=400),
    st.lists(st.sampled_from(PIECES), max_size=120).map("".join),
    st.lists(st.sampled_from([piece for piece in PIECES if set("`~\n") & set(piece)]), max_size=80).map("".join),
    st.lists(st.sampled_from([piece for piece in PIECES if set("|. ") & set(piece)]), max_size=80).map("".join),
    st.text(alphabet=" \n\t\u3000", max_size=300),
)
limits = st.integers(FENCES_FROM, 200)
small_limits = st.integers(2, FENCES_FROM - 1)
units = st.sampled_from(UNITS)


def check_parts(text: str, parts: list[str], limit: int, unit: Unit) -> None:
    assert all(0 < length(part, unit) <= limit for part in parts)
    assert bool(parts) == bool(text)


@given(texts, limits, units)
@example("😀" * 2049, 4096, "utf16")
@example("😀" * 5000, 4096, "utf16")
@example("a" * 4095 + FAMILY, 4096, "utf16")
@example("a" * 4095 + "e\u0301", 4096, "utf16")
@example("\ud83d" * 5000, 4096, "utf16")
@example(" " * 9000, 4096, "utf16")
@example("x" * 50_000, 4096, "utf16")
@example("```\n" + "`" * 500 + "\n```", 100, "codepoint")
def test_parts_fit_and_join_to_the_text(text: str, limit: int, unit: Unit) -> None:
    parts = split(text, limit, unit)
    check_parts(text, parts, limit, unit)
    assert join(parts) == text
    if "```" not in text and "~~~" not in text:
        assert "".join(parts) == text


@given(texts, small_limits, units)
def test_small_limits_insert_nothing(text: str, limit: int, unit: Unit) -> None:
    parts = split(text, limit, unit)
    check_parts(text, parts, limit, unit)
    assert "".join(parts) == text


@given(texts, texts, st.one_of(small_limits, limits), units)
@settings(max_examples=200)
def test_parts_of_a_growing_text_stay_but_for_the_last(text: str, more: str, limit: int, unit: Unit) -> None:
    before, after = split(text, limit, unit), split(text + more, limit, unit)
    assert after[: max(len(before) - 1, 0)] == before[:-1]


@given(texts, limits, units)
def test_no_cut_breaks_a_character(text: str, limit: int, unit: Unit) -> None:
    if "```" in text or "~~~" in text:
        text = text.replace("`", "'").replace("~", "-")
    at = 0
    for part in split(text, limit, unit)[:-1]:
        start, at = at, at + len(part)
        whole = next((back for back in range(at, start, -1) if is_boundary(text, back, start)), None)
        assert whole == at or whole is None  # None: one character fills the whole part
        assert not (0xD800 <= ord(text[at - 1]) < 0xDC00 <= ord(text[at]) <= 0xDFFF and at - start > 1)


@pytest.mark.parametrize(
    "character",
    [
        FAMILY,
        "👍🏽",
        "❤️",
        "🇯🇵",
        "1️⃣",
        "e\u0301",
        "\r\n",
        "\u1112\u1161\u11ab",
        "क्षि",
        "\ud83d\ude00",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
        "🏳️‍🌈",
        "ｶﾞ",
    ],
)
@pytest.mark.parametrize("unit", UNITS)
def test_a_character_on_the_border_goes_to_the_next_part(character: str, unit: Unit) -> None:
    for fill in range(64 - length(character, unit) + 1, 64):
        parts = split("a" * fill + character + "b" * 40, 64, unit)
        assert parts == ["a" * fill, character + "b" * 40]


def test_flags_are_cut_between_pairs() -> None:
    parts = split("🇯🇵" * 50, 65, "codepoint")
    assert [len(part) for part in parts] == [64, 36]


@given(texts, limits)
def test_both_units_agree_on_plain_text(text: str, limit: int) -> None:
    if all(ord(character) < 0x10000 for character in text):
        assert split(text, limit, "utf16") == split(text, limit, "codepoint")
    assert length(text, "utf16") == sum(1 + (ord(character) > 0xFFFF) for character in text)


def test_marks_are_known_to_the_standard_library_in_use() -> None:
    assert unicodedata.category("\u0301") == "Mn"
    assert not is_boundary("e\u0301", 1)
    assert is_boundary("\n\u0301", 1)
