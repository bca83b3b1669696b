"""The inbox: every event is stored here before its platform hears that it arrived, and found after a crash."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from gateway.state.codec import clean, dump_event, load_event
from gateway.state.database import Database, in_batches
from gateway.state.records import DeadLetter, InboxItem, Version
from platforms.messages import Inbound

COLUMNS = "id, session_key, body, received_at, wanted"
BATCH = 500
"""Events that one transaction forgets, so that nobody waits long behind it."""


class SqliteInbox:
    """See `protocols.Inbox`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def accept(self, event: Inbound, session_key: str, at: float) -> InboxItem | None:
        def work(db: sqlite3.Connection) -> int | None:
            done = db.execute(
                "INSERT INTO inbox (platform, account, event_id, session_key, body, sent_at, received_at, state)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, 'new') ON CONFLICT DO NOTHING",
                (
                    event.chat.platform,
                    event.account,
                    event.event_id,
                    session_key,
                    dump_event(event),
                    event.sent_at,
                    at,
                ),
            )
            return done.lastrowid if done.rowcount else None

        row = await self._database.write(work, durable=True)
        return None if row is None else InboxItem(row, clean(session_key), event, at)

    async def get(self, item_id: int) -> InboxItem | None:
        found = await self._select("id = ?", item_id)
        return found[0] if found else None

    async def held_keys(self) -> list[str]:
        def work(db: sqlite3.Connection) -> list[str]:
            return [row[0] for row in db.execute("SELECT DISTINCT session_key FROM inbox WHERE state = 'held'")]

        return await self._database.read(work)

    async def open_items(self) -> list[InboxItem]:
        return await self._select("state = 'new' ORDER BY id")

    async def held(self, session_key: str) -> list[InboxItem]:
        return await self._select("state = 'held' AND session_key = ? ORDER BY id", session_key)

    async def of_turn(self, turn_id: int) -> list[InboxItem]:
        return await self._select("turn_id = ? ORDER BY id", turn_id)

    async def versions(self, session_key: str, message_id: str) -> list[Version]:
        def work(db: sqlite3.Connection) -> list[Version]:
            query = (
                f"SELECT {COLUMNS}, state, turn_id FROM inbox"
                " WHERE session_key = ? AND json_extract(body, '$.message_id') = ? ORDER BY id"
            )
            found = [Version(_item(row), row["state"], row["turn_id"]) for row in db.execute(query, wanted)]
            return [each for each in found if not each.item.event.pressed]

        wanted = (session_key, message_id)
        return await self._database.read(work)

    async def amend(self, item_id: int, event: Inbound, edit_id: int) -> None:
        def work(db: sqlite3.Connection) -> None:
            db.execute("UPDATE inbox SET body = ? WHERE id = ?", (dump_event(event), item_id))
            db.execute("UPDATE inbox SET state = 'done' WHERE id = ? AND state = 'new'", (edit_id,))

        await self._database.write(work, durable=True)

    async def reopen(self, item_id: int) -> bool:
        def work(db: sqlite3.Connection) -> bool:
            again = "UPDATE inbox SET state = 'new', wanted = 1 WHERE id = ? AND state = 'done' AND turn_id IS NULL"
            return bool(db.execute(again, (item_id,)).rowcount)

        return await self._database.write(work, durable=True)

    async def hold(self, ids: Sequence[int]) -> None:
        await self._mark(ids, "state = 'held'", "state = 'new'")

    async def release(self, ids: Sequence[int]) -> None:
        await self._mark(ids, "state = 'new', wanted = 1", "state = 'held'")

    async def done(self, ids: Sequence[int]) -> None:
        await self._mark(ids, "state = 'done'", "state <> 'dead'")

    async def failed(self, ids: Sequence[int], error: str) -> int:
        def work(db: sqlite3.Connection) -> int:
            marks = ",".join("?" * len(ids))
            other = f"SELECT count(*) FROM inbox WHERE id IN ({marks}) AND error IS NOT NULL AND error <> ?"
            if db.execute(other, (*ids, error)).fetchone()[0]:
                db.execute(f"UPDATE inbox SET attempts = 0 WHERE id IN ({marks})", tuple(ids))
            db.execute(
                f"UPDATE inbox SET attempts = attempts + 1, error = ? WHERE id IN ({marks})",
                (error, *ids),
            )
            found = db.execute(f"SELECT max(attempts) FROM inbox WHERE id IN ({marks})", tuple(ids)).fetchone()
            return int(found[0] or 0)

        return await self._database.write(work) if ids else 0

    async def bury(self, ids: Sequence[int], error: str, at: float) -> None:
        def work(db: sqlite3.Connection) -> None:
            for each in ids:
                db.execute(
                    "INSERT INTO dead_letters (platform, account, event_id, chat, body, error, created_at)"
                    " SELECT platform, account, event_id, session_key, body, ?, ? FROM inbox"
                    " WHERE id = ? AND state <> 'dead'",
                    (error, at, each),
                )
                db.execute("UPDATE inbox SET state = 'dead', error = ? WHERE id = ?", (error, each))

        await self._database.write(work, durable=True)

    async def bury_raw(self, platform: str, account: str, event_id: str, body: str, error: str, at: float) -> None:
        def work(db: sqlite3.Connection) -> None:
            db.execute(
                "INSERT INTO dead_letters (platform, account, event_id, body, error, created_at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (platform, account, event_id, body, error, at),
            )

        await self._database.write(work, durable=True)

    async def dead(self) -> list[DeadLetter]:
        def work(db: sqlite3.Connection) -> list[DeadLetter]:
            rows = db.execute("SELECT id, chat, event_id, error, created_at, body FROM dead_letters ORDER BY id")
            return [DeadLetter(*row) for row in rows]

        return await self._database.read(work)

    async def forget(self, before: float) -> int:
        def work(db: sqlite3.Connection) -> int:
            return db.execute(
                "DELETE FROM inbox WHERE id IN (SELECT id FROM inbox WHERE received_at < ?"
                " AND state IN ('done', 'dead') LIMIT ?)",
                (before, BATCH),
            ).rowcount

        return await in_batches(self._database, work, BATCH)

    async def _mark(self, ids: Sequence[int], marks: str, where: str) -> None:
        def work(db: sqlite3.Connection) -> None:
            db.executemany(f"UPDATE inbox SET {marks} WHERE id = ? AND {where}", [(each,) for each in ids])

        if ids:
            await self._database.write(work)

    async def _select(self, where: str, *parameters: object) -> list[InboxItem]:
        def work(db: sqlite3.Connection) -> list[InboxItem]:
            return [_item(row) for row in db.execute(f"SELECT {COLUMNS} FROM inbox WHERE {where}", parameters)]

        return await self._database.read(work)


def _item(row: sqlite3.Row) -> InboxItem:
    event, wanted = load_event(row["body"]), bool(row["wanted"])
    return InboxItem(row["id"], row["session_key"], event, row["received_at"], wanted)
