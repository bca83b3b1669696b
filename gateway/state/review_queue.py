"""Reviews that are due, wait and run, each step one transaction: what a process was killed in is taken up once.

The rows of a session themselves are counted, from marks that move when a review is committed; there is no counter
that could miss a turn. When a review may start is for `gateway.reviews` to say; what came of it is in `review_books`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from gateway.errors import StaleEpoch
from gateway.state.database import Database
from gateway.state.review_books import book
from gateway.state.review_counts import first_unseen, fresh, kinds_of, last_row, marked, named, standing
from gateway.state.review_records import (
    BackBecause,
    QueuedReview,
    ReviewCause,
    ReviewKind,
    ReviewOutcome,
    ReviewResult,
    ReviewStanding,
    ReviewWrite,
)
from gateway.transcript import Usage

RANK: tuple[ReviewCause, ...] = ("cadence", "compaction", "boundary", "person")
DIED = "the process ended while it ran"


class SqliteReviews:
    """See `review_protocols.Reviews`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def standing(self, session_id: str, kinds: Collection[ReviewKind]) -> ReviewStanding:
        return await self._database.read(lambda db: standing(db, session_id, kinds))

    async def count_anew(self, session_id: str, kind: ReviewKind) -> None:
        def work(db: sqlite3.Connection) -> None:
            newest = db.execute("SELECT max(id) FROM messages WHERE session_id = ?", (session_id,)).fetchone()[0]
            if newest is not None:
                marked(db, session_id, kind, counted=newest)

        await self._database.write(work)

    async def offer(
        self, session_id: str, kinds: Collection[ReviewKind], cause: ReviewCause, at: float, *, focus: str = ""
    ) -> QueuedReview | None:
        def work(db: sqlite3.Connection) -> QueuedReview | None:
            upto = last_row(db, session_id)
            running = _find(db, session_id, "running")
            wanted = kinds if cause == "person" and upto else fresh(db, session_id, kinds, upto, running)
            if not wanted:
                return None
            waiting = _find(db, session_id, "waiting")
            if waiting is None:
                db.execute(
                    "INSERT INTO review_queue (state, session_id, kinds, cause, focus, upto, first_asked_at,"
                    " asked_at) VALUES ('waiting', ?, ?, ?, ?, ?, ?, ?)",
                    (session_id, named(wanted), cause, focus, upto, at, at),
                )
            else:
                merged = (named(kinds_of(waiting) | set(wanted)), _higher(waiting["cause"], cause))
                db.execute(
                    "UPDATE review_queue SET kinds = ?, cause = ?, focus = ?, upto = ?, asked_at = ?, progress = ''"
                    " WHERE id = ?",
                    (*merged, focus or waiting["focus"], upto, at, waiting["id"]),
                )
            return _entry(db, _find(db, session_id, "waiting"))

        # What nobody asked for is on a person's way, and is asked for again where a power cut swallowed it.
        return await self._database.write(work, durable=cause == "person")

    async def queue(self) -> list[QueuedReview]:
        def work(db: sqlite3.Connection) -> list[QueuedReview]:
            rows = db.execute("SELECT * FROM review_queue ORDER BY first_asked_at, id").fetchall()
            return [_entry(db, row) for row in rows]

        return await self._database.read(work)

    async def claim(self, review_id: int, owner: str, lease_until: float) -> QueuedReview | None:
        def work(db: sqlite3.Connection) -> QueuedReview | None:
            row = db.execute("SELECT * FROM review_queue WHERE id = ? AND state = 'waiting'", (review_id,)).fetchone()
            if row is None or _find(db, row["session_id"], "running") is not None:
                return None
            kinds, upto = kinds_of(row), row["upto"]
            if not row["progress"]:
                upto = max(upto, last_row(db, row["session_id"]))
                kinds = kinds if row["cause"] == "person" else fresh(db, row["session_id"], kinds, upto)
            if not kinds:
                db.execute("DELETE FROM review_queue WHERE id = ?", (review_id,))
                return None
            db.execute(
                "UPDATE review_queue SET state = 'running', epoch = epoch + 1, owner = ?, lease_until = ?, kinds = ?,"
                " upto = ? WHERE id = ?",
                (owner, lease_until, named(kinds), upto, review_id),
            )
            return _entry(db, _find(db, row["session_id"], "running"))

        return await self._database.write(work)

    async def renew(self, review: QueuedReview, lease_until: float) -> bool:
        def work(db: sqlite3.Connection) -> bool:
            query = "UPDATE review_queue SET lease_until = ? WHERE id = ? AND epoch = ? AND state = 'running'"
            return db.execute(query, (lease_until, review.id, review.epoch)).rowcount > 0

        return await self._database.write(work)

    async def keep(self, review: QueuedReview, progress: str, spent: Usage) -> None:
        def work(db: sqlite3.Connection) -> None:
            row = _held(db, review)
            _spend(db, row["id"], _spent(row).plus(spent))
            db.execute("UPDATE review_queue SET progress = ? WHERE id = ?", (progress, review.id))

        await self._database.write(work)

    async def wrote(self, review: QueuedReview, write: ReviewWrite) -> None:
        def work(db: sqlite3.Connection) -> None:
            _held(db, review)
            query = "INSERT OR REPLACE INTO review_writes VALUES (?, ?, ?, ?)"
            db.execute(query, (review.id, write.ref, write.kind, write.fate))

        await self._database.write(work)

    async def written(self, review: QueuedReview) -> frozenset[ReviewKind]:
        def work(db: sqlite3.Connection) -> frozenset[ReviewKind]:
            query = "SELECT DISTINCT kind FROM review_writes WHERE review_id = ?"
            return frozenset(row[0] for row in db.execute(query, (review.id,)))

        return await self._database.read(work)

    async def put_back(
        self, review: QueuedReview, because: BackBecause, at: float, *, reason: str = "", spent: Usage | None = None
    ) -> QueuedReview:
        def work(db: sqlite3.Connection) -> QueuedReview:
            row = _held(db, review)
            _spend(db, row["id"], _spent(row).plus(spent or Usage()))
            return _wait_again(db, review.id, because, at, reason)

        return await self._database.write(work)

    async def take_back(self, owner: str, at: float, *, everyone: bool = False) -> list[QueuedReview]:
        def work(db: sqlite3.Connection) -> list[QueuedReview]:
            query = (
                "SELECT id FROM review_queue WHERE state = 'running' AND owner <> ? AND (lease_until <= ? OR ?)"
                " ORDER BY id"
            )
            lost = db.execute(query, (owner, at, int(everyone))).fetchall()
            return [_wait_again(db, row["id"], "died", at, DIED) for row in lost]

        return await self._database.write(work)

    async def done(
        self,
        review: QueuedReview,
        outcome: ReviewOutcome,
        at: float,
        *,
        host: str,
        model: str,
        spent: Usage,
        reason: str = "",
    ) -> ReviewResult:
        def work(db: sqlite3.Connection) -> ReviewResult:
            row = _held(db, review)
            result = book(db, row, outcome, reason, at, host, model, _spent(row).plus(spent))
            for kind in kinds_of(row):
                marked(db, row["session_id"], kind, counted=row["upto"], seen=row["upto"])
            db.execute("DELETE FROM review_queue WHERE id = ?", (review.id,))
            return result

        return await self._database.write(work, durable=True)

    async def drop(self, review: QueuedReview, reason: str, at: float, *, count_anew: bool) -> None:
        def work(db: sqlite3.Connection) -> None:
            row = _held(db, review)
            book(db, row, "dropped", reason, at, "", "", _spent(row))
            for kind in kinds_of(row) if count_anew else ():
                marked(db, row["session_id"], kind, counted=row["upto"])
            db.execute("DELETE FROM review_queue WHERE id = ?", (review.id,))

        await self._database.write(work, durable=True)

    async def unsettled(self, since: float) -> list[tuple[str, bool]]:
        def work(db: sqlite3.Connection) -> list[tuple[str, bool]]:
            query = (
                "SELECT id, ended_at IS NOT NULL FROM sessions WHERE active_at >= ?"
                " AND (ended_at IS NULL OR NOT EXISTS (SELECT 1 FROM review_results"
                " WHERE session_id = sessions.id AND review_results.ended_at >= sessions.ended_at))"
                " ORDER BY active_at"
            )
            return [(row[0], bool(row[1])) for row in db.execute(query, (since,))]

        return await self._database.read(work)


