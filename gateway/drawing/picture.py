"""What was learnt as a picture: a PNG, drawn by Pillow alone, for chats that cannot show a page.

Owns colours and shapes; where things stand is `layout`'s. No text of a model or a person stands in it: points carry
numbers, and the message beside it says what they are. So no font lacks a letter, and nothing has to be masked.
Pillow is imported when used. The same timeline gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import tzinfo
from io import BytesIO
from math import cos, hypot, pi, sin
from random import Random
from typing import TYPE_CHECKING

from gateway.drawing import words
from gateway.drawing.layout import Box, Spot, bands, place
from gateway.drawing.span import Span, ticks
from memory.journey.model import Edge, Kind, Node, State, Timeline, Why

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

Colour = tuple[int, int, int]

MEDIA_TYPE = "image/png"
LIGHT = 280_000
"""Bytes that a picture may have before it is given fewer colours."""

LARGEST = 4096
"""Pixels of a side at most."""

TOP, BOTTOM = (13, 17, 38), (24, 22, 52)
INK, FAINT, LINE = (233, 236, 248), (139, 148, 182), (62, 69, 108)
KINDS: dict[Kind, Colour] = {"skill": (126, 231, 168), "memory": (112, 176, 255), "user": (255, 186, 92)}
EDGES: dict[Why, Colour] = {"session": (122, 132, 178), "named": (255, 220, 140), "related": (200, 150, 255)}
EDGE_WORDS: dict[Why, str] = {"session": "same conversation", "named": "names a skill", "related": "go together"}
DIM: dict[State, float] = {"kept": 1.0, "changed": 1.0, "stale": 0.5, "archived": 0.6, "removed": 0.6}
STATE_WORDS: dict[State, str] = {
    "changed": "changed since",
    "stale": "not used for long",
    "archived": "put away",
    "removed": "removed",
}

MARGIN, ABOVE, BELOW = 48, 150, 128
EDGES_SHOWN = 300
FINE = 2
"""Everything but text is drawn so many times as large, and made small again: that makes edges smooth."""


def picture(
    timeline: Timeline, zone: tzinfo, *, numbered: Sequence[str] = (), width: int = 1280, height: int = 720
) -> bytes:
    """A PNG. Nodes whose ids stand in `numbered` carry 1, 2, 3 and so on; `width` and `height` are pixels, from 640
    by 360 to `LARGEST`."""
    width, height = min(LARGEST, max(640, width)), min(LARGEST, max(360, height))
    nodes = sorted(timeline.nodes, key=lambda each: each.at)
    sky = _sky(width, height)
    plot = Box(MARGIN + 12, ABOVE, width - MARGIN - 12, height - BELOW)
    span = Span.over(nodes[0].at, nodes[-1].at) if nodes else None
    spots: dict[str, Spot] = {}
    if span is not None:
        within = bands(nodes, plot, 34)
        spots = place(nodes, span, within, {each: number for number, each in enumerate(numbered, 1)})
        _grid(sky, [plot.left + span.part(at) * (plot.right - plot.left) for at, _ in ticks(span, zone, 9)], plot)
        _arcs(sky, timeline.edges, spots, plot)
        _points(sky, nodes, spots)
    return _png(_lettered(sky.reduce(FINE), nodes, timeline.edges, spots, span, zone, plot))


def _png(image: Image) -> bytes:
    """All colours where they take little room, else the 256 that matter most."""
    from PIL.Image import Dither, Quantize

    whole, few = BytesIO(), BytesIO()
    image.save(whole, "PNG", optimize=True)
    if whole.tell() <= LIGHT:
        return whole.getvalue()
    reduced = image.quantize(256, method=Quantize.MAXCOVERAGE, kmeans=1, dither=Dither.NONE)
    reduced.save(few, "PNG", optimize=True)
    return few.getvalue()


def _sky(width: int, height: int) -> Image:
    """The night that everything stands on: darker above, with small stars that mean nothing."""
    from PIL import Image, ImageDraw

    column = Image.new("RGB", (1, height * FINE))
    column.putdata([_mixed(TOP, BOTTOM, y / (height * FINE)) for y in range(height * FINE)])
    sky = column.resize((width * FINE, height * FINE))
    pen, chance = ImageDraw.Draw(sky, "RGBA"), Random(1)
    for _ in range(width * height // 9000):
        x, y, size = chance.random() * width * FINE, chance.random() * height * FINE, chance.choice((1, 1, 2))
        pen.ellipse((x, y, x + size, y + size), (255, 255, 255, chance.randrange(30, 110)))
    return sky


def _grid(sky: Image, columns: Sequence[float], plot: Box) -> None:
    from PIL import ImageDraw

    pen, foot = ImageDraw.Draw(sky, "RGBA"), (plot.bottom + 22) * FINE
    for x in columns:
        pen.line((x * FINE, plot.top * FINE, x * FINE, foot), (*LINE, 70), FINE)
    pen.line((MARGIN * FINE, foot, sky.width - MARGIN * FINE, foot), (*LINE, 255), FINE)


def _arcs(sky: Image, edges: Sequence[Edge], spots: dict[str, Spot], plot: Box) -> None:
    """What belongs together, as arcs that rise over it; of many, the newest, and fainter."""
    from PIL import Image, ImageDraw

    there = [each for each in edges if each.first in spots and each.second in spots]
    for why in ("session", "named", "related"):
        mine = [each for each in there if each.why == why][-EDGES_SHOWN:]
        if not mine:
            continue
        mask = Image.new("L", sky.size)
        pen = ImageDraw.Draw(mask)
        strength = max(40, (120 if why == "session" else 190) - len(mine))
        for edge in mine:
            curve = [(x * FINE, y * FINE) for x, y in _curve(spots[edge.first], spots[edge.second], plot.top - 20)]
            pen.line(curve, strength, FINE + 1, joint="curve")
        sky.paste(EDGES[why], (0, 0), mask)


def _curve(first: Spot, second: Spot, ceiling: float) -> Iterator[tuple[float, float]]:
    """A curve with two legs of the same slope, that never rises above `ceiling`."""
    across = abs(second.x - first.x)
    lift = 18 + min(150.0, across * 0.22)
    bent = max(2 * ceiling - max(first.y, second.y), min(first.y, second.y) - lift)
    middle = (first.x + second.x) / 2 + (first.y - second.y) * 0.12
    steps = max(8, min(48, int(hypot(across, first.y - second.y) / 8)))
    for step in range(steps + 1):
        t = step / steps
        a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t * t
        yield a * first.x + b * middle + c * second.x, a * first.y + b * bent + c * second.y


def _points(sky: Image, nodes: Sequence[Node], spots: dict[str, Spot]) -> None:
    """The nodes, each with a glow; those with numbers on top."""
    from PIL import ImageDraw

    pen = ImageDraw.Draw(sky, "RGBA")
    glows: dict[int, Image] = {}
    behind = sorted(nodes, key=lambda each: spots[each.id].number > 0)
    for node in behind:
        spot, dim = spots[node.id], DIM[node.state]
        if node.state in ("kept", "changed") or spot.number:
            reach = round(spot.radius * 2.4 * FINE)
            if reach not in glows:
                glows[reach] = _glow(reach, 120 if spot.radius > 4 else 60)
            corner = (round(spot.x * FINE) - reach, round(spot.y * FINE) - reach)
            sky.paste(KINDS[node.kind], corner, glows[reach])
        _shape(pen, node, spot, _mixed(BOTTOM, KINDS[node.kind], dim))


def _shape(pen: ImageDraw, node: Node, spot: Spot, colour: Colour) -> None:
    """A kind has a shape, besides its colour; what is put away or removed is hollow, what was changed has a ring."""
    x, y, radius = spot.x * FINE, spot.y * FINE, spot.radius * FINE
    outline = _outline(node.kind, x, y, radius)
    if node.state in ("archived", "removed"):
        pen.polygon(outline, (*TOP, 255))
        pen.line([*outline, *outline[:2]], colour, max(1, round(radius * 0.16)), joint="curve")
    else:
        pen.polygon(outline, (*colour, 255))
    if node.state == "removed":
        arm = radius * 1.05
        pen.line((x - arm, y + arm, x + arm, y - arm), colour, max(1, round(radius * 0.16)))
    if node.state == "changed":
        ring = radius * 1.38
        pen.ellipse((x - ring, y - ring, x + ring, y + ring), None, colour, max(1, round(radius * 0.12)))


def _outline(kind: Kind, x: float, y: float, radius: float) -> list[tuple[float, float]]:
    """A broad star for a skill, a lozenge for memory, a circle for people."""
    match kind:
        case "skill":
            turns = [(radius * (0.74 if each % 2 else 1.22), each * pi / 5) for each in range(10)]
        case "memory":
            turns = [(radius * 1.18, each * pi / 2) for each in range(4)]
        case "user":
            turns = [(radius, each * pi / 16) for each in range(32)]
    return [(x + length * sin(turn), y - length * cos(turn)) for length, turn in turns]


def _glow(reach: int, strength: int) -> Image:
    """A mask that fades from the middle to nothing at `reach` pixels."""
    from PIL import Image, ImageChops, ImageDraw

    fade = Image.radial_gradient("L").resize((2 * reach, 2 * reach))  # 0 in the middle, 255 at the corners' distance
    fade = fade.point([max(0, round(strength * (1 - each / 180) ** 2)) if each < 180 else 0 for each in range(256)])
    disc = Image.new("L", fade.size)
    ImageDraw.Draw(disc).ellipse((0, 0, 2 * reach - 1, 2 * reach - 1), 255)
    return ImageChops.multiply(fade, disc)


def _mixed(first: Colour, second: Colour, part: float) -> Colour:
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(first, second, strict=True))
    return red, green, blue


def _lettered(
    image: Image,
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    spots: dict[str, Spot],
    span: Span | None,
    zone: tzinfo,
    plot: Box,
) -> Image:
    """The same with everything that is written on it."""
    from PIL import ImageDraw

    pen = ImageDraw.Draw(image)
    large, usual, small = _font(32), _font(18), _font(15)
    pen.text((MARGIN, 36), "What was learnt", INK, large)
    about = f"{words.things(len(nodes))}  ·  {words.span(nodes, zone)}" if nodes else words.NOTHING
    pen.text((MARGIN, 82), about, FAINT, usual)
    if span is None:
        return image
    right = image.width - MARGIN
    for kind, text in reversed(words.counts(nodes)):
        right -= round(pen.textlength(text, usual))
        pen.text((right, 44), text, INK, usual)
        pen.polygon(_outline(kind, right - 16, 56, 8), KINDS[kind])
        right -= 52
    for at, label in ticks(span, zone, 9):
        x = plot.left + span.part(at) * (plot.right - plot.left)
        pen.text((x, plot.bottom + 32), label, FAINT, small, anchor="ma")
    for node in nodes:
        if (spot := spots[node.id]).number:
            size = round(spot.radius * (1.16 if spot.number < 10 else 0.98))
            ink = KINDS[node.kind] if node.state in ("archived", "removed") else TOP
            pen.text((spot.x, spot.y), str(spot.number), ink, _font(size), anchor="mm", stroke_width=0.5)
    _legend(pen, nodes, edges, spots, image.height - 38)
    return image


def _legend(pen: ImageDraw, nodes: Sequence[Node], edges: Sequence[Edge], spots: dict[str, Spot], y: int) -> None:
    """At the foot: the signs that are in this picture."""
    small, x = _font(15), float(MARGIN)
    states = {each.state for each in nodes}
    for state, text in STATE_WORDS.items():
        if state in states:
            sample = Node("", "user", "", "", 0, 0, state)
            spot = Spot((x + 9) * 1 / FINE, y / FINE, 7 / FINE)
            _shape(pen, sample, spot, _mixed(BOTTOM, FAINT, DIM[state]))
            pen.text((x + 26, y), text, FAINT, small, anchor="lm")
            x += 26 + pen.textlength(text, small) + 30
    whys = {each.why for each in edges if each.first in spots and each.second in spots}
    for why, text in EDGE_WORDS.items():
        if why in whys:
            pen.arc((x, y - 7, x + 26, y + 19), 190, 350, EDGES[why], 2)
            pen.text((x + 36, y), text, FAINT, small, anchor="lm")
            x += 36 + pen.textlength(text, small) + 30


def _font(size: int) -> FreeTypeFont | ImageFont:
    from PIL.ImageFont import load_default

    return load_default(size)
