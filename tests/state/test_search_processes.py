"""Many processes search while the gateway writes: nobody is locked out, and what was said is found at once."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from gateway.clock import SystemClock
from gateway.state.contract import NOON, session
from gateway.state.contract_search import found, indexed
from gateway.state.records import Row
from gateway.state.search_index import generations
from gateway.state.search_upkeep import keep_up
from gateway.state.store import SqliteStore
from platforms.messages import ChatRef
from tests.state.house import beside, told

RATE = 200
"""Messages a second, over all chats."""

CHATS = [ChatRef("telegram", str(number)) for number in range(4)]
SEARCHES, APART = 25, 8
"""Searches of a process, and how many messages are said from one of them to the next at least: at this rate 50
searches of two processes take a second or so, and no machine is so slow that nothing is written meanwhile."""

SEARCHING = """
import asyncio, json, pathlib, sys
from gateway.state.store import SqliteStore
async def newest(store):
    return max((each.last[-1] for each in await store.search.browse() if each.last), key=lambda said: said.id)
async def main():
    store = await SqliteStore.open(pathlib.Path(sys.argv[1]))
    count, apart = int(sys.argv[2]), int(sys.argv[3])
    ids = []
    while len(ids) < count:
        said = await newest(store)
        if ids and said.id < ids[-1] + apart:
            await asyncio.sleep(0.002)
            continue
        got = await store.search.discover(f'"{said.text}" 京都 -absent', now=0.0)
        assert [hit.message.id for hit in got.hits] == [said.id], (said, got)
        assert (await store.search.discover("message", now=0.0)).hits
        ids.append(said.id)
    await store.close()
    print(json.dumps(ids))
asyncio.run(main())
"""


async def talking(store: SqliteStore, over: asyncio.Event) -> list[int]:
    """Conversations that go on at that rate until it is over, each message a transaction; how many each one has.
    Whoever was held up catches up."""
    names = [chat.key for chat in CHATS]
    for name, chat in zip(names, CHATS, strict=True):
        await store.sessions.open(session(name, name, chat))
    turns = [await store.turns.begin(name, chat, [], [], NOON) for name, chat in zip(names, CHATS, strict=True)]
    clock = SystemClock()
    began, rounds = clock.monotonic(), 0
    while not over.is_set():
        if rounds * len(CHATS) >= (clock.monotonic() - began) * RATE:
            await asyncio.sleep(len(CHATS) / RATE)
            continue
        rows = [Row("assistant", f"message {rounds} to {name} from 京都") for name in names]
        await asyncio.gather(*(store.turns.add(turn, [row], NOON) for turn, row in zip(turns, rows, strict=True)))
        rounds += 1
    for turn in turns:
        await store.turns.finish(turn, "answered", NOON)
    return [rounds] * len(CHATS)


@pytest.mark.parametrize("rebuilding", [False, True])
async def test_fifty_searches_from_other_processes_while_the_gateway_writes(tmp_path: Path, rebuilding: bool) -> None:
    store = await SqliteStore.open(tmp_path / "state.db")
    over = asyncio.Event()
    keeping = asyncio.ensure_future(keep_up(store.search, SystemClock()))
    conversations = asyncio.ensure_future(talking(store, over))
    while not (await store.search.discover("message", now=NOON)).hits:
        await asyncio.sleep(0.01)
    others = [beside(SEARCHING, tmp_path / "state.db", SEARCHES, APART) for _ in range(2)]
    if rebuilding:
        await store.search.rebuild("at the same time")
    seen = await asyncio.gather(*(asyncio.to_thread(told, each) for each in others))
    over.set()
    counts = await conversations
    keeping.cancel()
    await indexed(store)
    for ids in seen:
        assert len(ids) == SEARCHES
        assert ids[-1] - ids[0] >= (SEARCHES - 1) * APART, "so many messages were said while it searched"
    assert sum(counts) >= max(ids[-1] for ids in seen)
    assert await found(store, f'"message 17 to {CHATS[2].key}" 京都') == [CHATS[2].key]

    def check(db: sqlite3.Connection) -> list[str]:
        for each in generations(db):
            db.execute(f"INSERT INTO {each.table} ({each.table}) VALUES ('integrity-check')")
        return [row[0] for row in db.execute("PRAGMA integrity_check")]

    assert await store.database.write(check) == ["ok"]
    for chat, count in zip(CHATS, counts, strict=True):
        stretch = await store.search.read(chat.key, limit=count + 1)
        assert stretch is not None
        assert [each.text for each in stretch.messages] == [
            f"message {number} to {chat.key} from 京都" for number in range(count)
        ]
    await store.close()
