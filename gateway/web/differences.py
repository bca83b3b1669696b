"""Texts before and after, side by side: words of an entry, lines of a file, unchanged runs folded (pure).

Nothing is left out: what is folded is on the page. Signs that nobody would see are spelt out, as in diffs elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from memory.skills.diff import spelt_out
from memory.skills.model import FileChange

Mark = Literal["same", "gone", "new"]

AROUND = 3
"""Unchanged lines that are shown beside a change."""

SHORTEST_FOLD = 3
"""Fewer unchanged lines are not worth a fold."""

MOST_WORDS = 2000
"""Words of both sides that are compared; beyond, one text is gone and the other is new. Texts can be made up so that
comparing takes the square of it and more."""

MOST_WORDS_OF_A_FILE = 6000
"""The same of all changed lines of a file together; the rest of its lines is not compared by words."""

MOST_LINES = 3000
"""The same of lines, between what both sides begin and end with."""

MOST_PAIRS = 40_000
"""Of two texts in parts (words, lines): so many pairs of parts may be alike. A few words over and over again are
compared in the cube of their number."""

MOST_ROWS = 10_000
"""Lines of a side that are rows of their own, and of all files of one change together: a file may be a million line
ends, and a page is made from rows."""

LIST_BYTES, LIST_LINES = 400_000, 1000
"""Beyond either, a change is shown on its own page alone."""

ALIKE = 0.3
"""Texts that share less than this are two texts: marks on every other word help nobody."""

_UNSPACED = r"\u3040-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Signs of scripts that write no spaces: each is a word here."""

_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|\s+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text, and whether the other side has it."""

    text: str
    mark: Mark = "same"


Pieces = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A line on both sides, counted from 1; None where a side has none."""

    kind: Literal["same", "changed", "gone", "new"]
    old: int | None
    new: int | None
    left: Pieces
    right: Pieces


@dataclass(frozen=True, slots=True)
class Run:
    """Lines in order; a folded run is unchanged throughout."""

    rows: tuple[Row, ...]
    folded: bool = False


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What becomes of one file. `sides` is 1 where there was or will be nothing to compare with. `notes` are
    sentences about what lines do not show."""

    path: str
    fate: Literal["new", "changed", "removed"]
    runs: tuple[Run, ...]
    sides: Literal[1, 2]
    added: int
    taken: int
    notes: tuple[str, ...] = ()


def by_words(before: str, after: str) -> tuple[Pieces, Pieces]:
    """Both texts in pieces that make them up, those marked that the other one does not have."""
    old, new = _WORD.findall(spelt_out(before)), _WORD.findall(spelt_out(after))
    matcher = SequenceMatcher(None, old, new)
    if len(old) + len(new) > MOST_WORDS or _endless(old, new) or matcher.ratio() < ALIKE:
        return _apart(before, after)
    left, right = [], []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if i2 > i1:
            left.append(Piece("".join(old[i1:i2]), "same" if tag == "equal" else "gone"))
        if j2 > j1:
            right.append(Piece("".join(new[j1:j2]), "same" if tag == "equal" else "new"))
    return tuple(left), tuple(right)


def whole(text: str) -> Pieces:
    """A text that is shown alone."""
    return _whole(spelt_out(text), "same")


def of_files(changes: Sequence[FileChange]) -> Iterator[FileDiff]:
    """All files of one change, line by line as long as there is room for lines."""
    room = MOST_ROWS
    for change in changes:
        shown = of_file(change, room)
        room -= sum(len(run.rows) for run in shown.runs)
        yield shown


def lengthy(changes: Sequence[FileChange]) -> bool:
    """Whether a change is too long to be shown among others."""
    texts = [text for change in changes for text in (change.before, change.after) if text is not None]
    return sum(map(len, texts)) > LIST_BYTES or sum(text.count(b"\n") for text in texts) > LIST_LINES


def of_file(change: FileChange, room: int = MOST_ROWS) -> FileDiff:
    """A file line by line; one that has more lines than `room`, as it is."""
    before, after = _text(change.before), _text(change.after)
    fate: Literal["new", "changed", "removed"] = (
        "new" if change.before is None else "removed" if change.after is None else "changed"
    )
    if before is None or after is None:
        sizes = [f"{len(data):,} bytes" if data is not None else "nothing" for data in (change.before, change.after)]
        note = f"It is no text: {sizes[0]} before, {sizes[1]} after."
        return FileDiff(spelt_out(change.path), fate, (), 1, 0, 0, (note,))
    old, new = _lines(before), _lines(after)
    notes = list(_endings(before, after, fate))
    head, tail = _alike(old, new)
    middle = old[head : len(old) - tail], new[head : len(new) - tail]
    added, taken = len(new), len(old)
    if max(added, taken) > max(room, 1):
        notes.append("It has too many lines to be shown one by one: all of it follows.")
        sides = (_gone(["\n".join(old)] if old else [], 0), _new(["\n".join(new)] if new else [], 0))
        rows = [row for side in sides for row in side]
    elif fate == "changed" and (sum(map(len, middle)) > MOST_LINES or _endless(*middle)):
        notes.append("It is too long to compare: all of both texts follows.")
        rows = [*_gone(old, 0), *_new(new, 0)]
    else:
        rows = list(_rows(old, new, head, tail))
        added = sum(each.new is not None for each in rows if each.kind != "same")
        taken = sum(each.old is not None for each in rows if each.kind != "same")
    runs = tuple(_folded(rows)) if fate == "changed" else (Run(tuple(rows)),) if rows else ()
    return FileDiff(
        spelt_out(change.path), fate, runs, 2 if fate == "changed" else 1, added, taken, tuple(notes)
    )  # fmt: skip


def _rows(old: Sequence[str], new: Sequence[str], head: int, tail: int) -> Iterator[Row]:
    """All lines of both; the first `head` and the last `tail` are known to be the same."""
    yield from _same(old, range(head), range(head))
    budget = MOST_WORDS_OF_A_FILE
    middle = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail])
    for tag, *places in middle.get_opcodes():
        i1, i2, j1, j2 = (each + head for each in places)
        if tag == "equal":
            yield from _same(old, range(i1, i2), range(j1, j2))
            continue
        paired = min(i2 - i1, j2 - j1)
        for i, j in zip(range(i1, i1 + paired), range(j1, j1 + paired), strict=True):
            budget -= len(_WORD.findall(old[i])) + len(_WORD.findall(new[j]))
            left, right = by_words(old[i], new[j]) if budget > 0 else _apart(old[i], new[j])
            yield Row("changed", i + 1, j + 1, left, right)
        yield from _gone(old[i1 + paired : i2], i1 + paired)
        yield from _new(new[j1 + paired : j2], j1 + paired)
    yield from _same(old, range(len(old) - tail, len(old)), range(len(new) - tail, len(new)))


def _same(lines: Sequence[str], old: range, new: range) -> Iterator[Row]:
    for i, j in zip(old, new, strict=True):
        shown = _whole(lines[i], "same")
        yield Row("same", i + 1, j + 1, shown, shown)


def _endless(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether comparing would take too long. What a long side has too often, the comparison passes over."""
    often = len(new) // 100 + 1 if len(new) >= 200 else len(new)
    counted = Counter(new)
    return sum(counted[each] for each in old if counted[each] <= often) > MOST_PAIRS


