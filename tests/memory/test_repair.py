"""What a killed writer leaves behind, at every step of a write, and what the next start makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.model import replay
from tests.memory.shelf import MEMORY, Shelf, add, patch, remove


def agrees(shelf: Shelf) -> bool:
    """Whether the journal tells exactly how the file came about."""
    now: tuple[str, ...] = ()
    for record in reversed(shelf.stores.history()):
        now = replay(now, record.changes)
    return list(now) == shelf.entries()


class Crash:
    """A store with one entry, and the bytes of a second write at its steps: `begun` and `done` are the journal's
    lengths when those lines were complete."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self.path = shelf.folder / "journal.jsonl"
        shelf.done(add("likes tea"))
        self.before = shelf.bytes()
        start = len(self.path.read_bytes())
        shelf.done(patch("tea", "記憶 tea"), add("has a cat"))
        self.after = shelf.bytes()
        self.journal = self.path.read_bytes()
        self.start = start
        self.begun = self.journal.index(b"\n", start) + 1
        self.done = len(self.journal)

    def at(self, journal: int, file: bytes) -> None:
        self.path.write_bytes(self.journal[:journal])
        self.shelf.write(file)


@pytest.fixture
def crash(shelf: Shelf) -> Crash:
    return Crash(shelf)


def test_before_the_journal_had_its_line_nothing_happened(crash: Crash) -> None:
    for length in range(crash.start, crash.begun - 1, 9):
        crash.at(length, crash.before)
        assert crash.shelf.stores.repair() == []
        assert crash.path.read_bytes() == crash.journal[: crash.start]
        assert crash.shelf.entries() == ["likes tea"]
        assert agrees(crash.shelf)


def test_begun_and_not_written_is_given_back(crash: Crash) -> None:
    for length in (crash.begun - 1, crash.begun):
        crash.at(length, crash.before)
        assert crash.shelf.stores.repair() == ["an interrupted change was given back"]
        assert crash.shelf.entries() == ["likes tea"]
        assert len(crash.shelf.stores.history()) == 1
        assert agrees(crash.shelf)
        assert crash.shelf.stores.repair() == []


def test_written_and_not_marked_as_done_is_done(crash: Crash) -> None:
    for length in range(crash.begun, crash.done - 1):
        crash.at(length, crash.after)
        assert crash.shelf.stores.repair() == ["an interrupted change was found complete"]
        assert crash.shelf.entries() == ["likes 記憶 tea", "has a cat"]
        assert len(crash.shelf.stores.history()) == 2
        assert agrees(crash.shelf)


def test_a_last_line_without_its_end_is_completed(crash: Crash) -> None:
    crash.at(crash.done - 1, crash.after)
    assert crash.shelf.stores.repair() == []
    crash.shelf.done(add("more"))
    assert len(crash.shelf.stores.history()) == 3
    assert agrees(crash.shelf)


def test_the_next_writer_repairs_as_well(crash: Crash) -> None:
    """Another process may be writing when one dies, and nobody starts."""
    crash.at(crash.begun, crash.after)
    crash.shelf.done(remove("has a cat"))
    assert len(crash.shelf.stores.history()) == 3
    assert agrees(crash.shelf)
    crash.at(crash.begun, crash.before)
    crash.shelf.done(add("milk"))
    assert crash.shelf.entries() == ["likes tea", "milk"]
    assert agrees(crash.shelf)


@pytest.mark.parametrize(
    ("edited", "happened"),
    [
        ("likes 記憶 tea\n§\nhas a cat\n§\nby hand", "found complete"),
        ("likes tea\n§\nby hand", "given back"),
        ("by hand", "given back"),
    ],
)
def test_a_file_edited_after_the_crash_tells_by_its_entries(crash: Crash, edited: str, happened: str) -> None:
    crash.at(crash.begun, edited.encode())
    assert crash.shelf.stores.repair() == [f"an interrupted change was {happened}"]
    assert crash.shelf.bytes().decode() == edited


def test_a_first_write_that_died_leaves_no_file(shelf: Shelf) -> None:
    shelf.done(add("tea"))
    journal = shelf.folder / "journal.jsonl"
    shelf.path().unlink()
    journal.write_bytes(journal.read_bytes().split(b"\n")[0] + b"\n")
    assert shelf.stores.repair() == ["an interrupted change was given back"]
    assert shelf.names() == ["journal.jsonl"]


def test_half_written_files_are_removed_and_others_stay(shelf: Shelf, tmp_path: Path) -> None:
    goal = tmp_path / "elsewhere" / "notes.md"
    goal.parent.mkdir()
    goal.write_text("tea")
    shelf.folder.mkdir()
    shelf.path().symlink_to(goal)
    for stray in (goal.parent / ".notes.md.k3j2.tmp", shelf.folder / ".USER.md.abc.tmp", shelf.folder / "mine.tmp"):
        stray.write_text("half")
    assert shelf.stores.repair() == ["2 half-written files were removed"]
    assert shelf.names() == ["MEMORY.md", "mine.tmp"]
    assert [found.name for found in goal.parent.iterdir()] == ["notes.md"]


def test_nothing_to_repair_makes_nothing(shelf: Shelf) -> None:
    assert shelf.stores.repair() == []
    assert not shelf.folder.exists()


def test_a_file_that_cannot_be_read_does_not_end_the_start(crash: Crash) -> None:
    crash.at(crash.begun, crash.before)
    crash.shelf.path().unlink()
    crash.shelf.path().mkdir()
    [line] = crash.shelf.stores.repair()
    assert "no ordinary file" in line


def test_a_journal_of_long_lines_is_read_from_its_end(shelf: Shelf) -> None:
    shelf.write("\n§\n".join(letter * 2_000 for letter in "abcdefghij"))
    removal = shelf.done(*[remove(letter * 2_000) for letter in "abcdefghi"])
    journal = shelf.folder / "journal.jsonl"
    lines = journal.read_bytes().split(b"\n")
    journal.write_bytes(lines[0] + b"\n")
    assert len(lines[0]) > 18_000
    assert shelf.stores.repair() == ["an interrupted change was found complete"]
    assert shelf.stores.history()[0].id == removal.id
    assert shelf.stores.usage(MEMORY).chars == 2_000
