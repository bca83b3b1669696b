"""The life of each entry, read from the journal: when it came, as what, and what became of it. Pure.

Skills, and what joins things, are `memory.journey.timeline`'s part.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memory.journal import Record
from memory.model import ERASED, Author, Change, Origin, Target

BY_HAND = Author(Origin.OPERATOR)
"""Who is behind an entry that somebody wrote into the file."""

HAND = "hand:"
"""How the id of an entry begins that no change in the journal brought."""

Fate = Literal["kept", "changed", "removed"]


@dataclass(frozen=True, slots=True)
class Live:
    """What stands in one store's file now; `file` is relative to the memory folder."""

    target: Target
    file: str
    entries: Sequence[str]


@dataclass(slots=True)
class Trace:
    """One entry through all its wordings. `text` is the present one, or the last one of an entry that went; `first`
    is how it came. `steps` are the ids of the changes that touched it after that, the oldest first. `dated` is False
    when the journal does not know when it came."""

    id: str
    target: Target
    file: str
    text: str
    at: float
    changed: float
    author: Author
    fate: Fate = "kept"
    dated: bool = True
    first: str = ""
    steps: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.first = self.first or self.text


def hand_id(file: str, text: str) -> str:
    """The name of an entry that no change in the journal brought."""
    return HAND + hashlib.sha256(f"{file}\n{text}".encode("utf-8", "replace")).hexdigest()[:8]


def traces(
    records: Iterable[Record], live: Sequence[Live], seen: Mapping[str, float] | None = None, now: float = 0.0
) -> list[Trace]:
    """All entries that ever were in these files, the erased ones left out, in the order in which they came.

    `records` are the journal's, the oldest first; those of other files are passed over. `seen` says when an entry
    that was written by hand (by `hand_id`) was first noticed; `now` stands for those that are noticed only now.
    """
    files = {each.file for each in live}
    past = _Past()
    for record in records:
        if record.file in files:
            past.add(record)
    for each in live:
        past.compare(each, seen or {}, now)
    return sorted((each for each in past.all if each.text != ERASED), key=lambda each: each.at)


class _Past:
    """What the records read so far come to. A text names an entry within its file, as in the stores themselves."""

    def __init__(self) -> None:
        self.all: list[Trace] = []
        self._living: dict[tuple[str, str], Trace] = {}
        self._gone: dict[tuple[str, str], Trace] = {}
        self._erased: dict[str, list[Trace]] = {}
        """By file: those whose present wording in the journal is erased; nothing tells them apart."""

    def add(self, record: Record) -> None:
        born = 0
        for change in record.changes:
            if change.before is not None:
                self._touch(record, change, self._taken(record, change.before))
            elif change.after is not None:
                back = self._gone.pop((record.file, change.after), None) if record.undoes is not None else None
                if back is not None:
                    self._touch(record, change, back)
                    continue
                born += 1
                name = record.id if born == 1 else f"{record.id}.{born}"
                self._keep(self._new(record, name, change.after))

    def compare(self, live: Live, seen: Mapping[str, float], now: float) -> None:
        """What people did to the file by hand since."""
        there = set(live.entries)
        for (file, text), trace in list(self._living.items()):
            if file == live.file and text not in there:
                del self._living[file, text]
                trace.fate = "removed"
        for text in dict.fromkeys(live.entries):
            if (live.file, text) in self._living:
                continue
            if (back := self._gone.pop((live.file, text), None)) is not None:
                back.fate = "kept" if text == back.first else "changed"
                self._keep(back)
                continue
            name = self._free(hand_id(live.file, text))
            at = seen.get(name, now)
            trace = Trace(name, live.target, live.file, text, at, at, BY_HAND, dated=False)
            self.all.append(trace)
            self._keep(trace)

    def _taken(self, record: Record, text: str) -> Trace:
        """The entry that reads so when the record begins; one that was written by hand is met here first."""
        if text == ERASED:
            candidates = self._erased.get(record.file, [])
            if len(candidates) == 1:
                return candidates.pop()
        else:
            for known in (self._living, self._gone):
                if (trace := known.pop((record.file, text), None)) is not None:
                    return trace
        trace = self._new(record, self._free(hand_id(record.file, text)), text)
        trace.dated, trace.author = False, BY_HAND
        return trace

    def _free(self, name: str) -> str:
        """A name that no other entry has: what was written by hand may have been changed, and written again."""
        taken = {each.id for each in self.all if each.id.startswith(name)}
        number = 1
        while (free := name if number == 1 else f"{name}.{number}") in taken:
            number += 1
        return free

    def _new(self, record: Record, name: str, text: str) -> Trace:
        trace = Trace(name, record.target, record.file, text, record.time, record.time, record.author)
        self.all.append(trace)
        return trace

    def _touch(self, record: Record, change: Change, trace: Trace) -> None:
        trace.changed = max(trace.changed, record.time)
        trace.steps.append(record.id)
        if change.after is None:
            trace.fate = "removed"
            self._gone[record.file, trace.text] = trace
            return
        trace.text = change.after
        if trace.first == ERASED:
            trace.first = change.after
        trace.fate = "kept" if trace.text == trace.first else "changed"
        self._keep(trace)

    def _keep(self, trace: Trace) -> None:
        if trace.text == ERASED:
            self._erased.setdefault(trace.file, []).append(trace)
            return
        other = self._living.get((trace.file, trace.text))
        if other is not None and other is not trace:
            # Somebody took it out of the file by hand: else it would not have come once more.
            other.fate = "removed"
        self._living[trace.file, trace.text] = trace
