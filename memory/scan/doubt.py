"""Whether a text reads like an order to the assistant, where no rule names what is wrong with it. Pure.

Rules know words; an order can be given without any of them. Here every run of one to three words weighs something,
learnt from samples (`tests/memory/scan/learn.py`), and the sum says which kind of text it resembles more. That is no
proof, so nothing is refused by it: what is doubtful waits for a person's yes. Rules and refusals are the scanner's.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

from memory.model import Draft

LONGEST = 3
"""Words in a run."""

TELLING = 3
"""Runs that are named, at most."""

SHORT = 4
"""Letters of a run that say nothing to a person."""

_ADDRESS = re.compile(
    r"\w+://[^\s<>)\]]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|example|test|invalid|info|xyz)\b(?:/[^\s<>)\]]*)?"
)
_PATH = re.compile(r"(?:~|\.{1,2})?/[\w.~/-]*\w|\b[a-z]:\\\S+|(?<![\w.])\.\w[\w.-]*")
_NUMBER = re.compile(r"\d+(?:[.:,]\d+)*")
"""Which address or file it is says nothing, and honest notes are full of them: left out. Numbers are alike."""

_WORD = re.compile(r"[^\W\d_\u3040-\u30ff\u4e00-\u9fff]+(?:'[a-z]+)?|[\u3040-\u30ff\u4e00-\u9fff]|0")


@dataclass(frozen=True, slots=True)
class Doubt:
    """What weighed most, as runs of words."""

    telling: tuple[str, ...]

    @property
    def words(self) -> str:
        return ", ".join(f"«{each}»" for each in self.telling)


@dataclass(frozen=True, slots=True)
class Table:
    """What was learnt: for each run how rare it is and how much it weighs; where doubt begins."""

    runs: dict[str, tuple[float, float]]
    bias: float
    threshold: float


def doubt(text: str) -> Doubt | None:
    """The doubt about a text; None when it reads like a note."""
    table = _table()
    known = [(run, *table.runs[run]) for run in dict.fromkeys(runs(text)) if run in table.runs]
    norm = math.sqrt(sum(rarity * rarity for _, rarity, _ in known))
    if not known or table.bias + sum(rarity * weight for _, rarity, weight in known) / norm <= table.threshold:
        return None
    heaviest = sorted(known, key=lambda each: -each[1] * each[2])
    named = [run for run, _, weight in heaviest if weight > 0 and len(run) > SHORT]
    return Doubt(tuple(named[:TELLING]))


def doubt_entries(entries: Sequence[str]) -> Doubt | None:
    """The doubt about entries that are read one after the other."""
    return doubt("\n".join(entries))


def doubt_draft(draft: Draft) -> Doubt | None:
    """The doubt that a write brings in, by itself or read behind the entry before it. What was doubtful before does
    not count: somebody kept it."""
    for change in draft.changes:
        if change.after is None:
            continue
        found = doubt(change.after)
        if found is not None and (change.before is None or doubt(change.before) is None):
            return found
        place = draft.after.index(change.after) if change.after in draft.after else 0
        if place and doubt(draft.after[place - 1]) is None:
            found = found or doubt_entries(draft.after[place - 1 : place + 1])
            if found is not None and change.before is None:
                return found
    return None


def runs(text: str) -> Iterator[str]:
    """All runs of one to three words; a sign of a script without spaces is a word."""
    plain = _NUMBER.sub("0", _PATH.sub(" ", _ADDRESS.sub(" ", text.lower())))
    words = _WORD.findall(plain)
    for size in range(1, LONGEST + 1):
        for start in range(len(words) - size + 1):
            yield " ".join(words[start : start + size])


@functools.lru_cache(maxsize=1)
def _table() -> Table:
    """The table beside this file: a line with bias and threshold, then a run, its rarity and its weight a line."""
    with files("memory.scan").joinpath("doubt.tsv").open(encoding="utf-8") as lines:
        bias, threshold = map(float, next(lines).split("\t"))
        rows = (line.split("\t") for line in lines)
        return Table({run: (float(rarity), float(weight)) for run, rarity, weight in rows}, bias, threshold)
