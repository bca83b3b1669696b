"""Versions of the file: numbered SQL steps, each applied once and whole, whoever comes first."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from importlib import resources

from gateway.state.connection import DatabaseTooNew

Step = tuple[int, str]
"""A version and the SQL that leads to it from the one before."""


def migrations() -> list[Step]:
    """Number and SQL of each migration, in order."""
    found = []
    for entry in resources.files("gateway.state").joinpath("migrations").iterdir():
        named = re.match(r"(\d{4})_\w+\.sql$", entry.name)
        if named:
            found.append((int(named[1]), entry.read_text(encoding="utf-8")))
    return sorted(found)


def version_of(connection: sqlite3.Connection) -> int:
    """The version that the file is at; 0 for an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, steps: Sequence[Step] | None = None) -> None:
    """Bring the file to the newest version, each step in one transaction; two processes may try at once.

    Raises DatabaseTooNew, and sqlite3.Error when a step fails: the file then stays at the version before it.
    """
    steps = migrations() if steps is None else steps
    newest = steps[-1][0]
    if version_of(connection) == newest:
        return
    for number, script in steps:
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = version_of(connection)
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
            if connection.in_transaction:
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
    return [*statements, current] if current.strip() else statements
