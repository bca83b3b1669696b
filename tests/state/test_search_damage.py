"""An index that is broken in other ways than by bytes in its pages: searching says so, and comes back by itself."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest

from gateway.state.contract import NOON
from gateway.state.contract_search import found, indexed, said
from gateway.state.search_records import SearchFault
from gateway.state.store import SqliteStore

DAMAGES = (
    "DELETE FROM search_words_1_data WHERE id = 10",
    "DELETE FROM search_words_1_data WHERE id > 10",
    "DELETE FROM search_words_1_config",
    "DROP TABLE search_words_1_idx",
    "DROP TABLE search_words_1_data",
    "DROP TABLE search_words_1",
    "DROP TABLE search_vocabulary_1",
)


async def broken(path: Path, damage: str) -> SqliteStore:
    """A store whose index was damaged while nobody had the file open."""
    store = await SqliteStore.open(path)
    await said(store, "s1", ["an apple", "a pear", *["a plum"] * 60])
    await indexed(store)
    await store.close()
    connection = sqlite3.connect(path)
    connection.execute(damage)
    connection.commit()
    connection.close()
    return await SqliteStore.open(path)


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_search_notices_and_the_next_ones_find(tmp_path: Path, damage: str) -> None:
    store = await broken(tmp_path / "state.db", damage)
    try:
        with pytest.raises(SearchFault, match="built anew"):
            await store.search.discover("appl*", now=NOON)
        await said(store, "s2", ["another apple"])
        await indexed(store)
        assert await found(store, "appl*") == ["s1", "s2"]
        left = await store.database.read(
            lambda db: db.execute("SELECT name FROM sqlite_schema WHERE name LIKE 'search_words_1%'").fetchall()
        )
        assert [row[0] for row in left] == []
        checked = await store.database.read(lambda db: db.execute("PRAGMA integrity_check").fetchone()[0])
        assert checked == "ok"
    finally:
        await store.close()


@pytest.mark.parametrize("damage", DAMAGES[:6])
async def test_what_is_said_next_notices_too(tmp_path: Path, damage: str) -> None:
    store = await broken(tmp_path / "state.db", damage)
    try:
        for number in range(2, 6):
            await said(store, f"s{number}", ["another apple", *["a plum"] * 60])
            await indexed(store)
        with suppress(SearchFault):  # it may not have been noticed, or be built anew by now
            await store.search.discover("pear", now=NOON)
        await indexed(store)
        assert await found(store, "pear") == ["s1"]
        assert await found(store, "apple") == ["s1", "s2", "s3", "s4", "s5"]
    finally:
        await store.close()


async def test_a_question_that_the_index_does_not_understand_begins_no_other_one(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "state.db")
    try:
        await said(store, "s1", ["an apple"])
        await indexed(store)
        for query in ('apple "', "NEAR(", 'a AND "', "\0", "{text} : apple", "^apple", "apple + pear"):
            await store.search.discover(query, now=NOON)
        assert (await store.search.state()).building == ""
        assert not (await store.search.state()).damaged
    finally:
        await store.close()


@pytest.mark.parametrize("damage", DAMAGES)
async def test_what_is_to_be_forgotten_is_forgotten_all_the_same(tmp_path: Path, damage: str) -> None:
    store = await broken(tmp_path / "state.db", damage)
    try:
        assert (await store.traces.erase(["an apple"])).messages == 1
        with suppress(SearchFault):
            assert await found(store, "apple") == []
        await indexed(store)
        with suppress(SearchFault):
            assert await found(store, "apple") == []
        await indexed(store)
        assert (await found(store, "apple"), await found(store, "pear")) == ([], ["s1"])
        kept = await store.database.read(lambda db: db.execute("SELECT count(*) FROM search_gone").fetchone()[0])
        assert kept == 0
    finally:
        await store.close()
