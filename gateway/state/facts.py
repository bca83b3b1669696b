"""Small facts by scope and name: a chat's chosen model, the day of its last hint, a model's grade."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from gateway.state.database import Database


class SqliteFacts:
    """See `protocols.Facts`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, scope: str, name: str) -> Any:
        def work(db: sqlite3.Connection) -> str | None:
            row = db.execute("SELECT value FROM facts WHERE scope = ? AND name = ?", (scope, name)).fetchone()
            return row[0] if row else None

        found = await self._database.read(work)
        return None if found is None else json.loads(found)

    async def several(self, wanted: Sequence[tuple[str, str]]) -> list[Any]:
        def work(db: sqlite3.Connection) -> list[str | None]:
            query = "SELECT value FROM facts WHERE scope = ? AND name = ?"
            rows = [db.execute(query, each).fetchone() for each in wanted]
            return [row[0] if row else None for row in rows]

        return [None if value is None else json.loads(value) for value in await self._database.read(work)]

    async def everywhere(self, name: str) -> dict[str, Any]:
        def work(db: sqlite3.Connection) -> list[tuple[str, str]]:
            return [tuple(row) for row in db.execute("SELECT scope, value FROM facts WHERE name = ?", (name,))]

        return {scope: json.loads(value) for scope, value in await self._database.read(work)}

    async def put(self, scope: str, name: str, value: Any) -> None:
        def work(db: sqlite3.Connection) -> None:
            if value is None:
                db.execute("DELETE FROM facts WHERE scope = ? AND name = ?", (scope, name))
            else:
                db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", (scope, name, json.dumps(value)))

        await self._database.write(work)

    async def count(self, scope: str, name: str, by: int = 1) -> int:
        def work(db: sqlite3.Connection) -> int:
            row = db.execute("SELECT value FROM facts WHERE scope = ? AND name = ?", (scope, name)).fetchone()
            total = (json.loads(row[0]) if row else 0) + by
            db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", (scope, name, json.dumps(total)))
            return int(total)

        return await self._database.write(work)
