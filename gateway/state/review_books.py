"""The books of reviews: what each cost, what it wrote, and what became of that. Looking back at looking back.

Which reviews wait or run is in `review_queue`; tokens by day and task, budgets' matter, are in `usage`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from typing import Any

from gateway.state.database import Database
from gateway.state.review_counts import KINDS, kinds_of, seen_by
from gateway.state.review_records import (
    ReviewKind,
    ReviewLine,
    ReviewOutcome,
    ReviewResult,
    ReviewWrite,
    WriteFate,
)
from gateway.transcript import Usage

COLUMNS = (
    "id, session_id, kinds, cause, outcome, reason, memory_after, skill_after, upto, first_asked_at, ended_at, host,"
    " model, cancelled, failed, died, input, cached, output, calls, cost, seconds"
)


class SqliteReviewBooks:
    """See `review_protocols.ReviewBooks`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def results(self, limit: int) -> list[ReviewResult]:
        def work(db: sqlite3.Connection) -> list[ReviewResult]:
            query = "SELECT * FROM review_results ORDER BY ended_at DESC, id DESC LIMIT ?"
            return [_result(db, row) for row in db.execute(query, (limit,)).fetchall()]

        return await self._database.read(work)

    async def lines(self, since: float) -> list[ReviewLine]:
        def work(db: sqlite3.Connection) -> list[ReviewLine]:
            query = (
                "SELECT host, model, outcome, count(*) AS reviews, sum(input) AS input, sum(cached) AS cached,"
                " sum(output) AS output, sum(calls) AS calls, sum(cost) AS cost, sum(seconds) AS seconds"
                " FROM review_results WHERE ended_at >= ? GROUP BY host, model, outcome ORDER BY host, model, outcome"
            )
            lines: dict[tuple[str, str], ReviewLine] = {}
            for row in db.execute(query, (since,)).fetchall():
                at = (row["host"], row["model"])
                line = lines.get(at) or ReviewLine(*at, {}, Usage(), _fates(db, since, *at))
                outcomes = {**line.outcomes, row["outcome"]: row["reviews"]}
                lines[at] = ReviewLine(*at, outcomes, line.spent.plus(_spent(row)), line.writes)
            return list(lines.values())

        return await self._database.read(work)

    async def became(self, ref: str, fate: WriteFate, *, now_called: str | None = None) -> bool:
        def work(db: sqlite3.Connection) -> bool:
            query = "UPDATE OR REPLACE review_writes SET fate = ?, ref = ? WHERE ref = ?"
            return db.execute(query, (fate, now_called or ref, ref)).rowcount > 0

        return await self._database.write(work)

    async def writes(self, kind: ReviewKind, fates: Collection[WriteFate]) -> list[ReviewWrite]:
        def work(db: sqlite3.Connection) -> list[ReviewWrite]:
            among = ", ".join("?" * len(fates))
            query = f"SELECT ref, kind, fate FROM review_writes WHERE kind = ? AND fate IN ({among}) ORDER BY 1"
            return [ReviewWrite(*row) for row in db.execute(query, (kind, *fates))]

        return await self._database.read(work)


def book(
    db: sqlite3.Connection,
    row: sqlite3.Row,
    outcome: ReviewOutcome,
    reason: str,
    at: float,
    host: str,
    model: str,
    spent: Usage,
) -> ReviewResult:
    """Store what became of a row of the queue, before its rows count as seen. Part of the caller's transaction."""
    covered = kinds_of(row)
    after = [seen_by(db, row["session_id"], kind) if kind in covered else None for kind in KINDS]
    asked: tuple[Any, ...] = (row["id"], row["session_id"], row["kinds"], row["cause"], outcome, reason, *after)
    tries = (row["cancelled"], row["failed"], row["died"])
    price = (spent.input, spent.cached, spent.output, spent.calls, spent.cost, spent.seconds)
    db.execute(
        f"INSERT INTO review_results ({COLUMNS})"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*asked, row["upto"], row["first_asked_at"], at, host, model, *tries, *price),
    )
    return _result(db, db.execute("SELECT * FROM review_results WHERE id = ?", (row["id"],)).fetchone())


def _fates(db: sqlite3.Connection, since: float, host: str, model: str) -> dict[WriteFate, int]:
    query = (
        "SELECT fate, count(*) FROM review_results JOIN review_writes ON review_id = review_results.id"
        " WHERE ended_at >= ? AND host = ? AND model = ? GROUP BY fate ORDER BY fate"
    )
    return {row[0]: row[1] for row in db.execute(query, (since, host, model))}


def _result(db: sqlite3.Connection, row: sqlite3.Row) -> ReviewResult:
    writes = db.execute("SELECT ref, kind, fate FROM review_writes WHERE review_id = ? ORDER BY ref", (row["id"],))
    after: dict[ReviewKind, int] = {kind: row[f"{kind}_after"] for kind in KINDS if row[f"{kind}_after"] is not None}
    return ReviewResult(
        id=row["id"],
        session_id=row["session_id"],
        kinds=kinds_of(row),
        cause=row["cause"],
        outcome=row["outcome"],
        reason=row["reason"],
        after=after,
        upto=row["upto"],
        first_asked_at=row["first_asked_at"],
        ended_at=row["ended_at"],
        host=row["host"],
        model=row["model"],
        cancelled=row["cancelled"],
        failed=row["failed"],
        died=row["died"],
        spent=_spent(row),
        writes=tuple(ReviewWrite(*each) for each in writes),
    )


def _spent(row: sqlite3.Row) -> Usage:
    return Usage(row["input"], row["cached"], row["output"], row["calls"], row["cost"], row["seconds"])
