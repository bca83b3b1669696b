"""Erasing a text from everything that is stored, when a person asked for it to be gone everywhere."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from gateway.state.database import Database

ERASED = "[erased]"

PLACES = (
    ("messages", "content"),
    ("messages", "note"),
    ("messages", "tool_calls"),
    ("compactions", "summary"),
    ("sessions", "prompt"),
    ("sessions", "title"),
    ("outbox", "text"),
    ("inbox", "body"),
    ("facts", "value"),
    ("dead_letters", "body"),
)
"""Every column that may hold what a person said."""


class SqliteTraces:
    """See `protocols.Traces`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def erase(self, texts: Sequence[str]) -> int:
        def work(db: sqlite3.Connection) -> int:
            spellings = {spelled for text in texts if text.strip() for spelled in _spellings(text)}
            rows = 0
            for table, column in PLACES:
                for spelled in sorted(spellings, key=len, reverse=True):
                    changed = db.execute(
                        f"UPDATE {table} SET {column} = replace({column}, ?, ?) WHERE instr({column}, ?) > 0",
                        (spelled, ERASED, spelled),
                    )
                    rows += changed.rowcount if table == "messages" else 0
            return rows

        return await self._database.write(work, durable=True)


def _spellings(text: str) -> set[str]:
    """A text as it stands in a column, and as it stands inside JSON, once and twice wrapped."""
    plain, ascii_only = json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1]
    wrapped = {
        json.dumps(each, ensure_ascii=ascii_too)[1:-1] for each in (plain, ascii_only) for ascii_too in (False, True)
    }
    return {text, plain, ascii_only, *wrapped}
