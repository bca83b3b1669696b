"""Sessions leave the archive with everything that hangs on them, a few rows at a time, so that no chat waits.

Which ones, and when, is the engine's matter; what may never go is refused here, at the moment of going.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import replace

from gateway.state.codec import dump_event, load_event, load_file, load_kept
from gateway.state.database import Database
from gateway.state.records import SessionLine
from gateway.state.retention_protocols import Bulk, Removed, Space
from gateway.state.sessions import LINE, session_line

ROWS = 200
"""Messages that one step takes."""

TURNS = 100
"""Turns that one step takes, with the parts of their replies and their events."""

LEFT = ""
"""Whose usage the sum over all that left is booked as."""

NAMES = 500
"""Numbers in one question."""

MAY_GO = (
    "ended_at < ? AND pinned = 0"
    " AND NOT EXISTS (SELECT 1 FROM review_queue WHERE session_id = sessions.id)"
    " AND NOT EXISTS (SELECT 1 FROM turns JOIN outbox ON outbox.source = 'turn:' || turns.id"
    " WHERE turns.session_id = sessions.id AND outbox.state IN ('queued', 'sending', 'preview'))"
)
BYTES = "length(CAST({0} AS BLOB))"
OF_A_MESSAGE = " + ".join(
    BYTES.format(each) for each in ("content", "note", "coalesce(tool_calls, '')", "files", "coalesce(model, '')")
)


class SqliteRetention:
    """See `retention_protocols.Retention`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def due(self, before: float) -> list[SessionLine]:
        def work(db: sqlite3.Connection) -> list[SessionLine]:
            halves = db.execute(f"SELECT {LINE} FROM sessions WHERE ended_at IS NOT NULL AND leaving = 1").fetchall()
            whole = f"SELECT {LINE} FROM sessions WHERE leaving = 0 AND {MAY_GO} ORDER BY ended_at, id"
            return [session_line(row) for row in (*halves, *db.execute(whole, (before,)))]

        return await self._database.consult(work)

    async def of_turns(self, turns: Collection[int]) -> frozenset[str]:
        return await self._sessions("SELECT session_id FROM turns WHERE id IN", turns)

    async def of_events(self, items: Collection[int]) -> frozenset[str]:
        named = "SELECT session_id FROM inbox JOIN turns ON turns.id = inbox.turn_id WHERE inbox.id IN"
        return await self._sessions(named, items)

    async def bulk(self, session_id: str) -> Bulk:
        def work(db: sqlite3.Connection) -> Bulk:
            of_messages = f"SELECT count(*), coalesce(sum({OF_A_MESSAGE}), 0) FROM messages WHERE session_id = ?"
            count, size = db.execute(of_messages, (session_id,)).fetchone()
            around = (
                f"SELECT {BYTES.format('prompt')} + {BYTES.format('tools')} FROM sessions WHERE id = ? UNION ALL"
                f" SELECT {BYTES.format('summary')} FROM compactions WHERE session_id = ? UNION ALL"
                f" SELECT {BYTES.format('text')} FROM turns JOIN outbox ON outbox.source = 'turn:' || turns.id"
                " WHERE turns.session_id = ?"
            )
            return Bulk(count, size + sum(row[0] for row in db.execute(around, (session_id,) * 3)))

        return await self._database.consult(work)

    async def leave(self, session_id: str, before: float) -> bool:
        def work(db: sqlite3.Connection) -> bool:
            going = f"UPDATE sessions SET leaving = 1 WHERE id = ? AND (leaving = 1 OR ({MAY_GO}))"
            return bool(db.execute(going, (session_id, before)).rowcount)

        return await self._database.write(work)

    async def remove(self, session_id: str) -> Removed:
        def work(db: sqlite3.Connection) -> Removed:
            if db.execute("SELECT 1 FROM sessions WHERE id = ? AND leaving = 1", (session_id,)).fetchone() is None:
                return Removed(Bulk(), frozenset(), gone=True)
            for step in (_messages, _turns):
                if (taken := step(db, session_id)) is not None:
                    return taken
            return _session(db, session_id)

        return await self._database.write(work)

    async def unnamed(self, paths: Collection[str]) -> frozenset[str]:
        def work(db: sqlite3.Connection) -> frozenset[str]:
            rows = db.execute("SELECT files FROM messages WHERE files <> ''")
            named = {file.path for row in rows for file in load_kept(row[0])}
            parts = (load_file(row[0]) for row in db.execute("SELECT file FROM outbox WHERE file <> ''"))
            return frozenset(paths) - named - {file.path for file in parts if file is not None}

        return await self._database.consult(work) if paths else frozenset()

    async def space(self) -> Space:
        def work(db: sqlite3.Connection) -> Space:
            names = ("page_size", "page_count", "freelist_count")
            page, pages, free = (int(db.execute(f"PRAGMA {name}").fetchone()[0]) for name in names)
            return Space(page * pages, page * free)

        return await self._database.read(work)

    async def _sessions(self, query: str, numbers: Collection[int]) -> frozenset[str]:
        def work(db: sqlite3.Connection) -> frozenset[str]:
            found: set[str] = set()
            for some in _in_pieces(list(numbers)):
                found.update(row[0] for row in db.execute(f"{query} ({','.join('?' * len(some))})", some))
            return frozenset(found)

        return await self._database.read(work)


