"""Memory files: a missing one is empty, an unreadable one is a fault, and a write is whole or not at all."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from memory.entries import parse
from memory.files import Unreadable, Unwritable, read, write_atomic
from memory.model import Target


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memories" / Target.MEMORY.file_name


def test_a_missing_file_is_no_text(path: Path) -> None:
    assert read(path) is None


def test_what_is_written_is_read(path: Path) -> None:
    write_atomic(path, "one\n§\n記憶 é")
    assert read(path) == "one\n§\n記憶 é"
    write_atomic(path, "")
    assert read(path) == ""
    assert [found.name for found in path.parent.iterdir()] == ["MEMORY.md"]


def test_an_undecodable_file_is_a_fault_and_stays_as_it_is(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"keep me\n\xc2\xa7\n\xff\xfe bad")
    with pytest.raises(Unreadable, match=r"not UTF-8 text \(byte 12 is 0xff\)"):
        read(path)
    assert path.read_bytes() == b"keep me\n\xc2\xa7\n\xff\xfe bad"


def test_a_byte_order_mark_and_windows_line_ends_load(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes("\ufeffone\r\n§\r\ntwo\r\n".encode())
    assert parse(read(path) or "") == ("one", "two")


def test_what_is_no_ordinary_file_is_a_fault(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(Unreadable, match="no ordinary file"):
        read(path)
    queue = path.parent / "USER.md"
    os.mkfifo(queue)
    with pytest.raises(Unreadable, match="no ordinary file"):
        read(queue)


def test_a_link_to_nothing_is_not_a_missing_file(path: Path) -> None:
    path.parent.mkdir()
    path.symlink_to(path.parent / "elsewhere.md")
    with pytest.raises(Unreadable, match="not there"):
        read(path)


def test_a_file_behind_something_that_is_no_folder_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "memories").write_text("a file")
    with pytest.raises(Unreadable, match="not a directory"):
        read(tmp_path / "memories" / "MEMORY.md")
    with pytest.raises(Unwritable):
        write_atomic(tmp_path / "memories" / "MEMORY.md", "x")


def test_a_write_that_fails_leaves_the_old_text_and_no_leftovers(path: Path) -> None:
    write_atomic(path, "old")
    with pytest.raises(Unwritable, match="half a character"):
        write_atomic(path, "new \ud83d")
    assert read(path) == "old"

    blocked = path.parent / "USER.md"
    blocked.mkdir()
    (blocked / "inside").write_text("x")
    with pytest.raises(Unwritable, match="was not written"):
        write_atomic(blocked, "new")
    assert sorted(found.name for found in path.parent.iterdir()) == ["MEMORY.md", "USER.md"]


def test_a_link_stays_a_link(path: Path, tmp_path: Path) -> None:
    goal = tmp_path / "notes" / "mine.md"
    goal.parent.mkdir()
    goal.write_text("old")
    path.parent.mkdir()
    path.symlink_to(goal)
    write_atomic(path, "new")
    assert path.is_symlink()
    assert goal.read_text() == "new"


def test_permissions_are_kept_and_new_files_are_private(path: Path) -> None:
    write_atomic(path, "a")
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    write_atomic(path, "b")
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_reader_never_sees_half_a_text(path: Path) -> None:
    texts = {"a" * 50_000, "b" * 90_000}
    write_atomic(path, "a" * 50_000)
    stop = threading.Event()
    seen: set[str | None] = set()

    def watch() -> None:
        while not stop.is_set():
            seen.add(read(path))

    reader = threading.Thread(target=watch)
    reader.start()
    for _ in range(15):
        for text in texts:
            write_atomic(path, text)
    stop.set()
    reader.join()
    assert seen
    assert seen <= texts
