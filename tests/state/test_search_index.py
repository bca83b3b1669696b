"""The index holds exactly what was said, whatever was changed, deleted, moved or rebuilt, and when."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.state.connection import DatabaseFault, connect
from gateway.state.contract import CHAT, NOON, session
from gateway.state.contract_search import OTHER, found, indexed, said
from gateway.state.records import Row
from gateway.state.search_index import Generation, generations, note_failed, serving
from gateway.state.search_prepare import prepared
from gateway.state.search_records import SearchFault
from gateway.state.store import SqliteStore
from gateway.state.versions import migrate, migrations
from platforms.messages import ChatRef

WORDS = ["apple", "the", "c++", "京都大学", "redis缓存", "lib/util.py", "🦔", "Größe", "don't", "4.5", "한국어", "x"]
Content = list[tuple[str, int, int]]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = await SqliteStore.open(tmp_path / "state.db")
    yield store
    await store.close()


async def content(store: SqliteStore) -> Content:
    """Every word in the generation that serves, with its message and its place."""

    def work(db: sqlite3.Connection) -> Content:
        generation = serving(db)
        assert generation is not None
        rows = db.execute(f'SELECT term, doc, "offset" FROM {generation.vocabulary}')
        return sorted(tuple(row) for row in rows)

    return await store.database.read(work)


async def whole(store: SqliteStore) -> None:
    """The index is sound, and what one has that is built from nothing."""

    def check(db: sqlite3.Connection) -> None:
        for each in generations(db):
            db.execute(f"INSERT INTO {each.table} ({each.table}) VALUES ('integrity-check')")

    await store.database.write(check)
    before = await content(store)
    await store.search.rebuild("to compare")
    await indexed(store)
    assert before == await content(store)
    assert [each.state for each in await store.database.read(generations)] == ["serving"]


def making(chance: random.Random) -> list[str]:
    return [" ".join(chance.choices(WORDS, k=chance.randrange(1, 12))) for _ in range(chance.randrange(1, 30))]


@pytest.mark.parametrize("seed", range(4))
async def test_nothing_is_left_behind_and_nothing_is_missing(store: SqliteStore, seed: int) -> None:
    chance = random.Random(seed)
    sessions: list[str] = []
    for number in range(60):
        match chance.randrange(8):
            case 0 | 1 | 2:
                sessions.append(f"s{number}")
                await said(store, sessions[-1], making(chance), chance.choice((CHAT, OTHER)))
            case 3 if sessions:
                gone = sessions.pop(chance.randrange(len(sessions)))
                assert await store.retention.leave(gone, NOON + 1)
                while not (await store.retention.remove(gone)).gone:
                    if chance.random() < 0.5:
                        await store.search.index()
            case 4:
                await store.traces.erase([chance.choice(WORDS)])
            case 5:
                await store.sessions.move_chat(OTHER, ChatRef("discord", f"9{number}"))
            case 6 if chance.random() < 0.3:
                await store.search.rebuild("in between")
            case _:
                for _ in range(chance.randrange(4)):
                    await store.search.index()
    await indexed(store)
    await whole(store)


async def test_what_was_erased_is_nowhere(store: SqliteStore) -> None:
    await said(store, "s1", ["the code is hazelnut", "fine"])
    await indexed(store)
    await store.traces.erase(["hazelnut"])
    assert "hazelnut" not in {term for term, _, _ in await content(store)}
    assert await store.database.read(lambda db: db.execute("SELECT count(*) FROM search_gone").fetchone()[0]) == 0


async def test_a_database_from_before_is_indexed_in_small_steps(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    connection = connect(str(path), writes=True)
    migrate(connection, [step for step in migrations() if step[0] < 6])
    connection.execute(
        "INSERT INTO sessions (id, session_key, chat, prompt, tools, started_at, active_at)"
        " VALUES ('old', 'telegram:1', 'telegram:1', '', '[]', 1, 1)"
    )
    rows = [("old", f"apple {number}", float(number)) for number in range(1500)]
    connection.executemany(
        "INSERT INTO messages (session_id, role, content, created_at) VALUES (?, 'user', ?, ?)", rows
    )
    connection.close()
    store = await SqliteStore.open(path)
    got = await store.search.discover("apple 7", now=NOON)
    assert got.bounded, "the oldest are not indexed yet, and that is said"
    assert got.note
    await said(store, "new", ["a pear"])
    assert await found_ids(store, "pear") == ["new"]
    steps = 0
    while await store.search.index():
        steps += 1
    assert steps > 10
    assert await found(store, "apple 7") == ["old"]
    await whole(store)
    await store.close()


async def found_ids(store: SqliteStore, query: str) -> list[str]:
    """The sessions on all pages, each of which comes once."""
    names: list[str] = []
    more = None
    while True:
        got = await store.search.discover(query, now=NOON, more=more)
        names += [hit.session.id for hit in got.hits]
        if (more := got.more) is None:
            assert len(set(names)) == len(names)
            return sorted(names)


async def test_a_full_disk_costs_no_message(store: SqliteStore) -> None:
    await said(
        store, "s1", [" ".join(f"apple {number} w{number}x{each}" for each in range(200)) for number in range(50)]
    )
    used = await store.database.write(lambda db: db.execute("PRAGMA page_count").fetchone()[0])
    await store.database.write(lambda db: db.execute(f"PRAGMA max_page_count = {used}"))
    with pytest.raises(DatabaseFault, match="disk is full"):
        await store.search.index()
    assert await found(store, "apple 7") == ["s1"]
    await store.database.write(lambda db: db.execute("PRAGMA max_page_count = 1000000"))
    await indexed(store)
    assert await found(store, "apple 7") == ["s1"]
    await whole(store)


async def test_a_message_that_could_not_be_indexed_is_found_and_tried_again(store: SqliteStore) -> None:
    ids = await said(store, "s1", ["an apple", "a pear"])

    await indexed(store)
    await store.search.rebuild("without the first")
    await store.database.write(lambda db: _note(db, ids[0]))
    await indexed(store)
    assert (await store.search.state()).failed == 0
    assert await found(store, "apple") == ["s1"]
    await whole(store)


def _note(db: sqlite3.Connection, message_id: int) -> None:
    """The generation that is being built could not take this message in."""
    building: Generation = generations(db)[-1]
    note_failed(db, building, message_id, "could not be read")
    db.execute("UPDATE search_generations SET upto = ? WHERE number = ?", (message_id, building.number))


async def test_a_damaged_index_is_said_to_be_and_built_anew(store: SqliteStore) -> None:
    await said(store, "s1", ["an apple", "a pear"])
    await indexed(store)
    await store.database.write(lambda db: db.execute("UPDATE search_words_1_data SET block = x'0102' WHERE id > 10"))
    with pytest.raises(SearchFault, match="built anew"):
        await store.search.discover("apple", now=NOON)
    with pytest.raises(SearchFault, match="built anew"):
        await store.search.discover("pear", now=NOON)
    assert (await store.search.state()).damaged
    await said(store, "s2", ["another apple"])
    await indexed(store)
    assert not (await store.search.state()).damaged
    assert await found(store, "apple") == ["s1", "s2"]
    await whole(store)


async def test_a_message_that_the_index_lost_is_noticed(store: SqliteStore) -> None:
    ids = await said(store, "s1", [f"apple number {number}" for number in range(20)])
    await indexed(store)
    assert await store.search.check() == []
    lost = "INSERT INTO search_words_1 (search_words_1, rowid, text) VALUES ('delete', ?, ?)"
    await store.database.write(lambda db: db.execute(lost, (ids[7], prepared("apple number 7", ids[7], 1, 1))))
    assert await store.search.check() == [ids[7]]
    await store.search.rebuild("a message was lost")
    await indexed(store)
    assert await store.search.check() == []


async def test_an_index_of_another_version_serves_until_a_new_one_is_whole(store: SqliteStore) -> None:
    await said(store, "s1", ["an apple", "a secret apple"])
    await said(store, "s2", ["apple pie"])
    await indexed(store)
    await store.database.write(lambda db: db.execute("UPDATE search_generations SET preparation = '0/1.0'"))
    await said(store, "s3", ["apple tart"])
    await store.traces.erase(["a secret apple"])
    assert await store.retention.leave("s2", NOON + 1)
    while not (await store.retention.remove("s2")).gone:
        pass
    assert await found(store, "apple") == ["s1", "s3"]
    assert await found(store, "secret") == []
    await indexed(store)
    assert await found(store, "apple") == ["s1", "s3"]
    assert "secret" not in {term for term, _, _ in await content(store)}
    await whole(store)


async def test_rebuilding_while_the_house_writes_loses_nothing(store: SqliteStore) -> None:
    await said(store, "before", [f"apple {number}" for number in range(300)])
    await indexed(store)
    await store.search.rebuild("a person asked")
    for number in range(30):
        await said(store, f"s{number}", [f"apple pie {number}"], OTHER)
        if number % 10 == 3:
            assert await store.retention.leave(f"s{number - 1}", NOON + 1)
            await store.retention.remove(f"s{number - 1}")
        await store.search.index()
        assert f"s{number}" in await found(store, "pie")
    await indexed(store)
    await whole(store)


async def test_an_asker_finds_his_few_among_very_many(store: SqliteStore) -> None:
    await said(store, "mine", ["the oldest of all"])
    for number in range(40):
        await said(store, f"theirs{number}", ["the news of the day"] * 50, OTHER)
    await indexed(store)
    for query in ("the", '"of all"', "the -news", "the OR news", "th*", "o* the"):
        got = await store.search.discover(query, now=NOON, visible=[CHAT.key])
        assert [hit.session.id for hit in got.hits] == ["mine"], query
        assert not got.bounded
    assert (await store.search.discover("the", now=NOON)).bounded
    assert await found_ids(store, "the") == ["mine", *sorted(f"theirs{number}" for number in range(40))]


async def test_an_archive_is_searched_to_its_very_beginning(store: SqliteStore) -> None:
    """However far apart the ids are: questions to the index are about stretches of them."""
    numbers = [1, 4_095, 4_096, 5_000, 65_536, 70_000, 400_000, 1_048_576, 1_100_000, 3_000_000, 3_000_001]

    def fill(db: sqlite3.Connection) -> None:
        for number in numbers:
            db.execute(
                "INSERT INTO sessions (id, session_key, chat, prompt, tools, started_at, active_at, ended_at)"
                " VALUES (?, ?, ?, '', '[]', 1, 1, 1)",
                (f"s{number}", CHAT.key, CHAT.key),
            )
            db.execute(
                "INSERT INTO messages (id, session_id, role, content, created_at) VALUES (?, ?, 'user', ?, ?)",
                (number, f"s{number}", f"the news of the day, 京都大学, line {number}", float(number)),
            )

    await store.database.write(fill)
    await indexed(store)
    everything = sorted(f"s{number}" for number in numbers)
    for query in (
        "the news",
        '"of the day"',
        "news -absent",
        "京都大学",
        "news OR absent",
        "news in:telegram",
        "li* news",
    ):
        assert await found_ids(store, query) == everything, query
    for number in numbers:
        for query in (f"line {number} the", f'"line {number}"', f"the {number} -absent"):
            assert await found_ids(store, query) == [f"s{number}"], query
    assert await found_ids(store, "the news after:1970-01-30") == ["s3000000", "s3000001"]
    assert await found_ids(store, '"the news of absent"') == []


async def test_old_messages_with_new_numbers_are_found_by_their_time(store: SqliteStore) -> None:
    """What was imported is older than what was said before it."""
    for number, at in enumerate((5e8, 9e8, 1e8, 9e8, 2e8)):
        await said(store, f"s{number}", ["the apple"] * 1100, at=at)
    await indexed(store)
    assert await found_ids(store, "apple before:1977 after:1973") == ["s2", "s4"]
    assert await found_ids(store, "apple after:1985 before:1986") == ["s0"]


async def test_searches_and_readers_do_not_wait_for_each_other(store: SqliteStore) -> None:
    """A search runs on a thread of its own: a read that was asked for later is there first if the search is long."""
    order: list[str] = []

    def long(db: sqlite3.Connection) -> None:
        endless = (
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000000) SELECT max(i) FROM n"
        )
        db.execute(endless).fetchone()
        order.append("search")

    searching = asyncio.ensure_future(store.database.consult(long))
    await store.sessions.open(session())
    turn = await store.turns.begin("s1", CHAT, [], [Row("user", "hi")], NOON)
    await store.turns.messages("s1")
    order.append(f"turn {turn.id}")
    await searching
    assert order == ["turn 1", "search"]
