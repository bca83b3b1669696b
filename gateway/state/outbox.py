"""The outbox: what must reach a chat, part by part, with what is known of each part's delivery.

Which part may be tried again, and when, is for engine/delivery to judge; here is only what happened.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from itertools import count

from gateway.errors import StaleEpoch
from gateway.state.codec import dump_buttons, dump_file, load_buttons, load_file
from gateway.state.database import Database, in_batches
from gateway.state.records import Part, PartDraft, PartState
from platforms.messages import ChatRef

FILES_FROM = 10_000
"""The number of a source's first part that is a file."""

BATCH = 500
"""Parts that one transaction forgets, so that nobody waits long behind it."""


class SqliteOutbox:
    """See `protocols.Outbox`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(
        self,
        chat: ChatRef,
        source: str,
        parts: Sequence[PartDraft],
        at: float,
        *,
        finishes: Sequence[int] = (),
    ) -> None:
        def work(db: sqlite3.Connection) -> None:
            put_parts(db, chat, source, parts, at)
            db.executemany("UPDATE inbox SET state = 'done' WHERE id = ?", [(each,) for each in finishes])

        await self._database.write(work, durable=True)

    async def offers(self, chat: ChatRef, remote_id: str) -> frozenset[str]:
        def work(db: sqlite3.Connection) -> frozenset[str]:
            # A message that arrived before its id was stored, or whose arrival was never confirmed, may be this one.
            query = (
                "SELECT buttons FROM outbox WHERE chat = ? AND buttons <> '[]'"
                " AND (remote_id = ? OR (remote_id IS NULL AND (tried_at IS NOT NULL OR state = 'uncertain')))"
            )
            found = [load_buttons(row[0]) for row in db.execute(query, (chat.key, remote_id))]
            return frozenset(each.action for buttons in found for row in buttons for each in row)

        return await self._database.read(work)

    async def preview(self, chat: ChatRef, source: str, part: int, draft: PartDraft, at: float) -> Part:
        def work(db: sqlite3.Connection) -> Part:
            over = "SELECT 1 FROM turns WHERE id = ? AND state <> 'running'"
            if db.execute(over, (_turn_of(source),)).fetchone():
                raise StaleEpoch(f"{source} is over; nothing more of it is shown")
            db.execute(
                "INSERT INTO outbox (chat, source, part, text, buttons, reply_to, nonce, state, preview, final,"
                " tried_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'sending', 1, 0, ?, ?)"
                " ON CONFLICT (source, part) DO UPDATE SET text = excluded.text WHERE outbox.final = 0",
                (
                    chat.key,
                    source,
                    part,
                    draft.text,
                    dump_buttons(draft.buttons),
                    draft.reply_to,
                    nonce(source, part),
                    at,
                    at,
                ),
            )
            row = db.execute("SELECT * FROM outbox WHERE source = ? AND part = ?", (source, part)).fetchone()
            return _part(row)

        return await self._database.write(work, durable=True)

    async def mark(
        self,
        part_id: int,
        state: PartState,
        at: float,
        *,
        remote_id: str | None = None,
        error: str | None = None,
        doubt: bool = False,
    ) -> None:
        def work(db: sqlite3.Connection) -> None:
            if state == "preview" and _came_late(db, part_id, remote_id):
                return
            db.execute(
                "UPDATE outbox SET state = ?, remote_id = coalesce(?, remote_id), error = ?,"
                " tried_at = CASE WHEN ? = 'sending' THEN coalesce(tried_at, ?) WHEN ? THEN tried_at"
                " ELSE NULL END, sent_at = CASE WHEN ? = 'sent' THEN ? ELSE sent_at END WHERE id = ?",
                (state, remote_id, error, state, at, doubt, state, at, part_id),
            )

        await self._database.write(work, durable=True)

    async def drop_preview(self, part_id: int) -> None:
        def work(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM outbox WHERE id = ? AND final = 0 AND remote_id IS NULL", (part_id,))

        await self._database.write(work)

    async def forget_try(self, part_id: int) -> None:
        def work(db: sqlite3.Connection) -> None:
            db.execute("UPDATE outbox SET preview = 0, tried_at = NULL WHERE id = ?", (part_id,))

        await self._database.write(work)

    async def unbind(self, part_id: int) -> Part:
        def work(db: sqlite3.Connection) -> Part:
            row = db.execute(
                "UPDATE outbox SET remote_id = NULL, preview = 0, tried_at = NULL, state = 'queued',"
                " nonce = substr(nonce, 2) || substr(nonce, 1, 1) WHERE id = ? RETURNING *",
                (part_id,),
            ).fetchone()
            return _part(row)

        return await self._database.write(work, durable=True)

    async def queued(self, chat: ChatRef) -> list[Part]:
        return await self._select("chat = ? AND state = 'queued' ORDER BY id", chat.key)

    async def chats(self) -> list[ChatRef]:
        def work(db: sqlite3.Connection) -> list[ChatRef]:
            rows = db.execute("SELECT DISTINCT chat FROM outbox WHERE state = 'queued'")
            return [ChatRef.parse(row[0]) for row in rows]

        return await self._database.read(work)

    async def recover(self) -> int:
        def work(db: sqlite3.Connection) -> int:
            return db.execute("UPDATE outbox SET state = 'queued' WHERE state = 'sending' AND final = 1").rowcount

        return await self._database.write(work)

    async def of_source(self, source: str) -> list[Part]:
        return await self._select("source = ? ORDER BY part", source)

    async def files(self) -> frozenset[str]:
        def work(db: sqlite3.Connection) -> frozenset[str]:
            named = (load_file(row[0]) for row in db.execute("SELECT file FROM outbox WHERE file <> ''"))
            return frozenset(each.path for each in named if each is not None)

        return await self._database.read(work)

    async def forget(self, before: float) -> int:
        def work(db: sqlite3.Connection) -> int:
            return db.execute(
                "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE created_at < ?"
                " AND state NOT IN ('queued', 'sending', 'preview') LIMIT ?)",
                (before, BATCH),
            ).rowcount

        return await in_batches(self._database, work, BATCH)

    async def _select(self, where: str, *parameters: object) -> list[Part]:
        def work(db: sqlite3.Connection) -> list[Part]:
            return [_part(row) for row in db.execute(f"SELECT * FROM outbox WHERE {where}", parameters)]

        return await self._database.read(work)


def _came_late(db: sqlite3.Connection, part_id: int, remote_id: str | None) -> bool:
    """Whether a streamed part arrived after its turn was dropped: now that its id is known, it can be taken back."""
    late = "UPDATE outbox SET state = 'queued', remote_id = ? WHERE id = ? AND state = 'dropped' AND final = 1"
    return db.execute(late, (remote_id, part_id)).rowcount > 0


def _turn_of(source: str) -> int | None:
    """The turn that a source names, if it names one."""
    kind, _, number = source.partition(":")
    return int(number) if kind == "turn" and number.isdecimal() else None


def nonce(source: str, part: int) -> str:
    """A name for a part that is the same in every try; 25 characters, the most that Discord takes."""
    return hashlib.sha256(json.dumps([source, part]).encode()).hexdigest()[:25]


def put_parts(db: sqlite3.Connection, chat: ChatRef, source: str, parts: Sequence[PartDraft], at: float) -> None:
    """Store a reply's final parts. A part that was streamed takes the final text and keeps its remote id; a streamed
    part beyond the last one is taken back; a part that was stored as final before stays as it is. Files are numbered
    apart from texts, for what was streamed is never a file."""
    texts, files = count(), count(FILES_FROM)
    for draft in parts:
        number = next(texts if draft.file is None else files)
        db.execute(
            "INSERT INTO outbox (chat, source, part, text, buttons, reply_to, nonce, state, created_at, file)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?)"
            " ON CONFLICT (source, part) DO UPDATE SET text = excluded.text, buttons = excluded.buttons,"
            " reply_to = excluded.reply_to, file = excluded.file, state = 'queued', final = 1 WHERE outbox.final = 0",
            (
                chat.key,
                source,
                number,
                draft.text,
                dump_buttons(draft.buttons),
                draft.reply_to,
                nonce(source, number),
                at,
                dump_file(draft.file),
            ),
        )
    take_back(db, source, next(texts))


def take_back(db: sqlite3.Connection, source: str, first: int = 0) -> None:
    """What was streamed from part `first` on is no answer: it is deleted where the platform knows it, and where
    nobody knows whether it got there it is left alone."""
    db.execute(
        "UPDATE outbox SET state = CASE WHEN remote_id IS NULL THEN 'dropped' ELSE 'queued' END, text = '', final = 1"
        " WHERE source = ? AND part >= ? AND final = 0",
        (source, first),
    )


def _part(row: sqlite3.Row) -> Part:
    return Part(
        id=row["id"],
        chat=ChatRef.parse(row["chat"]),
        source=row["source"],
        part=row["part"],
        text=row["text"],
        buttons=load_buttons(row["buttons"]),
        reply_to=row["reply_to"],
        nonce=row["nonce"],
        state=row["state"],
        preview=bool(row["preview"]),
        remote_id=row["remote_id"],
        tried_at=row["tried_at"],
        created_at=row["created_at"],
        file=load_file(row["file"]),
    )
