"""What Telegram demands of ranges: no format inside code, no quote inside a quote, none that cross."""

from __future__ import annotations

from platforms.telegram.entities import MOST, Range, nested


def test_ranges_that_stand_well_stay() -> None:
    well = [
        Range("bold", 0, 9),
        Range("italic", 2, 3),
        Range("text_link", 10, 4, url="https://x.y"),
        Range("pre", 20, 5),
    ]
    assert nested(reversed(well)) == well


def test_styles_leave_out_the_code_in_them() -> None:
    assert nested([Range("bold", 0, 9), Range("code", 3, 2)]) == [
        Range("bold", 0, 3),
        Range("code", 3, 2),
        Range("bold", 5, 4),
    ]
    assert nested([Range("spoiler", 0, 5), Range("code", 0, 5)]) == [Range("code", 0, 5)]


def test_what_crosses_is_cut() -> None:
    assert nested([Range("bold", 0, 6), Range("spoiler", 3, 6)]) == [
        Range("bold", 0, 3),
        Range("bold", 3, 3),
        Range("spoiler", 3, 3),
        Range("spoiler", 6, 3),
    ]
    assert nested([Range("text_link", 0, 6, url="u"), Range("italic", 3, 6)]) == [
        Range("text_link", 0, 6, url="u"),
        Range("italic", 3, 3),
        Range("italic", 6, 3),
    ]


def test_the_outer_quote_stays() -> None:
    assert nested([Range("blockquote", 0, 9), Range("blockquote", 2, 4)]) == [Range("blockquote", 0, 9)]


def test_no_more_are_cut_than_a_message_may_have() -> None:
    many = [Range("bold", 0, 4000), *(Range("code", 2 * at, 1) for at in range(1, 2000))]
    assert sum(each.kind == "code" for each in nested(many)) == MOST - 1
