"""Where each node stands in a picture: across by time, up and down in its kind's band, none upon another while there
is room. Pure, and the same for the same timeline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

from gateway.drawing.span import Span
from gateway.drawing.words import KINDS
from memory.journey.model import Kind, Node

SIZES = (30, 26, 22, 18, 14, 12, 10, 8, 6, 5, 4)
"""Sides of a node's cell that are tried, in pixels."""

NUMBERED = 34
"""The side of the cell of a node that carries a number."""

FEW, SCATTERED = 3, 400
"""From more than a few up to so many, nodes are scattered like stars; more are heaped up, so that their number is
seen."""


CROWDED = 0.02
"""The part of all nodes that may stand beside their column, or upon others."""

REACH = 6
"""Columns that a node may stand aside at most."""


@dataclass(frozen=True, slots=True)
class Box:
    """A part of the picture, in pixels; `top` is less than `bottom`."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Spot:
    """A node's centre and radius, in pixels; `number` is written on it, 0 for none."""

    x: float
    y: float
    radius: float
    number: int = 0


def bands(nodes: Sequence[Node], box: Box, gap: float) -> dict[Kind, Box]:
    """A band for each kind that is there, from top to bottom."""
    there = [kind for kind in KINDS if any(each.kind == kind for each in nodes)]
    height = (box.bottom - box.top - gap * max(0, len(there) - 1)) / max(1, len(there))
    tops = {kind: box.top + number * (height + gap) for number, kind in enumerate(there)}
    return {kind: Box(box.left, top, box.right, top + height) for kind, top in tops.items()}


def place(
    nodes: Sequence[Node], span: Span, within: Mapping[Kind, Box], numbers: Mapping[str, int]
) -> dict[str, Spot]:
    """A spot for every node, by its id."""
    spots: dict[str, Spot] = {}
    side = _side(nodes, span, within)
    for kind, box in within.items():
        mine = [each for each in nodes if each.kind == kind]
        band = _Band(box, scattered=FEW < len(nodes) <= SCATTERED)
        for node in sorted((each for each in mine if each.id in numbers), key=lambda each: numbers[each.id]):
            spots[node.id] = band.put(node, span, NUMBERED, numbers[node.id])
        for node in mine:
            if node.id not in numbers:
                spots[node.id] = band.put(node, span, side)
    return spots


def _side(nodes: Sequence[Node], span: Span, within: Mapping[Kind, Box]) -> int:
    """The largest cell with which nearly all nodes have room in their column."""
    for side in SIZES:
        held = Counter((each.kind, _column(each, span, within[each.kind], side)) for each in nodes)
        over = sum(max(0, count - _rows(within[kind], side)) for (kind, _), count in held.items())
        if over <= len(nodes) * CROWDED:
            return side
    return SIZES[-1]


def _column(node: Node, span: Span, box: Box, side: int) -> int:
    return round(span.part(node.at) * (box.right - box.left) / side)


def _rows(box: Box, side: int) -> int:
    return max(1, int((box.bottom - box.top) / side))


class _Band:
    """One kind's band, while it fills up."""

    def __init__(self, box: Box, *, scattered: bool) -> None:
        self._box = box
        self._scattered = scattered
        self._taken: dict[int, set[tuple[int, int]]] = {}
        self._large: list[Spot] = []
        self._full: Counter[tuple[int, int]] = Counter()

    def put(self, node: Node, span: Span, side: int, number: int = 0) -> Spot:
        """The node's spot: the free cell nearest to where it belongs; where all are taken, upon another one."""
        column, rows = _column(node, span, self._box, side), _rows(self._box, side)
        chance = crc32(node.id.encode("utf-8", "replace"))
        wanted = chance % rows if self._scattered else rows // 2
        taken = self._taken.setdefault(side, set())
        for cell in _around(column, wanted, rows):
            if cell not in taken and not self._covered(cell, side):
                taken.add(cell)
                return self._spot(cell, side, number)
        self._full[side, column] += 1
        return self._spot((column, (chance + self._full[side, column]) % rows), side, number)

    def _covered(self, cell: tuple[int, int], side: int) -> bool:
        """Whether a numbered node stands there already."""
        spot = self._spot(cell, side, 0)
        return any(
            (each.x - spot.x) ** 2 + (each.y - spot.y) ** 2 < (each.radius + spot.radius + 2) ** 2
            for each in self._large
        )

    def _spot(self, cell: tuple[int, int], side: int, number: int) -> Spot:
        column, row = cell
        rows, box = _rows(self._box, side), self._box
        y = (box.top + box.bottom) / 2 + (row - (rows - 1) / 2) * side
        x = min(box.right, max(box.left, box.left + column * side))
        spot = Spot(x, y, side * (0.44 if number else 0.36), number)
        if number:
            self._large.append(spot)
        return spot


def _around(column: int, wanted: int, rows: int) -> Iterator[tuple[int, int]]:
    """Cells from the wanted one outwards: its column first, then those beside it."""
    for aside in range(REACH + 1):
        for across in (column,) if not aside else (column - aside, column + aside):
            for step in range(rows):
                yield from ((across, row) for row in {wanted - step, wanted + step} if 0 <= row < rows)
