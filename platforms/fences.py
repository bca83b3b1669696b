"""Code fences as lines of a text: which are open where, and the lines that close and reopen one at a cut.

Owns the reading of fence lines and the exact form of the inserted ones; `chunking` decides where to cut.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

LONGEST_FENCE = 8
"""A longer run of backticks or tildes is not read as a fence."""

LONGEST_FENCE_LINE = 80
"""Longer lines are not read as fences, so that whoever sees the head of a line knows soon what it is."""

_LINE = re.compile(r"^([ \t]{0,8})(`{3,8}|~{3,8})([^\n]*)\n", re.MULTILINE)
_LANGUAGE = re.compile(r"[A-Za-z0-9_+#.-]{1,20}(?![^\s])")
_HEAD = re.compile(r"[ \t]+$|[ \t]*(?:`{1,2}$|~{1,2}$|`{3}|~{3})")


@dataclass(frozen=True, slots=True)
class Fence:
    """An open fence: how far it is indented, its run of backticks or tildes, and the language after it."""

    indent: str
    marker: str
    language: str

    @property
    def reopening(self) -> str:
        """The line that is put in front of the part after a cut."""
        return f"{self.indent}{self.marker}{self.language}\n"

    def closing(self, mid_line: bool) -> str:
        """What is put behind the part before a cut.

        A trailing blank says that the cut went through a line, whose halves belong together again on joining.
        """
        return f"\n{self.indent}{self.marker} " if mid_line else f"{self.indent}{self.marker}"

    @property
    def room(self) -> int:
        """The most characters that `closing` takes; all of them are one unit in every unit of length."""
        return len(self.indent) + len(self.marker) + 2

    def closed_by(self, marker: str, rest: str) -> bool:
        """Whether a fence line with this marker and this text after it ends the fence."""
        return marker[0] == self.marker[0] and len(marker) >= len(self.marker) and not rest.strip(" \t\r")


class FenceMap:
    """Which fence is open at each place of one text. Built once, asked often."""

    def __init__(self, text: str) -> None:
        self._ends: list[int] = []  # where a state begins: just after a fence line
        self._starts: list[int] = []  # where that fence line begins
        self._states: list[Fence | None] = []
        if "```" not in text and "~~~" not in text:
            return
        state: Fence | None = None
        for line in _LINE.finditer(text):
            following = after_line(state, line)
            if following is not state:
                state = following
                self._ends.append(line.end())
                self._starts.append(line.start())
                self._states.append(state)

    def __bool__(self) -> bool:
        return bool(self._ends)

    def open_at(self, at: int) -> Fence | None:
        """The fence that is open before `text[at]`; a fence line counts once it is complete."""
        index = bisect_right(self._ends, at) - 1
        return self._states[index] if index >= 0 else None

    def opened_just_before(self, at: int) -> int | None:
        """Where the opening line begins that ends exactly at `at`, or None when no opening line does."""
        index = bisect_right(self._ends, at) - 1
        if index >= 0 and self._ends[index] == at and self._states[index] is not None:
            return self._starts[index]
        return None

    def closed_just_after(self, at: int) -> int | None:
        """Where the closing line ends that begins exactly at `at`, or None when none does."""
        index = bisect_right(self._ends, at)
        if index < len(self._ends) and self._starts[index] == at and self._states[index] is None:
            return self._ends[index]
        return None

    def widest_room(self, start: int, end: int) -> int:
        """The most that closing can take at any cut between `start` and `end`; 0 when nothing is open there."""
        first = max(bisect_right(self._ends, start) - 1, 0)
        last = bisect_right(self._ends, end)
        inside = [self.open_at(start), *self._states[first:last]]
        return max((fence.room for fence in inside if fence is not None), default=0)


def after_line(state: Fence | None, line: re.Match[str]) -> Fence | None:
    """The state after a complete line that has the shape of a fence."""
    indent, marker, rest = line[1], line[2], line[3]
    if len(indent) + len(marker) + len(rest) > LONGEST_FENCE_LINE:
        return state
    if state is not None:
        return None if state.closed_by(marker, rest) else state
    if "`" in rest or (marker[0] == "~" and rest.startswith("~")):
        return None
    language = _LANGUAGE.match(rest.strip(" \t\r"))
    return Fence(indent, marker, language[0] if language else "")


def after_text(state: Fence | None, text: str) -> Fence | None:
    """The state after `text`, which begins at the start of a line; an incomplete last line does not count."""
    for line in _LINE.finditer(text):
        state = after_line(state, line)
    return state


def may_be_fence_line(head: str) -> bool:
    """Whether a line that begins like this, and is cut there, may turn out to be a fence line."""
    return _HEAD.match(head) is not None
