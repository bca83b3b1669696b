"""The journey as it came about: time runs, what was learnt appears, a slider at the foot fills up.

Owns what a frame holds and when the next one is due. Whoever calls gives the clock and somewhere to write; whatever
ends the play, the terminal is left as it was found, with the last frame on it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from gateway.clock import Clock
from gateway.drawing import words
from gateway.drawing.strip import Look, cut, heading, strip, tail
from memory.journey.model import Timeline

if TYPE_CHECKING:
    from rich.text import Text

FPS = 12
SHORTEST, LONGEST, EACH = 3.0, 20.0, 0.5
"""Seconds that a play lasts: so many for each node, within bounds."""

LOWEST = 8
"""Lines of a frame at least."""

HEADING = 4
"""Lines that are kept free at the top for the heading, which grows while the play runs."""

HIDE, SHOW = "\x1b[?25l\x1b[?7l", "\x1b[?7h\x1b[?25h\x1b[0m"
"""Cursor and wrapping of lines: off while frames are drawn over each other, and on again."""

REST_OF_LINE, REST_OF_SCREEN, ANEW = "\x1b[K", "\x1b[J", "\x1b[2J\x1b[H"


@dataclass(frozen=True, slots=True)
class Size:
    """Columns and lines."""

    width: int
    height: int


class Screen:
    """Where frames are written. `size` is asked before each frame, `painted` makes a line what `write` takes."""

    def __init__(
        self, write: Callable[[str], None], painted: Callable[[Text], str], size: Callable[[], Size]
    ) -> None:
        self.write = write
        self.painted = painted
        self.size = size


async def play(timeline: Timeline, look: Look, screen: Screen, clock: Clock, fps: int = FPS) -> None:
    """Show it from the first moment to the last. A slow terminal gets fewer frames, and no longer a play."""
    lasts, began = seconds(len(timeline.nodes)), clock.monotonic()
    before: Size | None = None
    shown, last = 0, False
    with _bare(screen):
        while True:
            passed = clock.monotonic() - began
            done = 1.0 if last else min(1.0, passed / lasts)
            size = screen.size()
            lines = frame(timeline, replace(look, width=size.width), size.height, done)
            screen.write(_over(lines, before, size, screen.painted))
            before = size
            if done >= 1.0:
                return
            shown = max(shown, int(passed * fps)) + 1  # what should have been shown meanwhile is left out
            last = shown / fps >= lasts
            await clock.sleep(max(0.0, min(shown / fps, lasts) - (clock.monotonic() - began)))


def needed(timeline: Timeline, look: Look) -> int:
    """The lines of a frame that has room for everything."""
    return len(strip(timeline, look)) + 2


def seconds(count: int) -> float:
    """How long so many nodes are played."""
    return max(SHORTEST, min(LONGEST, EACH * count))


def frame(timeline: Timeline, look: Look, height: int, done: float) -> list[Text]:
    """What stands on the screen when that part of the play is over, from 0 to 1: always as many lines."""
    height = max(LOWEST, height)
    moment = moment_at(timeline, done)
    count = bisect_right(timeline.nodes, moment, key=lambda each: each.at)
    nodes = timeline.nodes[:count]
    top = heading(nodes, look)[:HEADING]
    drawn = tail(Timeline(nodes, timeline.edges), look, height - len(top) - 3)
    empty = cut(_line(""), look.width)
    return [*top, empty, *drawn, empty, slider(timeline, look, moment, done)]


def moment_at(timeline: Timeline, done: float) -> float:
    """The moment that the play has come to. Half of it goes by the calendar and half by what was learnt, so that a
    busy day is seen and a quiet year is not waited for."""
    nodes = timeline.nodes
    if not nodes:
        return 0.0
    if done >= 1.0:
        return nodes[-1].at
    length, steps = nodes[-1].at - nodes[0].at, len(nodes) - 1
    place, passed = done, 0.0
    for earlier, later in pairwise(nodes):
        part = 0.5 / steps + (0.5 * (later.at - earlier.at) / length if length > 0 else 0.5 / steps)
        if passed + part > place:
            return earlier.at + (later.at - earlier.at) * min(0.999, (place - passed) / part)
        passed += part
    return nodes[-1].at


def slider(timeline: Timeline, look: Look, moment: float, done: float) -> Text:
    """The line at the foot: how far the play has come, and to which day."""
    told = f" {words.day(moment, look.zone)}" if timeline.nodes else ""
    room = max(4, look.width - len(told) - 2)
    full = min(room, int(room * done + 1e-9))
    line = _line("[", "dim")
    line.append(look.signs.bar * full, "cyan").append(look.signs.rest * (room - full), "dim")
    line.append("]", "dim").append(told, "bold")
    return cut(line, look.width)


def _over(lines: Sequence[Text], before: Size | None, size: Size, painted: Callable[[Text], str]) -> str:
    """What draws a frame over the last one; after the terminal's size was changed, on an empty screen."""
    start = "" if before is None else f"\r\x1b[{len(lines) - 1}A" if before == size else ANEW
    # Each line is emptied first: behind a full line, the cursor would stand on its last letter and take it away.
    return start + "\r\n".join(f"{REST_OF_LINE}{painted(line)}" for line in lines)


@contextmanager
def _bare(screen: Screen) -> Iterator[None]:
    """No cursor meanwhile; afterwards it stands below what was drawn."""
    screen.write(HIDE)
    try:
        yield
    finally:
        screen.write(f"{SHOW}\r\n{REST_OF_SCREEN}")


def _line(text: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(no_wrap=True, end="").append(text, style)
