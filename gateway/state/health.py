"""A look at the database that changes nothing: does it open, is it whole, how large is it, whose version is it."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from gateway.state.connection import BUSY_SECONDS, DatabaseFault, explained
from gateway.state.versions import migrations, version_of

SHOWN = 10
"""Faults that are listed, at most."""


@dataclass(frozen=True, slots=True)
class Health:
    """What was found. `size` in bytes, the log included; `newest` is the version that this Innkeeper writes;
    `faults` are SQLite's own words and empty when all is well."""

    size: int
    version: int
    newest: int
    faults: tuple[str, ...]


def examine(path: Path) -> Health:
    """Check a database, beside a running gateway or without one. Raises DatabaseFault when it cannot be read."""
    # Not `mode=ro`: such a connection leaves the files of the log behind when it closes.
    address = f"file:{quote(str(path))}?mode=rw"
    try:
        connection = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            connection.execute("PRAGMA query_only = ON")
            version = version_of(connection)
            faults = _faults(connection)
        finally:
            connection.close()
    except sqlite3.Error as error:
        fault = explained(error, str(path))
        raise fault if isinstance(fault, DatabaseFault) else DatabaseFault(f"{path}: {error}") from error
    files = [path, path.with_name(path.name + "-wal")]
    size = sum(each.stat().st_size for each in files if each.exists())
    return Health(size, version, migrations()[-1][0], faults)


def _faults(connection: sqlite3.Connection) -> tuple[str, ...]:
    try:
        lines = [str(row[0]) for row in connection.execute(f"PRAGMA quick_check({SHOWN})")]
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise
        return (str(error),)
    return tuple(line for line in lines if line != "ok")
