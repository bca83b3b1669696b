"""Connections to the one SQLite file: their settings, text that UTF-8 cannot hold, and SQLite's faults in words.

What runs on a connection, and when, is for `database` and the repositories to say.
"""

from __future__ import annotations

import sqlite3
import time
from typing import Any

from gateway.errors import InnkeeperError
from gateway.state.codec import clean

BUSY_SECONDS = 10.0
"""How long a statement waits for another process that holds the file."""

LOG_BYTES = 16 * 1024 * 1024
"""What the write-ahead log is cut back to after a large transaction."""


class DatabaseFault(InnkeeperError):
    """The file cannot be used now: disk full, no right to write, damage, or held by somebody else."""


class DatabaseTooNew(DatabaseFault):
    """The file was written by a newer Innkeeper; it is left alone."""


class Connection(sqlite3.Connection):
    """Replaces what UTF-8 cannot hold (lone surrogates) in parameters, so that no text is ever refused."""

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        try:
            return super().execute(sql, parameters)
        except UnicodeEncodeError:
            return super().execute(sql, tuple(clean(each) if isinstance(each, str) else each for each in parameters))


def connect(path: str, *, writes: bool) -> Connection:
    """A connection with this project's settings; without `writes` it cannot change anything. Raises sqlite3.Error."""
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, factory=Connection)
    try:
        connection.row_factory = sqlite3.Row
        _switch_to_wal(connection)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON")  # what was erased is not to be found in free pages
        connection.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
        if not writes:
            connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def explained(error: BaseException, path: str) -> BaseException:
    """SQLite's complaint about the file or the disk as a DatabaseFault; any other error as it is."""
    if not isinstance(error, sqlite3.Error):
        return error
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    words = {
        sqlite3.SQLITE_FULL: f"the disk is full, {path} could not be written: make room",
        sqlite3.SQLITE_READONLY: f"{path} may not be written: give this user the right to write it and its folder",
        sqlite3.SQLITE_CANTOPEN: f"{path} cannot be opened: look at the rights of the file and of its folder",
        sqlite3.SQLITE_PERM: f"{path} may not be opened: look at its rights",
        sqlite3.SQLITE_NOTADB: f"{path} is not a database: move it away, or put a backup in its place",
        sqlite3.SQLITE_CORRUPT: f"{path} is damaged: put a backup in its place",
        sqlite3.SQLITE_IOERR: f"the disk refused to read or write {path}: look for room and for faults of the disk",
        sqlite3.SQLITE_BUSY: f"another process has held {path} for {BUSY_SECONDS:.0f} seconds: end it, or try again",
    }.get(code)
    if words is None:
        return error
    fault = DatabaseFault(f"{words} ({error})")
    fault.__cause__ = error
    return fault


def _switch_to_wal(connection: Connection) -> None:
    """The first process to open a new file switches it to WAL; SQLite does not make the others wait for that."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return
