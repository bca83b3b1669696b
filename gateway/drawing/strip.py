"""What was learnt as lines for a terminal: the oldest at the top, as many words as the width and the height allow.

Owns how a node, a day, a month and a year look as a line; measures wide characters as terminals do. Printing is for
others. rich is imported when used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from gateway.drawing import words
from gateway.drawing.words import DAYS, MONTHS
from memory.journey.model import Kind, Node, State, Timeline

if TYPE_CHECKING:
    from rich.text import Text

Density = Literal["things", "days", "months", "years"]
"""What a line stands for."""

DENSITIES: tuple[Density, ...] = ("things", "days", "months", "years")
NARROWEST = 20
"""Columns below which nothing is left out any more, but cut."""

DAY = 7
"""Columns of a day, the gap behind it counted."""

WITH_IDS = 90
"""Columns from which on each line ends with the node's id."""

COLOURS: dict[Kind, str] = {"skill": "green", "memory": "bright_blue", "user": "yellow"}
STATES: dict[State, str] = {"kept": "", "changed": "", "stale": "dim", "archived": "dim", "removed": "dim strike"}
EARLIER = "… {count:,} earlier"


@dataclass(frozen=True, slots=True)
class Signs:
    """What kinds and joins look like. `apart` joins what stands side by side."""

    kinds: Mapping[Kind, str]
    first: str
    between: str
    last: str
    joined: str
    bar: str
    rest: str
    apart: str


SIGNS = Signs({"skill": "★", "memory": "◆", "user": "●"}, "┌", "├", "└", "→", "█", "░", " · ")
PLAIN = Signs({"skill": "*", "memory": "+", "user": "o"}, "/", "|", "\\", "->", "#", ".", ", ")
"""For terminals that know no other letters than those of English."""


@dataclass(frozen=True, slots=True)
class Look:
    """How wide a line may be, in columns, whose days count, and with which signs."""

    width: int
    zone: tzinfo
    signs: Signs = SIGNS

    def moment(self, node: Node) -> datetime:
        return datetime.fromtimestamp(node.at, self.zone)


def strip(timeline: Timeline, look: Look, height: int | None = None, until: float | None = None) -> list[Text]:
    """The whole drawing: a heading, and then line by line what was learnt until that moment.

    With a `height` it takes no more lines than that: days, months or years are summed up in one line each, and at
    last the oldest are left out and counted.
    """
    nodes = [each for each in timeline.nodes if until is None or each.at <= until]
    lines = heading(nodes, look)
    if not nodes:
        return lines
    room = None if height is None else max(1, height - len(lines) - 1)
    drawn = Timeline(nodes, timeline.edges)
    return [*lines, _text(""), *body(drawn, look, room)]


def heading(nodes: Sequence[Node], look: Look) -> list[Text]:
    """What this is, from when to when, and the signs with what they stand for."""
    if not nodes:
        return [_text(words.NOTHING)]
    title = _text("What was learnt", "bold")
    title.append(f"  {words.things(len(nodes))}", "dim")
    kinds = []
    for kind, text in words.counts(nodes):
        kinds.append(_text(f"{look.signs.kinds[kind]} ", COLOURS[kind]).append(text))
    return [
        *_packed([title, _text(words.span(nodes, look.zone), "dim")], "  ", look.width),
        *_packed(kinds, "   ", look.width),
    ]


def _packed(pieces: Sequence[Text], gap: str, width: int) -> list[Text]:
    """The pieces side by side, on as few lines as they need."""
    lines: list[Text] = []
    for piece in pieces:
        if lines and lines[-1].cell_len + len(gap) + piece.cell_len <= width:
            lines[-1] = _text("").append_text(lines[-1]).append(gap).append_text(piece)
        else:
            lines.append(piece)
    return [cut(each, width) for each in lines]


def body(timeline: Timeline, look: Look, room: int | None) -> list[Text]:
    """The lines under the heading, `room` of them at most: as many words as have room."""
    for density in DENSITIES:
        if room is None or sum(1 for _ in _rows(timeline.nodes, look, density)) <= room:
            return list(_drawn(timeline, timeline.nodes, look, density))
    years = list(_grouped(timeline.nodes, look, "years"))
    kept = years[len(years) - room + 1 :] if room is not None and room > 1 else []
    shown = [node for year in kept for node in year]
    left_out = _text(EARLIER.format(count=len(timeline.nodes) - len(shown)), "dim")
    return [left_out, *_drawn(timeline, shown, look, "years")]


def tail(timeline: Timeline, look: Look, room: int) -> list[Text]:
    """The newest lines, one a node, `room` of them exactly: what is older has gone out at the top. Edges to nodes
    that are not there yet are passed over."""
    newest = timeline.nodes[-room:] if room else ()
    lines = list(_drawn(timeline, newest, look, "things"))[-room:] if room else []
    return [*lines, *(_text("") for _ in range(room - len(lines)))]


def _rows(nodes: Sequence[Node], look: Look, density: Density) -> Iterator[None]:
    """One for each line that `_drawn` gives."""
    previous = ""
    for node in nodes if density == "things" else _grouped(nodes, look, density):
        first = node if isinstance(node, Node) else node[0]
        if density in ("things", "days") and (month := _month(look.moment(first))) != previous:
            previous = month
            yield None
        yield None


