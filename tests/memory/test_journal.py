"""The record of changes: who, when, what; taking back; dates; forgetting for good."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime

import pytest

from memory.journal import Dates
from memory.model import Applied, Author, Change, Limits, Origin, Outcome, Reason, Refused, replay
from memory.store import Erased
from tests.memory.shelf import MEMORY, USER, Shelf, add, patch, remove


def undo(shelf: Shelf, name: str | None = None) -> Outcome:
    shelf.time += 1
    return shelf.stores.undo(Author(Origin.COMMAND, who="telegram:111"), name)


def undone(shelf: Shelf, name: str | None = None) -> Applied:
    outcome = undo(shelf, name)
    assert isinstance(outcome, Applied), outcome
    return outcome


def not_undone(shelf: Shelf, name: str | None = None) -> Refused:
    outcome = undo(shelf, name)
    assert isinstance(outcome, Refused), outcome
    return outcome


def test_a_change_is_kept_with_all_that_belongs_to_it(shelf: Shelf) -> None:
    approved = Author(Origin.REVIEW, "20261130-1f2e3d4c", "17", "telegram:111")
    applied = shelf.done(add("likes tea"), by=approved)
    [record] = shelf.stores.history()
    assert (record.id, record.time, record.target, record.author) == (applied.id, 1_800_000_001, MEMORY, approved)
    assert [(change.before, change.after) for change in record.changes] == [(None, "likes tea")]


def test_the_file_is_readable_lines_begun_then_done(shelf: Shelf) -> None:
    shelf.done(add("記憶\nzwei"), target=USER)
    lines = (shelf.folder / "journal.jsonl").read_text().split("\n")
    begun, done = map(json.loads, lines[:2])
    assert lines[2:] == [""]
    assert '"記憶\\nzwei"' in lines[0]
    assert begun["time"] == "2027-01-15T08:00:01.000+00:00"
    assert (begun["state"], begun["target"], begun["origin"]) == ("begun", "user", "foreground")
    assert (begun["hash_before"], len(begun["hash_after"])) == (None, 64)
    assert done == {"id": begun["id"], "state": "done"}
    assert (shelf.folder / "journal.jsonl").stat().st_mode & 0o777 == 0o600


def test_history_is_newest_first_and_bounded(shelf: Shelf) -> None:
    for number in range(5):
        shelf.done(add(f"entry {number}"))
    assert [record.changes[0].after for record in shelf.stores.history(2)] == ["entry 4", "entry 3"]
    assert len(shelf.stores.history()) == 5
    assert shelf.stores.history(0) == []


def test_lines_that_are_no_records_are_passed_over(shelf: Shelf) -> None:
    shelf.done(add("a"))
    with (shelf.folder / "journal.jsonl").open("ab") as journal:
        journal.write(b'my own note\n[1]\n\xff\xfe\n{"state": "begun"}\n{"id": "x", "state": "done"}\n')
    shelf.done(add("b"))
    assert [record.changes[0].after for record in shelf.stores.history()] == ["b", "a"]


def test_an_unchanged_journal_is_parsed_once_and_a_changed_one_never_taken_for_it(shelf: Shelf) -> None:
    shelf.done(add("a hazelnut"))
    (first,) = shelf.stores.history()
    assert shelf.stores.history()[0] is first
    shelf.stores.history().clear()  # a list of one's own
    # In place, of the same length and the same time.
    journal = shelf.folder / "journal.jsonl"
    times = journal.stat()
    with journal.open("r+b") as file:
        data = file.read().replace(b"hazelnut", b"[erased]")
        file.seek(0)
        file.write(data)
    os.utime(journal, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert shelf.stores.history()[0].changes[0].after == "a [erased]"
    shelf.done(add("b"))
    assert [each.changes[0].after for each in shelf.stores.history()] == ["b", "a [erased]"]
    journal.unlink()
    assert shelf.stores.history() == []


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("0001-01-01T00:00:00", "1970-01-01"),
        ("0001-01-01T00:00:00+14:00", "1970-01-01"),
        ("1970-01-01T00:00:00+14:00", "1970-01-01"),
        ("9999-12-31T23:59:59-12:00", "2200-01-01"),
        ("2199-12-31T23:59:59+00:00", "2199-12-31"),
    ],
)
def test_a_date_that_no_clock_shows_is_brought_to_one_that_can_be_shown(
    shelf: Shelf, written: str, read: str
) -> None:
    shelf.done(add("a"))
    journal = shelf.folder / "journal.jsonl"
    journal.write_text(journal.read_text().replace("2027-01-15T08:00:01.000+00:00", written))
    (record,) = shelf.stores.history()
    assert datetime.fromtimestamp(record.time, UTC).date().isoformat() == read
    assert shelf.stores.dates(MEMORY)["a"].created == record.time
    undone(shelf, record.id)


# Taking back


def test_each_kind_of_change_is_taken_back_exactly(shelf: Shelf) -> None:
    shelf.fill(["a", "b", "c"])
    for wishes in (
        [add("d")],
        [patch("b", "bb")],
        [remove("b")],
        [remove("a"), add("x"), patch("c", "cc"), remove("x"), remove("b"), add("a")],
    ):
        applied = shelf.done(*wishes)
        taken = undone(shelf)
        assert shelf.bytes() == "a\n§\nb\n§\nc".encode()
        record = shelf.stores.history()[0]
        assert (record.id, record.undoes, record.author.who) == (taken.id, applied.id, "telegram:111")
        assert shelf.stores.history()[1].undone_by == taken.id


def test_without_an_id_one_goes_back_step_by_step(shelf: Shelf) -> None:
    for name in "abc":
        shelf.done(add(name))
    undone(shelf)
    undone(shelf)
    assert shelf.entries() == ["a"]
    undone(shelf)
    assert shelf.entries() == []
    assert not_undone(shelf).reason is Reason.UNKNOWN


def test_by_id_or_its_beginning(shelf: Shelf) -> None:
    first = shelf.done(add("a"))
    shelf.done(add("b"))
    undone(shelf, first.id[:5].upper())
    assert shelf.entries() == ["b"]
    refusal = not_undone(shelf, first.id)
    assert refusal.reason is Reason.CHANGED
    assert "taken back already" in refusal.message
    assert not_undone(shelf, "zzzz").reason is Reason.UNKNOWN
    assert not_undone(shelf, "").reason is Reason.UNKNOWN


def test_taking_back_can_be_taken_back(shelf: Shelf) -> None:
    shelf.fill(["a", "b"])
    removed = shelf.done(remove("a"))
    taken = undone(shelf)
    undone(shelf, taken.id)
    assert shelf.entries() == ["b"]
    # The removal holds again, so it is what would be taken back next.
    assert shelf.stores.history()[2].id == removed.id
    undone(shelf)
    assert shelf.entries() == ["a", "b"]


@pytest.mark.parametrize(
    "meanwhile", [patch("likes green tea", "hates tea"), remove("likes green tea"), patch("tea", "milk")]
)
def test_an_entry_that_changed_since_stays_as_it_is(shelf: Shelf, meanwhile: object) -> None:
    shelf.fill(["has a cat", "likes tea"])
    change = shelf.done(patch("tea", "green tea"))
    shelf.done(meanwhile)  # type: ignore[arg-type]
    before = shelf.bytes()
    refusal = not_undone(shelf, change.id)
    assert refusal.reason is Reason.CHANGED
    assert "likes green tea" in refusal.message
    assert shelf.bytes() == before


def test_an_entry_edited_by_hand_stays_as_it_is(shelf: Shelf) -> None:
    shelf.done(add("likes tea"))
    shelf.write("likes tea a lot")
    assert not_undone(shelf).reason is Reason.CHANGED


def test_a_batch_is_taken_back_whole_or_not_at_all(shelf: Shelf) -> None:
    batch = shelf.done(add("a"), add("b"))
    shelf.done(patch("a", "changed"))
    assert not_undone(shelf, batch.id).reason is Reason.CHANGED
    assert shelf.entries() == ["changed", "b"]


def test_what_was_removed_and_came_again_is_not_doubled(shelf: Shelf) -> None:
    shelf.fill(["a", "b"])
    removal = shelf.done(remove("a"))
    shelf.done(add("a"))
    assert not_undone(shelf, removal.id).reason is Reason.CHANGED
    assert shelf.entries() == ["b", "a"]


def test_a_removed_entry_comes_back_only_where_there_is_room(shelf: Shelf) -> None:
    shelf.limits = Limits(memory=100)
    shelf.fill(["a" * 60, "b"])
    removal = shelf.done(remove("a" * 60))
    shelf.done(add("c" * 60))
    assert not_undone(shelf, removal.id).reason is Reason.OVER_LIMIT


def test_other_entries_may_change_meanwhile(shelf: Shelf) -> None:
    shelf.fill(["a", "b", "c"])
    removal = shelf.done(remove("b"))
    shelf.done(add("d"), patch("a", "A"))
    undone(shelf, removal.id)
    assert shelf.entries() == ["A", "b", "c", "d"]


def test_the_journal_replays_to_the_file(shelf: Shelf) -> None:
    shelf.fill(["a", "b", "c"])
    shelf.done(patch("b", "bb"), remove("a"))
    undo(shelf)
    shelf.done(remove("c"), add("d"))
    now: tuple[str, ...] = ()
    for record in reversed(shelf.stores.history()):
        now = replay(now, record.changes)
    assert list(now) == shelf.entries()
    with pytest.raises(LookupError):
        replay(now, [Change(remove("x").action, 0, "x", None)])


# Dates


def test_entries_have_their_real_dates(shelf: Shelf) -> None:
    shelf.write("by hand")
    shelf.fill(["a", "b"])
    created = shelf.time
    shelf.done(patch("a", "aa"))
    changed = shelf.time
    assert shelf.stores.dates(MEMORY) == {"aa": Dates(created, changed), "b": Dates(created, created)}
    assert shelf.stores.dates(USER) == {}


def test_taking_back_restores_the_date(shelf: Shelf) -> None:
    shelf.fill(["a", "b"])
    created = shelf.time
    shelf.done(patch("a", "aa"))
    undo(shelf)
    shelf.done(remove("b"))
    undo(shelf)
    assert shelf.stores.dates(MEMORY) == {"a": Dates(created, created), "b": Dates(created, created)}


def test_what_is_learnt_anew_has_a_new_date(shelf: Shelf) -> None:
    shelf.fill(["a", "b"])
    shelf.done(remove("a"))
    shelf.done(add("a"))
    assert shelf.stores.dates(MEMORY)["a"] == Dates(shelf.time, shelf.time)


# Forgetting for good


def test_a_text_is_erased_with_its_earlier_wordings(shelf: Shelf) -> None:
    shelf.fill(["born in 1980", "likes tea"])
    shelf.done(patch("1980", "1981"))
    shelf.done(remove("born in 1981"))
    erased = shelf.stores.erase(["born in 1981"])
    assert erased == Erased(4, 0)
    assert b"198" not in (shelf.folder / "journal.jsonl").read_bytes()
    assert [change.after for change in shelf.stores.history()[2].changes] == ["[erased]", "likes tea"]
    refusal = not_undone(shelf, shelf.stores.history()[0].id)
    assert "erased" in refusal.message
    assert shelf.entries() == ["likes tea"]
    assert shelf.names() == ["MEMORY.md", "journal.jsonl"]


def test_a_part_of_a_text_erases_the_text_and_spares_what_came_of_it(shelf: Shelf) -> None:
    shelf.done(add("likes tea, phone 555-0100"))
    shelf.done(patch(", phone 555-0100", " a lot"))
    assert shelf.stores.erase(["555-0100"]) == Erased(2, 0)
    assert list(shelf.stores.dates(MEMORY)) == ["likes tea a lot"]
    assert b"555-0100" not in (shelf.folder / "journal.jsonl").read_bytes()


def test_backups_forget_as_well(shelf: Shelf) -> None:
    shelf.write("one\r\ntwo\r\n§\r\n§\r\nthree".encode())
    shelf.refused(remove("three"))
    assert shelf.stores.erase(["one\ntwo"]) == Erased(0, 1)
    [copy] = shelf.folder.glob("*.bak")
    assert copy.read_text() == "[erased]\n§\n§\nthree"


def test_nothing_to_erase(shelf: Shelf) -> None:
    assert shelf.stores.erase(["x"]) == Erased(0, 0)
    shelf.done(add("a"))
    before = (shelf.folder / "journal.jsonl").read_bytes()
    assert shelf.stores.erase(["", "  "]) == Erased(0, 0)
    assert (shelf.folder / "journal.jsonl").read_bytes() == before
