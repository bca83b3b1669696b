"""Another program's SQLite file, read and never touched: a copy is made with its log, and only the copy is opened.

SQLite makes files beside a database that it opens, even to read it; those belong into no folder that is not ours.
What the tables mean is for those who import.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from gateway.state.connection import DatabaseFault

TRIES = 5
PAUSE = 0.2
"""Seconds between two tries to copy a file that somebody writes to."""

SPARE = 64 << 20
"""Bytes that a copy leaves free on the disk."""

PREFIX = "theirs-"
"""How the folders begin that hold a copy: one that is there when nobody reads was left by a process that died."""

CHUNK = 500
LOGS = ("-wal", "-journal")

Value = str | int | float | bytes | None
Fields = Mapping[str, Value]
"""One row, by column; columns that were asked for and are not there are None."""


class Foreign:
    """The open copy. Everything raises `DatabaseFault` where the file is damaged."""

    def __init__(self, connection: sqlite3.Connection, name: str) -> None:
        self._db = connection
        self._name = name
        with self._explained():
            found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            self._columns = {str(row[0]): self._columns_of(str(row[0])) for row in found}

    def has(self, table: str) -> bool:
        return table in self._columns

    def columns(self, table: str) -> frozenset[str]:
        return self._columns.get(table, frozenset())

    def rows(self, table: str, wanted: tuple[str, ...], where: str = "", value: Value = None) -> Iterator[Fields]:
        """The rows in the order in which they were written, each with its number as `rowid`; with `where`, those that
        hold `value` in that column."""
        there = [each for each in wanted if each in self.columns(table)]
        named = ", ".join(["rowid", *map(_quoted, there)])
        only = f" WHERE {_quoted(where)} = ?" if where else ""
        query = f"SELECT {named} FROM {_quoted(table)}{only} ORDER BY rowid"
        with self._explained():
            cursor = self._db.execute(query, (value,) if where else ())
        blank: dict[str, Value] = dict.fromkeys(wanted)
        while True:
            with self._explained():
                chunk = cursor.fetchmany(CHUNK)
            if not chunk:
                return
            for row in chunk:
                yield {**blank, **dict(zip(("rowid", *there), row, strict=True))}

    def newest(self, table: str, column: str) -> dict[Value, int]:
        """The number of the last row, by what stands in a column."""
        with self._explained():
            query = f"SELECT {_quoted(column)}, max(rowid) FROM {_quoted(table)} GROUP BY 1"
            return {row[0]: int(row[1]) for row in self._db.execute(query)}

    def sorted_by(self, table: str, column: str) -> None:
        """Make finding rows by this column quick, where no index of the file does: the copy gets one."""
        with self._explained():
            for row in self._db.execute(f"PRAGMA index_list({_quoted(table)})").fetchall():
                parts = self._db.execute(f"PRAGMA index_info({_quoted(str(row[1]))})").fetchall()
                whole = not row[4]
                if parts and str(parts[0][2]) == column and whole:
                    return
            self._db.execute(f"CREATE INDEX innkeeper_by ON {_quoted(table)} ({_quoted(column)})")

    def _columns_of(self, table: str) -> frozenset[str]:
        return frozenset(str(row[1]) for row in self._db.execute(f"PRAGMA table_info({_quoted(table)})"))

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise DatabaseFault(f"{self._name} cannot be read: {error}") from error


@contextmanager
def copied(path: Path, scratch: Path, pause: Callable[[float], None] = time.sleep) -> Iterator[Foreign]:
    """The database at `path`, as a copy below `scratch` that is gone afterwards. It must be none that this process
    has open. Raises `DatabaseFault` for one that cannot be copied or is no database."""
    scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=scratch, prefix=PREFIX) as folder:
        copy = Path(folder) / "copy.db"
        try:
            _copy(path, copy, pause)
        except OSError as error:
            raise DatabaseFault(f"{path} cannot be copied: {(error.strerror or str(error)).lower()}") from error
        try:
            connection = sqlite3.connect(f"file:{quote(str(copy))}?mode=rw", uri=True, isolation_level=None)
        except sqlite3.Error as error:
            raise DatabaseFault(f"{path} cannot be read: {error}") from error
        try:
            connection.text_factory = _text
            yield Foreign(connection, str(path))
        finally:
            connection.close()


def _copy(path: Path, copy: Path, pause: Callable[[float], None]) -> None:
    """A copy of one moment, as far as sizes and times of the files tell. Raises OSError, DatabaseFault."""
    for _ in range(TRIES):
        before = _state(path)
        if (size := sum(each[1] for each in before)) + SPARE > shutil.disk_usage(copy.parent).free:
            raise DatabaseFault(f"{path} has {size:,} bytes with its log, and there is no room for a copy of it")
        for suffix in ("", *LOGS):
            copy.with_name(copy.name + suffix).unlink(missing_ok=True)
        for suffix, _, _ in before:
            shutil.copyfile(path.with_name(path.name + suffix), copy.with_name(copy.name + suffix))
        if _state(path) == before:
            return
        pause(PAUSE)
    raise DatabaseFault(f"{path} is being written to all the time: stop the program that does, and try again")


def _state(path: Path) -> list[tuple[str, int, int]]:
    """Suffix, size and time of change of the file and of those logs that are there. Raises OSError."""
    found = []
    for suffix in ("", *LOGS):
        try:
            about = path.with_name(path.name + suffix).stat()
        except FileNotFoundError:
            if not suffix:
                raise
            continue
        found.append((suffix, about.st_size, about.st_mtime_ns))
    return found


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
