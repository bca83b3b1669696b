"""Where nodes stand in a picture: by time, within their band, and none upon another while there is room."""

from __future__ import annotations

from itertools import combinations

import pytest

from gateway.drawing.layout import Box, Spot, bands, place
from gateway.drawing.span import Span
from memory.journey.model import Timeline
from tests.drawing.made import NOW, inn, many, node

PLOT = Box(60, 150, 1220, 590)


def placed(timeline: Timeline, *numbered: str) -> dict[str, Spot]:
    nodes = timeline.nodes
    span = Span.over(nodes[0].at, nodes[-1].at)
    return place(nodes, span, bands(nodes, PLOT, 34), {each: at for at, each in enumerate(numbered, 1)})


def test_kinds_have_bands_of_their_own_and_those_that_are_not_there_have_none() -> None:
    three = bands(inn().nodes, PLOT, 34)
    assert list(three) == ["skill", "memory", "user"]
    assert three["skill"].bottom + 34 == pytest.approx(three["memory"].top)
    assert three["user"].bottom == pytest.approx(PLOT.bottom)
    assert bands([node("x", "user", "x", NOW)], PLOT, 34) == {"user": PLOT}


@pytest.mark.parametrize("count", [2, 50, 300])
def test_nothing_stands_upon_anything_else(count: int) -> None:
    timeline = many(count, 70)
    spots = placed(timeline, *(each.id for each in timeline.nodes[-5:]))
    assert len(spots) == count
    for one, other in combinations(spots.values(), 2):
        assert (one.x - other.x) ** 2 + (one.y - other.y) ** 2 > (one.radius + other.radius - 1) ** 2


@pytest.mark.parametrize("count", [1, 50, 5000])
def test_all_stand_within_the_plot_and_in_their_band(count: int) -> None:
    timeline = many(count)
    within, spots = bands(timeline.nodes, PLOT, 34), placed(timeline)
    for each in timeline.nodes:
        box, spot = within[each.kind], spots[each.id]
        assert box.left <= spot.x <= box.right
        assert box.top <= spot.y <= box.bottom


def test_time_runs_from_left_to_right() -> None:
    spots = placed(inn())
    firsts = [spots[each.id].x for each in inn().nodes if each.kind == "memory"]
    assert firsts == sorted(firsts)
    assert spots["0a1b2c3d"].x < 130
    assert spots["hand:5a1b2c"].x > 1150


def test_more_than_there_is_room_for_are_heaped_up_and_none_is_lost() -> None:
    same = Timeline(tuple(node(f"{each:x}", "user", "x", NOW) for each in range(3000)), ())
    assert len(placed(same)) == 3000


def test_numbers_are_those_that_were_asked_for() -> None:
    spots = placed(inn(), "skill:old-ways", "0a1b2c3d")
    assert {name: each.number for name, each in spots.items() if each.number} == {"skill:old-ways": 1, "0a1b2c3d": 2}
