"""Sessions: the frozen prompt of each, which one is open for a chat, and the epoch that keeps late writers out."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import replace

from gateway.errors import StaleEpoch
from gateway.state.codec import dump_event, load_event
from gateway.state.database import Database
from gateway.state.records import Only, Session, SessionLine
from gateway.state.turns import drop_turns
from platforms.messages import ChatRef

COLUMNS = "id, session_key, chat, prompt, tools, title, epoch, pinned, started_at, active_at, ended_at, end_reason"
LINE = (
    f"{COLUMNS}, (SELECT count(*) FROM messages WHERE session_id = sessions.id AND role <> 'tool' AND content <> '')"
    " AS messages, (SELECT content FROM messages WHERE session_id = sessions.id AND role <> 'tool' AND content <> ''"
    " AND role = 'user' ORDER BY id LIMIT 1) AS opening"
)
ELSEWHERE = "EXISTS (SELECT 1 FROM turns WHERE turns.session_id = sessions.id AND turns.chat <> sessions.chat)"
"""A part of the session was held in another chat than the one where it was resumed: it is not for whoever may see
that chat alone."""

KEYS = (
    "WITH RECURSIVE each_one (key) AS (SELECT min(session_key) FROM sessions UNION ALL SELECT (SELECT"
    " min(session_key) FROM sessions WHERE session_key > each_one.key) FROM each_one WHERE key IS NOT NULL)"
    " SELECT key FROM each_one WHERE key IS NOT NULL"
)
"""One step in the index for each key, however many sessions it has."""
ONLY: Mapping[Only, str] = {"all": "", "open": " AND ended_at IS NULL", "pinned": " AND pinned = 1"}


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

    async def line(self, session_id: str) -> SessionLine | None:
        found = await self._lines("id = ?", session_id)
        return found[0] if found else None

    async def matching(self, prefix: str, chat_keys: tuple[str, ...] | None = None) -> list[SessionLine]:
        if chat_keys == ():
            return []
        where, keys = _among(chat_keys)
        after = prefix + "\U0010ffff"
        return await self._lines(f"id >= ? AND id < ? AND {where} ORDER BY active_at DESC, id", prefix, after, *keys)

    async def open(self, session: Session) -> Session:
        def work(db: sqlite3.Connection) -> Session:
            db.execute(
                f"INSERT INTO sessions ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)"
                " ON CONFLICT (session_key) WHERE ended_at IS NULL DO NOTHING",
                (
                    session.id,
                    session.session_key,
                    session.chat.key,
                    session.prompt,
                    session.tools,
                    session.title,
                    session.epoch,
                    int(session.pinned),
                    session.started_at,
                    session.active_at,
                ),
            )
            is_open = f"SELECT {COLUMNS} FROM sessions WHERE session_key = ? AND ended_at IS NULL"
            return _session(db.execute(is_open, (session.session_key,)).fetchone())

        return await self._database.write(work)

    async def close(self, session_id: str, reason: str, at: float) -> None:
        def work(db: sqlite3.Connection) -> None:
            _close(db, session_id, reason, at)

        await self._database.write(work, durable=True)

    async def take(self, session_id: str) -> int:
        def work(db: sqlite3.Connection) -> int:
            raised = "UPDATE sessions SET epoch = epoch + 1 WHERE id = ? AND ended_at IS NULL RETURNING epoch"
            if (row := db.execute(raised, (session_id,)).fetchone()) is None:
                raise StaleEpoch(f"session {session_id} is closed")
            return int(row[0])

        return await self._database.write(work)

    async def resume(self, session_id: str, session_key: str, chat: ChatRef, at: float) -> None:
        def work(db: sqlite3.Connection) -> None:
            if db.execute("SELECT 1 FROM sessions WHERE id = ? AND leaving = 0", (session_id,)).fetchone() is None:
                return
            for row in db.execute(
                "SELECT id FROM sessions WHERE session_key = ? AND ended_at IS NULL AND id <> ?",
                (session_key, session_id),
            ).fetchall():
                _close(db, row["id"], "resumed another", at)
            drop_turns(db, session_id, "resumed", at)
            db.execute(
                "UPDATE sessions SET ended_at = NULL, end_reason = 'resumed', session_key = ?, chat = ?,"
                " active_at = ?, epoch = epoch + 1 WHERE id = ?",
                (session_key, chat.key, at, session_id),
            )

        await self._database.write(work, durable=True)

    async def rename(self, session_id: str, title: str) -> None:
        def work(db: sqlite3.Connection) -> None:
            db.execute("UPDATE sessions SET title = ? WHERE id = ?", (title, session_id))

        await self._database.write(work)

    async def entitle(self, session_id: str, title: str) -> bool:
        def work(db: sqlite3.Connection) -> bool:
            named = "UPDATE sessions SET title = ? WHERE id = ? AND title IS NULL"
            return bool(db.execute(named, (title, session_id)).rowcount)

        return await self._database.write(work)

    async def untitled(self, since: float, limit: int) -> list[str]:
        def work(db: sqlite3.Connection) -> list[str]:
            rows = db.execute(
                "SELECT id FROM sessions WHERE title IS NULL AND active_at >= ? AND leaving = 0 AND EXISTS"
                " (SELECT 1 FROM turns WHERE session_id = sessions.id AND state = 'answered')"
                " ORDER BY active_at DESC LIMIT ?",
                (since, limit),
            )
            return [row[0] for row in rows]

        return await self._database.read(work)

    async def pin(self, session_id: str, pinned: bool) -> None:
        def work(db: sqlite3.Connection) -> None:
            db.execute("UPDATE sessions SET pinned = ? WHERE id = ?", (int(pinned), session_id))

        await self._database.write(work)

    async def recent(
        self, limit: int, session_keys: tuple[str, ...] | None = None, offset: int = 0, *, only: Only = "all"
    ) -> list[SessionLine]:
        if session_keys == ():
            return []
        where, keys = _among(session_keys)
        return await self._lines(
            f"{where}{ONLY[only]} ORDER BY active_at DESC, id LIMIT ? OFFSET ?", *keys, limit, offset
        )

    async def keys(self) -> list[str]:
        def work(db: sqlite3.Connection) -> list[str]:
            return [row[0] for row in db.execute(KEYS)]

        return await self._database.read(work)

    async def move_chat(self, old: ChatRef, new: ChatRef) -> None:
        def work(db: sqlite3.Connection) -> None:
            for table in ("sessions", "outbox", "turns"):
                db.execute(f"UPDATE {table} SET chat = ? WHERE chat = ?", (new.key, old.key))
            _make_way(db, old.key, new.key)
            _readdress(db, old, new)
            for table, column in (
                ("sessions", "session_key"),
                ("inbox", "session_key"),
                ("facts", "scope"),
                ("jobs", "chat_key"),
            ):
                db.execute(
                    f"UPDATE OR REPLACE {table} SET {column} = ? || substr({column}, ?) WHERE {_keyed(column)}",
                    (new.key, len(old.key) + 1, *_keys(old.key)),
                )

        await self._database.write(work, durable=True)

    async def _select(self, where: str, *parameters: object) -> list[Session]:
        def work(db: sqlite3.Connection) -> list[Session]:
            found = f"SELECT {COLUMNS} FROM sessions WHERE leaving = 0 AND {where}"
            return [_session(row) for row in db.execute(found, parameters)]

        return await self._database.read(work)

    async def _lines(self, where: str, *parameters: object) -> list[SessionLine]:
        def work(db: sqlite3.Connection) -> list[SessionLine]:
            rows = db.execute(f"SELECT {LINE} FROM sessions WHERE leaving = 0 AND {where}", parameters)
            return [session_line(row) for row in rows]

        return await self._database.read(work)


def session_line(row: sqlite3.Row) -> SessionLine:
    """A row of `LINE`."""
    return SessionLine(_session(row), row["messages"], row["opening"] or "")


def _among(session_keys: tuple[str, ...] | None) -> tuple[str, tuple[str, ...]]:
    """A condition for sessions that may be seen with these keys, and its parameters; None stands for all."""
    if session_keys is None:
        return "1", ()
    return f"session_key IN ({','.join('?' * len(session_keys))}) AND NOT {ELSEWHERE}", session_keys


def _keyed(column: str) -> str:
    """A condition for a chat's own key and those of the people in it; see `_keys`."""
    return f"({column} = ? OR ({column} > ? AND {column} < ?))"