def _alike(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many lines both sides begin with, and how many further ones they end with."""
    most = min(len(old), len(new))
    head = next((at for at in range(most) if old[at] != new[at]), most)
    tail = next((at for at in range(most - head) if old[-1 - at] != new[-1 - at]), most - head)
    return head, tail


def _gone(lines: Sequence[str], first: int) -> Iterator[Row]:
    return (Row("gone", at, None, _whole(line, "same"), ()) for at, line in enumerate(lines, first + 1))


def _new(lines: Sequence[str], first: int) -> Iterator[Row]:
    return (Row("new", None, at, (), _whole(line, "same")) for at, line in enumerate(lines, first + 1))


def _folded(rows: Sequence[Row]) -> Iterator[Run]:
    """The rows in runs: unchanged ones that are far from every change are folded."""
    near = [False] * len(rows)
    for at, row in enumerate(rows):
        if row.kind != "same":
            for beside in range(max(0, at - AROUND), min(len(rows), at + AROUND + 1)):
                near[beside] = True
    start = 0
    while start < len(rows):
        end = start
        while end < len(rows) and near[end] == near[start]:
            end += 1
        yield Run(tuple(rows[start:end]), folded=not near[start] and end - start >= SHORTEST_FOLD)
        start = end


def _endings(before: str, after: str, fate: str) -> Iterator[str]:
    """What is different at the ends of lines, where nobody sees it."""
    if "\r\n" in before or "\r\n" in after:
        yield "Lines that end with a carriage return have ␍ at their end."
    sides = [("before", before)] if fate == "removed" else [("after", after)]
    for name, text in [("before", before), ("after", after)] if fate == "changed" else sides:
        if text and not text.endswith("\n"):
            yield f"The last line has no line end {name}."
        if not text:
            yield f"The file is empty {name}."


def _lines(text: str) -> list[str]:
    """Lines to be seen; only \\n ends one, since that is what files go by."""
    lines = spelt_out(text).replace("\r\n", "␍\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def _text(data: bytes | None) -> str | None:
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError:
        return None


def _apart(before: str, after: str) -> tuple[Pieces, Pieces]:
    return _whole(spelt_out(before), "gone"), _whole(spelt_out(after), "new")


def _whole(text: str, mark: Mark) -> Pieces:
    return (Piece(text, mark),) if text else ()
