"""Turns and message rows: each step of a turn is one transaction, and a turn that lost its session writes nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from gateway.errors import StaleEpoch
from gateway.state.codec import dump_calls, dump_kept, load_calls, load_kept
from gateway.state.database import Database
from gateway.state.outbox import put_parts, take_back
from gateway.state.records import Compaction, PartDraft, Row, StoredMessage, Turn, TurnState
from platforms.messages import ChatRef

MESSAGE = (
    "id, session_id, turn_id, role, content, note, tool_calls, tool_call_id, model, created_at, untrusted, files"
)

SAID = (
    "(turn_id IS NULL OR turn_id NOT IN (SELECT turns.id FROM turns WHERE turns.session_id = messages.session_id"
    " AND unsaid = 1))"
)
"""A condition for rows of messages: they are part of the conversation."""

NEWER = 2**63 - 1
"""Above the id of every turn."""


class SqliteTurns:
    """See `protocols.Turns`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(
        self,
        session_id: str,
        chat: ChatRef,
        inbox_ids: Sequence[int],
        rows: Sequence[Row],
        at: float,
        *,
        run: int | None = None,
    ) -> Turn:
        def work(db: sqlite3.Connection) -> Turn:
            _unanswered(db, run)
            raised = db.execute(
                "UPDATE sessions SET epoch = epoch + 1, active_at = iif(?, ?, active_at), end_reason = NULL"
                " WHERE id = ? AND ended_at IS NULL"
                " RETURNING epoch",
                (run is None, at, session_id),
            ).fetchone()
            if raised is None:
                raise StaleEpoch(f"session {session_id} is closed")
            epoch = int(raised[0])
            turn_id = db.execute(
                "INSERT INTO turns (session_id, chat, epoch, state, began_at, run) VALUES (?, ?, ?, 'running', ?, ?)",
                (session_id, chat.key, epoch, at, run),
            ).lastrowid
            assert turn_id is not None
            for row in rows:
                add_row(db, session_id, turn_id, row, at)
            _take_events(db, turn_id, inbox_ids)
            return Turn(turn_id, session_id, chat, epoch, "running", 1, at, tuple(inbox_ids), run)

        return await self._database.write(work, durable=True)

    async def take_over(self, turn: Turn) -> Turn:
        def work(db: sqlite3.Connection) -> Turn:
            raised = db.execute(
                "UPDATE sessions SET epoch = epoch + 1 WHERE id = ? AND ended_at IS NULL AND EXISTS"
                " (SELECT 1 FROM turns WHERE id = ? AND state = 'running') RETURNING epoch",
                (turn.session_id, turn.id),
            ).fetchone()
            if raised is None:
                raise StaleEpoch(f"turn {turn.id} is over, or session {turn.session_id} is closed")
            db.execute("UPDATE turns SET epoch = ?, starts = starts + 1 WHERE id = ?", (raised[0], turn.id))
            found = db.execute("SELECT * FROM turns WHERE id = ?", (turn.id,)).fetchone()
            return _turn(db, found)

        return await self._database.write(work)

    async def add(self, turn: Turn, rows: Sequence[Row], at: float, *, inbox_ids: Sequence[int] = ()) -> list[int]:
        def work(db: sqlite3.Connection) -> list[int]:
            _guard(db, turn)
            _take_events(db, turn.id, inbox_ids)
            return [add_row(db, turn.session_id, turn.id, row, at) for row in rows]

        return await self._database.write(work)

    async def finish(
        self,
        turn: Turn,
        state: TurnState,
        at: float,
        *,
        rows: Sequence[Row] = (),
        parts: Sequence[PartDraft] = (),
        reason: str | None = None,
        unsaid: bool = False,
    ) -> None:
        def work(db: sqlite3.Connection) -> None:
            _guard(db, turn)
            for row in rows:
                add_row(db, turn.session_id, turn.id, row, at)
            put_parts(db, turn.chat, f"turn:{turn.id}", parts, at)
            db.execute(
                "UPDATE turns SET state = ?, reason = ?, ended_at = ?, unsaid = ? WHERE id = ?",
                (state, reason, at, unsaid, turn.id),
            )
            db.execute("UPDATE inbox SET state = 'done' WHERE turn_id = ? AND state = 'taken'", (turn.id,))
            if not unsaid:
                db.execute("UPDATE sessions SET active_at = ? WHERE id = ?", (at, turn.session_id))

        await self._database.write(work, durable=True)

    async def drop(self, session_id: str, reason: str, at: float) -> None:
        def work(db: sqlite3.Connection) -> None:
            db.execute("UPDATE sessions SET epoch = epoch + 1 WHERE id = ?", (session_id,))
            drop_turns(db, session_id, reason, at)

        await self._database.write(work)

    async def running(self) -> list[Turn]:
        def work(db: sqlite3.Connection) -> list[Turn]:
            rows = db.execute("SELECT * FROM turns WHERE state = 'running' ORDER BY id").fetchall()
            return [_turn(db, row) for row in rows]

        return await self._database.read(work)

    async def last(self, session_id: str, *, asked: bool = False, before: int | None = None) -> Turn | None:
        def work(db: sqlite3.Connection) -> Turn | None:
            only = "run IS NULL" if asked else "unsaid = 0"  # what nobody saw is a job's
            query = f"SELECT * FROM turns WHERE session_id = ? AND id < ? AND {only} ORDER BY id DESC LIMIT 1"
            row = db.execute(query, (session_id, NEWER if before is None else before)).fetchone()
            return _turn(db, row) if row else None

        return await self._database.read(work)

    async def of_run(self, run: int) -> Turn | None:
        def work(db: sqlite3.Connection) -> Turn | None:
            row = db.execute("SELECT * FROM turns WHERE run = ? ORDER BY id DESC LIMIT 1", (run,)).fetchone()
            return _turn(db, row) if row else None

        return await self._database.read(work)

    async def messages(self, session_id: str, after: int = 0, limit: int | None = None) -> list[StoredMessage]:
        most = -1 if limit is None else limit
        return await self._messages(
            f"session_id = ? AND id > ? AND {SAID} ORDER BY id LIMIT ?", session_id, after, most
        )

    async def ids(self, session_id: str) -> list[int]:
        def work(db: sqlite3.Connection) -> list[int]:
            found = f"SELECT id FROM messages WHERE session_id = ? AND {SAID} ORDER BY id"
            return [row[0] for row in db.execute(found, (session_id,))]

        return await self._database.read(work)

    async def messages_of_turn(self, turn_id: int) -> list[StoredMessage]:
        return await self._messages("turn_id = ? ORDER BY id", turn_id)

    async def conversation(self, session_id: str, turn_id: int) -> tuple[Compaction | None, list[StoredMessage]]:
        def work(db: sqlite3.Connection) -> tuple[Compaction | None, list[StoredMessage]]:
            row = db.execute(
                "SELECT upto_message_id, summary FROM compactions WHERE session_id = ? ORDER BY id DESC LIMIT 1",
                (session_id,),
            ).fetchone()
            newest = Compaction(row[0], row[1]) if row else None
            rows = db.execute(
                f"SELECT {MESSAGE} FROM messages"
                f" WHERE session_id = ? AND (id > ? OR turn_id = ?) AND {SAID} ORDER BY id",
                (session_id, newest.upto_message_id if newest else 0, turn_id),
            )
            return newest, [_stored(each) for each in rows]

        return await self._database.read(work)

    async def files_in_use(self) -> frozenset[str]:
        def work(db: sqlite3.Connection) -> frozenset[str]:
            rows = db.execute(
                "SELECT messages.files FROM sessions JOIN messages ON messages.session_id = sessions.id"
                " WHERE sessions.ended_at IS NULL AND messages.files <> '' AND messages.id >"
                " (SELECT coalesce(max(upto_message_id), 0) FROM compactions WHERE session_id = sessions.id)"
            )
            return frozenset(file.path for row in rows for file in load_kept(row["files"]))

        return await self._database.read(work)

    async def compact(self, session_id: str, compaction: Compaction, at: float) -> None:
        def work(db: sqlite3.Connection) -> None:
            db.execute(
                "INSERT INTO compactions (session_id, upto_message_id, summary, created_at) VALUES (?, ?, ?, ?)",
                (session_id, compaction.upto_message_id, compaction.summary, at),
            )

        await self._database.write(work)

    async def _messages(self, where: str, *parameters: object) -> list[StoredMessage]:
        def work(db: sqlite3.Connection) -> list[StoredMessage]:
            return [_stored(row) for row in db.execute(f"SELECT {MESSAGE} FROM messages WHERE {where}", parameters)]

        return await self._database.read(work)


