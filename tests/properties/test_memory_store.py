"""Random sequences of wishes, hand edits, crashes and undos against a model of a few lines.

The stores are the real ones, fsync included; only the folder lies in memory where the system has such a place.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.entries import round_trips
from memory.model import Applied, Limits, Operation, Outcome, Reason, Refused, Unchanged, replay
from tests.memory.shelf import BY, MEMORY, Shelf, add, patch, remove

LIMIT = 40
RAM = Path("/dev/shm")


class No(Exception):
    """The model refuses."""


@dataclass
class Model:
    """What curated memory is, without files: a list, what it was before each change, and three rules."""

    entries: list[str] = field(default_factory=list)
    past: list[list[str]] = field(default_factory=list)

    def apply(self, wishes: list[Operation]) -> None:
        now = list(self.entries)
        for wish in wishes:
            self._one(now, wish)
        if self.entries and not now and len(wishes) > 1:
            raise No("empties")
        if now != self.entries:
            if size(now) > LIMIT and size(now) >= size(self.entries):
                raise No("over the limit")
            self.past.append(self.entries)
            self.entries = now

    def _one(self, now: list[str], wish: Operation) -> None:
        if wish.action.value == "add":
            fresh = keepable(wish.content)
            if fresh not in now:
                now.append(fresh)
            return
        if wish.action.value == "patch" and not wish.content.strip():
            raise No("nothing to put there")
        at = self._find(now, wish)
        if wish.action.value == "remove":
            del now[at]
        else:
            now[at] = keepable(now[at].replace(wish.old_text, wish.content))

    @staticmethod
    def _find(now: list[str], wish: Operation) -> int:
        if wish.old_text in now:
            return now.index(wish.old_text)
        holding = {entry for entry in now if wish.old_text in entry}
        if len(holding) != 1:
            raise No("none or several")
        [entry] = holding
        overlapping = sum(entry.startswith(wish.old_text, at) for at in range(len(entry)))
        if wish.action.value == "patch" and overlapping > 1:
            raise No("more than once")
        return now.index(entry)


def size(entries: list[str]) -> int:
    return sum(map(len, entries)) + 3 * max(0, len(entries) - 1)


def keepable(text: str) -> str:
    text = text.strip()
    if not text or "§" in text.split("\n"):
        raise No("no entry")
    return text


# Few draws for each wish, so that thousands of sequences stay quick. No spaces or dashes, which folding is about:
# whoever quotes wrongly here finds nothing.
WORDS = ("a", "b", "aa", "ab", "ba", "aba", "abc", "c§", "§c", "§", "bcabc", "cccccc", "a" * 17)
CONTENTS = (*WORDS, "a\nb", "ab\n\nc", "c\n§\nc", "b\n§", "  a", "b\n", "", "\n", "x" * LIMIT, "x" * (LIMIT + 1))
words, contents = st.sampled_from(WORDS), st.sampled_from(CONTENTS)
PLACES = tuple((entry, start, length) for entry in range(4) for start in (0, 1, 3) for length in (1, 2, 5, 40))
quotes = st.sampled_from([*PLACES, *WORDS])
wishes = st.one_of(
    st.tuples(st.just("add"), contents, quotes),
    st.tuples(st.just("patch"), contents, quotes),
    st.tuples(st.just("remove"), st.just(""), quotes),
)
steps = st.one_of(
    wishes.map(lambda wish: ("write", [wish])),
    st.lists(wishes, min_size=1, max_size=4).map(lambda batch: ("write", batch)),
    st.just(("undo", [])),
    st.just(("start anew", [])),
    st.lists(words.filter(lambda word: word != "§"), max_size=5).map(lambda entries: ("edit", entries)),
)


def operation(wish: tuple[str, str, object], entries: list[str]) -> Operation:
    """A wish that mostly quotes what is there: entry number, start and length of the quote."""
    kind, content, quote = wish
    old_text = quote if isinstance(quote, str) else "a"
    if isinstance(quote, tuple) and entries:
        entry = entries[quote[0] % len(entries)]
        old_text = entry[quote[1] : quote[1] + quote[2]].strip() or entry
    return add(content) if kind == "add" else patch(old_text, content) if kind == "patch" else remove(old_text)


@contextmanager
def clean_shelf() -> Iterator[Shelf]:
    folder = Path(tempfile.mkdtemp(prefix="innkeeper-", dir=RAM if RAM.is_dir() else None))
    try:
        yield Shelf(folder, Limits(memory=LIMIT))
    finally:
        shutil.rmtree(folder)


class Walk:
    """One sequence on both sides."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self.model = Model()

    def step(self, kind: str, given: list) -> None:  # type: ignore[type-arg]
        match kind:
            case "write":
                self._write([operation(wish, self.model.entries) for wish in given])
            case "undo":
                self._undo()
            case "edit":
                # A person writes the file anew; what is in the journal no longer leads there.
                self.shelf.write("\n§\n".join(given))
                self.model = Model(given)
            case "start anew":
                assert self.shelf.stores.repair() == []
        assert self.shelf.entries() == self.model.entries
        assert self.shelf.stores.usage(MEMORY).chars == size(self.model.entries)

    def _write(self, operations: list[Operation]) -> None:
        before = self.model.entries
        outcome = self.shelf.do(*operations)
        if isinstance(outcome, Refused) and outcome.reason is Reason.DRIFTED:
            return
        try:
            self.model.apply(operations)
        except No:
            assert isinstance(outcome, Refused), (operations, outcome)
        else:
            assert isinstance(outcome, Unchanged if self.model.entries == before else Applied), (operations, outcome)
            self._told(outcome, before)

    def _told(self, outcome: Outcome, before: list[str]) -> None:
        if isinstance(outcome, Applied):
            assert list(replay(before, outcome.changes)) == self.model.entries
            assert outcome.usage.chars == size(self.model.entries)
            assert round_trips(self.shelf.bytes().decode())

    def _undo(self) -> None:
        outcome = self.shelf.stores.undo(BY)
        if isinstance(outcome, Applied):
            if self.model.past:
                self.model.entries = self.model.past.pop()
            else:  # a change from before a hand edit, whose entries are still there
                self.model.entries = self.shelf.entries()
        else:
            # Over the limit only after a hand edit that was over it.
            assert isinstance(outcome, Refused)
            assert not self.model.past or outcome.reason is Reason.OVER_LIMIT


def rounds(many: int) -> settings:
    return settings(max_examples=many, deadline=None, suppress_health_check=list(HealthCheck), database=None)


SEQUENCES = st.lists(steps, min_size=1, max_size=10)


def walked(sequence: list[tuple[str, list]]) -> None:  # type: ignore[type-arg]
    with clean_shelf() as shelf:
        walk = Walk(shelf)
        for kind, given_ in sequence:
            walk.step(kind, given_)


@rounds(300)
@given(SEQUENCES)
def test_any_sequence_ends_where_the_model_ends(sequence: list[tuple[str, list]]) -> None:  # type: ignore[type-arg]
    walked(sequence)


@pytest.mark.soak
@rounds(2_000)
@given(SEQUENCES)
def test_so_do_many(sequence: list[tuple[str, list]]) -> None:  # type: ignore[type-arg]
    walked(sequence)
