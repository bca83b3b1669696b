"""Runs of jobs, each step one transaction: noted when due, claimed by one, answered, delivered, over.

What a process was killed in is done once more, and an answer that is stored is only delivered once more. When a run
is due, and doing it, is for `gateway.schedule`.
"""

from __future__ import annotations

import sqlite3

from gateway.errors import StaleEpoch
from gateway.state.database import Database
from gateway.state.job_records import (
    BY_HAND,
    Delivery,
    Job,
    JobLimits,
    JobRun,
    JobStanding,
    RunState,
)
from gateway.state.jobs import LIVE, REMOVED, find, job_of

DIED = "the process ended while it ran"
COLUMNS = JobRun.__slots__


class SqliteJobRuns:
    """See `job_protocols.JobRuns`."""

    def __init__(self, database: Database, limits: JobLimits | None = None) -> None:
        self._database = database
        self._limits = limits or JobLimits()

    async def standing(self) -> JobStanding:
        def work(db: sqlite3.Connection) -> JobStanding:
            jobs = db.execute(f"SELECT * FROM jobs WHERE {LIVE} ORDER BY id").fetchall()
            runs = [
                *db.execute("SELECT * FROM job_runs WHERE state = 'waiting'"),
                *db.execute("SELECT * FROM job_runs WHERE state = 'claimed'"),
            ]
            owed = db.execute("SELECT * FROM job_runs WHERE notice = 'owed' ORDER BY id")
            open_runs = sorted(map(_run, runs), key=lambda each: (each.scheduled_at, each.id))
            return JobStanding(tuple(map(job_of, jobs)), tuple(open_runs), tuple(map(_run, owed)))

        return await self._database.read(work)

    async def mark(self) -> tuple[float, ...]:
        runs = "(SELECT ifnull(max(id), 0) FROM job_runs)"
        query = f"SELECT {runs}, count(*), count(removed_at), total(version), total(paused_until) FROM jobs"
        return await self._database.read(lambda db: tuple(db.execute(query).fetchone()))

    async def due(self, job: Job, scheduled_at: float, at: float) -> JobRun | None:
        def work(db: sqlite3.Connection) -> JobRun | None:
            query = f"UPDATE jobs SET considered_at = ? WHERE id = ? AND version = ? AND enabled = 1 AND {LIVE}"
            if db.execute(query, (at, job.id, job.version)).rowcount == 0:
                return None
            known = "SELECT 1 FROM job_runs WHERE job_id = ? AND cause = 'schedule' AND scheduled_at = ?"
            if db.execute(known, (job.id, scheduled_at)).fetchone() is not None:
                return None
            waits = _waiting(db, job.id, "schedule")
            if waits is not None:
                query = "UPDATE job_runs SET scheduled_at = ?, coalesced = coalesced + 1 WHERE id = ?"
                db.execute(query, (scheduled_at, waits.id))
                return _find(db, waits.id)
            return _insert(db, job.id, "schedule", scheduled_at, at)

        return await self._database.write(work, durable=True)

    async def rewind(self, job: Job, at: float) -> None:
        query = "UPDATE jobs SET considered_at = ? WHERE id = ? AND version = ? AND considered_at > ?"
        await self._database.write(lambda db: db.execute(query, (at, job.id, job.version, at)).rowcount)

    async def ask(self, job_id: int, who: str, at: float, *, dry: bool = False) -> JobRun | None:
        def work(db: sqlite3.Connection) -> JobRun | None:
            job = find(db, job_id)
            if job is None or job.removed_at is not None or not job.enabled:
                return None
            waits = _waiting(db, job_id, "person")
            if waits is not None and waits.dry == dry:
                return waits
            moment = at
            while _named(db, job_id, moment):
                moment += 0.001
            return _insert(db, job_id, "person", moment, at, who, dry)

        return await self._database.write(work, durable=True)

    async def get(self, run_id: int) -> JobRun | None:
        def work(db: sqlite3.Connection) -> JobRun | None:
            row = db.execute("SELECT * FROM job_runs WHERE id = ?", (run_id,)).fetchone()
            return _run(row) if row else None

        return await self._database.read(work)

    async def claim(self, run_id: int, owner: str, lease_until: float, at: float) -> JobRun | None:
        def work(db: sqlite3.Connection) -> JobRun | None:
            query = (
                "UPDATE job_runs SET state = 'claimed', epoch = epoch + 1, starts = starts + 1, owner = ?,"
                " lease_until = ?, started_at = ? WHERE id = ? AND state = 'waiting' AND NOT EXISTS"
                " (SELECT 1 FROM job_runs AS other WHERE other.job_id = job_runs.job_id AND other.state = 'claimed')"
            )
            taken = db.execute(query, (owner, lease_until, at, run_id)).rowcount > 0
            return _find(db, run_id) if taken else None

        return await self._database.write(work, durable=True)

    async def renew(self, run: JobRun, lease_until: float) -> bool:
        def work(db: sqlite3.Connection) -> bool:
            query = "UPDATE job_runs SET lease_until = ? WHERE id = ? AND epoch = ? AND state = 'claimed'"
            return db.execute(query, (lease_until, run.id, run.epoch)).rowcount > 0

        return await self._database.write(work)

    async def answered(self, run: JobRun, answer: str, tokens: int) -> JobRun:
        def work(db: sqlite3.Connection) -> JobRun:
            held = _held(db, run)
            delivery: Delivery = "withheld" if _removed(db, held) else "owed"
            query = "UPDATE job_runs SET answer = ?, tokens = ?, delivery = ? WHERE id = ?"
            db.execute(query, (answer, tokens, delivery, run.id))
            return _find(db, run.id)

        return await self._database.write(work, durable=True)

    async def finish(
        self,
        run: JobRun,
        state: RunState,
        at: float,
        *,
        answer: str | None = None,
        delivery: Delivery | None = None,
        error: str = "",
        tokens: int | None = None,
        say: bool = False,
    ) -> JobRun:
        def work(db: sqlite3.Connection) -> JobRun:
            held = _held(db, run)
            db.execute(
                "UPDATE job_runs SET answer = ?, delivery = ?, tokens = ? WHERE id = ?",
                (
                    held.answer if answer is None else answer,
                    held.delivery if delivery is None else delivery,
                    held.tokens if tokens is None else tokens,
                    run.id,
                ),
            )
            return self._end(db, run.id, state, at, error, say)

        return await self._database.write(work, durable=True)

    async def release(self, run: JobRun, at: float) -> None:
        def work(db: sqlite3.Connection) -> None:
            held = _held(db, run)
            db.execute("UPDATE job_runs SET starts = starts - 1 WHERE id = ?", (run.id,))
            self._wait_again(db, held, at)

        await self._database.write(work)

    async def take_back(self, owner: str, at: float, *, everyone: bool = False) -> list[JobRun]:
        def work(db: sqlite3.Connection) -> list[JobRun]:
            query = (
                "SELECT * FROM job_runs WHERE state = 'claimed' AND owner <> ?"
                " AND (lease_until <= ? OR (? AND owner NOT LIKE ?))"
            )
            rows = db.execute(query, (owner, at, int(everyone), f"{BY_HAND}%")).fetchall()
            lost = [_run(row) for row in rows]
            return [self._wait_again(db, each, at, bounded=True) for each in lost]

        return await self._database.write(work, durable=True)

    async def skip(self, run_id: int, why: str, at: float) -> bool:
        def work(db: sqlite3.Connection) -> bool:
            query = (
                "UPDATE job_runs SET state = 'skipped', error = ?, ended_at = ? WHERE id = ? AND state = 'waiting'"
            )
            return db.execute(query, (why, at, run_id)).rowcount > 0

        return await self._database.write(work)

    async def told(self, run_id: int) -> None:
        query = "UPDATE job_runs SET notice = 'told' WHERE id = ? AND notice = 'owed'"
        await self._database.write(lambda db: db.execute(query, (run_id,)).rowcount)

    async def history(self, limit: int, job_id: int | None = None) -> list[JobRun]:
        def work(db: sqlite3.Connection) -> list[JobRun]:
            if job_id is None:
                rows = db.execute("SELECT * FROM job_runs ORDER BY id DESC LIMIT ?", (limit,))
            else:
                query = "SELECT * FROM job_runs WHERE job_id = ? ORDER BY id DESC LIMIT ?"
                rows = db.execute(query, (job_id, limit))
            return [_run(row) for row in rows]

        return await self._database.read(work)

    def _wait_again(self, db: sqlite3.Connection, run: JobRun, at: float, *, bounded: bool = False) -> JobRun:
        """From claimed to waiting; `bounded`: unless it has lost its process too often."""
        if _removed(db, run):
            query = "UPDATE job_runs SET delivery = 'withheld' WHERE id = ? AND delivery = 'owed'"
            db.execute(query, (run.id,))
            return self._end(db, run.id, "skipped", at, REMOVED)
        answered = run.delivery == "owed"
        if bounded and run.starts >= self._limits.starts + (self._limits.deliveries if answered else 0):
            return self._end(db, run.id, "done" if answered else "failed", at, DIED)
        query = "UPDATE job_runs SET state = 'waiting', owner = '', lease_until = 0 WHERE id = ?"
        db.execute(query, (run.id,))
        return _find(db, run.id)

    def _end(
        self, db: sqlite3.Connection, run_id: int, state: RunState, at: float, error: str = "", say: bool = False
    ) -> JobRun:
        """The run is over: its job's failures are counted, notice is owed or not, old history goes."""
        db.execute(
            "UPDATE job_runs SET state = ?, ended_at = ?, error = ?, owner = '', lease_until = 0,"
            " delivery = CASE delivery WHEN 'owed' THEN 'failed' ELSE delivery END WHERE id = ?",
            (state, at, error, run_id),
        )
        run = _find(db, run_id)
        job = find(db, run.job_id)
        assert job is not None
        failures = job.failures
        if state != "skipped" and not run.dry:
            failures = 0 if run.went_well else failures + 1
            db.execute("UPDATE jobs SET failures = ? WHERE id = ?", (failures, job.id))
        if job.removed_at is None and state != "skipped":
            failed = not run.went_well and (failures in self._limits.notice_at or run.cause == "person")
            if failed or (say and run.went_well):
                db.execute("UPDATE job_runs SET notice = 'owed' WHERE id = ?", (run_id,))
        db.execute(
            "DELETE FROM job_runs WHERE job_id = ? AND state NOT IN ('waiting', 'claimed') AND notice <> 'owed'"
            " AND id <> ? AND id <= (SELECT id FROM job_runs WHERE job_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
            (job.id, run_id, job.id, self._limits.runs),
        )
        return _find(db, run_id)


