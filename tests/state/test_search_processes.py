"""Many processes search while the gateway writes: nobody is locked out, and what was said is found at once."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from gateway.clock import SystemClock
from gateway.state.contract import CHAT, NOON, session
from gateway.state.contract_search import found, indexed
from gateway.state.records import Row
from gateway.state.search_index import generations
from gateway.state.search_upkeep import keep_up
from gateway.state.store import SqliteStore
from tests.state.house import beside, told

RATE = 200
"""Messages a second."""

SEARCHING = """
import asyncio, json, pathlib, sys
from gateway.state.store import SqliteStore
async def main():
    store = await SqliteStore.open(pathlib.Path(sys.argv[1]))
    most = 0
    for number in range(int(sys.argv[2])):
        got = await store.search.discover("message 京都 -absent", now=0.0)
        assert got.hits, got.note
        most = max(most, max(hit.message.id for hit in got.hits))
        await asyncio.sleep(0.02)
    await store.close()
    print(json.dumps(most))
asyncio.run(main())
"""


async def writing(store: SqliteStore, over: asyncio.Event) -> int:
    """A conversation at that rate until it is over; how many messages it has."""
    turn = await store.turns.begin("s1", CHAT, [], [Row("user", "message 0 from 京都")], NOON)
    count = 1
    while not over.is_set():
        await asyncio.sleep(10 / RATE)
        for _ in range(10):
            await store.turns.add(turn, [Row("assistant", f"message {count} from 京都, and more words")], NOON)
            count += 1
    await store.turns.finish(turn, "answered", NOON)
    return count


@pytest.mark.parametrize("rebuilding", [False, True])
async def test_fifty_searches_from_other_processes_while_the_gateway_writes(tmp_path: Path, rebuilding: bool) -> None:
    store = await SqliteStore.open(tmp_path / "state.db")
    await store.sessions.open(session())
    over = asyncio.Event()
    keeping = asyncio.ensure_future(keep_up(store.search, SystemClock()))
    talking = asyncio.ensure_future(writing(store, over))
    while not await store.search.browse() or not (await store.search.discover("message", now=NOON)).hits:
        await asyncio.sleep(0.01)
    others = [beside(SEARCHING, tmp_path / "state.db", 25) for _ in range(2)]
    if rebuilding:
        await store.search.rebuild("at the same time")
    most = await asyncio.gather(*(asyncio.to_thread(told, each) for each in others))
    over.set()
    count = await talking
    keeping.cancel()
    await indexed(store)
    assert count > 50
    assert min(most) > 1, "they saw more than the first message"
    assert await found(store, '"message 17" 京都') == ["s1"]

    def check(db: sqlite3.Connection) -> list[str]:
        for each in generations(db):
            db.execute(f"INSERT INTO {each.table} ({each.table}) VALUES ('integrity-check')")
        return [row[0] for row in db.execute("PRAGMA integrity_check")]

    assert await store.database.write(check) == ["ok"]
    stretch = await store.search.read("s1", limit=count + 1)
    assert stretch is not None
    assert len(stretch.messages) == count
    await store.close()
