"""An archive of 500 sessions and 50,000 messages: lists that read no more than they show, and letting the old ones go
without anybody waiting for the disk."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gateway.state.contract_search import indexed
from gateway.state.protocols import Only
from gateway.state.store import SqliteStore
from tests.cli.shell import Shell

SESSIONS, MESSAGES = 500, 100
DAY = 86_400.0
CHATS = 5


async def filled(path: Path, sessions: int, messages: int, old: int = 0, *, known: bool = False) -> None:
    """Sessions with so many messages each. The first `old` are of long ago: the first one is pinned, the second one
    goes on."""
    store = await SqliteStore.open(path)
    now = time.time()
    days = [400 - number % 100 if number < old else 2 for number in range(sessions)]

    def work(db: sqlite3.Connection) -> None:
        db.executemany(
            "INSERT INTO sessions (id, session_key, chat, prompt, tools, title, pinned, started_at, active_at,"
            " ended_at, end_reason) VALUES (?, ?, ?, '', '[]', ?, ?, ?, ?, ?, 'new')",
            [(name(each), f"telegram:{each % CHATS}", f"telegram:{each % CHATS}", f"Title {each}", each == 0,
              now - days[each] * DAY, now - days[each] * DAY + each,
              None if each == 1 else now - days[each] * DAY + each)
             for each in range(sessions)],
        )  # fmt: skip
        db.executemany(
            "INSERT INTO messages (session_id, role, content, created_at) VALUES (?, ?, ?, ?)",
            [(name(each), "assistant" if row % 2 else "user", f"tea {row} in {name(each)}", now - days[each] * DAY)
             for each in range(sessions) for row in range(messages)],
        )  # fmt: skip

    await store.database.write(work)
    if known:
        await indexed(store)
    await store.close()


def name(number: int) -> str:
    return f"s{number:03}"


async def steps(path: Path, order: Callable[[SqliteStore], Any]) -> int:
    """How many steps of SQLite's machine the reading takes; the same each time."""
    store, taken = await SqliteStore.open(path), [0]

    def counted() -> int:
        taken[0] += 1
        return 0

    for connection in (store.database.read, store.database.consult):
        await connection(lambda db: db.set_progress_handler(counted, 1))
    taken[0] = 0
    await order(store)
    await store.close()
    return taken[0]


@pytest.mark.parametrize(
    ("keys", "only"), [(None, "all"), (None, "open"), (None, "pinned"), (("telegram:0",), "all")]
)
async def test_a_page_of_a_list_costs_no_more_in_a_large_archive(
    tmp_path: Path, keys: tuple[str, ...] | None, only: Only
) -> None:
    """Measured in what SQLite does, not in seconds."""
    small, large = tmp_path / "small.db", tmp_path / "large.db"
    await filled(small, 60, 20)
    await filled(large, SESSIONS, 20)
    few, many = [
        await steps(path, lambda store: store.sessions.recent(11, keys, only=only)) for path in (small, large)
    ]
    assert few > 100
    assert many <= 1.2 * few, (few, many)


async def test_what_is_recent_costs_no_more_in_a_large_archive(tmp_path: Path) -> None:
    small, large = tmp_path / "small.db", tmp_path / "large.db"
    await filled(small, 60, 20)
    await filled(large, SESSIONS, 20)
    for keys in (None, ["telegram:0"]):
        few, many = [
            await steps(path, lambda store, keys=keys: store.search.browse(limit=10, visible=keys))
            for path in (small, large)
        ]
        assert many <= 1.2 * few, (keys, few, many)


def pages(path: Path) -> tuple[int, int]:
    """How many the file has, and how many of them hold nothing."""
    with closing(sqlite3.connect(path)) as db:
        count, free = (db.execute(f"PRAGMA {each}").fetchone()[0] for each in ("page_count", "freelist_count"))
    return count, free


def settled(path: Path) -> None:
    """The index lets go of what is gone."""

    async def work() -> None:
        store = await SqliteStore.open(path)
        await indexed(store)
        await store.close()

    asyncio.run(work())


@pytest.mark.parametrize("old", [50, 450], ids=["few", "most"])
def test_old_sessions_leave_and_the_file_is_written_anew_only_when_somebody_says_so(
    innkeeper: Shell, old: int
) -> None:
    path = innkeeper.profile.database
    innkeeper("status")
    asyncio.run(filled(path, SESSIONS, MESSAGES, old, known=True))
    before, _ = pages(path)
    told = innkeeper.json("sessions", "prune", "--older-than", "90")
    gone = {each["id"] for each in told["sessions"]}
    assert gone == {name(each) for each in range(2, old)}, "neither what is pinned nor what goes on"
    assert told["messages"] == (old - 2) * MESSAGES
    settled(path)
    after, free = pages(path)
    assert after >= before, "the file keeps its size: nobody waits for it to be written anew"
    words = innkeeper("sessions", "prune", "--older-than", "90").stdout
    assert ("doctor --db --compact" in words) == (free >= after / 4) == (old == 450)
    listed = innkeeper.json("sessions", "list", "--limit", "1000")
    assert {each["id"] for each in listed} == {name(each) for each in range(SESSIONS)} - gone
    for number, there in ((0, True), (1, True), (2, False), (old - 1, False), (old, True)):
        found = innkeeper.json("search", f'"tea 7 in {name(number)}"')
        assert [each["session_id"] for each in found] == ([name(number)] if there else [])
    checked = innkeeper("doctor", "--db").stdout
    assert "every page is whole" in checked
    assert "the search index fits what is stored" in checked
    assert ("doctor --db --compact" in checked) == (old == 450)
