"""What was learnt as lines for a terminal, as they are read at 40, 60 and 100 columns."""

from __future__ import annotations

from datetime import UTC
from io import StringIO
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from rich.console import Console
from rich.text import Text

from gateway.drawing.strip import PLAIN, Look, strip
from memory.journey.model import Timeline
from tests.drawing.made import NOW, at, inn, many, node


def plain(lines: list[Text]) -> list[str]:
    return [each.plain.rstrip() for each in lines]


def kept(name: str) -> list[str]:
    """How it looked when somebody last looked at it."""
    return Path(__file__).with_name(name).read_text("utf-8").splitlines()


def coloured(lines: list[Text]) -> str:
    out = StringIO()
    console = Console(file=out, force_terminal=True, color_system="256", width=200)
    for each in lines:
        console.print(each)
    return out.getvalue()


def test_at_60_columns() -> None:
    assert plain(strip(inn(), Look(60, UTC))) == kept("inn_at_60.txt")


def test_at_100_columns_ids_stand_at_the_end() -> None:
    assert plain(strip(inn(), Look(100, UTC))) == kept("inn_at_100.txt")


def test_at_40_columns() -> None:
    assert plain(strip(inn(), Look(40, UTC))) == kept("inn_at_40.txt")


def test_a_terminal_that_knows_english_letters_only_gets_no_others() -> None:
    english = Timeline([each for each in inn().nodes if each.title.isascii()], inn().edges)
    lines = plain(strip(english, Look(60, UTC, PLAIN)))
    assert lines == kept("inn_in_english.txt")


@given(st.lists(st.text(), min_size=1, max_size=5), st.integers(20, 120))
def test_no_line_is_wider_than_it_may_be(titles: list[str], width: int) -> None:
    nodes = [node(f"{number:08x}", "memory", title, NOW + number) for number, title in enumerate(titles)]
    assert max(each.cell_len for each in strip(Timeline(nodes, ()), Look(width, UTC))) <= width


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
@pytest.mark.parametrize("count", [1, 50, 1000])
def test_every_density_keeps_to_the_width_and_the_height(width: int, count: int) -> None:
    for height in (None, 400, 40, 12, 6):
        lines = strip(many(count), Look(width, UTC), height)
        assert max(each.cell_len for each in lines) <= width
        assert height is None or len(lines) <= height


def test_less_room_sums_up_days_then_months_then_years() -> None:
    timeline = many(60, 400)
    days, months, years, least = (plain(strip(timeline, Look(60, UTC), height)) for height in (70, 25, 9, 4))
    assert [line for line in days if " · Thing" in line]
    assert months[3:6] == snapshot(["", "October 2025   ◆◆◆◆◆ 1", "November 2025  ◆◆◆◆◆◆◆◆◆◆●●●●●●●●●●●●●● 5"])
    assert years[3:] == snapshot(
        ["", "2025           ◆◆◆●●● 7", "2026           ★★★★★★◆◆◆◆◆◆◆◆◆◆◆◆◆◆◆◆◆◆◆◆◆●●●●●●●●●●●●●●● 53"]
    )
    assert least[3:] == snapshot(["", "… 60 earlier"])


def test_the_day_is_that_of_the_zone() -> None:
    late = Timeline([node("x", "user", "late", at(2026, 11, 30, 23))], ())
    assert plain(strip(late, Look(60, UTC)))[-1].startswith("Mon 30")
    assert plain(strip(late, Look(60, ZoneInfo("Asia/Tokyo"))))[-2:] == ["December 2026", "Tue  1   ● late"]


def test_until_a_moment_nothing_that_came_later_is_there() -> None:
    lines = plain(strip(inn(), Look(60, UTC), until=at(2026, 10, 3, 9)))
    assert lines == [
        "What was learnt  1 thing  3 October 2026",
        "● 1 about people",
        "",
        "October 2026",
        "Sat  3   ● Prefers short answers",
    ]


def test_nothing_learnt_says_so() -> None:
    assert plain(strip(Timeline((), ()), Look(60, UTC))) == ["Nothing was learnt yet."]


def test_kinds_have_colours_besides_their_signs() -> None:
    shown = coloured(strip(inn(), Look(100, UTC)))
    assert "\x1b[32m★" in shown
    assert "\x1b[94m◆" in shown
    assert "\x1b[33m●" in shown


def test_a_title_gives_the_terminal_no_orders() -> None:
    nasty = Timeline([node("x", "user", "a\x1b[2J\x1b]0;title\x07b\rc\u202ed", NOW)], ())
    (line,) = [each for each in plain(strip(nasty, Look(60, UTC))) if "title" in each]
    assert line.endswith("● a[2J]0;titleb cd")
    assert "\x1b[2J" not in coloured(strip(nasty, Look(60, UTC)))
