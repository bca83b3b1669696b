"""A disk that takes no more, or a folder that may not be written: said clearly, and what was stored stays."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.state.connection import DatabaseFault
from gateway.state.contract import CHAT, NOON, begun
from gateway.state.records import PartDraft, Row
from gateway.state.store import SqliteStore
from tests.state.house import adding, beside, numbers, opened, told


def bound(pages: int) -> object:
    def work(db: sqlite3.Connection) -> None:
        db.execute(f"PRAGMA max_page_count = {pages}")

    return work


async def test_a_full_file_says_so_and_keeps_what_it_has(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "state.db")
    turn = await begun(store)
    used = await store.database.write(lambda db: db.execute("PRAGMA page_count").fetchone()[0])
    await store.database.write(bound(used + 5))  # type: ignore[arg-type]
    huge = Row("assistant", "x" * 200_000)
    with pytest.raises(DatabaseFault, match="disk is full"):
        await store.turns.finish(turn, "answered", NOON, rows=[huge], parts=[PartDraft("never")])
    assert [each.row.content for each in await store.turns.messages("s1")] == ["hi"]
    assert await store.outbox.queued(CHAT) == []
    assert await store.turns.running() == [turn]
    await store.database.write(bound(10_000))  # type: ignore[arg-type]
    await store.turns.finish(turn, "answered", NOON, rows=[huge], parts=[PartDraft("at last")])
    assert [each.text for each in await store.outbox.queued(CHAT)] == ["at last"]
    await store.close()


async def test_what_does_not_fit_takes_no_other_along(tmp_path: Path) -> None:
    """A full disk ends the transaction that several share: each of them is then tried alone."""

    def huge(db: sqlite3.Connection) -> None:
        db.execute("INSERT INTO numbers VALUES (?, 1)", ("x" * 500_000,))

    def holding(db: sqlite3.Connection) -> None:
        db.execute("PRAGMA max_page_count = 40")
        entered.set()
        assert go.wait(30)

    entered, go = threading.Event(), threading.Event()
    async with opened(tmp_path / "state.db") as database:
        first = asyncio.ensure_future(database.write(holding))
        await asyncio.to_thread(entered.wait, 10)
        works = [adding("small"), huge, adding("small"), adding("small")]
        waiting = [asyncio.ensure_future(database.write(each)) for each in works]
        await asyncio.sleep(0)
        go.set()
        await first
        results = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(each) for each in results] == [int, DatabaseFault, int, int]
        assert await database.read(numbers) == {"small": 3}


LIMITED = """
import asyncio, json, pathlib, resource, sys
from gateway.state.connection import DatabaseFault
from gateway.state.contract import CHAT, NOON, event
from gateway.state.store import SqliteStore
async def main():
    store = await SqliteStore.open(pathlib.Path(sys.argv[1]))
    log = pathlib.Path(sys.argv[1] + "-wal").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (log + 200_000, resource.RLIM_INFINITY))
    kept, words = [], []
    for number in range(30):
        try:
            await store.inbox.accept(event(number, "x" * 30_000), CHAT.key, NOON)
            kept.append(f"e{number}")
        except DatabaseFault as fault:
            words.append(str(fault))
    readable = [each.event.event_id for each in await store.inbox.open_items()]
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await store.inbox.accept(event(99, "x" * 30_000), CHAT.key, NOON)
    await store.close()
    print(json.dumps([kept, readable, words]))
asyncio.run(main())
"""


async def test_a_disk_that_refuses_to_write(tmp_path: Path) -> None:
    """The system lets no file grow: what was acknowledged is there, and it goes on once there is room."""
    kept, readable, words = told(beside(LIMITED, tmp_path / "state.db"))
    assert 0 < len(kept) < 30
    assert readable == kept
    assert all("state.db" in each and "room" in each for each in words)
    store = await SqliteStore.open(tmp_path / "state.db")
    assert [each.event.event_id for each in await store.inbox.open_items()] == [*kept, "e99"]
    await store.close()


UNPRIVILEGED = """
import asyncio, concurrent.futures.thread, json, os, pathlib, sys  # all of it before the rights are given up
from gateway.state.connection import DatabaseFault
from gateway.state import store
def run(step):
    try:
        return asyncio.run(step)
    except (DatabaseFault, PermissionError) as fault:
        return f"{type(fault).__name__}: {fault}"
async def write(path):
    opened = await store.SqliteStore.open(path)
    try:
        await opened.facts.put("s", "n", 2)
    finally:
        await opened.close()
path = pathlib.Path(sys.argv[1])
os.geteuid() or os.setuid(65534)
print(json.dumps(run(write(path))))
"""


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that another user can look into, which pytest's own is not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


async def test_a_file_that_may_not_be_written(shared_folder: Path) -> None:
    path = shared_folder / "state.db"
    store = await SqliteStore.open(path)
    await store.facts.put("s", "n", 1)
    await store.close()
    path.chmod(0o444)
    shared_folder.chmod(0o555)
    said = told(beside(UNPRIVILEGED, path))
    assert said.startswith("DatabaseFault: ")
    assert "state.db" in said
    assert "right" in said
    shared_folder.chmod(0o755)
    path.chmod(0o600)
    store = await SqliteStore.open(path)
    assert await store.facts.get("s", "n") == 1
    await store.close()
