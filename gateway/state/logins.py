"""Links into the dashboard and who is logged in. See `login_records.Logins`."""

from __future__ import annotations

import sqlite3

from gateway.state.codec import clean
from gateway.state.database import Database
from gateway.state.login_records import Invitation, Login

_LIVE = "hash = ? AND expires_at > ?"


class SqliteLogins:
    """See `login_records.Logins`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def offer(self, hashed: str, invitation: Invitation, at: float, until: float) -> None:
        def work(db: sqlite3.Connection) -> None:
            for table in ("dashboard_links", "dashboard_sessions"):
                db.execute(f"DELETE FROM {table} WHERE expires_at <= ?", (at,))
            row = (hashed, clean(invitation.who), clean(invitation.chat), until)
            db.execute("INSERT INTO dashboard_links VALUES (?, ?, ?, ?)", row)

        await self._database.write(work, durable=True)

    async def offered(self, hashed: str, at: float) -> Invitation | None:
        def work(db: sqlite3.Connection) -> Invitation | None:
            query = f"SELECT who, chat FROM dashboard_links WHERE {_LIVE}"
            return _invitation(db.execute(query, (hashed, at)).fetchone())

        return await self._database.read(work)

    async def take(self, hashed: str, at: float) -> Invitation | None:
        def work(db: sqlite3.Connection) -> Invitation | None:
            query = f"DELETE FROM dashboard_links WHERE {_LIVE} RETURNING who, chat"
            return _invitation(db.execute(query, (hashed, at)).fetchone())

        return await self._database.write(work, durable=True)

    async def begin(self, login: Login) -> None:
        row = (login.id, clean(login.who), clean(login.chat), login.role, login.created_at, login.expires_at)

        def work(db: sqlite3.Connection) -> None:
            db.execute("INSERT INTO dashboard_sessions VALUES (?, ?, ?, ?, ?, ?)", row)

        await self._database.write(work, durable=True)

    async def standing(self, login_id: str, at: float) -> Login | None:
        def work(db: sqlite3.Connection) -> Login | None:
            query = (
                "SELECT id, who, chat, role, created_at, expires_at FROM dashboard_sessions"
                " WHERE id = ? AND expires_at > ?"
            )
            row = db.execute(query, (clean(login_id), at)).fetchone()
            return Login(*row) if row is not None else None

        return await self._database.read(work)

    async def end(self, login_id: str) -> bool:
        def work(db: sqlite3.Connection) -> bool:
            return db.execute("DELETE FROM dashboard_sessions WHERE id = ?", (clean(login_id),)).rowcount > 0

        return await self._database.write(work, durable=True)

    async def end_all(self) -> int:
        def work(db: sqlite3.Connection) -> int:
            db.execute("DELETE FROM dashboard_links")
            return db.execute("DELETE FROM dashboard_sessions").rowcount

        return await self._database.write(work, durable=True)


def _invitation(row: sqlite3.Row | None) -> Invitation | None:
    return Invitation(row[0], row[1]) if row is not None else None
