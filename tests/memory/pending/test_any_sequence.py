"""Random sequences of wishes, decisions and hand edits against a model of a few lines.

Everything is the real thing, fsync included; only the folder lies in memory where the system has such a place.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.model import Limits, Operation, Refused, Staged, Unchanged
from memory.pending.resolve import Approved, Decided, Edited, Kept, Rejected, Resolution, Unknown
from tests.memory.pending.desk import ADA, Desk
from tests.memory.shelf import add, patch, remove

LIMIT = 16
RAM = Path("/dev/shm")
WORDS = ("a", "b", "c", "dd", "e" * 7, "f" * 12)
TEXTS = (*WORDS, "", "x" * 17, "g\n§\ng", "evil")

Change = tuple[str | None, str | None]


@dataclass
class Waiting:
    changes: list[Change]
    name: str = ""


@dataclass
class Model:
    """What waits and what is kept, without files."""

    entries: list[str] = field(default_factory=list)
    waiting: list[Waiting] = field(default_factory=list)
    gone: dict[str, str] = field(default_factory=dict)

    def after(self, changes: Sequence[Change]) -> list[str] | None:
        """The entries when exactly these texts are changed; None when that cannot be."""
        now = list(self.entries)
        for before, after in changes:
            if after is not None and not keepable(after):
                return None
            if before is None:
                now += [after] if after is not None and after not in now else []
            elif before not in now:
                return None
            else:
                at = now.index(before)
                now[at : at + 1] = [] if after is None else [after]
        return now if now == self.entries or fits(now, self.entries) else None


def keepable(text: str) -> bool:
    return bool(text) and "§" not in text and text != "evil"


def size(entries: Sequence[str]) -> int:
    return sum(map(len, entries)) + 3 * max(0, len(entries) - 1)


def fits(now: Sequence[str], before: Sequence[str]) -> bool:
    """Within the limit, or over it and shrinking."""
    return size(now) <= LIMIT or (size(before) > LIMIT and size(now) < size(before))


numbers, words, texts = st.integers(0, 5), st.sampled_from(WORDS), st.sampled_from(TEXTS)
wishes = st.tuples(st.sampled_from(["add", "patch", "remove"]), numbers, texts)
steps = st.one_of(
    wishes.map(lambda wish: ("stage", [wish])),
    wishes.map(lambda wish: ("stage", [wish])),
    st.lists(wishes, min_size=2, max_size=3).map(lambda batch: ("stage", batch)),
    numbers.map(lambda at: ("approve", at)),
    numbers.map(lambda at: ("approve", at)),
    numbers.map(lambda at: ("reject", at)),
    st.tuples(numbers, texts).map(lambda pair: ("edit", pair)),
    st.tuples(st.sampled_from(["approve", "reject", "edit"]), numbers).map(lambda pair: ("again", pair)),
    st.lists(words, max_size=4, unique=True).map(lambda entries: ("hand", entries)),
    st.just(("start anew", None)),
)


class Walk:
    """One sequence on both sides."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.model = folder, Model()
        self.desk = self._desk()

    def _desk(self) -> Desk:
        desk = Desk(self.folder)
        desk.limits = Limits(memory=LIMIT)
        return desk

    def step(self, kind: str, given_: object) -> None:
        match kind, given_:
            case "stage", list(batch):
                self._stage(batch)
            case "approve" | "reject", int(at) if self.model.waiting:
                self._decide(kind, at % len(self.model.waiting))
            case "edit", (int(at), str(text)) if self.model.waiting:
                self._edit(at % len(self.model.waiting), text)
            case "again", (str(order), int(at)):
                self._again(order, at)
            case "hand", list(entries):
                self.desk.write("\n§\n".join(entries))
                self.model.entries = list(entries)
            case "start anew", _:
                self.desk = self._desk()
                assert self.desk.resolver.mend() == []
        assert self.desk.entries() == self.model.entries
        assert sorted(self.desk.waiting()) == sorted(each.name for each in self.model.waiting)
        assert self.desk.names() == sorted(f"{each.name}.json" for each in self.model.waiting)

    def _stage(self, batch: Sequence[tuple[str, int, str]]) -> None:
        """Wishes name whole entries, so that the model needs no search."""
        now = list(self.model.entries)
        operations: list[Operation] = []
        for action, at, text in batch:
            if action == "add" or not now:
                operations.append(add(text))
                continue
            entry = now.pop(at % len(now))
            operations.append(patch(entry, text) if action == "patch" else remove(entry))
        outcome = self.desk.do(*operations)
        if isinstance(outcome, Staged):
            changes = [(each.before, each.after) for each in self.desk.get(outcome.pending_id).changes]
            after = self.model.after(changes)
            assert after is not None, (operations, changes)
            assert after != self.model.entries
            same = [each for each in self.model.waiting if each.changes == changes]
            assert [each.name for each in same] in ([], [outcome.pending_id])
            if not same:
                self.model.waiting.append(Waiting(changes, outcome.pending_id))
        else:
            assert isinstance(outcome, Refused | Unchanged)

    def _decide(self, order: str, at: int) -> None:
        wish = self.model.waiting[at]
        resolution = self._order(order, wish.name)
        after = self.model.after(wish.changes)
        if order == "reject":
            assert isinstance(resolution, Rejected)
            self._done(at, "rejected")
        elif after is None:
            assert isinstance(resolution, Kept), (wish, self.model.entries, resolution)
        else:
            assert isinstance(resolution, Approved), (wish, self.model.entries, resolution)
            self.model.entries = after
            self._done(at, "approved")

    def _edit(self, at: int, text: str) -> None:
        wish = self.model.waiting[at]
        resolution = self._order("edit", wish.name, text)
        one = len(wish.changes) == 1 and wish.changes[0][1] is not None
        changes: list[Change] = [(wish.changes[0][0], text)]
        after = self.model.after(changes) if one else None
        if after is None or after == self.model.entries:
            assert isinstance(resolution, Kept), (wish, text, self.model.entries, resolution)
            return
        assert isinstance(resolution, Edited), (wish, text, self.model.entries, resolution)
        self._done(at, "edited")
        self.model.waiting.append(Waiting(changes, resolution.write.id))

    def _again(self, order: str, at: int) -> None:
        """What was decided stays decided, and what never was is unknown."""
        gone = sorted(self.model.gone)
        if not gone:
            assert self.desk.resolver.became("00000000") == Unknown("00000000")
            return
        name = gone[at % len(gone)]
        resolution = self._order(order, name)
        assert isinstance(resolution, Decided)
        assert resolution.receipt.result == self.model.gone[name]

    def _order(self, order: str, name: str, text: str = "b") -> Resolution:
        if order == "edit":
            return self.desk.resolver.edit(name, text, ADA)
        return (self.desk.resolver.approve if order == "approve" else self.desk.resolver.reject)(name, ADA)

    def _done(self, at: int, result: str) -> None:
        self.model.gone[self.model.waiting.pop(at).name] = result


@contextmanager
def clean_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="innkeeper-", dir=RAM if RAM.is_dir() else None))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(st.lists(steps, min_size=1, max_size=12))
def test_any_sequence_ends_where_the_model_ends(sequence: list[tuple[str, object]]) -> None:
    with clean_folder() as folder:
        walk = Walk(folder)
        for kind, given_ in sequence:
            walk.step(kind, given_)
