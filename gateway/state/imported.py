"""Sessions that were held elsewhere, put into the archive as ended ones, each whole or not at all.

What was taken over is noted apart from it, so that what a person removed here since does not come back.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from gateway.state.connection import BUSY_SECONDS, DatabaseFault, explained
from gateway.state.database import Database
from gateway.state.import_protocols import Past, session_note
from gateway.state.records import Session
from gateway.state.review_counts import KINDS, last_row, marked
from gateway.state.turns import add_row


class SqliteImports:
    """See `import_protocols.Imports`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def noted(self, scope: str) -> dict[str, Any]:
        return await self._database.read(lambda db: _noted(db, scope))

    async def note(self, scope: str, notes: Mapping[str, Any]) -> None:
        def work(db: sqlite3.Connection) -> None:
            for name, value in notes.items():
                _note(db, scope, name, value)

        await self._database.write(work, durable=True)

    async def add(self, scope: str, pasts: Sequence[Past]) -> dict[str, int]:
        def work(db: sqlite3.Connection) -> dict[str, int]:
            counted = {past.source: _add(db, scope, past) for past in pasts}
            return {source: count for source, count in counted.items() if count}

        return await self._database.write(work, durable=True)


def noted_in(path: Path, scope: str) -> dict[str, Any]:
    """`SqliteImports.noted` for a database that is neither made nor brought up to date for it; nothing when there is
    none. Raises DatabaseFault."""
    if not path.exists():
        return {}
    # Not `mode=ro`: such a connection leaves the files of the log behind when it closes.
    address = f"file:{quote(str(path))}?mode=rw"
    try:
        connection = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            connection.execute("PRAGMA query_only = ON")
            known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'facts'").fetchone()
            return _noted(connection, scope) if known else {}
        finally:
            connection.close()
    except sqlite3.Error as error:
        fault = explained(error, str(path))
        raise fault if isinstance(fault, DatabaseFault) else DatabaseFault(f"{path}: {error}") from error


def _add(db: sqlite3.Connection, scope: str, past: Past) -> int:
    session = past.session
    there = db.execute("SELECT epoch, leaving FROM sessions WHERE id = ?", (session.id,)).fetchone()
    name = session_note(past.source)
    known = _noted(db, scope, name).get(name)
    if there is None and known is not None:
        return 0  # it was taken over, and somebody removed it
    if there is not None and (known is None or any(there) or past.upto <= known["upto"]):
        return 0
    if there is None:
        _put(db, session)
    else:
        db.execute(
            "UPDATE sessions SET active_at = max(active_at, ?), ended_at = max(ended_at, ?) WHERE id = ?",
            (session.active_at, session.ended_at, session.id),
        )
    for row, at in past.rows:
        add_row(db, session.id, None, row, at)
    for kind in KINDS:
        newest = last_row(db, session.id)
        marked(db, session.id, kind, counted=newest, seen=newest)
    _note(db, scope, name, {"session": session.id, "upto": past.upto})
    return len(past.rows)


def _put(db: sqlite3.Connection, session: Session) -> None:
    db.execute(
        "INSERT INTO sessions (id, session_key, chat, prompt, tools, title, epoch, pinned, started_at, active_at,"
        " ended_at, end_reason) VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?)",
        (
            session.id,
            session.session_key,
            session.chat.key,
            session.prompt,
            session.tools,
            session.title,
            int(session.pinned),
            session.started_at,
            session.active_at,
            session.ended_at,
            session.end_reason,
        ),
    )


def _noted(db: sqlite3.Connection, scope: str, name: str | None = None) -> dict[str, Any]:
    only, parameters = ("", (scope,)) if name is None else (" AND name = ?", (scope, name))
    rows = db.execute(f"SELECT name, value FROM facts WHERE scope = ?{only}", parameters).fetchall()
    return {row[0]: _as_things_are(db, row[0], json.loads(row[1])) for row in rows}


def _as_things_are(db: sqlite3.Connection, name: str, note: Any) -> Any:
    """A note, with what became since of the session that it is about, if it is about one."""
    if not name.startswith(session_note("")):
        return note
    row = db.execute("SELECT epoch, leaving FROM sessions WHERE id = ?", (note["session"],)).fetchone()
    if row is None or row[1]:
        return {**note, "gone": "removed"}
    return {**note, "gone": "continued"} if row[0] else note


def _note(db: sqlite3.Connection, scope: str, name: str, value: Any) -> None:
    db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", (scope, name, json.dumps(value)))
