"""Sessions: the frozen prompt of each, which one is open for a chat, and the epoch that keeps late writers out."""

from __future__ import annotations

import sqlite3

from gateway.state.codec import clean
from gateway.state.database import Database
from gateway.state.records import Session, SessionLine
from gateway.state.turns import drop_turns
from platforms.messages import ChatRef

COLUMNS = "id, session_key, chat, prompt, tools, title, epoch, pinned, started_at, active_at, ended_at, end_reason"


class SqliteSessions:
    """See `protocols.Sessions`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def current(self, session_key: str) -> Session | None:
        found = await self._select("session_key = ? AND ended_at IS NULL", session_key)
        return found[0] if found else None

    async def get(self, session_id: str) -> Session | None:
        found = await self._select("id = ?", session_id)
        return found[0] if found else None

    async def matching(self, prefix: str, chat_keys: tuple[str, ...] | None = None) -> list[Session]:
        escaped = prefix.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        found = await self._select("id LIKE ? ESCAPE '\\' ORDER BY active_at DESC", escaped + "%")
        return [each for each in found if chat_keys is None or each.session_key in chat_keys]

    async def open(self, session: Session) -> Session:
        def work(db: sqlite3.Connection) -> None:
            db.execute(
                f"INSERT INTO sessions ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)",
                (
                    session.id,
                    session.session_key,
                    session.chat.key,
                    clean(session.prompt),
                    session.tools,
                    session.title and clean(session.title),
                    session.epoch,
                    int(session.pinned),
                    session.started_at,
                    session.active_at,
                ),
            )

        await self._database.write(work)
        return session

    async def close(self, session_id: str, reason: str, at: float) -> None:
        def work(db: sqlite3.Connection) -> None:
            _close(db, session_id, reason, at)

        await self._database.write(work, durable=True)

    async def take(self, session_id: str) -> int:
        def work(db: sqlite3.Connection) -> int:
            row = db.execute("UPDATE sessions SET epoch = epoch + 1 WHERE id = ? RETURNING epoch", (session_id,))
            return int(row.fetchone()[0])

        return await self._database.write(work)

    async def resume(self, session_id: str, session_key: str, chat: ChatRef, at: float) -> None:
        def work(db: sqlite3.Connection) -> None:
            for row in db.execute(
                "SELECT id FROM sessions WHERE session_key = ? AND ended_at IS NULL AND id <> ?",
                (session_key, session_id),
            ).fetchall():
                _close(db, row["id"], "resumed another", at)
            db.execute(
                "UPDATE sessions SET ended_at = NULL, end_reason = NULL, session_key = ?, chat = ?, active_at = ?,"
                " epoch = epoch + 1 WHERE id = ?",
                (session_key, chat.key, at, session_id),
            )

        await self._database.write(work, durable=True)

    async def rename(self, session_id: str, title: str) -> None:
        def work(db: sqlite3.Connection) -> None:
            db.execute("UPDATE sessions SET title = ? WHERE id = ?", (clean(title), session_id))

        await self._database.write(work)

    async def recent(self, limit: int, session_keys: tuple[str, ...] | None = None) -> list[SessionLine]:
        def work(db: sqlite3.Connection) -> list[SessionLine]:
            where, parameters = "1", tuple[str, ...]()
            if session_keys is not None:
                where, parameters = f"session_key IN ({','.join('?' * len(session_keys))})", session_keys
            rows = db.execute(
                f"SELECT {COLUMNS}, (SELECT count(*) FROM messages WHERE session_id = sessions.id) AS messages"
                f" FROM sessions WHERE {where} ORDER BY active_at DESC, id LIMIT ?",
                (*parameters, limit),
            )
            return [SessionLine(_session(row), row["messages"]) for row in rows]

        return await self._database.read(work)

    async def move_chat(self, old: ChatRef, new: ChatRef) -> None:
        def work(db: sqlite3.Connection) -> None:
            for table, column in (("sessions", "chat"), ("outbox", "chat"), ("turns", "chat"), ("facts", "scope")):
                db.execute(f"UPDATE OR IGNORE {table} SET {column} = ? WHERE {column} = ?", (new.key, old.key))
            for table in ("sessions", "inbox"):
                db.execute(
                    f"UPDATE OR IGNORE {table} SET session_key = ? || substr(session_key, ?)"
                    " WHERE session_key = ? OR session_key LIKE ? || '#%'",
                    (new.key, len(old.key) + 1, old.key, old.key),
                )

        await self._database.write(work, durable=True)

    async def _select(self, where: str, *parameters: object) -> list[Session]:
        def work(db: sqlite3.Connection) -> list[Session]:
            return [_session(row) for row in db.execute(f"SELECT {COLUMNS} FROM sessions WHERE {where}", parameters)]

        return await self._database.read(work)


def _close(db: sqlite3.Connection, session_id: str, reason: str, at: float) -> None:
    """End a session and shut out whoever still writes to it."""
    db.execute(
        "UPDATE sessions SET ended_at = ?, end_reason = ?, epoch = epoch + 1 WHERE id = ? AND ended_at IS NULL",
        (at, reason, session_id),
    )
    drop_turns(db, session_id, reason, at)


def _session(row: sqlite3.Row) -> Session:
    return Session(
        id=row["id"],
        session_key=row["session_key"],
        chat=ChatRef.parse(row["chat"]),
        prompt=row["prompt"],
        tools=row["tools"],
        title=row["title"],
        epoch=row["epoch"],
        pinned=bool(row["pinned"]),
        started_at=row["started_at"],
        active_at=row["active_at"],
        ended_at=row["ended_at"],
        end_reason=row["end_reason"],
    )
