"""What a look at the database finds, and that it changes nothing."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from gateway.state.connection import DatabaseFault
from gateway.state.health import examine
from gateway.state.store import SqliteStore
from gateway.state.versions import migrations


async def test_a_database_in_order(tmp_path: Path) -> None:
    path = tmp_path / "a?b#c%" / "state.db"
    store = await SqliteStore.open(path)
    await store.facts.put("s", "n", "x" * 100_000)
    beside = examine(path)
    await store.close()
    before = path.read_bytes()
    alone = examine(path)
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["state.db"]
    assert (alone.version, alone.newest, alone.faults) == (migrations()[-1][0], migrations()[-1][0], ())
    assert alone.size == len(before)
    assert beside.size > 100_000


async def test_damage_is_quoted(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    store = await SqliteStore.open(path)
    for number in range(2000):
        await store.facts.put(f"scope {number}", "name", "x" * 50)
    await store.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] + b"\x00" * 8192 + whole[len(whole) // 2 + 8192 :])
    assert examine(path).faults != ()


def test_what_is_no_database_or_not_there_is_said(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"no database" * 1000)
    with pytest.raises(DatabaseFault, match="not a database"):
        examine(tmp_path / "a")
    with pytest.raises(DatabaseFault, match="cannot be opened"):
        examine(tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_the_version_of_another_innkeeper_is_read(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "state.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    assert examine(tmp_path / "state.db").version == 99
