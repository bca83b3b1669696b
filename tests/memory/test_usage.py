"""One count for every surface."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.entries import serialise
from memory.usage import Usage, usage


@given(st.lists(st.text(max_size=30), max_size=8), st.integers(1, 300))
def test_the_count_is_the_length_of_the_joined_text(entries: list[str], limit: int) -> None:
    counted = usage(entries, limit)
    assert counted.chars == len(serialise(entries))
    assert 0 <= counted.percent <= 100
    assert counted.over == max(0, counted.chars - limit)


@pytest.mark.parametrize(
    ("entries", "limit", "chars", "percent"),
    [
        ([], 2_200, 0, 0),
        (["x" * 7] * 10, 100, 97, 97),
        (["👨‍👩‍👧"], 100, 5, 5),
        (["x" * 99], 1_000, 99, 9),
        (["x" * 100], 100, 100, 100),
        (["x" * 250], 100, 250, 100),
        ([], 0, 0, 100),
    ],
)
def test_counting_in_code_points_with_separators(entries: list[str], limit: int, chars: int, percent: int) -> None:
    assert usage(entries, limit) == Usage(chars, limit, percent)


def test_both_text_forms() -> None:
    assert str(usage(["x" * 1_474], 2_200)) == "67% — 1,474/2,200 chars"
    assert usage(["x" * 2_100], 2_200).fraction == "2,100/2,200"


def test_what_has_to_go_counts_the_separator_of_the_new_entry() -> None:
    assert usage(["x" * 2_100, "y" * 250], 2_200).over == 153