def _run(row: sqlite3.Row) -> JobRun:
    values = {name: row[name] for name in COLUMNS}
    values["dry"] = bool(values["dry"])
    return JobRun(**values)


def _find(db: sqlite3.Connection, run_id: int) -> JobRun:
    return _run(db.execute("SELECT * FROM job_runs WHERE id = ?", (run_id,)).fetchone())


def _insert(
    db: sqlite3.Connection, job_id: int, cause: str, scheduled_at: float, at: float, who: str = "", dry: bool = False
) -> JobRun:
    cursor = db.execute(
        "INSERT INTO job_runs (job_id, cause, scheduled_at, asked_at, state, who, dry)"
        " VALUES (?, ?, ?, ?, 'waiting', ?, ?)",
        (job_id, cause, scheduled_at, at, who, int(dry)),
    )
    return _find(db, cursor.lastrowid or 0)


def _waiting(db: sqlite3.Connection, job_id: int, cause: str) -> JobRun | None:
    """The waiting run of this cause that has no answer yet."""
    query = "SELECT * FROM job_runs WHERE job_id = ? AND state = 'waiting' AND cause = ? AND delivery = 'none'"
    row = db.execute(query, (job_id, cause)).fetchone()
    return _run(row) if row else None


def _named(db: sqlite3.Connection, job_id: int, moment: float) -> bool:
    query = "SELECT 1 FROM job_runs WHERE job_id = ? AND cause = 'person' AND scheduled_at = ?"
    return db.execute(query, (job_id, moment)).fetchone() is not None


def _removed(db: sqlite3.Connection, run: JobRun) -> bool:
    job = find(db, run.job_id)
    return job is None or job.removed_at is not None


def _held(db: sqlite3.Connection, run: JobRun) -> JobRun:
    """The claimed run as it stands now. Raises StaleEpoch when it is over, was claimed anew, or was taken back."""
    query = "SELECT * FROM job_runs WHERE id = ? AND epoch = ? AND state = 'claimed'"
    row = db.execute(query, (run.id, run.epoch)).fetchone()
    if row is None:
        raise StaleEpoch(f"run {run.id} of job {run.job_id} went to somebody else, or is over")
    return _run(row)