def drop_turns(db: sqlite3.Connection, session_id: str, reason: str, at: float) -> None:
    """End a session's running turn without a reply; its events count as done, and what it streamed is taken back."""
    running = "SELECT id FROM turns WHERE session_id = ? AND state = 'running'"
    for row in db.execute(running, (session_id,)).fetchall():
        take_back(db, f"turn:{row['id']}")
    db.execute(f"UPDATE inbox SET state = 'done' WHERE state = 'taken' AND turn_id IN ({running})", (session_id,))
    db.execute(
        "UPDATE turns SET state = 'dropped', reason = ?, ended_at = ?, unsaid = run IS NOT NULL"
        " WHERE session_id = ? AND state = 'running'",
        (reason, at, session_id),
    )


def _take_events(db: sqlite3.Connection, turn_id: int, inbox_ids: Sequence[int]) -> None:
    """Mark events as this turn's. Raises StaleEpoch when one is not new: somebody else answers or answered it."""
    for each in inbox_ids:
        taken = "UPDATE inbox SET state = 'taken', turn_id = ? WHERE id = ? AND state = 'new'"
        if not db.execute(taken, (turn_id, each)).rowcount:
            raise StaleEpoch(f"event {each} is not new")


def _unanswered(db: sqlite3.Connection, run: int | None) -> None:
    """Raise StaleEpoch when a job's run has a turn already."""
    taken = "SELECT 1 FROM turns WHERE run = ? AND state IN ('running', 'answered')"
    if run is not None and db.execute(taken, (run,)).fetchone() is not None:
        raise StaleEpoch(f"run {run} has a turn")


