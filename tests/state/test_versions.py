"""From every version to the newest, in whole steps; a file from the future is left alone."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from gateway.state.connection import DatabaseFault, DatabaseTooNew, connect
from gateway.state.store import SqliteStore
from gateway.state.versions import Step, migrate, migrations, version_of
from tests.state.house import beside, told

STEPS: list[Step] = [
    (1, "CREATE TABLE one (a TEXT) STRICT;\nINSERT INTO one VALUES ('kept; even -- so');\n"),
    (2, "-- a comment; with a semicolon\nALTER TABLE one ADD COLUMN b INTEGER;\nUPDATE one SET b = 2;"),
    (
        3,
        "CREATE TRIGGER t AFTER INSERT ON one BEGIN\n  UPDATE one SET b = 3;\n  UPDATE one SET b = b + 1;\nEND;\n"
        "INSERT INTO one VALUES ('x', 0)",
    ),
]


def schema(path: Path) -> list[str]:
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").fetchall()
    connection.close()
    return [row[0] for row in rows]


@pytest.mark.parametrize("start", range(len(STEPS) + 1))
def test_each_version_is_brought_up_to_date(tmp_path: Path, start: int) -> None:
    connection = connect(str(tmp_path / "state.db"), writes=True)
    if start:
        migrate(connection, STEPS[:start])
    assert version_of(connection) == start
    for _ in range(2):
        migrate(connection, STEPS)
        assert version_of(connection) == 3
        assert [tuple(row) for row in connection.execute("SELECT * FROM one")] == [("kept; even -- so", 4), ("x", 4)]
    connection.close()


def test_a_step_that_fails_half_way_leaves_the_version_before_it(tmp_path: Path) -> None:
    connection = connect(str(tmp_path / "state.db"), writes=True)
    broken = [*STEPS[:2], (3, "UPDATE one SET b = 99;\nCREATE TABLE two (a);\nUPDATE nothing SET a = 1;\n")]
    with pytest.raises(sqlite3.OperationalError, match="nothing"):
        migrate(connection, broken)
    assert version_of(connection) == 2
    assert [tuple(row) for row in connection.execute("SELECT * FROM one")] == [("kept; even -- so", 2)]
    migrate(connection, STEPS)
    assert version_of(connection) == 3
    connection.close()


KILLED = """
import os, sys
from gateway.state.connection import connect
from gateway.state.versions import migrate
connection = connect(sys.argv[1], writes=True)
connection.create_function("die", 0, lambda: os.kill(os.getpid(), 9))
migrate(connection, [(1, "CREATE TABLE one (a TEXT);"), (2, "CREATE TABLE two (a TEXT);\\nSELECT die();")])
"""


def test_a_process_that_dies_half_way_leaves_the_version_before_it(tmp_path: Path) -> None:
    process = beside(KILLED, tmp_path / "state.db")
    process.communicate(timeout=60)
    assert process.returncode == -9
    connection = connect(str(tmp_path / "state.db"), writes=True)
    assert version_of(connection) == 1
    assert [row[0] for row in connection.execute("SELECT name FROM sqlite_schema")] == ["one"]
    connection.close()


MIGRATING = """
import asyncio, json, pathlib, sys
from gateway.state.store import SqliteStore
async def main():
    print("ready", flush=True)
    sys.stdin.readline()
    store = await SqliteStore.open(pathlib.Path(sys.argv[1]))
    await store.facts.count("s", "n")
    await store.close()
    print("true")
asyncio.run(main())
"""


def test_processes_that_open_a_new_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    for attempt in range(3):
        processes = [beside(MIGRATING, path.with_name(f"{attempt}.db")) for _ in range(4)]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        assert [told(process) for process in processes] == [True] * 4
        with sqlite3.connect(path.with_name(f"{attempt}.db")) as connection:
            assert connection.execute("SELECT value FROM facts").fetchone() == ("4",)
        connection.close()


async def test_a_newer_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    store = await SqliteStore.open(path)
    await store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 4711")
        connection.execute("CREATE TABLE of_the_future (a)")
    connection.close()
    before = schema(path)
    for _ in range(2):
        with pytest.raises(DatabaseTooNew, match=r"version 4711.* upgrade innkeeper"):
            await SqliteStore.open(path)
    assert schema(path) == before


@pytest.mark.parametrize("content", [b"this is no database " * 100, b"SQLite format 3\x00" + b"\xff" * 5000])
async def test_a_file_that_is_no_database_is_named_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "another.file"
    path.write_bytes(content)
    with pytest.raises(DatabaseFault, match=r"another\.file"):
        await SqliteStore.open(path)
    assert path.read_bytes() == content


async def test_a_folder_in_the_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "state.db").mkdir()
    with pytest.raises(DatabaseFault, match=r"state\.db cannot be opened"):
        await SqliteStore.open(tmp_path / "state.db")


def test_the_steps_are_numbered_without_gaps() -> None:
    assert [number for number, _ in migrations()] == list(range(1, len(migrations()) + 1))


async def test_a_new_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        store = await SqliteStore.open(tmp_path / "profile" / "state.db")
        await store.facts.put("s", "n", 1)
        modes = {each.name: each.stat().st_mode & 0o777 for each in (tmp_path / "profile").iterdir()}
        await store.close()
    finally:
        os.umask(mask)
    assert modes == {"state.db": 0o600, "state.db-wal": 0o600, "state.db-shm": 0o600}
