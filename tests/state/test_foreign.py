"""Another program's database: read from a copy of one moment, whatever it holds, and left as it was."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gateway.state.connection import DatabaseFault
from gateway.state.foreign import TRIES, copied


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    path = tmp_path / "it's 100% #theirs?.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute('CREATE TABLE "odd ""table" (name TEXT, "of" BLOB)')
        db.executemany('INSERT INTO "odd ""table" VALUES (?, ?)', [("b", 1), ("a", b"\0"), ("b", None)])
    return path


def test_rows_as_they_were_written(theirs: Path, tmp_path: Path) -> None:
    with copied(theirs, tmp_path / "scratch") as db:
        assert (db.has('odd "table'), db.has("table")) == (True, False)
        rows = list(db.rows('odd "table', ("name", "of", "absent")))
        assert rows[1] == {"rowid": 2, "name": "a", "of": b"\0", "absent": None}
        db.sorted_by('odd "table', "name")
        assert [each["rowid"] for each in db.rows('odd "table', ("of",), "name", "b")] == [1, 3]
        assert db.newest('odd "table', "name") == {"a": 2, "b": 3}
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_copy_that_was_overtaken_is_made_again(
    theirs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    copyfile = shutil.copyfile

    def overtaken(source: Path, goal: Path) -> None:
        copyfile(source, goal)
        if not pauses:
            with closing(sqlite3.connect(theirs)) as db, db:
                db.execute('INSERT INTO "odd ""table" VALUES (?, ?)', ("late" * 2000, 1))

    monkeypatch.setattr(shutil, "copyfile", overtaken)
    with copied(theirs, tmp_path / "scratch", pauses.append) as db:
        assert len(list(db.rows('odd "table', ("name",)))) == 4
    assert len(pauses) == 1


def test_a_database_that_never_rests_is_refused(
    theirs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    copyfile = shutil.copyfile

    def busy(source: Path, goal: Path) -> None:
        copyfile(source, goal)
        with closing(sqlite3.connect(theirs)) as db, db:
            db.execute('INSERT INTO "odd ""table" VALUES (?, ?)', ("more" * 2000, 1))

    monkeypatch.setattr(shutil, "copyfile", busy)
    with pytest.raises(DatabaseFault, match="stop the program"), copied(theirs, tmp_path / "scratch", pauses.append):
        pass
    assert len(pauses) == TRIES
    assert list((tmp_path / "scratch").iterdir()) == []


def test_no_room_for_a_copy(theirs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10, 10, 0))  # type: ignore[attr-defined]
    with pytest.raises(DatabaseFault, match="no room for a copy"), copied(theirs, tmp_path / "scratch"):
        pass


def test_what_is_none(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("nothing of the kind " * 100)
    for name, why in (("absent.db", "cannot be copied"), ("text.db", "cannot be read")):
        with pytest.raises(DatabaseFault, match=why), copied(tmp_path / name, tmp_path / "scratch"):
            pass
