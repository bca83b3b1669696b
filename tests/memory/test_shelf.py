"""All stores of a folder: the owner's, those of others, and names that lead elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.model import Applied, Author, Limits, Origin, Target
from memory.shelf import OWN, Shelf
from tests.memory.shelf import BY, MEMORY, USER, add

BOB = "people/telegram-7.md"


def shelf_in(folder: Path) -> Shelf:
    return Shelf(folder / "memories", Limits, lambda: 1_800_000_000.0)


def test_the_owners_files_and_anothers_share_a_journal_and_nothing_else(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    bobs = shelf.of({USER: BOB})
    assert isinstance(shelf.own.apply(USER, [add("Ada")], BY), Applied)
    assert isinstance(bobs.apply(USER, [add("Bob")], BY), Applied)
    assert (shelf.own.entries(USER), bobs.entries(USER)) == (("Ada",), ("Bob",))
    assert (tmp_path / "memories" / BOB).read_text(encoding="utf-8") == "Bob"
    assert [len(each.history()) for each in (shelf.own, bobs)] == [1, 1]
    assert [record.file for record in shelf.made(BY.message or "")] == ["USER.md", BOB]


def test_what_one_message_made_is_found_in_all_files(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    for number, message in enumerate(("turn:1", "turn:12", "turn:1")):
        shelf.own.apply(MEMORY, [add(f"tea {number}")], Author(Origin.FOREGROUND, message=message))
    assert [record.changes[0].after for record in shelf.made("turn:1")] == ["tea 0", "tea 2"]
    assert shelf.made("turn:2") == []


def test_the_store_of_a_file_is_found_by_its_name(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    for target, file in [*OWN.items(), (USER, BOB), (MEMORY, "rooms/telegram--100.md")]:
        stores = shelf.holding(target, file)
        assert stores.path(target) == tmp_path / "memories" / file
        assert stores.enabled == (target,)


@pytest.mark.parametrize(
    "file",
    [
        "../USER.md",
        "people/../../x.md",
        "people/../USER.md",
        "/etc/x.md",
        "",
        ".",
        ".md",
        "people/",
        "people//telegram-7.md",
        "./USER.md",
        "journal.jsonl",
        "USER.md.20261130T000000Z.bak",
        "people/a\0b.md",
        "people/a\nb.md",
        "MEMORY.md",  # the other store's: its limit and its switch are others
        "memory.md",  # the same file where upper and lower case are one
        "user.md",
    ],
)
def test_a_name_that_is_no_memory_file_is_refused(tmp_path: Path, file: str) -> None:
    with pytest.raises(ValueError, match="file"):
        shelf_in(tmp_path).holding(USER, file)


def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path)
    (tmp_path / "memories" / "people").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "memories" / "rooms").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "memories" / BOB).symlink_to(tmp_path / "elsewhere" / "x.md")
    for target, file in ((USER, BOB), (MEMORY, "rooms/x.md")):
        with pytest.raises(ValueError, match="leads out"):
            shelf.holding(target, file)


@pytest.mark.parametrize("target", list(Target))
def test_the_owners_own_files_may_be_links(tmp_path: Path, target: Target) -> None:
    (tmp_path / "memories").mkdir()
    (tmp_path / "notes.md").write_text("tea", encoding="utf-8")
    (tmp_path / "memories" / target.file_name).symlink_to(tmp_path / "notes.md")
    assert shelf_in(tmp_path).holding(target, target.file_name).entries(target) == ("tea",)
