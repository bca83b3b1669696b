"""A look at the database that changes nothing: does it open, is it whole, whose version is it, how large are it and
its tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from gateway.state.connection import BUSY_SECONDS, Connection, DatabaseFault, explained
from gateway.state.versions import migrations, version_of

SHOWN = 10
"""Faults that are listed, at most."""

STEPS = 1_000
"""Steps of SQLite between two questions whether a look is to go on: a moment's work."""

Stopped = Callable[[], bool]
"""Whether a look is to end where it stands; asked from its thread."""


def never() -> bool:
    """It goes on to its end."""
    return False


@dataclass(frozen=True, slots=True)
class Health:
    """What was found. `size` in bytes, the log included; `newest` is the version that this Innkeeper writes;
    `faults` are SQLite's own words and empty when all is well."""

    size: int
    version: int
    newest: int
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableSize:
    """A table with its indexes: rows, and bytes in the file; None where SQLite cannot tell."""

    name: str
    rows: int | None
    bytes: int | None


@dataclass(frozen=True, slots=True)
class Inspection:
    """A thorough look: `faults` also names rows that refer to nothing. `tables` are the largest first; `free` are the
    bytes of the file that hold nothing."""

    health: Health
    tables: tuple[TableSize, ...]
    free: int


def beside(path: Path, *, writes: bool = False) -> sqlite3.Connection:
    """A connection of its own, beside a running gateway or without one; without `writes` it changes nothing. Raises
    sqlite3.Error when there is no such file."""
    # Not `mode=ro`: such a connection leaves the files of the log behind when it closes.
    address = f"file:{quote(str(path))}?mode=rw"
    connection = sqlite3.connect(
        address, uri=True, timeout=BUSY_SECONDS, isolation_level=None, factory=Connection, cached_statements=0
    )
    try:
        if not writes:
            connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def examine(path: Path, stopped: Stopped = never) -> Health:
    """Check a database quickly. Raises DatabaseFault when it cannot be read, or when it was stopped."""
    try:
        with closing(beside(path)) as connection:
            connection.set_progress_handler(stopped, STEPS)
            return _health(path, connection, "quick_check")
    except sqlite3.Error as error:
        raise _fault(path, error) from error


def inspect(path: Path, stopped: Stopped = never) -> Inspection:
    """Check a database thoroughly, as it is at one moment; this reads all of it. Raises DatabaseFault when it cannot
    be read, or when it was stopped."""
    try:
        with closing(beside(path)) as connection:
            connection.set_progress_handler(stopped, STEPS)
            connection.execute("BEGIN")
            health = _health(path, connection, "integrity_check")
            tables = () if health.faults else tuple(_tables(connection))
            names = ("page_size", "freelist_count")
            page, free = (connection.execute(f"PRAGMA {each}").fetchone()[0] for each in names)
            return Inspection(health, tables, page * free)
    except sqlite3.Error as error:
        raise _fault(path, error) from error


def _fault(path: Path, error: sqlite3.Error) -> DatabaseFault:
    fault = explained(error, str(path))
    return fault if isinstance(fault, DatabaseFault) else DatabaseFault(f"{path}: {error}")


def _health(path: Path, connection: sqlite3.Connection, check: str) -> Health:
    version = version_of(connection)
    faults = _faults(connection, check)
    files = [path, path.with_name(path.name + "-wal")]
    size = sum(each.stat().st_size for each in files if each.exists())
    return Health(size, version, migrations()[-1][0], faults)


def _faults(connection: sqlite3.Connection, check: str) -> tuple[str, ...]:
    try:
        lines = [str(row[0]) for row in connection.execute(f"PRAGMA {check}({SHOWN})")]
        if check == "integrity_check":
            lost = connection.execute("PRAGMA foreign_key_check").fetchmany(SHOWN)
            lines += [f"row {row[1]} of {row[0]} refers to a row of {row[2]} that is not there" for row in lost]
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise
        return (str(error),)
    return tuple(line for line in lines if line != "ok")


def _tables(connection: sqlite3.Connection) -> list[TableSize]:
    """What people call a table: those of the search's own index are counted as that one."""
    schema = connection.execute("SELECT name, tbl_name, type, sql FROM sqlite_schema").fetchall()
    virtual = [row[0] for row in schema if row[2] == "table" and (row[3] or "").upper().startswith("CREATE VIRTUAL")]
    owners = {row[0]: _owner(row[1], virtual) for row in schema if row[2] in ("table", "index")}
    sizes: dict[str, int] | None = dict.fromkeys(owners.values(), 0)
    try:
        for name, size in connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"):
            if name in owners and sizes is not None:
                sizes[owners[name]] += size
    except sqlite3.OperationalError:  # built without the table that tells
        sizes = None
    found = []
    for name in dict.fromkeys(owners.values()):
        rows = None if name in virtual else connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
        found.append(TableSize(name, rows, sizes[name] if sizes is not None else None))
    return sorted(found, key=lambda each: (-(each.bytes or 0), -(each.rows or 0), each.name))


def _owner(table: str, virtual: list[str]) -> str:
    return next((each for each in virtual if table.startswith(f"{each}_")), table)