def taken_away(db: sqlite3.Connection, session_id: str) -> None:
    """A running review of this session has read what is to be gone: it waits again, and reads anew what is left.
    Whoever runs it can write no more. Part of the caller's transaction."""
    if (row := _find(db, session_id, "running")) is not None:
        _wait_again(db, row["id"], "stopped", 0.0, "")


def _find(db: sqlite3.Connection, session_id: str, state: str) -> sqlite3.Row | None:
    row: sqlite3.Row | None = db.execute(
        "SELECT * FROM review_queue WHERE session_id = ? AND state = ?", (session_id, state)
    ).fetchone()
    return row


def _held(db: sqlite3.Connection, review: QueuedReview) -> sqlite3.Row:
    """The review's row as it stands now. Raises StaleEpoch when it is over, was claimed anew, or was put back."""
    state = "running" if review.running else "waiting"
    row: sqlite3.Row | None = db.execute(
        "SELECT * FROM review_queue WHERE id = ? AND epoch = ? AND state = ?", (review.id, review.epoch, state)
    ).fetchone()
    if row is None:
        raise StaleEpoch(f"review {review.id} went to somebody else, or is over")
    return row


def _wait_again(
    db: sqlite3.Connection, review_id: int, because: BackBecause | str, at: float, reason: str
) -> QueuedReview:
    """From running to waiting, or into the newer one that waits already."""
    if because != "stopped":
        told = f"UPDATE review_queue SET {because} = {because} + 1, back_at = ?, reason = ? WHERE id = ?"
        db.execute(told, (at, reason, review_id))
    row = db.execute("SELECT * FROM review_queue WHERE id = ?", (review_id,)).fetchone()
    newer = _find(db, row["session_id"], "waiting")
    if newer is None:
        query = "UPDATE review_queue SET state = 'waiting', owner = '', lease_until = 0 WHERE id = ?"
        db.execute(query, (review_id,))
        return _entry(db, _find(db, row["session_id"], "waiting"))
    _merge(db, row, newer)
    return _entry(db, _find(db, row["session_id"], "waiting"))