def _drawn(timeline: Timeline, nodes: Sequence[Node], look: Look, density: Density) -> Iterator[Text]:
    if density == "things":
        yield from _things(timeline, nodes, look)
    elif density == "days":
        yield from _days(nodes, look)
    else:
        groups = list(_grouped(nodes, look, density))
        most = max(map(len, groups), default=1)
        for group in groups:
            moment = look.moment(group[0])
            yield _bar(_month(moment) if density == "months" else str(moment.year), group, most, look)


def _month(moment: datetime) -> str:
    return f"{MONTHS[moment.month - 1]} {moment.year}"


def _grouped(nodes: Sequence[Node], look: Look, density: Density) -> Iterator[list[Node]]:
    parts = {"days": 3, "months": 2, "years": 1}[density]
    for _, group in groupby(nodes, key=lambda each: look.moment(each).timetuple()[:parts]):
        yield list(group)


def _things(timeline: Timeline, nodes: Sequence[Node], look: Look) -> Iterator[Text]:
    """A line a node, under its month; the day stands once."""
    titles = {each.id: each.title for each in timeline.nodes}
    joins: dict[str, list[str]] = {}
    for edge in timeline.edges:
        if edge.why != "session" and edge.first in titles and edge.second in titles:
            joins.setdefault(edge.second, []).append(titles[edge.first])
    month = day = ""
    for number, node in enumerate(nodes):
        moment = look.moment(node)
        if _month(moment) != month:
            month, day = _month(moment), ""
            yield _text(month, "bold")
        today = f"{DAYS[moment.weekday()]} {moment.day:>2}"
        before = number > 0 and _together(nodes[number - 1], node, look)
        after = number + 1 < len(nodes) and _together(node, nodes[number + 1], look)
        rail = {(True, True): look.signs.between, (True, False): look.signs.last, (False, True): look.signs.first}
        yield _thing(
            node, today if today != day else "", rail.get((before, after), " "), joins.get(node.id, []), look
        )
        day = today


def _together(first: Node, second: Node, look: Look) -> bool:
    """Whether both come from one conversation, with no heading between them."""
    alike = bool(first.session) and first.session == second.session
    return alike and _month(look.moment(first)) == _month(look.moment(second))


def _thing(node: Node, day: str, rail: str, joins: Sequence[str], look: Look) -> Text:
    """Day, sign, title; then, where there is room, what it belongs to, its state, its id."""
    line = _text(f"{day:<{DAY}}", "dim")
    line.append(f"{rail} ", "dim")
    line.append(look.signs.kinds[node.kind], COLOURS[node.kind])
    line.append(" ")
    said = _about(node)
    end = f"  {node.id}" if look.width >= WITH_IDS else ""
    room = look.width - line.cell_len - len(said) - _cells(end)
    title = _text(words.one_line(node.title), STATES[node.state])
    title = cut(title, room)
    left = room - title.cell_len
    line.append_text(title)
    line.append_text(_joined(joins, left, look))
    line.append(said, "dim")
    if end:
        line.append(" " * max(0, look.width - line.cell_len - _cells(end)))
        line.append(end, "dim")
    return cut(line, look.width)


def _about(node: Node) -> str:
    """What became of it, and what else is to be known: nobody knows since when there is what was written by hand."""
    said = ["" if node.state == "kept" else node.state, "" if node.dated else "by hand"]
    told = ", ".join(filter(None, (*said, "pinned" if node.pinned else "")))
    return f"  ({told})" if told else ""


def _joined(joins: Sequence[str], room: int, look: Look) -> Text:
    """A hint at earlier nodes that this one belongs to: by name where that fits, else by their number."""
    if not joins:
        return _text("")
    arrow = look.signs.joined
    named = f"  {arrow} {', '.join(map(words.one_line, joins))}"
    counted = f"  {arrow} {len(joins)}"
    shown = next((each for each in (named, counted) if _cells(each) <= room), "")
    return _text(shown, "cyan")


def _days(nodes: Sequence[Node], look: Look) -> Iterator[Text]:
    """A line a day, under its month: how many of each kind, and as many titles as fit."""
    month = ""
    for group in _grouped(nodes, look, "days"):
        moment = look.moment(group[0])
        if _month(moment) != month:
            month = _month(moment)
            yield _text(month, "bold")
        line = _text(f"{DAYS[moment.weekday()]} {moment.day:>2}  ", "dim")
        counted = Counter(each.kind for each in group)
        for kind in words.KINDS:
            if counted[kind]:
                line.append(look.signs.kinds[kind], COLOURS[kind])
                line.append(f"{counted[kind]} ")
        titles = [words.one_line(each.title) for each in group]
        line.append(f" {look.signs.apart.join(titles)}", "dim")
        yield cut(line, look.width)


def _bar(label: str, group: Sequence[Node], most: int, look: Look) -> Text:
    """A line for a month or a year: a bar as long as what was learnt then, by kind."""
    line = _text(f"{label:<15}", "bold")
    count = f" {len(group):,}"
    room = max(1, look.width - line.cell_len - len(count))
    length = max(1, round(room * len(group) / most))
    counted = Counter(each.kind for each in group)
    ends, seen = [0], 0
    for kind in words.KINDS:
        seen += counted[kind]
        ends.append(round(length * seen / len(group)))
        line.append(look.signs.kinds[kind] * (ends[-1] - ends[-2]), COLOURS[kind])
    line.append(count)
    return cut(line, look.width)


def cut(line: Text, width: int) -> Text:
    """The line as wide as `width` columns at most, with a sign that something was left out."""
    if line.cell_len <= width:
        return line
    line = line.copy()
    line.truncate(max(0, width), overflow="ellipsis")
    return line


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _text(text: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(no_wrap=True, end="").append(text, style)
