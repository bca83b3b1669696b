"""Words in drawings: nothing that a terminal obeys, and dates that read well."""

from __future__ import annotations

from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.drawing.words import counts, one_line, span, things
from tests.drawing.made import at, inn, node


@pytest.mark.parametrize(
    ("written", "drawn"),
    [
        ("two\nlines\r\nand\ttabs ", "two lines and tabs"),
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("\x9b31mred", "31mred"),
        ("turned \u202eround\u2066 here", "turned round here"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("👩‍👧 stays together", "👩‍👧 stays together"),
        ("line\u2028separator", "line separator"),
    ],
)
def test_a_title_is_one_line_that_no_terminal_obeys(written: str, drawn: str) -> None:
    assert one_line(written) == drawn


@given(st.text())
def test_no_text_at_all_reaches_a_terminal_as_an_order(text: str) -> None:
    line = one_line(text)
    assert not [each for each in line if ord(each) < 0x20 or 0x7F <= ord(each) < 0xA0]
    assert one_line(line) == line
    line.encode("utf-8")


@pytest.mark.parametrize(
    ("moments", "told"),
    [
        ((at(2026, 11, 30),), "30 November 2026"),
        ((at(2026, 11, 12), at(2026, 11, 29)), "12 to 29 November 2026"),
        ((at(2026, 10, 12), at(2026, 11, 9)), "12 October to 9 November 2026"),
        ((at(2025, 11, 12), at(2026, 11, 9)), "12 November 2025 to 9 November 2026"),
        ((), ""),
    ],
)
def test_a_stretch_of_days_says_nothing_twice(moments: tuple[float, ...], told: str) -> None:
    assert span([node("x", "user", "x", each) for each in moments], UTC) == told


def test_what_there_is_is_counted_by_kind() -> None:
    assert counts(inn().nodes) == [("skill", "2 skills"), ("memory", "4 memories"), ("user", "2 about people")]
    assert counts(inn().nodes[:2]) == [("memory", "1 memory"), ("user", "1 about people")]
    assert (things(1), things(5000)) == ("1 thing", "5,000 things")