def _guard(db: sqlite3.Connection, turn: Turn) -> None:
    """Raise StaleEpoch when the session was taken by somebody else since the turn began."""
    found = db.execute(
        "SELECT 1 FROM sessions JOIN turns ON turns.session_id = sessions.id"
        " WHERE turns.id = ? AND sessions.epoch = ? AND turns.state = 'running'",
        (turn.id, turn.epoch),
    ).fetchone()
    if found is None:
        raise StaleEpoch(f"turn {turn.id} no longer owns session {turn.session_id}")


def add_row(db: sqlite3.Connection, session_id: str, turn_id: int | None, row: Row, at: float) -> int:
    """Store one message, written at `at`; its id. Rows that no turn of ours wrote have no turn."""
    added = db.execute(
        "INSERT INTO messages (session_id, turn_id, role, content, note, tool_calls, tool_call_id, model, created_at,"
        " untrusted, files) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            session_id,
            turn_id,
            row.role,
            row.content,
            row.note,
            dump_calls(row.tool_calls),
            row.tool_call_id,
            row.model,
            at,
            row.untrusted,
            dump_kept(row.files),
        ),
    )
    return int(added.lastrowid or 0)


def _turn(db: sqlite3.Connection, row: sqlite3.Row) -> Turn:
    ids = db.execute("SELECT id FROM inbox WHERE turn_id = ? ORDER BY id", (row["id"],)).fetchall()
    return Turn(
        id=row["id"],
        session_id=row["session_id"],
        chat=ChatRef.parse(row["chat"]),
        epoch=row["epoch"],
        state=row["state"],
        starts=row["starts"],
        began_at=row["began_at"],
        inbox_ids=tuple(each["id"] for each in ids),
        run=row["run"],
        unsaid=bool(row["unsaid"]),
        reason=row["reason"],
    )


def _stored(row: sqlite3.Row) -> StoredMessage:
    return StoredMessage(
        id=row["id"],
        session_id=row["session_id"],
        turn_id=row["turn_id"],
        row=Row(
            role=row["role"],
            content=row["content"],
            note=row["note"],
            tool_calls=load_calls(row["tool_calls"]),
            tool_call_id=row["tool_call_id"],
            model=row["model"],
            untrusted=row["untrusted"],
            files=load_kept(row["files"]),
        ),
        created_at=row["created_at"],
    )
