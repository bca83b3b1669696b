"""Writing: on what is in the file now, under a lock, on the disk before it is answered."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from memory.entries import parse
from memory.files import Unreadable, locked
from memory.model import Applied, Author, Draft, Limits, Origin, Reason, Refused, Staged, Target, Unchanged
from memory.snapshot import block
from memory.store import Stores
from tests.memory.shelf import BY, MEMORY, USER, Shelf, add, patch, remove


def test_a_missing_file_is_empty(shelf: Shelf) -> None:
    assert shelf.entries() == []
    assert shelf.stores.usage(MEMORY).fraction == "0/2,200"
    assert not shelf.folder.exists()
    shelf.done(add("tea"))
    assert shelf.bytes() == b"tea"


def test_an_answer_tells_the_state_after_it(shelf: Shelf) -> None:
    shelf.done(add("likes tea"))
    applied = shelf.done(add("has a cat"), patch("tea", "green tea"))
    assert applied.entry_count == 2
    assert applied.usage.chars == len("likes green tea\n§\nhas a cat")
    assert [(change.before, change.after) for change in applied.changes] == [
        (None, "has a cat"),
        ("likes tea", "likes green tea"),
    ]


def test_what_is_there_already_is_a_success_that_writes_nothing(shelf: Shelf) -> None:
    shelf.done(add("tea"))
    before = shelf.stores.history()
    outcome = shelf.do(add("tea"))
    assert isinstance(outcome, Unchanged)
    assert "Nothing was added" in outcome.notes[0]
    assert isinstance(shelf.do(add("x"), remove("x")), Unchanged)
    assert shelf.stores.history() == before


def test_a_second_writer_changes_what_is_there_now(tmp_path: Path) -> None:
    first, second = Shelf(tmp_path), Shelf(tmp_path)
    first.done(add("A-1"))
    assert second.entries() == ["A-1"]
    second.done(add("B-1"))
    first.done(patch("A-1", "A-2"))
    assert first.bytes().decode() == "A-2\n§\nB-1"


def test_both_stores_have_their_own_file_and_limit(shelf: Shelf) -> None:
    shelf.done(add("x" * 2_000))
    assert shelf.refused(add("x" * 2_000), target=USER).reason is Reason.OVER_LIMIT
    shelf.done(add("Ada"), target=USER)
    assert shelf.names() == ["MEMORY.md", "USER.md", "journal.jsonl"]


def test_a_store_that_is_off_is_not_written(shelf: Shelf) -> None:
    shelf.done(add("tea"), target=USER)
    shelf.limits = Limits(enabled=frozenset({Target.MEMORY}))
    assert shelf.refused(remove("tea"), target=USER).reason is Reason.DISABLED
    assert shelf.stores.enabled == (MEMORY,)
    undone = shelf.stores.undo(BY)
    assert isinstance(undone, Refused)
    assert undone.reason is Reason.DISABLED


def test_no_operation_is_refused(shelf: Shelf) -> None:
    assert shelf.refused().reason is Reason.INVALID


# What may go wrong with files


def test_an_undecodable_file_blocks_every_write_and_keeps_its_bytes(shelf: Shelf) -> None:
    shelf.write(b"keep me\n\xc2\xa7\n\xff\xfe bad")
    for wish in (add("x"), patch("keep", "x"), remove("keep me")):
        refusal = shelf.refused(wish)
        assert refusal.reason is Reason.UNREADABLE
        assert "not UTF-8" in refusal.message
        assert "Nothing was changed" in refusal.message
    assert shelf.names() == ["MEMORY.md"]
    with pytest.raises(Unreadable):
        shelf.entries()
    assert "not UTF-8" in shelf.stores.problems()[0]
    # The other store goes on.
    shelf.done(add("Ada"), target=USER)


def test_a_file_that_is_none_blocks_every_write(shelf: Shelf) -> None:
    shelf.path().mkdir(parents=True)
    outcome = shelf.do(add("x"))
    assert isinstance(outcome, Refused)
    assert outcome.reason is Reason.UNREADABLE


def test_byte_order_mark_and_windows_line_ends_load_and_can_be_changed(shelf: Shelf) -> None:
    shelf.write("\ufeffone\r\n§\r\ntwo\r\nlines\r\n")
    shelf.done(patch("lines", "rows"), add("three"))
    assert shelf.bytes().decode() == "one\n§\ntwo\nrows\n§\nthree"


def test_a_full_disk_is_a_refusal_and_changes_nothing(shelf: Shelf) -> None:
    shelf.done(add("tea"))
    journal = shelf.folder / "journal.jsonl"
    journal.unlink()
    journal.symlink_to("/dev/full")
    assert shelf.refused(add("milk")).reason is Reason.UNWRITABLE
    assert shelf.entries() == ["tea"]
    assert shelf.names() == ["MEMORY.md", "journal.jsonl"]


FULL = """
    import resource, signal, sys
    from pathlib import Path
    from tests.memory.shelf import Shelf, add

    shelf = Shelf(Path(sys.argv[1]))
    room = int(sys.argv[2])
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    refusal = shelf.refused(add("one more"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print(refusal.reason.name, [record.changes[0].after for record in shelf.stores.history()])
    shelf.done(add("it fits now"))
"""


@pytest.mark.parametrize("room", [1_500, 200])
def test_no_room_for_the_file_or_for_the_journal(tmp_path: Path, room: int) -> None:
    """The kernel refuses to let files grow: once for the new file, once in the middle of a journal's line."""
    shelf = Shelf(tmp_path)
    shelf.write("x" * 1_900)
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FULL), str(tmp_path), str(room)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert ran.stdout.strip() == "UNWRITABLE []", ran.stderr
    assert shelf.entries() == ["x" * 1_900, "it fits now"]
    assert [record.changes[0].after for record in shelf.stores.history()] == ["it fits now"]
    assert shelf.names() == ["MEMORY.md", "journal.jsonl"]


def test_waiting_for_another_writer_has_an_end(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, patience=0.05)
    with locked(shelf.folder / ".lock"):
        refusal = shelf.refused(add("x"))
    assert refusal.reason is Reason.BUSY
    assert "try again" in refusal.message
    shelf.done(add("x"))


def test_writers_in_one_process_lose_nothing(shelf: Shelf) -> None:
    def write(name: str) -> None:
        for number in range(5):
            shelf.stores.apply(MEMORY, [add(f"{name}{number}")], BY)

    writers = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(shelf.entries()) == [f"{name}{number}" for name in "abcd" for number in range(5)]
    assert len(shelf.stores.history()) == 20


def test_a_link_stays_a_link(shelf: Shelf, tmp_path: Path) -> None:
    goal = tmp_path / "synced" / "notes.md"
    goal.parent.mkdir()
    goal.write_text("tea")
    shelf.folder.mkdir()
    shelf.path().symlink_to(goal)
    shelf.done(add("milk"))
    assert shelf.path().is_symlink()
    assert parse(goal.read_text()) == ("tea", "milk")


# One count everywhere


def test_every_surface_prints_the_same_number(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, Limits(memory=100))
    shelf.fill([f"entry {number}" for number in range(9)] + ["👨‍👩‍👧"])
    assert shelf.stores.usage(MEMORY).chars == 9 * 7 + 5 + 9 * 3
    used = str(shelf.stores.usage(MEMORY))
    assert f"[{used}]" in block(MEMORY, shelf.entries(), 100)
    assert shelf.done(remove("entry 0"), add("entry 0")).usage == shelf.stores.usage(MEMORY)
    refusal = shelf.refused(add("z" * 50))
    assert refusal.usage == shelf.stores.usage(MEMORY)
    assert shelf.stores.usage(MEMORY).chars == len(shelf.bytes().decode())


def test_stores_of_one_folder_share_journal_and_lock_and_nothing_else(shelf: Shelf) -> None:
    person = Stores(shelf.folder, Limits, lambda: 1.0, files={USER: "people/telegram-222.md"})
    shelf.fill(["Ada"], USER)
    person.apply(USER, [add("Bo")], BY)
    assert (shelf.entries(USER), person.entries(USER)) == (["Ada"], ("Bo",))
    assert (shelf.folder / "people" / "telegram-222.md").read_text() == "Bo"
    assert person.enabled == (USER,)
    assert isinstance(person.apply(MEMORY, [add("x")], BY), Refused)
    # Each takes back its own.
    assert [record.changes[0].after for record in shelf.stores.history()] == ["Ada"]
    assert isinstance(shelf.stores.undo(BY), Applied)
    assert person.entries(USER) == ("Bo",)
    assert person.repair() == []


# The seams


def test_a_check_sees_the_whole_and_its_refusal_is_final(tmp_path: Path) -> None:
    seen: list[Draft] = []

    def check(draft: Draft) -> Refused | None:
        seen.append(draft)
        return Refused(draft.target, Reason.SCAN, "No.") if "evil" in "\n".join(draft.after) else None

    shelf = Shelf(tmp_path, check=check)
    shelf.done(add("tea"))
    assert shelf.refused(add("milk"), add("evil")).reason is Reason.SCAN
    assert seen[-1].before == ("tea",)
    assert seen[-1].after == ("tea", "milk", "evil")
    assert shelf.stores.history()[0].changes[0].after == "tea"


def test_a_decision_may_put_a_write_aside(tmp_path: Path) -> None:
    staged: list[Draft] = []

    def decide(draft: Draft, by: Author, file: str) -> Staged | None:
        assert file == "MEMORY.md"
        if by.origin is not Origin.REVIEW:
            return None
        staged.append(draft)
        return Staged(draft.target, "1f2e3d4c", "It waits.")

    shelf = Shelf(tmp_path, decide=decide)
    shelf.done(add("likes tea"))
    outcome = shelf.do(patch("tea", "milk"), by=Author(Origin.REVIEW))
    assert outcome == Staged(MEMORY, "1f2e3d4c", "It waits.")
    assert shelf.entries() == ["likes tea"]
    # The full text of the entry that would change is there to be pinned.
    assert [change.before for change in staged[0].changes] == ["likes tea"]
    # An invalid write fails at once: nobody is asked to decide on it.
    assert shelf.refused(remove("coffee"), by=Author(Origin.REVIEW)).reason is Reason.NO_MATCH
    assert len(staged) == 1


def test_forgetting_everything_takes_one_yes_and_can_be_undone(shelf: Shelf) -> None:
    shelf.fill(["a", "b", "c"])
    shelf.fill(["Ada"], USER)
    outcomes = shelf.stores.forget_all(BY)
    assert [outcome.target for outcome in outcomes] == [MEMORY, USER]
    assert shelf.entries() == shelf.entries(USER) == []
    shelf.stores.undo(BY)
    shelf.stores.undo(BY)
    assert (shelf.entries(), shelf.entries(USER)) == (["a", "b", "c"], ["Ada"])


def test_finding_what_a_person_means(shelf: Shelf) -> None:
    shelf.fill(["likes tea", "tea"])
    shelf.fill(["tea at five"], USER)
    assert shelf.stores.holding("tea") == ((MEMORY, "tea"),)
    assert shelf.stores.holding("tea ") == ((MEMORY, "tea"),)
    assert shelf.stores.holding("ea a") == ((USER, "tea at five"),)
    assert shelf.stores.holding("a") == ((MEMORY, "likes tea"), (MEMORY, "tea"), (USER, "tea at five"))