def _messages(db: sqlite3.Connection, session_id: str) -> Removed | None:
    """Before the session itself: the search's index learns from the rows that go what it has to let go of."""
    first = f"SELECT id, files, {OF_A_MESSAGE} AS size FROM messages WHERE session_id = ? ORDER BY id LIMIT ?"
    rows = db.execute(first, (session_id, ROWS)).fetchall()
    if not rows:
        return None
    db.executemany("DELETE FROM messages WHERE id = ?", [(row["id"],) for row in rows])
    files = frozenset(file.path for row in rows for file in load_kept(row["files"]))
    return Removed(Bulk(len(rows), sum(row["size"] for row in rows)), files, gone=False)


def _turns(db: sqlite3.Connection, session_id: str) -> Removed | None:
    found = db.execute(
        "SELECT id FROM turns WHERE session_id = ? ORDER BY id LIMIT ?", (session_id, TURNS)
    ).fetchall()
    if not found:
        return None
    size, files = 0, set()
    for (turn,) in found:
        for source in (f"turn:{turn}", f"hint:{turn}"):
            gone = f"DELETE FROM outbox WHERE source = ? RETURNING {BYTES.format('text')} AS size, file"
            for row in db.execute(gone, (source,)).fetchall():
                size += row["size"]
                files |= {file.path} if (file := load_file(row["file"])) is not None else set()
        _empty_events(db, turn)
        db.execute("DELETE FROM turns WHERE id = ?", (turn,))
    return Removed(Bulk(0, size), frozenset(files), gone=False)


def _empty_events(db: sqlite3.Connection, turn: int) -> None:
    """An event is remembered for a while, so that a redelivered one is known: its id alone, not what was said. None
    can be taken up again."""
    for row in db.execute("SELECT id, body FROM inbox WHERE turn_id = ?", (turn,)).fetchall():
        empty = replace(load_event(row["body"]), text="", attachments=(), quoted="", quoted_from=None)
        db.execute(
            "UPDATE inbox SET state = 'dead', turn_id = NULL, body = ? WHERE id = ?", (dump_event(empty), row["id"])
        )


def _session(db: sqlite3.Connection, session_id: str) -> Removed:
    sizes = f"SELECT {BYTES.format('prompt')} + {BYTES.format('tools')} FROM sessions WHERE id = ?"
    size = db.execute(sizes, (session_id,)).fetchone()[0]
    gone = f"DELETE FROM compactions WHERE session_id = ? RETURNING {BYTES.format('summary')}"
    size += sum(row[0] for row in db.execute(gone, (session_id,)).fetchall())
    db.execute("DELETE FROM facts WHERE scope = ?", (session_id,))
    db.execute(
        "INSERT INTO session_model_usage"
        " SELECT ?, host, model, task, day, calls, input, cached, output, cost, seconds FROM session_model_usage"
        " WHERE session_id = ? ON CONFLICT DO UPDATE SET calls = calls + excluded.calls,"
        " input = input + excluded.input, cached = cached + excluded.cached, output = output + excluded.output,"
        " cost = CASE WHEN excluded.cost IS NULL THEN cost ELSE coalesce(cost, 0) + excluded.cost END,"
        " seconds = seconds + excluded.seconds",
        (LEFT, session_id),
    )
    db.execute("DELETE FROM session_model_usage WHERE session_id = ?", (session_id,))
    db.execute("DELETE FROM sessions WHERE id = ?", (session_id,))
    return Removed(Bulk(0, size), frozenset(), gone=True)


def _in_pieces(numbers: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(numbers), NAMES):
        yield numbers[start : start + NAMES]
