"""Tables for platforms that draw none: aligned where narrow, lists where wide, code or other text left alone."""

from __future__ import annotations

import pytest

from platforms.graphemes import width
from platforms.tables import redrawn


@pytest.mark.parametrize(
    ("text", "columns"),
    [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("👨‍👩‍👧", 2), ("👍🏽", 2), ("❤️", 2), ("🇯🇵", 2), ("a\u200bb", 2)],
)
def test_columns(text: str, columns: int) -> None:
    assert width(text) == columns


def test_cells_are_aligned_as_the_table_says() -> None:
    table = "a | b | c\n:-- | :-: | --:\n**x** | `y` | z \\| 1\nlonger | longer | \nshort"
    assert redrawn(table).split("\n") == [
        "```",
        "a      |   b    |     c",
        "-------+--------+------",
        "x      |   y    | z | 1",
        "longer | longer |",
        "```",
        "",
        "short",
    ]


def test_a_table_in_a_list_keeps_its_indentation() -> None:
    assert redrawn("- a\n\n  | x | y |\n  |---|---|\n  | 1 | 2 |") == (
        "- a\n\n  ```\n  x | y\n  --+--\n  1 | 2\n  ```"
    )


def test_too_wide_a_table_is_a_list_for_each_row_without_empty_cells() -> None:
    table = "| a | b | c |\n|---|---|---|\n| one | two<br>three | |\n| 1 | | " + "3" * 60 + " |\n"
    assert redrawn(table) == "**a**: one\n- **b**: two / three\n\n**a**: 1\n- **c**: " + "3" * 60 + "\n"


def test_rows_at_the_top_go_on_a_table_of_the_part_before() -> None:
    assert redrawn("| 1 | 22 |\n| 333 | 4 |\n\nafter") == "```\n1   | 22\n333 | 4\n```\n\nafter"
    assert redrawn("text\n| 1 | 22 |\n| 333 | 4 |") == "text\n| 1 | 22 |\n| 333 | 4 |"


def test_as_written_takes_the_least_room() -> None:
    assert (
        redrawn("| a | b |\n|---|---|\n| long one | 2 |", None) == "```\n| a | b |\n|---|---|\n| long one | 2 |\n```"
    )


@pytest.mark.parametrize(
    "text",
    [
        "```\n| a | b |\n|---|---|\n```",
        "> | a | b |\n> |---|---|",
        "a | b\nno rule",
        "| a | b |\n|---|",
        "||secret||\nnext",
        "|x| is positive",
        "",
    ],
)
def test_other_text_stays(text: str) -> None:
    assert redrawn(text) == text
