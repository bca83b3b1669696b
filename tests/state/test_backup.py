"""A copy of the database while others write to it: of one moment, whole, and made once."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from pathlib import Path

import pytest

from gateway.state.backup import backup_database, compact_database
from gateway.state.connection import DatabaseFault
from tests.state.house import adding, beside, opened

WRITING = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
print("ready", flush=True)
for number in range(4000):
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT OR REPLACE INTO numbers VALUES ('left', ?)", (number,))
    connection.execute("INSERT OR REPLACE INTO numbers VALUES ('right', ?)", (number,))
    connection.execute("COMMIT")
    time.sleep(0.0005)
"""


def rows(path: Path) -> dict[str, int]:
    connection = sqlite3.connect(path)
    found = dict(connection.execute("SELECT name, value FROM numbers"))
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    connection.close()
    return found


async def test_a_copy_is_of_one_moment_whoever_writes(tmp_path: Path) -> None:
    path, told = tmp_path / "state.db", list[tuple[int, int]]()
    async with opened(path) as database:
        await database.write(
            lambda db: db.executemany(
                "INSERT INTO numbers VALUES (?, ?)", [(f"{number} {'x' * 200}", number) for number in range(60_000)]
            )
        )
        other = beside(WRITING, path)
        assert other.stdout is not None
        other.stdout.readline()
        copying = asyncio.to_thread(backup_database, path, tmp_path / "copy.db", lambda *done: told.append(done))
        copy, writes = asyncio.ensure_future(copying), 0
        while not copy.done():
            await database.write(adding("own"))
            writes += 1
        size = await copy
        other.kill()
        other.communicate()
    assert writes > 0
    assert size == (tmp_path / "copy.db").stat().st_size
    assert told[-1][0] == told[-1][1]
    assert len(told) > 1
    done = [each for each, _ in told]
    assert done == sorted(done), "it was never begun anew"
    found = rows(tmp_path / "copy.db")
    assert found.get("left") == found.get("right")
    assert found.get("own", 0) <= writes
    assert len(found) >= 60_000


async def test_without_room_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "state.db"
    async with opened(path) as database:
        await database.write(adding("one"))
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage._replace(free=1000))
    for work in (lambda: backup_database(path, tmp_path / "copy.db"), lambda: compact_database(path)):
        with pytest.raises(DatabaseFault, match="make room"):
            work()
    assert {each.name for each in tmp_path.iterdir()} <= {"state.db", "state.db-wal", "state.db-shm"}


async def test_making_it_smaller_keeps_every_row(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    async with opened(path) as database:
        await database.write(
            lambda db: db.executemany(
                "INSERT INTO numbers VALUES (?, ?)", [(f"{n} {'x' * 500}", n) for n in range(5000)]
            )
        )
        await database.write(lambda db: db.execute("DELETE FROM numbers WHERE value % 10 <> 0"))
    done = compact_database(path)
    assert done.after * 4 < done.before
    assert path.stat().st_size == done.after
    async with opened(path) as database:
        count = await database.read(lambda db: db.execute("SELECT count(*) FROM numbers").fetchone()[0])
    assert count == 500
