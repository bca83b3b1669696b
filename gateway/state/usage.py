"""What models cost: by session, model and task, and by day for budgets."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime

from gateway.state.database import Database
from gateway.state.records import UsageLine
from gateway.transcript import Usage

SUMS = "sum(calls), sum(input), sum(cached), sum(output), sum(cost), sum(seconds)"


class SqliteUsage:
    """See `protocols.UsageBook`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, session_id: str, host: str, model: str, task: str, usage: Usage, at: float) -> None:
        def work(db: sqlite3.Connection) -> None:
            db.execute(
                "INSERT INTO session_model_usage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, input = input + excluded.input,"
                " cached = cached + excluded.cached, output = output + excluded.output,"
                " cost = CASE WHEN excluded.cost IS NULL THEN cost ELSE coalesce(cost, 0) + excluded.cost END,"
                " seconds = seconds + excluded.seconds",
                (
                    session_id,
                    host,
                    model,
                    task,
                    day(at),
                    usage.calls,
                    usage.input,
                    usage.cached,
                    usage.output,
                    usage.cost,
                    usage.seconds,
                ),
            )

        await self._database.write(work)

    async def of_session(self, session_id: str) -> list[UsageLine]:
        return await self._lines("session_id = ?", session_id)

    async def since(self, at: float) -> list[UsageLine]:
        return await self._lines("day >= ?", day(at))

    async def tokens_today(self, at: float) -> dict[str, int]:
        def work(db: sqlite3.Connection) -> dict[str, int]:
            rows = db.execute(
                "SELECT task, sum(input) + sum(output) FROM session_model_usage WHERE day = ? GROUP BY task",
                (day(at),),
            )
            return {row[0]: int(row[1]) for row in rows}

        return await self._database.read(work)

    async def _lines(self, where: str, parameter: str) -> list[UsageLine]:
        def work(db: sqlite3.Connection) -> list[UsageLine]:
            rows = db.execute(
                f"SELECT task, host, model, {SUMS} FROM session_model_usage WHERE {where}"
                " GROUP BY task, host, model ORDER BY task, host, model",
                (parameter,),
            )
            return [UsageLine(*row) for row in rows]

        return await self._database.read(work)


def day(at: float) -> str:
    """The UTC date that a moment belongs to; budgets are per such day."""
    return datetime.fromtimestamp(at, UTC).date().isoformat()
