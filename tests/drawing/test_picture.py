"""What was learnt as a PNG: its size, its bytes, and what stands in its pixels."""

from __future__ import annotations

from datetime import UTC
from io import BytesIO

import pytest
from PIL import Image

from gateway.drawing import picture as drawing
from gateway.drawing.layout import Box, bands, place
from gateway.drawing.picture import KINDS, picture
from gateway.drawing.span import Span
from memory.journey.model import Edge, Kind, State, Timeline
from tests.drawing.made import NOW, inn, many, node

HEAVIEST = 300_000
Pixel = tuple[int, int, int]


def opened(data: bytes) -> Image.Image:
    return Image.open(BytesIO(data)).convert("RGB")


def near(found: Pixel, wanted: Pixel, by: int = 40) -> bool:
    return all(abs(one - other) <= by for one, other in zip(found, wanted, strict=True))


def pixel(image: Image.Image, x: float, y: float) -> Pixel:
    found = image.getpixel((round(x), round(y)))
    assert isinstance(found, tuple)
    return found[0], found[1], found[2]


def middle(timeline: Timeline, name: str) -> tuple[float, float]:
    """Where a node stands in the usual picture."""
    nodes = timeline.nodes
    plot = Box(drawing.MARGIN + 12, drawing.ABOVE, 1280 - drawing.MARGIN - 12, 720 - drawing.BELOW)
    spots = place(nodes, Span.over(nodes[0].at, nodes[-1].at), bands(nodes, plot, 34), {})
    return spots[name].x, spots[name].y


@pytest.mark.parametrize("count", [0, 1, 50, 5000])
def test_a_png_of_the_usual_size_that_is_not_heavy(count: int) -> None:
    data = picture(many(count), UTC, numbered=[each.id for each in many(count).nodes[-5:]])
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(data) < HEAVIEST
    assert opened(data).size == (1280, 720)


def test_the_same_timeline_gives_the_same_bytes() -> None:
    assert picture(many(50), UTC) == picture(many(50), UTC)
    assert picture(many(50), UTC) != picture(many(51), UTC)


@pytest.mark.parametrize("kind", ["skill", "memory", "user"])
def test_each_kind_has_its_colour_where_it_stands(kind: Kind) -> None:
    timeline = Timeline([node("one", kind, "x", NOW)], ())
    assert near(pixel(opened(picture(timeline, UTC)), *middle(timeline, "one")), KINDS[kind])


@pytest.mark.parametrize(("state", "filled"), [("kept", True), ("changed", True), ("archived", False)])
def test_what_was_put_away_is_hollow(state: State, filled: bool) -> None:
    timeline = Timeline([node("one", "user", "x", NOW, state=state)], ())
    found = pixel(opened(picture(timeline, UTC)), *middle(timeline, "one"))
    assert near(found, KINDS["user"]) is filled
    assert near(found, drawing.TOP, 12) is not filled


def test_what_was_not_used_for_long_is_dim() -> None:
    timeline = Timeline([node("one", "user", "x", NOW, state="stale")], ())
    found = pixel(opened(picture(timeline, UTC)), *middle(timeline, "one"))
    assert drawing.BOTTOM[0] + 40 < found[0] < KINDS["user"][0] - 40


def test_an_edge_is_drawn_between_its_ends() -> None:
    nodes = [node("one", "skill", "x", NOW), node("two", "skill", "y", NOW + 9e5)]
    apart = opened(picture(Timeline(nodes, ()), UTC))
    joined = opened(picture(Timeline(nodes, [Edge("one", "two", "related")]), UTC))
    column = [(640, y) for y in range(drawing.ABOVE - 40, 590)]
    changed = [at for at in column if not near(pixel(apart, *at), pixel(joined, *at), 30)]
    assert changed
    assert max(each[1] for each in changed) - min(each[1] for each in changed) < 12
    lost = opened(picture(Timeline(nodes, [Edge("one", "gone", "related")]), UTC))
    assert lost.tobytes() == apart.tobytes()


def test_numbers_stand_on_the_points_that_they_were_given_to() -> None:
    bare, numbered = opened(picture(inn(), UTC)), opened(picture(inn(), UTC, numbered=["0a1b2c3d"]))
    assert bare.tobytes() != numbered.tobytes()
    others = opened(picture(inn(), UTC, numbered=["nobody"]))
    assert others.tobytes() == bare.tobytes()


def test_no_words_of_people_are_in_it() -> None:
    """So no letter can be missing from the font."""
    other = Timeline([node(each.id, each.kind, "誕生日 <b>", each.at, state=each.state) for each in inn().nodes], ())
    assert picture(Timeline(inn().nodes, ()), UTC) == picture(other, UTC)


def test_all_words_that_are_drawn_are_in_the_font() -> None:
    from PIL import ImageFont

    font = ImageFont.load_default(18)
    assert isinstance(font, ImageFont.FreeTypeFont)
    nothing = bytes(font.getmask("\U000f0000"))
    missing = [
        each
        for each in "What was learnt things abcdefghijklmnopqrstuvwxyz 0123456789,·:JFMASOND"
        if each != " " and bytes(font.getmask(each)) == nothing
    ]
    assert nothing
    assert missing == []


@pytest.mark.parametrize(
    ("asked", "given"), [((800, 450), (800, 450)), ((1, 1), (640, 360)), ((1920, 1080), (1920, 1080))]
)
def test_other_sizes(asked: tuple[int, int], given: tuple[int, int]) -> None:
    assert opened(picture(inn(), UTC, width=asked[0], height=asked[1])).size == given
