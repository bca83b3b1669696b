"""Putting a write aside: what a turn is told, and the file that people can read."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from memory.model import Author, Limits, Origin, Reason, Refused, Staged, Unchanged
from memory.pending.model import dump, load
from tests.memory.pending.desk import BOB, MEMORY, USER, Desk
from tests.memory.shelf import BY, add, patch, remove

ROOT = Path(__file__).parents[3]
REVIEW = Author(Origin.REVIEW, "20261130-1f2e3d4c", "turn:12", BOB, chat="telegram:2", flags=("untrusted:document",))


def test_a_write_that_waits_changes_nothing_and_says_so(desk: Desk) -> None:
    outcome = desk.do(add("likes tea"))
    assert isinstance(outcome, Staged)
    assert outcome.pending_id in outcome.message
    assert "Nothing is saved" in outcome.message
    assert desk.entries() == []
    assert desk.waiting() == desk.heard == [outcome.pending_id]
    assert desk.stores.history() == []


def test_the_file_is_readable_and_complete(desk: Desk) -> None:
    desk.save(add("Ada drinks “green” tea 🍵\nand no coffee"))
    name = desk.stage(patch("green", "black"), by=REVIEW)
    text = desk.file(name).read_text(encoding="utf-8")
    assert "Ada drinks “green” tea 🍵" in text  # no escapes: people read this
    assert desk.fields(name) == {
        "id": name,
        "kind": "memory",
        "action": "patch",
        "target": "memory",
        "gist": "patch «Ada drinks “black” tea 🍵 and no coffee»",
        "origin": "review",
        "flags": ["untrusted:document"],
        "created_at": "2027-01-15T08:00:02.000000+00:00",
        "session": "20261130-1f2e3d4c",
        "message": "turn:12",
        "chat": "telegram:2",
        "author": BOB,
        "payload": {
            "file": "MEMORY.md",
            "changes": [
                {
                    "action": "patch",
                    "at": 0,
                    "before": "Ada drinks “green” tea 🍵\nand no coffee",
                    "after": "Ada drinks “black” tea 🍵\nand no coffee",
                }
            ],
        },
        "pins": ["Ada drinks “green” tea 🍵\nand no coffee"],
    }
    assert desk.file(name).stat().st_mode & 0o077 == 0


def test_it_comes_back_from_the_file_as_it_was(desk: Desk) -> None:
    desk.save(add("a"), add("b"))
    desk.time += 0.123456
    name = desk.stage(patch("a", "aa"), add("c"), remove("b"), patch("c", "cc"), by=REVIEW)
    write = desk.get(name)
    assert write.author == REVIEW
    assert write.created_at == pytest.approx(desk.time, abs=1e-6)
    assert (write.action, write.pins, write.unattended) == ("batch", ("a", "b"), True)
    assert load(dump(write), name) == write
    assert Desk(desk.folder).pendings.waiting() == [write]


def test_a_gist_fits_on_a_line(desk: Desk) -> None:
    write = desk.get(desk.stage(add("word\n" * 100), add("more")))
    assert "\n" not in write.gist
    assert len(write.gist) < 120
    assert write.gist.endswith("and 1 more")


@pytest.mark.parametrize("hour", [1, 23])
def test_what_waits_is_listed_with_the_oldest_first(desk: Desk, hour: int) -> None:
    desk.time += hour * 3600
    names = [desk.stage(add(f"tea {number}")) for number in range(20)]
    desk.time += 0.0001  # within one millisecond
    names += [desk.stage(add("late"))]
    assert desk.waiting() == names
    assert desk.pendings.ids() == sorted(names)


# The same checks as for applying, at once


def test_a_write_that_the_scan_refuses_is_not_put_aside(desk: Desk) -> None:
    assert desk.refused(add("evil tea")).reason is Reason.SCAN
    assert desk.heard == []


def test_a_write_over_the_limit_is_not_put_aside(desk: Desk) -> None:
    desk.limits = Limits(memory=10)
    assert desk.refused(add("x" * 11)).reason is Reason.OVER_LIMIT


def test_a_write_to_a_store_that_is_off_is_not_put_aside(desk: Desk) -> None:
    desk.limits = Limits(enabled=frozenset({USER}))
    assert desk.refused(add("tea")).reason is Reason.DISABLED


def test_a_write_that_finds_nothing_or_changes_nothing_is_not_put_aside(desk: Desk) -> None:
    desk.save(add("tea"))
    assert desk.refused(remove("coffee")).reason is Reason.NO_MATCH
    assert desk.refused(add("a\n§\nb")).reason is Reason.INVALID
    assert isinstance(desk.do(add("tea")), Unchanged)
    assert desk.names() == []


# Once


def test_the_same_write_is_put_aside_once(desk: Desk) -> None:
    name = desk.stage(add("tea"))
    assert desk.stage(add("tea"), by=replace(BY, message="18")) == name
    assert desk.stage(add("tea"), target=USER) != name
    assert desk.stage(add("teas")) != name
    assert len(desk.names()) == len(desk.heard) == 3


def test_the_same_write_is_put_aside_once_also_when_places_moved(desk: Desk) -> None:
    desk.save(add("a"), add("b"))
    added, patched, removed = (desk.stage(each) for each in (add("tea"), patch("b", "bb"), remove("b")))
    desk.write("b")
    assert [desk.stage(each) for each in (add("tea"), patch("b", "bb"), remove("b"))] == [added, patched, removed]


def test_the_same_patch_found_by_folding_is_put_aside_once(desk: Desk) -> None:
    desk.save(add("Ada’s tea – green"))
    name = desk.stage(patch("Ada's tea - green", "Ada likes tea"))
    assert desk.stage(patch("Ada's tea - green", "Ada likes tea")) == name


def test_the_same_write_is_put_aside_again_after_it_was_decided(desk: Desk) -> None:
    name = desk.stage(add("tea"))
    desk.resolver.reject(name, BOB)
    assert desk.stage(add("tea")) != name


def test_two_processes_put_the_same_write_aside_once(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "tests.fakes.memory_decider", "stage", str(tmp_path), "12")
    both = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    first, second = (json.loads(lines) for lines in said)
    assert first == second  # the same ids, by whoever came first
    assert sorted(first) == Desk(tmp_path).pendings.ids()
    assert len(set(first)) == 12


# Where it cannot be kept


def test_a_write_that_cannot_be_put_aside_is_refused_and_says_so(desk: Desk) -> None:
    (desk.folder / "pending").write_text("in the way", encoding="utf-8")
    outcome = desk.do(add("tea"))
    assert isinstance(outcome, Refused)
    assert outcome.reason is Reason.UNWRITABLE
    assert "Nothing was saved" in outcome.message
    assert str(desk.folder / "pending") in outcome.message
    assert desk.entries() == []
    assert desk.heard == []


def test_a_folder_that_is_not_there_yet_is_empty(desk: Desk) -> None:
    assert (desk.waiting(), desk.broken(), desk.pendings.ids()) == ([], {}, [])
    assert desk.pendings.get("1f2e3d4c") is None
    assert desk.resolver.mend() == []


def test_other_files_in_the_folder_are_no_business_of_ours(desk: Desk) -> None:
    desk.file("x").parent.mkdir(parents=True)
    for name in ("README.json", "1f2e3d4c.json~", "1F2E3D4C.json", ".1f2e3d4c.json.x.tmp", "notes.claimed"):
        (desk.file("x").parent / name).write_text("{}", encoding="utf-8")
    assert (desk.waiting(), desk.broken(), desk.pendings.ids(), desk.resolver.mend()) == ([], {}, [], [])
    assert len(desk.names()) == 5


def test_five_hundred_writes_are_listed_and_decided(desk: Desk) -> None:
    first = desk.stage(add("tea"))
    text = desk.file(first).read_text(encoding="utf-8")
    for number in range(1, 500):
        name = f"{number:08x}"
        desk.file(name).write_text(text.replace('"tea"', f'"tea {number}"'), encoding="utf-8")
    assert len(desk.waiting()) == len(desk.pendings.ids()) == 500
    assert desk.stage(add("tea 250")) == f"{250:08x}"
    desk.approved(f"{250:08x}")
    assert desk.entries() == ["tea 250"]
    assert len(desk.waiting()) == 499


def test_more_than_one_target_has_its_own_file(desk: Desk) -> None:
    others = desk.shelf.of({USER: "people/telegram-2.md"})
    outcome = others.apply(USER, [add("Bob")], BY)
    assert isinstance(outcome, Staged)
    mine = desk.stage(add("Bob"), target=USER)
    assert mine != outcome.pending_id
    desk.approved(outcome.pending_id)
    assert (others.entries(USER), desk.entries(USER)) == (("Bob",), [])
    assert desk.entries(MEMORY) == []
