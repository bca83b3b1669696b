"""One SQLite file, one writer thread, two reader threads: whole transactions travel to them as functions. Another
thread, when asked to, brings the log into the file, so that no transaction has to.

A transaction runs to its end even when the coroutine that asked for it is cancelled, and nobody else's statements
can fall into it. Transactions that wait at the same moment share one commit. SQL itself is the repositories' matter.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from gateway.state.connection import Connection, DatabaseFault, connect, explained
from gateway.state.versions import migrate

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
SEARCH_CACHE = 8 * 1024
"""Kibibytes of the index that are kept at hand."""

LOG_PAGES = 4_000
"""Pages in the log from which on whoever commits brings them into the file himself, which takes long."""

GROUP = 64
"""Transactions that share one commit, at most."""


@dataclass(slots=True)
class _Order:
    work: Work[Any]
    durable: bool
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    value: Any = None
    error: BaseException | None = None


class Database:
    """Opens on `open()`, closes on `close()`; `write` and `read` take a function of a connection.

    A function may be called again when the commit that it shared with others failed: it changes the database only.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = str(path)
        self._writer = _Writer(self.path)
        self._reader = _Reader(self.path)
        self._searcher = _Searcher(self.path)
        self._keeper = _Keeper(self.path)

    async def open(self) -> None:
        """Create or migrate the file. Raises DatabaseTooNew, or DatabaseFault when it cannot be used."""
        self._writer.start()
        try:
            await self._writer.ask(lambda _: None)  # it was migrated before the first order was taken
        except BaseException:
            await self.close()
            raise
        self._reader.start()
        self._searcher.start()
        self._keeper.start()

    async def write(self, work: Work[T], *, durable: bool = False) -> T:
        """Run `work` in a transaction; all of it is kept, or nothing when it raises.

        `durable` waits for the disk (what a platform was told, or a person was shown, must survive a power cut).
        Raises what `work` raises, and DatabaseFault.
        """
        return await self._writer.ask(work, durable=durable)

    async def read(self, work: Work[T]) -> T:
        """Run `work` on a connection that cannot write; all that it reads is of one moment. Raises DatabaseFault."""
        return await self._reader.ask(work)

    async def consult(self, work: Work[T]) -> T:
        """As `read`, but beside it, for what takes longer: turns that read do not wait behind a search."""
        return await self._searcher.ask(work)

    async def checkpoint(self) -> None:
        """Bring into the file what was committed, as far as nobody still reads what stands there, while others read
        and write. Raises DatabaseFault."""
        await self._keeper.ask(lambda _: None)

    async def close(self) -> None:
        """Finish what was asked, then close all connections. What is asked later raises DatabaseFault."""
        await asyncio.shield(asyncio.to_thread(self._stop))

    def _stop(self) -> None:
        self._keeper.stop()
        self._searcher.stop()
        self._reader.stop()
        self._writer.stop()


async def in_batches(database: Database, work: Work[int], size: int) -> int:
    """Run `work`, which changes at most `size` rows and returns how many, until it finds fewer; their sum."""
    total = 0
    while (count := await database.write(work)) == size:
        total += count
    return total + count


