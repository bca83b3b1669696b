"""A whole copy of the database while others write to it, by SQLite's own backup; and the file made as small as it
can be.

Neither opens the file by anything but SQLite. When a copy is made, and how many are kept, is for others to say.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from gateway.state.connection import DatabaseFault, explained
from gateway.state.health import beside

PAGES = 2000
"""Pages that are copied between two reports."""

REPEATS = 3
"""Room that making the file smaller needs, in sizes of what is in it: a copy beside it, and the log."""

Progress = Callable[[int, int], None]
"""Told how much is done, and of how much."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """Sizes of the database in bytes."""

    before: int
    after: int


def backup_database(database: Path, target: Path, progress: Progress | None = None) -> int:
    """Copy the database, as it is at this moment, to a new file for its owner alone; its size in bytes.

    The copy is checked before it gets its name. Raises FileExistsError, DatabaseFault (no room, no right, damage).
    """
    if target.exists():
        raise FileExistsError(f"there is something at {target} already")
    draft = target.with_name(f".{target.name}.part")
    try:
        draft.unlink(missing_ok=True)
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        _roomy(database, draft.parent)
        _copied(database, draft, progress)
        os.link(draft, target)  # never over something that came meanwhile
        draft.unlink()
        _settled(target.parent)
    except (sqlite3.Error, OSError) as error:
        draft.unlink(missing_ok=True)
        if isinstance(error, FileExistsError | DatabaseFault):
            raise
        fault = (
            explained(error, str(_at_fault(error, database, target))) if isinstance(error, sqlite3.Error) else error
        )
        raise fault if isinstance(fault, DatabaseFault) else DatabaseFault(f"{target}: {error}") from error
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return target.stat().st_size


def _at_fault(error: sqlite3.Error, database: Path, target: Path) -> Path:
    """The file that cannot be read, or the one that cannot be written."""
    reading = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
    return database if getattr(error, "sqlite_errorcode", 0) & 0xFF in reading else target


def _copied(database: Path, draft: Path, progress: Progress | None) -> None:
    def told(status: int, left: int, total: int) -> None:
        if progress is not None:
            progress(total - left, total)

    with closing(beside(database)) as source, closing(sqlite3.connect(draft, isolation_level=None)) as copy:
        # A read transaction holds the moment: otherwise each write of somebody else would begin the copy anew.
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        source.backup(copy, pages=PAGES, progress=told)
        source.execute("ROLLBACK")
        copy.execute("PRAGMA journal_mode = DELETE")
        found = [row[0] for row in copy.execute("PRAGMA quick_check(1)")]
        if found != ["ok"]:
            raise DatabaseFault(f"the copy is damaged ({found[0]}), and so is {database}: innkeeper doctor --db")


def compact_database(database: Path) -> Compacted:
    """Give the room that holds nothing back to the disk. Nobody else may use the file meanwhile: the caller owns the
    profile. Raises DatabaseFault when there is no room for the work, or somebody holds the file."""
    try:
        with closing(beside(database, writes=True)) as connection:
            before = _size(connection)
            _roomy(database, database.parent, REPEATS)
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return Compacted(before, _size(connection))
    except sqlite3.Error as error:
        fault = explained(error, str(database))
        raise fault if isinstance(fault, DatabaseFault) else DatabaseFault(f"{database}: {error}") from error


def _size(connection: sqlite3.Connection) -> int:
    pages, size = (int(connection.execute(f"PRAGMA {name}").fetchone()[0]) for name in ("page_count", "page_size"))
    return pages * size


def _roomy(database: Path, folder: Path, repeats: int = 1) -> None:
    """Raise DatabaseFault unless the folder's disk has room for so many copies of what is in the database."""
    with closing(beside(database)) as connection:
        free = int(connection.execute("PRAGMA freelist_count").fetchone()[0])
        page = int(connection.execute("PRAGMA page_size").fetchone()[0])
        needed = _size(connection) - (free * page if repeats > 1 else 0)
    there = shutil.disk_usage(folder).free
    if there < needed * repeats:
        raise DatabaseFault(
            f"{folder} has {there / 1e6:.0f} MB of room, and this needs {needed * repeats / 1e6:.0f} MB: make room"
        )


def _settled(folder: Path) -> None:
    """The file's name survives a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
