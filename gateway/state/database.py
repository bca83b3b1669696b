"""One SQLite file, one writer thread, one reader thread: whole transactions travel to them as functions.

A transaction runs to its end even when the coroutine that asked for it is cancelled, and nobody else's statements
can fall into it. Transactions that wait at the same moment share one commit. SQL itself is the repositories' matter.
"""

from __future__ import annotations

import asyncio
import queue
import re
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from gateway.errors import InnkeeperError

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
BUSY_SECONDS = 10.0
GROUP = 64


class DatabaseTooNew(InnkeeperError):
    """The file was written by a newer Innkeeper; it is left alone."""


@dataclass(slots=True)
class _Order:
    work: Work[Any]
    durable: bool
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    value: Any = None
    error: BaseException | None = None


class Database:
    """Opens on `open()`, closes on `close()`; `write` and `read` take a function of a connection."""

    def __init__(self, path: Path | str) -> None:
        self.path = str(path)
        self._writer = _Worker(self.path, writes=True)
        self._reader = _Worker(self.path, writes=False)
        self._opened = False

    async def open(self) -> None:
        """Create or migrate the file. Raises DatabaseTooNew, or sqlite3.Error when it cannot be used."""
        self._writer.start()
        await self._writer.ask(migrate, durable=True, plain=True)
        self._reader.start()
        self._opened = True

    async def write(self, work: Work[T], *, durable: bool = False) -> T:
        """Run `work` in a transaction; all of it is kept, or nothing when it raises.

        `durable` waits for the disk (what a platform was told, or a person was shown, must survive a power cut).
        """
        return await self._writer.ask(work, durable=durable)

    async def read(self, work: Work[T]) -> T:
        """Run `work` on a connection that cannot write."""
        return await self._reader.ask(work, plain=True)

    async def close(self) -> None:
        """Finish what was asked, then close both connections."""
        if self._opened:
            self._opened = False
            await asyncio.to_thread(self._reader.stop)
            await asyncio.to_thread(self._writer.stop)


class _Worker:
    """A thread with a connection of its own and a queue of orders."""

    def __init__(self, path: str, *, writes: bool) -> None:
        self._path = path
        self._writes = writes
        self._orders: queue.SimpleQueue[tuple[_Order, bool] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=f"state-{'write' if writes else 'read'}", daemon=True)
        self._failed: BaseException | None = None

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._orders.put(None)
        self._thread.join()

    async def ask(self, work: Work[T], *, durable: bool = False, plain: bool = False) -> T:
        if not self._thread.is_alive():
            raise self._failed or InnkeeperError("the database is closed")
        loop = asyncio.get_running_loop()
        order = _Order(work, durable, loop, loop.create_future())
        self._orders.put((order, plain))
        result: T = await order.future
        return result

    def _run(self) -> None:
        try:
            connection = connect(self._path, writes=self._writes)
        except sqlite3.Error as error:
            self._failed = error
            self._refuse_all(error)
            return
        durable = False
        while (taken := self._orders.get()) is not None:
            batch, stop = self._gather(taken)
            wanted = any(order.durable for order, _ in batch)
            if self._writes and wanted != durable:
                connection.execute(f"PRAGMA synchronous = {'FULL' if wanted else 'NORMAL'}")
                durable = wanted
            if batch[0][1]:
                self._plain(connection, batch[0][0])
            else:
                _commit_together(connection, [order for order, _ in batch])
            _answer([order for order, _ in batch])
            if stop:
                break
        connection.close()

    def _gather(self, first: tuple[_Order, bool]) -> tuple[list[tuple[_Order, bool]], bool]:
        """All transactions that wait right now, up to a bound; a plain order goes alone."""
        batch = [first]
        while not first[1] and len(batch) < GROUP:
            try:
                following = self._orders.get_nowait()
            except queue.Empty:
                break
            if following is None:
                return batch, True
            batch.append(following)
        return batch, False

    @staticmethod
    def _plain(connection: sqlite3.Connection, order: _Order) -> None:
        try:
            order.value = order.work(connection)
        except BaseException as error:  # noqa: BLE001 - carried to the coroutine that asked
            order.error = error

    def _refuse_all(self, error: BaseException) -> None:
        while True:
            taken = self._orders.get()
            if taken is None:
                return
            taken[0].error = error
            _answer([taken[0]])


def _commit_together(connection: sqlite3.Connection, orders: list[_Order]) -> None:
    """One commit for several transactions; a savepoint each, so that one that fails takes no other with it."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        for order in orders:
            connection.execute("SAVEPOINT one")
            try:
                order.value = order.work(connection)
            except BaseException as error:  # noqa: BLE001 - carried to the coroutine that asked
                order.error = error
                connection.execute("ROLLBACK TO one")
            connection.execute("RELEASE one")
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        for order in orders:
            order.error = order.error or error


def _answer(orders: list[_Order]) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[_Order]] = {}
    for order in orders:
        by_loop.setdefault(order.loop, []).append(order)
    for loop, mine in by_loop.items():
        try:
            loop.call_soon_threadsafe(_settle, mine)
        except RuntimeError:  # the loop that asked is closed; the work is done all the same
            continue


def _settle(orders: list[_Order]) -> None:
    for order in orders:
        if order.future.done():
            continue
        if order.error is not None:
            order.future.set_exception(order.error)
        else:
            order.future.set_result(order.value)


def connect(path: str, *, writes: bool) -> sqlite3.Connection:
    """A connection with this project's settings; the reader cannot change anything."""
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")
    if not writes:
        connection.execute("PRAGMA query_only = ON")
    return connection


def migrations() -> list[tuple[int, str]]:
    """Number and SQL of each migration, in order."""
    found = []
    for entry in resources.files("gateway.state").joinpath("migrations").iterdir():
        named = re.match(r"(\d{4})_\w+\.sql$", entry.name)
        if named:
            found.append((int(named[1]), entry.read_text(encoding="utf-8")))
    return sorted(found)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the file to the newest version, each step in one transaction; two processes may try at once."""
    steps = migrations()
    newest = steps[-1][0]
    for number, script in steps:
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            if version > newest:
                raise DatabaseTooNew(
                    f"the database is at version {version}, this Innkeeper knows {newest}: upgrade innkeeper"
                )
            if version < number:
                for statement in _statements(script):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise


def _statements(script: str) -> list[str]:
    """The statements of a migration; `executescript` would commit by itself."""
    statements, current = [], ""
    for line in script.splitlines(keepends=True):
        current += line
        if sqlite3.complete_statement(current):
            statements.append(current)
            current = ""
    return [statement for statement in statements if statement.strip()]
