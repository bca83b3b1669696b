"""Whole transactions: kept or gone, whoever asks and whoever goes away."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from pathlib import Path

import pytest

from gateway.state.connection import DatabaseFault
from gateway.state.database import GROUP, Database
from tests.state.house import adding, numbers, opened


async def test_one_that_fails_takes_no_other_along(tmp_path: Path) -> None:
    def failing(db: sqlite3.Connection) -> None:
        db.execute("INSERT INTO numbers VALUES ('gone', 1)")
        raise LookupError("on purpose")

    def wrong(db: sqlite3.Connection) -> None:
        db.execute("INSERT INTO numbers VALUES ('gone', 'no number')")

    async with opened(tmp_path / "state.db") as database:
        works = [adding("kept"), failing, adding("kept"), wrong, adding("kept")]
        results = await asyncio.gather(*(database.write(each) for each in works), return_exceptions=True)
        assert [type(each) for each in results] == [int, LookupError, int, sqlite3.IntegrityError, int]
        assert await database.read(numbers) == {"kept": 3}


async def test_those_that_wait_share_a_commit(tmp_path: Path) -> None:
    """Seen from the log, which grows by a page for each commit at least."""
    async with opened(tmp_path / "state.db") as database:
        log = (tmp_path / "state.db-wal").stat

        def holding(db: sqlite3.Connection) -> None:
            entered.set()
            assert go.wait(30)

        entered, go = threading.Event(), threading.Event()
        first = asyncio.ensure_future(database.write(holding))
        await asyncio.to_thread(entered.wait, 10)
        waiting = [asyncio.ensure_future(database.write(adding("n"))) for _ in range(GROUP)]
        await asyncio.sleep(0)
        before = log().st_size
        go.set()
        await asyncio.gather(first, *waiting)
        assert await database.read(numbers) == {"n": GROUP}
        assert (log().st_size - before) / 4120 < GROUP / 4  # pages with their heads


async def test_the_disk_is_waited_for_when_it_matters(tmp_path: Path) -> None:
    def synchronous(db: sqlite3.Connection) -> int:
        return int(db.execute("PRAGMA synchronous").fetchone()[0])

    full, normal = 2, 1
    async with opened(tmp_path / "state.db") as database:
        assert await database.write(synchronous) == normal
        assert await database.write(synchronous, durable=True) == full
        assert await database.write(synchronous) == normal
        mixed = await asyncio.gather(*(database.write(synchronous, durable=number == 7) for number in range(10)))
        assert mixed[7] == full
        assert await database.write(synchronous) == normal


async def test_a_cancelled_caller_has_asked_all_the_same(tmp_path: Path) -> None:
    entered, go = threading.Event(), threading.Event()

    def slow(db: sqlite3.Connection) -> None:
        adding("first")(db)
        entered.set()
        assert go.wait(30)
        adding("second")(db)

    async with opened(tmp_path / "state.db") as database:
        caller = asyncio.ensure_future(database.write(slow))
        queued = asyncio.ensure_future(database.write(adding("third")))
        await asyncio.to_thread(entered.wait, 10)
        for each in (caller, queued):
            each.cancel()
        assert await database.read(numbers) == {}
        go.set()
        assert await database.write(numbers) == {"first": 1, "second": 1, "third": 1}
        assert caller.cancelled()
        assert queued.cancelled()


async def test_what_is_written_can_be_read_at_once(tmp_path: Path) -> None:
    async def writer(name: str) -> None:
        for number in range(1, 60):
            assert await database.write(adding(name), durable=number % 7 == 0) == number
            assert (await database.read(numbers))[name] == number

    async with opened(tmp_path / "state.db") as database:
        await asyncio.gather(*(writer(f"w{each}") for each in range(8)))


async def test_a_reading_is_of_one_moment(tmp_path: Path) -> None:
    def twice(db: sqlite3.Connection) -> tuple[dict[str, int], dict[str, int]]:
        before = numbers(db)
        entered.set()
        assert go.wait(30)
        return before, numbers(db)

    entered, go = threading.Event(), threading.Event()
    async with opened(tmp_path / "state.db") as database:
        await database.write(adding("n"))
        reading = asyncio.ensure_future(database.read(twice))
        await asyncio.to_thread(entered.wait, 10)
        await database.write(adding("n"))
        go.set()
        assert await reading == ({"n": 1}, {"n": 1})
        assert await database.read(numbers) == {"n": 2}


async def test_a_reader_cannot_write(tmp_path: Path) -> None:
    async with opened(tmp_path / "state.db") as database:
        with pytest.raises(DatabaseFault, match="may not be written"):
            await database.read(adding("n"))
        assert await database.read(numbers) == {}


async def test_a_closed_database_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path / "state.db") as database:
        asked = [asyncio.ensure_future(database.write(adding("n"))) for _ in range(100)]
        await asyncio.sleep(0)
        await database.close()
        assert await asyncio.gather(*asked) == list(range(1, 101))
        for step in (database.write(numbers), database.read(numbers)):
            with pytest.raises(DatabaseFault, match="closed"):
                await step
        await database.close()


async def test_nobody_waits_for_ever_while_it_closes(tmp_path: Path) -> None:
    async def asking(database: Database) -> int:
        count = 0
        while True:
            try:
                await asyncio.gather(database.write(adding("n")), database.read(numbers))
            except DatabaseFault:
                return count
            count += 1

    for _ in range(5):
        async with opened(tmp_path / "state.db") as database:
            askers = [asyncio.ensure_future(asking(database)) for _ in range(10)]
            await asyncio.sleep(0.02)
            await database.close()
            async with asyncio.timeout(30):
                assert sum(await asyncio.gather(*askers)) > 0


async def test_a_database_that_was_not_opened_says_so(tmp_path: Path) -> None:
    database = Database(tmp_path / "state.db")
    with pytest.raises(DatabaseFault, match="not open"):
        await database.read(numbers)
    await database.close()
    assert not (tmp_path / "state.db").exists()


async def test_two_loops_may_ask(tmp_path: Path) -> None:
    """A thread of the web or of a job has a loop of its own."""
    async with opened(tmp_path / "state.db") as database:
        elsewhere = asyncio.to_thread(asyncio.run, database.write(adding("n")))
        results = await asyncio.gather(elsewhere, database.write(adding("n")))
        assert sorted(results) == [1, 2]


async def test_text_of_every_kind_and_size(tmp_path: Path) -> None:
    long = "🦔é\x00" * 1_000_000

    def work(db: sqlite3.Connection) -> str:
        db.execute("CREATE TABLE texts (text TEXT) STRICT")
        db.execute("INSERT INTO texts VALUES (?)", (f"{long}\ud83d",))
        return str(db.execute("SELECT text FROM texts WHERE text = ?", (f"{long}\udfff",)).fetchone()[0])

    async with opened(tmp_path / "state.db") as database:
        assert await database.write(work) == f"{long}\ufffd"
