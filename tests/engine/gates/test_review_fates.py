"""The books of reviews follow what people decide; they never stand in the way of a decision."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

import pytest

from gateway.config.paths import Profile
from gateway.engine.gates.gatekeeper import Memories, memories
from gateway.engine.gates.review_fates import ReviewFates, deeds_taken_back
from gateway.state.connection import DatabaseFault
from gateway.state.review_records import ReviewKind, ReviewLine, ReviewResult, ReviewWrite, WriteFate
from memory.model import Action, Applied, Author, Operation, Origin, Staged, Target
from memory.skills.journal import Deed
from tests.fakes.guesthouse import settings

REVIEW = Author(Origin.REVIEW, "s1", "review:1", chat="inprocess:c1")
ADA = Author(Origin.COMMAND, who="shell")


class Books:
    """The books in a dictionary; `fault` is raised by whatever is asked of them."""

    def __init__(self, *writes: ReviewWrite) -> None:
        self.held = {each.ref: each for each in writes}
        self.changes = 0
        self.fault: Exception | None = None

    async def results(self, limit: int) -> list[ReviewResult]:
        return []

    async def lines(self, since: float) -> list[ReviewLine]:
        return []

    async def became(self, ref: str, fate: WriteFate, *, now_called: str | None = None) -> bool:
        self.changes += 1
        old = self.held.pop(ref)
        self.held[now_called or ref] = ReviewWrite(now_called or ref, old.kind, fate)
        return True

    async def writes(self, kind: ReviewKind, fates: Collection[WriteFate]) -> list[ReviewWrite]:
        if self.fault is not None:
            raise self.fault
        return [each for each in self.held.values() if each.kind == kind and each.fate in fates]


def kept(folder: Path, *, gated: bool = True) -> Memories:
    return memories(
        Profile("default", folder, folder),
        lambda: settings(memory={"write_approval": gated}),
        lambda: 1_800_000_000.0,
    )


def wished(memory: Memories, text: str) -> str:
    outcome = memory.shelf.own.apply(Target.USER, [Operation(Action.ADD, text)], REVIEW)
    assert isinstance(outcome, Staged | Applied)
    return outcome.pending_id if isinstance(outcome, Staged) else outcome.id


def fates_of(books: Books, memory: Memories) -> ReviewFates:
    return ReviewFates(books, "memory", memory.resolver, memory.taken_back)


async def test_a_chain_of_edits_is_followed_to_its_end(tmp_path: Path) -> None:
    memory = kept(tmp_path)
    first = wished(memory, "One.")
    books = Books(ReviewWrite(first, "memory", "waiting"))
    for text in ("Two.", "Three."):
        (name,) = memory.pendings.ids()
        memory.resolver.edit(name, text, "shell")
    (name,) = memory.pendings.ids()
    await fates_of(books, memory).settle()
    assert list(books.held.values()) == [ReviewWrite(name, "memory", "waiting")]
    memory.resolver.approve(name, "shell")
    await fates_of(books, memory).settle()
    (change,) = memory.taken_back()
    assert list(books.held.values()) == [ReviewWrite(change, "memory", "kept")]


async def test_what_was_there_already_when_it_was_approved_is_kept(tmp_path: Path) -> None:
    memory = kept(tmp_path)
    name = wished(memory, "One.")
    memory.shelf.own.apply(Target.USER, [Operation(Action.ADD, "One.")], ADA)
    memory.resolver.approve(name, "shell")
    books = Books(ReviewWrite(name, "memory", "waiting"))
    await fates_of(books, memory).settle()
    assert list(books.held.values()) == [ReviewWrite(name, "memory", "kept")]


async def test_nothing_is_written_where_nothing_changed(tmp_path: Path) -> None:
    memory = kept(tmp_path, gated=False)
    change = wished(memory, "One.")
    books = Books(ReviewWrite(change, "memory", "kept"), ReviewWrite("0123abcd", "memory", "kept"))
    fates = fates_of(books, memory)
    await fates.settle()
    assert books.changes == 0
    memory.shelf.own.undo(ADA, change)
    await fates.settle()
    await fates.settle()
    assert books.changes == 1
    assert books.held[change].fate == "undone"
    assert books.held["0123abcd"].fate == "kept", "what no journal knows stays as it is"


def spoil(books: Books, folder: Path) -> None:
    (folder / "memories" / "journal.jsonl").unlink()
    (folder / "memories" / "journal.jsonl").mkdir()


def close(books: Books, folder: Path) -> None:
    books.fault = DatabaseFault("the disk is full")


@pytest.mark.parametrize("harm", [spoil, close])
async def test_a_fault_only_puts_it_off(tmp_path: Path, harm: Callable[[Books, Path], None]) -> None:
    memory = kept(tmp_path, gated=False)
    change = wished(memory, "One.")
    memory.shelf.own.undo(ADA, change)
    books = Books(ReviewWrite(change, "memory", "kept"))
    harm(books, tmp_path)
    await fates_of(books, memory).settle()
    assert books.held[change].fate == "kept"


def test_a_deed_that_was_taken_back_and_restored_counts_as_never_taken_back() -> None:
    made, undone, redone = (
        Deed(name, 0.0, ADA, "", (), undoes=undoes) for name, undoes in (("a", None), ("b", "a"), ("c", "b"))
    )
    assert deeds_taken_back([undone, made]) == {"a": True, "b": False}
    assert deeds_taken_back([redone, undone, made]) == {"a": False, "b": True, "c": False}