def _merge(db: sqlite3.Connection, older: sqlite3.Row, newer: sqlite3.Row) -> None:
    """The newer one covers the older one's rows as well: it begins at the same mark and ends later."""
    db.execute(
        "UPDATE review_queue SET kinds = ?, cause = ?, focus = ?, upto = ?, first_asked_at = ?, back_at = ?,"
        " cancelled = ?, failed = ?, died = ?, reason = ? WHERE id = ?",
        (
            named(kinds_of(older) | kinds_of(newer)),
            _higher(older["cause"], newer["cause"]),
            newer["focus"] or older["focus"],
            max(older["upto"], newer["upto"]),
            min(older["first_asked_at"], newer["first_asked_at"]),
            max(older["back_at"], newer["back_at"]),
            *(older[name] + newer[name] for name in ("cancelled", "failed", "died")),
            older["reason"] or newer["reason"],
            newer["id"],
        ),
    )
    _spend(db, newer["id"], _spent(older).plus(_spent(newer)))
    query = "UPDATE OR REPLACE review_writes SET review_id = ? WHERE review_id = ?"
    db.execute(query, (newer["id"], older["id"]))
    db.execute("DELETE FROM review_queue WHERE id = ?", (older["id"],))


def _spend(db: sqlite3.Connection, review_id: int, usage: Usage) -> None:
    """Set what a review has cost so far."""
    query = "UPDATE review_queue SET input = ?, cached = ?, output = ?, calls = ?, cost = ?, seconds = ? WHERE id = ?"
    values = (usage.input, usage.cached, usage.output, usage.calls, usage.cost, usage.seconds)
    db.execute(query, (*values, review_id))


def _spent(row: sqlite3.Row) -> Usage:
    return Usage(row["input"], row["cached"], row["output"], row["calls"], row["cost"], row["seconds"])


def _higher(one: ReviewCause, other: ReviewCause) -> ReviewCause:
    return max(one, other, key=RANK.index)


def _entry(db: sqlite3.Connection, row: sqlite3.Row | None) -> QueuedReview:
    assert row is not None
    return QueuedReview(
        id=row["id"],
        session_id=row["session_id"],
        kinds=kinds_of(row),
        cause=row["cause"],
        after=first_unseen(db, row["session_id"], kinds_of(row)),
        upto=row["upto"],
        first_asked_at=row["first_asked_at"],
        asked_at=row["asked_at"],
        running=row["state"] == "running",
        back_at=row["back_at"],
        cancelled=row["cancelled"],
        failed=row["failed"],
        died=row["died"],
        reason=row["reason"],
        spent=_spent(row),
        epoch=row["epoch"],
        lease_until=row["lease_until"],
        focus=row["focus"],
        progress=row["progress"],
    )
