"""A database in memory without threads, which remembers every statement: for tests of the SQL itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

from gateway.state.connection import Connection
from gateway.state.versions import migrate


class InlineDatabase:
    """`gateway.state.database.Database` as far as repositories use it: whole transactions, one after the other."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None, factory=Connection)
        self.connection.row_factory = sqlite3.Row
        self.connection.execute("PRAGMA foreign_keys = ON")
        migrate(self.connection)
        self.statements: set[str] = set()
        self.connection.set_trace_callback(self.statements.add)

    async def write(self, work: Callable[[sqlite3.Connection], Any], *, durable: bool = False) -> Any:
        self.connection.execute("BEGIN")
        try:
            value = work(self.connection)
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")
        return value

    async def read(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        return work(self.connection)

    async def consult(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        return work(self.connection)

    async def checkpoint(self) -> None:
        """There is no log in memory."""

    async def close(self) -> None:
        self.connection.set_trace_callback(None)
        self.connection.close()

    def plan(self, statement: str) -> list[str]:
        """How SQLite carries a statement out."""
        self.connection.set_trace_callback(None)
        return [row["detail"] for row in self.connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