def _keys(chat_key: str) -> tuple[str, str, str]:
    """The parameters of `_keyed`: everything that begins with the chat's key and `#`."""
    return chat_key, chat_key + "#", chat_key + chr(ord("#") + 1)


def _readdress(db: sqlite3.Connection, old: ChatRef, new: ChatRef) -> None:
    """Events that are still to be answered are answered in the new chat."""
    waiting = f"SELECT id, body FROM inbox WHERE state IN ('new', 'held', 'taken') AND {_keyed('session_key')}"
    for row in db.execute(waiting, _keys(old.key)).fetchall():
        body = dump_event(replace(load_event(row["body"]), chat=new))
        db.execute("UPDATE inbox SET body = ? WHERE id = ?", (body, row["id"]))


def _make_way(db: sqlite3.Connection, old: str, new: str) -> None:
    """Where both chats have an open session, only one can stay: the old one, unless a turn runs in the new one."""
    moving = f"SELECT id, session_key, active_at FROM sessions WHERE ended_at IS NULL AND {_keyed('session_key')}"
    for row in db.execute(moving, _keys(old)).fetchall():
        there = db.execute(
            "SELECT id, active_at, EXISTS (SELECT 1 FROM turns WHERE session_id = sessions.id AND state = 'running')"
            " AS running FROM sessions WHERE session_key = ? AND ended_at IS NULL",
            (new + row["session_key"][len(old) :],),
        ).fetchone()
        if there is not None:
            ends = row if there["running"] else there
            _close(db, ends["id"], "the chat moved", ends["active_at"])


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
