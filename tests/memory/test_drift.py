"""Files that people edited: what still can be written, what cannot, and what they are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.model import Limits, Reason, Refused
from tests.memory.shelf import BY, MEMORY, Shelf, add, patch, remove

ODD = ["one\n§\n§\ntwo", "§\none\n§\ntwo", "one\n§\ntwo\n§\n", "one\n\n§\n\ntwo", "\ufeffone\r\n\r\n§\r\ntwo\r\n"]


@pytest.mark.parametrize("text", ODD)
def test_a_file_that_does_not_come_back_the_same_blocks_patch_and_remove(shelf: Shelf, text: str) -> None:
    shelf.write(text)
    for wish in (patch("one", "1"), remove("two"), remove("nowhere")):
        refusal = shelf.refused(wish)
        assert refusal.reason is Reason.DRIFTED
        assert "by hand" in refusal.message
        assert "Nothing was changed" in refusal.message
    [copy] = shelf.folder.glob("*.bak")
    assert copy.read_bytes() == text.encode()
    assert copy.name in refusal.message
    assert copy.name == "MEMORY.md.20270115T080001Z.bak"


@pytest.mark.parametrize("text", ODD)
def test_adding_to_such_a_file_keeps_every_byte_of_it(shelf: Shelf, text: str) -> None:
    shelf.write(text)
    shelf.done(add("three"), add("four\nlines"))
    assert shelf.bytes().startswith(text.encode().rstrip())
    assert shelf.entries() == ["one", "two", "three", "four\nlines"]
    assert shelf.stores.usage(MEMORY).chars == len("one\n§\ntwo\n§\nthree\n§\nfour\nlines")


def test_adding_to_a_file_of_nothing_but_blank(shelf: Shelf) -> None:
    for text in ("§", "\ufeff\n\n", "\n§\n§\n"):
        shelf.write(text)
        shelf.done(add("first"))
        assert shelf.entries() == ["first"]


def test_a_long_text_without_a_separator_is_not_overwritten(shelf: Shelf) -> None:
    shelf.done(add("A-1"))
    by_hand = shelf.bytes() + b"\n" + b"pasted " * 430
    shelf.write(by_hand)
    refusal = shelf.refused(patch("A-1", "A-2"))
    assert refusal.reason is Reason.DRIFTED
    assert "more than the whole limit of 2,200" in refusal.message
    [copy] = shelf.folder.glob("*.bak")
    assert copy.read_bytes() == by_hand
    assert shelf.refused(add("x")).reason is Reason.OVER_LIMIT
    assert shelf.bytes() == by_hand


def test_each_state_of_a_file_is_copied_once(shelf: Shelf) -> None:
    shelf.write("one\n§\n§\ntwo")
    for _ in range(3):
        shelf.refused(remove("one"))
    shelf.write("one\n§\n§\nthree")
    shelf.time -= 1
    shelf.refused(remove("one"))
    assert len(list(shelf.folder.glob("*.bak"))) == 2


def test_once_put_right_by_hand_all_works_again(shelf: Shelf) -> None:
    shelf.write("one\n§\n§\ntwo")
    shelf.refused(remove("one"))
    shelf.write("one\n§\ntwo")
    shelf.done(remove("one"))
    assert shelf.entries() == ["two"]


def test_undo_does_not_reach_into_such_a_file(shelf: Shelf) -> None:
    shelf.done(add("one"))
    shelf.write("one\n§\n§\ntwo")
    outcome = shelf.stores.undo(BY)
    assert isinstance(outcome, Refused)
    assert outcome.reason is Reason.DRIFTED


def test_a_file_over_its_limit_loads_is_reported_and_only_shrinks(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, Limits(memory=100))
    shelf.write("\n§\n".join(letter * 60 for letter in "abcd"))
    assert len(shelf.entries()) == 4
    [line] = shelf.stores.problems()
    assert "over its limit by 149 characters (100% — 249/100 chars)" in line
    assert shelf.refused(add("n")).reason is Reason.OVER_LIMIT
    assert shelf.refused(patch("a" * 60, "n" * 60)).reason is Reason.OVER_LIMIT
    shelf.done(patch("a" * 60, "n" * 50))
    shelf.done(remove("b" * 60), remove("c" * 60))
    shelf.done(remove("d" * 60), add("m" * 40))
    assert shelf.entries() == ["n" * 50, "m" * 40]
    assert shelf.stores.problems() == []


def test_a_limit_that_was_lowered_changes_no_file(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.fill(["a" * 60, "b" * 60])
    shelf.limits = Limits(memory=100)
    assert shelf.entries() == ["a" * 60, "b" * 60]
    assert len(shelf.stores.problems()) == 1
    shelf.limits = Limits(memory=50)
    assert len(shelf.stores.problems()) == 2


def test_healthy_files_have_no_problems(shelf: Shelf) -> None:
    assert shelf.stores.problems() == []
    shelf.fill(["a", "b"])
    assert shelf.stores.problems() == []


def test_a_copy_that_cannot_be_made_is_said_and_the_file_stays(shelf: Shelf) -> None:
    shelf.write("one\n§\n§\ntwo")
    shelf.path().rename(shelf.folder / "real.md")
    shelf.path().symlink_to(shelf.folder / "real.md")
    # Folders in the way of every name that the copy could have.
    (shelf.folder / "MEMORY.md.20270115T080001Z.bak").mkdir()
    (shelf.folder / "MEMORY.md.20270115T080001Z-2.bak").symlink_to("/proc/nowhere/x")
    refusal = shelf.refused(remove("one"))
    assert refusal.reason is Reason.DRIFTED
    assert "a copy could not be made: " in refusal.message
    assert shelf.bytes() == "one\n§\n§\ntwo".encode()
