"""The skills that come with the program: there from the start, fresh where untouched, never against one's will."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.files import Unreadable, Unwritable
from memory.scan.scanner import scan
from memory.skills.guard import assess
from memory.skills.parcel import Parcel, parcel_of
from memory.skills.seeding import MARKER, OptedOut, Seeded, Seeds, bundled
from tests.memory.skills.crates import raw
from tests.memory.skills.shed import ADA, Shed, create, patch, skill, tree

FIVE = ("keep-a-list", "meeting-notes", "summarise-chat", "tidy-memory", "weekly-reflection")


def seeds(shed: Shed, *parcels: Parcel) -> Seeds:
    if parcels:
        return Seeds(shed.library, shed.store, lambda: shed.time, lambda: parcels)
    return Seeds(shed.library, shed.store, lambda: shed.time)


def made(name: str, body: str = "1. Look.\n", **more: str) -> Parcel:
    files = {"SKILL.md": skill(name, body=body), **{f"references/{key}": text for key, text in more.items()}}
    return parcel_of({path: raw(text) for path, text in files.items()})


def test_the_first_start_brings_five_and_the_second_nothing(shed: Shed) -> None:
    assert seeds(shed).sow(ADA) == Seeded(added=FIVE)
    assert tuple(shed.names()) == FIVE
    assert {each.source for each in shed.library.found().skills} == {"bundled"}
    before = tree(shed.root, ours=True)
    assert seeds(shed).sow(ADA) == Seeded()
    assert tree(shed.root, ours=True) == before


@pytest.mark.parametrize("name", FIVE)
def test_what_comes_with_the_program_is_sound_short_and_safe(name: str) -> None:
    it = next(each for each in bundled() if each.name == name)
    text = it.files["SKILL.md"].decode()
    assert assess(it.files).verdict == "safe"
    assert not scan(text)
    assert len(text) < 2_500
    assert "Use " in it.description
    assert len(it.description) < 260
    assert not it.left
    assert it.digest == parcel_of(it.files).digest


def test_an_upgrade_refreshes_only_what_nobody_changed(shed: Shed) -> None:
    seeds(shed, made("a"), made("b", old="x\n"), made("c")).sow(ADA)
    shed.done(patch("a", "Look", "Look twice"), by=ADA)
    newer = (made("a", "2. New.\n"), made("b", "2. New.\n", new="y\n"), made("c"), made("d"))
    done = seeds(shed, *newer).sow(ADA)
    assert done == Seeded(added=("d",), refreshed=("b",), kept=("a",))
    assert "Look twice" in shed.library.view("a")
    assert shed.library.view("b").endswith("2. New.\n")
    assert shed.library.files("b") == ("references/new",)
    assert seeds(shed, *newer).sow(ADA) == Seeded(kept=("a",))


def test_what_was_taken_away_stays_away(shed: Shed) -> None:
    seeds(shed, made("a"), made("b")).sow(ADA)
    shed.store.archive("a", ADA)
    (shed.root / "b/SKILL.md").unlink()
    (shed.root / "b").rmdir()
    assert seeds(shed, made("a"), made("b", "2. New.\n")).sow(ADA) == Seeded(gone=("a", "b"))
    assert shed.names() == []


def test_a_name_that_somebody_has_is_left_to_them(shed: Shed) -> None:
    shed.done(create("a"))
    shed.put("b/SKILL.md", "broken")
    shed.put("c/notes.txt", "a folder of somebody's")
    before = tree(shed.root)
    assert seeds(shed, made("a"), made("b"), made("c")).sow(ADA) == Seeded(taken=("a", "b", "c"))
    assert tree(shed.root) == before


def test_a_crash_after_the_files_is_made_up_for(shed: Shed) -> None:
    seeds(shed, made("a")).sow(ADA)
    (shed.root / ".bundled.json").unlink()
    assert seeds(shed, made("a")).sow(ADA) == Seeded()
    assert seeds(shed, made("a", "2. New.\n")).sow(ADA) == Seeded(refreshed=("a",))


def test_the_marker_keeps_everything_as_it_is(shed: Shed) -> None:
    seeds(shed, made("a")).sow(ADA)
    assert seeds(shed, made("a")).opt_out(ADA) == OptedOut()
    assert seeds(shed).off
    before = tree(shed.root)
    assert seeds(shed, made("a", "2. New.\n"), made("b")).sow(ADA) == Seeded(off=True)
    assert tree(shed.root) == before
    (shed.root / MARKER).unlink()
    assert seeds(shed, made("a", "2. New.\n")).sow(ADA) == Seeded(refreshed=("a",))


def test_a_profile_can_be_without_them_from_the_start(tmp_path: Path) -> None:
    shed = Shed(tmp_path / "home")
    assert seeds(shed).opt_out(ADA) == OptedOut()
    assert seeds(shed).sow(ADA) == Seeded(off=True)
    assert shed.names() == []


def test_opting_out_with_remove_takes_only_what_nobody_changed(shed: Shed) -> None:
    seeds(shed, made("a"), made("b"), made("c")).sow(ADA)
    shed.done(create("mine"))
    shed.put("b/references/mine.md", "x\n")
    (shed.root / "c").rename(shed.root / "c-elsewhere")
    assert seeds(shed).opt_out(ADA, remove=True) == OptedOut(removed=("a",), kept=("b",))
    assert shed.names() == ["b", "mine"]
    (shed.root / MARKER).unlink()
    assert seeds(shed, made("a")).sow(ADA) == Seeded(added=("a",))


def test_links_in_place_of_marker_and_records_are_not_followed(shed: Shed, tmp_path: Path) -> None:
    (shed.root / MARKER).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unwritable, match="link"):
        seeds(shed).opt_out(ADA)
    assert not (tmp_path / "elsewhere").exists()
    (shed.root / MARKER).unlink()
    (shed.root / ".bundled.json").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unreadable, match="link"):
        seeds(shed).sow(ADA)
    assert shed.names() == []
