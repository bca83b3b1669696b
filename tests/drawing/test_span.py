"""A stretch of time as a line: where moments lie, and which of them are written beside it."""

from __future__ import annotations

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.drawing.span import Span, ticks
from tests.drawing.made import DAY, NOW, at


def test_a_single_moment_stands_in_the_middle() -> None:
    span = Span.over(NOW, NOW)
    assert span.part(NOW) == pytest.approx(0.5)
    assert span.end > span.start


def test_what_lies_outside_stands_at_the_end() -> None:
    span = Span.over(at(2026, 1, 1), at(2026, 2, 1))
    assert (span.part(0), span.part(NOW)) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("first", "last", "labels"),
    [
        (
            at(2026, 11, 29, 9),
            at(2026, 11, 29, 21),
            ["03:00", "06:00", "09:00", "12:00", "15:00", "18:00", "21:00", "30 Nov", "03:00"],
        ),
        (at(2026, 12, 28), at(2027, 1, 2), ["29 Dec 2026", "30 Dec", "31 Dec", "1 Jan 2027", "2 Jan"]),
        (at(2026, 9, 27), at(2026, 11, 28), ["1 Oct 2026", "15 Oct", "1 Nov", "15 Nov"]),
        (
            at(2025, 10, 10),
            at(2026, 6, 20),
            ["Nov 2025", "Dec", "Jan 2026", "Feb", "Mar", "Apr", "May", "Jun"],
        ),
        (at(1990, 1, 1), at(2026, 1, 1), ["1990", "1995", "2000", "2005", "2010", "2015", "2020", "2025"]),
    ],
)
def test_what_is_written_beside_the_line(first: float, last: float, labels: list[str]) -> None:
    assert [label for _, label in ticks(Span.over(first, last), UTC, 9)] == labels


def test_days_are_those_of_the_zone() -> None:
    (first, _), *_ = ticks(Span.over(at(2026, 12, 28), at(2027, 1, 2)), ZoneInfo("Asia/Tokyo"), 9)
    assert first == at(2026, 12, 28, 15)


@given(st.floats(0, 4e9), st.floats(0, 4e9), st.integers(1, 12))
def test_there_are_never_more_than_asked_for_and_all_lie_on_the_line(one: float, other: float, most: int) -> None:
    span = Span.over(min(one, other), max(one, other))
    found = [moment for moment, _ in ticks(span, UTC, most)]
    assert len(found) <= most
    assert found == sorted(found)
    assert all(span.start <= each <= span.end for each in found)


def test_the_end_of_the_calendar_is_no_trouble() -> None:
    assert ticks(Span.over(2e11, 2.5e11), UTC, 9) == []
    assert len(ticks(Span.over(-6e10, 2.5e11 - 6e10 * 0.1 + DAY), UTC, 200)) <= 200