class _Worker:
    """A thread with a connection of its own and a queue of orders."""

    name: str
    writes: bool

    def __init__(self, path: str) -> None:
        self._path = path
        self._orders: queue.SimpleQueue[_Order | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
        self._gate = threading.Lock()
        self._refusal: BaseException | None = DatabaseFault("the database is not open")
        self._taken: list[_Order] = []

    def start(self) -> None:
        self._refusal = None
        self._thread.start()

    def stop(self) -> None:
        """Returns when everything that was asked before is done."""
        with self._gate:
            self._refusal = self._refusal or DatabaseFault("the database is closed")
            self._orders.put(None)
        if self._thread.ident is not None:
            self._thread.join()

    async def ask(self, work: Work[T], *, durable: bool = False) -> T:
        loop = asyncio.get_running_loop()
        order = _Order(work, durable, loop, loop.create_future())
        with self._gate:  # an order is either before the end of the queue, or refused
            if self._refusal is not None:
                raise self._refusal
            self._orders.put(order)
        result: T = await order.future
        return result

    def _run(self) -> None:
        connection = None
        try:
            connection = connect(self._path, writes=self.writes)
            self._prepare(connection)
            self._serve(connection)
        except BaseException as error:  # noqa: BLE001 - carried to the coroutines that ask
            self._refuse(explained(error, self._path))
        finally:
            if connection is not None:
                connection.close()

    def _prepare(self, connection: Connection) -> None:
        """What must be done before the first order."""

    def _serve(self, connection: Connection) -> None:
        stop = False
        while not stop and (first := self._orders.get()) is not None:
            self._taken, stop = self._gather(first)
            self._carry_out(connection, self._taken)
            for order in self._taken:
                if order.error is not None:
                    order.error = explained(order.error, self._path)
            _answer(self._taken)
            self._taken = []

    def _carry_out(self, connection: Connection, batch: list[_Order]) -> None:
        raise NotImplementedError

    def _gather(self, first: _Order) -> tuple[list[_Order], bool]:
        """Everything that waits right now, up to a bound, and whether the end was among it."""
        batch = [first]
        while len(batch) < GROUP:
            try:
                following = self._orders.get_nowait()
            except queue.Empty:
                break
            if following is None:
                return batch, True
            batch.append(following)
        return batch, False

    def _refuse(self, error: BaseException) -> None:
        """The connection cannot be used: whoever asked, or asks from now on, is told why."""
        with self._gate:
            self._refusal = error
            self._orders.put(None)
        left = [*self._taken, *iter(self._orders.get, None)]
        for order in left:
            order.error = error
        _answer(left)


class _Reader(_Worker):
    name = "state-read"
    writes = False

    def _carry_out(self, connection: Connection, batch: list[_Order]) -> None:
        """One snapshot for all: it is taken after each of them was asked for."""
        try:
            connection.execute("BEGIN")
            for order in batch:
                _call(order, connection)
            connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            for order in batch:
                order.error = order.error or error


class _Late(_Worker):
    """A worker whose thread begins with its first order: most commands never need it."""

    def start(self) -> None:
        self._refusal = None

    async def ask(self, work: Work[T], *, durable: bool = False) -> T:
        with self._gate:
            if self._refusal is None and self._thread.ident is None:
                self._thread.start()
        return await super().ask(work, durable=durable)


class _Searcher(_Late, _Reader):
    name = "state-search"

    def _prepare(self, connection: Connection) -> None:
        connection.execute(f"PRAGMA cache_size = -{SEARCH_CACHE}")


class _Keeper(_Late):
    """Any order means the same: bring the log into the file."""

    name = "state-log"
    writes = True

    def _carry_out(self, connection: Connection, batch: list[_Order]) -> None:
        try:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        except sqlite3.Error as error:
            for order in batch:
                order.error = error


class _Writer(_Worker):
    name = "state-write"
    writes = True

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._durable = False

    def _prepare(self, connection: Connection) -> None:
        connection.execute("PRAGMA synchronous = FULL")
        migrate(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")

    def _carry_out(self, connection: Connection, batch: list[_Order]) -> None:
        """One commit for all. When it fails, each is tried alone: one that does not fit takes no other along."""
        try:
            self._synchronise(connection, any(order.durable for order in batch))
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            for order in batch:
                order.error = error
            return
        try:
            for order in batch:
                _within(order, connection)
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if len(batch) == 1:
                batch[0].error = error
                return
            for order in batch:
                order.value = order.error = None
                self._carry_out(connection, [order])

    def _synchronise(self, connection: Connection, durable: bool) -> None:
        if durable != self._durable:
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._durable = durable


def _within(order: _Order, connection: Connection) -> None:
    """A transaction within the transaction. Raises sqlite3.Error when the outer one is lost with it."""
    connection.execute("SAVEPOINT one")
    _call(order, connection)
    if order.error is not None:
        if not connection.in_transaction and isinstance(order.error, sqlite3.Error):
            raise order.error  # a full disk ends the whole transaction
        connection.execute("ROLLBACK TO one")
    connection.execute("RELEASE one")


def _call(order: _Order, connection: Connection) -> None:
    try:
        order.value = order.work(connection)
    except BaseException as error:  # noqa: BLE001 - carried to the coroutine that asked
        order.error = error


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
