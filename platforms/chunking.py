"""Splits a text into parts that fit a platform's limit, in the platform's own unit, and joins them again. Pure.

Owns where a cut reads well and how a cut code fence is kept whole on both sides. Leaves to senders that a part of
nothing but white space need not be sent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from platforms.adapter import Unit
from platforms.fences import LONGEST_FENCE_LINE, Fence, FenceMap, after_text, may_be_fence_line
from platforms.graphemes import boundary_before, is_boundary

SMALLEST_LIMIT = 2
FENCES_FROM = 64
"""Below this limit the lines around a cut fence would not leave room for the code, so none are inserted."""

_SENTENCE = re.compile(r"[.!?…]+[\"'”’)\]]*[ \t]+|[。！？｡]+[」』）”’】〉》]*")
_WORD = re.compile(r"[ \t\u3000]+|[、，；：]+")


def length(text: str, unit: Unit) -> int:
    """How long `text` is: UTF-16 code units or code points. A lone surrogate counts as one of either."""
    if unit == "codepoint" or text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def split(text: str, limit: int, unit: Unit) -> list[str]:
    """Cut `text` into parts of at most `limit` units, none empty; an empty text has no parts.

    A cut is made after a paragraph, else a line, a sentence or a word, if one ends in the second half of the part;
    else after the last line or word; else between characters as people see them. A character longer than the limit
    is cut between code points. A table, of rows that begin with a bar, is cut before its first row, where that
    leaves a third of the part in front of it; else between rows, where one ends in time.

    A code fence that is cut is closed at the end of the part and reopened, with its language, at the start of the
    next, within the limit. `join(split(...))` is the text again, exactly; without a cut fence `"".join` is as well.
    With a limit below 64 nothing is ever inserted and `"".join` is the way back.

    Growing texts: each cut depends on nothing further than one code point past the part's room. So for every `more`,
    `split(text + more)` begins with all parts of `split(text)` but the last. The last part is the only one that is
    still open, and its fence is not closed by us.

    Parts of nothing but white space come only from white space at the very end of the text or from a run of it
    longer than a part. Raises ValueError for a limit below 2.
    """
    if limit < SMALLEST_LIMIT:
        raise ValueError(f"a part must have room for {SMALLEST_LIMIT} units, not {limit}")
    fences = FenceMap(text if limit >= FENCES_FROM else "")
    parts: list[str] = []
    start = 0
    while start < len(text):
        fence = fences.open_at(start) if start else None
        head = fence.reopening if fence else ""
        room = limit - len(head)
        end = _reach(text, start, room, unit)
        if end == len(text):
            parts.append(head + text[start:])
            break
        cut = _choose(text, start, end, room, unit, fences)
        open_fence = fences.open_at(cut)
        tail = open_fence.closing(mid_line=text[cut - 1] != "\n") if open_fence else ""
        parts.append(f"{head}{text[start:cut]}{tail}")
        start = cut
    return parts


def join(parts: Sequence[str]) -> str:
    """The text that `split` was given, for parts as `split` made them with a limit of 64 or more.

    The fences are read again from the left; a closing and a reopening line are taken out where the text before them
    has that very fence open.
    """
    whole: list[str] = []
    begun = ""  # the head of the line that is not complete yet
    state: Fence | None = None  # where that line starts
    skip = 0
    for index, part in enumerate(parts):
        raw = part[skip:]
        skip = 0
        if index + 1 < len(parts):
            raw, skip = _without_closing(begun, state, raw, parts[index + 1])
        whole.append(raw)
        state = after_text(state, begun + raw)
        begun = (begun + raw)[(begun + raw).rfind("\n") + 1 :][: 2 * LONGEST_FENCE_LINE]
    return "".join(whole)


def _without_closing(begun: str, state: Fence | None, raw: str, following: str) -> tuple[str, int]:
    """`raw` without an inserted closing line, and how much of the following part is an inserted opening line."""
    bare, newline, last = raw.rpartition("\n")
    for mid_line in (True, False):
        before = bare if mid_line else bare + newline
        fence = after_text(state, begun + before)
        closing = newline + last if mid_line else last
        if not before or fence is None or closing != fence.closing(mid_line):
            continue
        if following.startswith(fence.reopening):
            return before, len(fence.reopening)
    return raw, 0


def _reach(text: str, start: int, room: int, unit: Unit) -> int:
    """The furthest end of a part that begins at `start` and takes at most `room` units."""
    end = min(start + room, len(text))
    if unit == "codepoint" or length(text[start:end], unit) <= room:
        return end
    low, high = start + room // 2, end  # every code point takes one or two units
    while low < high:
        middle = (low + high + 1) // 2
        if length(text[start:middle], unit) <= room:
            low = middle
        else:
            high = middle - 1
    return low


def _choose(text: str, start: int, end: int, room: int, unit: Unit, fences: FenceMap) -> int:
    """Where to end the part that begins at `start`, knowing that the text goes on after `end`."""
    reserve = fences.widest_room(start, end) if fences else 0
    latest = _reach(text, start, room - reserve, unit) if reserve else end
    half = start + (latest - start) // 2
    cut = (
        _paragraph(text, half, latest, fences)
        or _line(text, half, latest, fences)
        or _matched(_SENTENCE, text, start, half, latest, fences, in_code=False)
        or _matched(_WORD, text, start, half, latest, fences, in_code=True)
        or _line(text, start, half, fences)
        or _matched(_WORD, text, start, start, half, fences, in_code=True)
        or boundary_before(text, latest, start)
    )
    cut = _before_table(text, start, cut, fences)
    if not fences:
        return cut
    cut = _off_fence_lines(text, start, cut, fences)
    closed = fences.closed_just_after(cut)
    return closed if closed is not None and closed <= end else cut


def _before_table(text: str, start: int, cut: int, fences: FenceMap) -> int:
    """Move a cut that goes through a table to before it, unless little would be left in front of it."""
    line = text.rfind("\n", start, cut) + 1 or start
    if text[line] != "|" or fences.open_at(line) is not None:
        return cut
    while line > start:
        above = text.rfind("\n", start, line - 1) + 1 or start
        if text[above] != "|" or above == line:
            break
        line = above
    return line if line > start + (cut - start) // 3 and text[start:line].strip() else cut


def _off_fence_lines(text: str, start: int, cut: int, fences: FenceMap) -> int:
    """Move a cut that falls inside a fence line, or just after an opening one, to before that line."""
    line = text.rfind("\n", start, cut) + 1 or start
    if start < line < cut and may_be_fence_line(text[line : min(cut + 1, line + 12)]):
        cut = line
    opening = fences.opened_just_before(cut)
    return opening if opening is not None and opening > start else cut


def _paragraph(text: str, low: int, high: int, fences: FenceMap) -> int | None:
    """After the last empty line outside code whose end lies in (low, high]."""
    at = text.rfind("\n\n", low, high)
    while at >= 0:
        if at + 2 > low and fences.open_at(at + 2) is None:
            return at + 2
        at = text.rfind("\n\n", low, at + 1)
    return None


def _line(text: str, low: int, high: int, fences: FenceMap) -> int | None:
    """After the last line whose end lies in (low, high] and that opens no fence."""
    at = text.rfind("\n", low, high)
    while at >= 0:
        if fences.opened_just_before(at + 1) is None:
            return at + 1
        at = text.rfind("\n", low, at)
    return None


def _matched(
    pattern: re.Pattern[str], text: str, start: int, low: int, high: int, fences: FenceMap, in_code: bool
) -> int | None:
    """After the last match that ends in (low, high], looking one code point further than `high`."""
    best = None
    for found in pattern.finditer(text, low, min(high + 1, len(text))):
        end = found.end()
        if low < end <= high and is_boundary(text, end, start) and (in_code or fences.open_at(end) is None):
            best = end
    return best
