"""What jobs there are, how they were changed, and the tombstones of those that were removed.

Runs are in `job_runs`; what a schedule means, and waking up for it, is for `gateway.schedule`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from gateway.state.codec import clean
from gateway.state.database import Database
from gateway.state.job_records import (
    UNTIL_RESUMED,
    EditKind,
    Job,
    JobEdit,
    JobLimits,
    JobNameTaken,
    JobOrigin,
    JobSpec,
)

PAUSED = "the job was paused"
REMOVED = "the job was removed"
LIVE = "removed_at IS NULL"


class SqliteJobs:
    """See `job_protocols.Jobs`."""

    def __init__(self, database: Database, limits: JobLimits | None = None) -> None:
        self._database = database
        self._limits = limits or JobLimits()

    async def add(self, spec: JobSpec, origin: JobOrigin, owner: str, at: float, *, enabled: bool = True) -> Job:
        def work(db: sqlite3.Connection) -> Job:
            _name_is_free(db, spec.name)
            return _insert(db, spec, origin, owner, at, enabled)

        return await self._database.write(work, durable=True)

    async def seed(self, specs: Sequence[JobSpec], at: float) -> list[str]:
        def work(db: sqlite3.Connection) -> list[str]:
            return [spec.name for spec in specs if not self._seed(db, spec, at)]

        return await self._database.write(work)

    async def get(self, job_id: int) -> Job | None:
        return await self._database.read(lambda db: find(db, job_id))

    async def named(self, name: str) -> Job | None:
        def work(db: sqlite3.Connection) -> Job | None:
            row = db.execute(f"SELECT * FROM jobs WHERE name_key = ? AND {LIVE}", (_key(name),)).fetchone()
            return job_of(row) if row else None

        return await self._database.read(work)

    async def all(self) -> list[Job]:
        def work(db: sqlite3.Connection) -> list[Job]:
            return [job_of(row) for row in db.execute(f"SELECT * FROM jobs WHERE {LIVE} ORDER BY name_key")]

        return await self._database.read(work)

    async def edit(self, job_id: int, spec: JobSpec, who: str, at: float) -> Job | None:
        def work(db: sqlite3.Connection, job: Job) -> None:
            _name_is_free(db, spec.name, job.id)
            _respell(db, job, spec, at)

        return await self._change(job_id, "edited", who, at, work)

    async def pause(self, job_id: int, until: float, who: str, at: float) -> Job | None:
        def work(db: sqlite3.Connection, job: Job) -> None:
            moment = None if until == UNTIL_RESUMED else until
            db.execute("UPDATE jobs SET paused_until = ? WHERE id = ?", (moment, job.id))
            _skip_waiting(db, job.id, PAUSED, at, "cause = 'schedule' AND delivery = 'none'")

        return await self._change(job_id, "paused", who, at, work)

    async def resume(self, job_id: int, who: str, at: float) -> Job | None:
        def work(db: sqlite3.Connection, job: Job) -> None:
            query = "UPDATE jobs SET paused_until = 0, considered_at = ? WHERE id = ?"
            db.execute(query, (at, job.id))

        return await self._change(job_id, "resumed", who, at, work, lambda job: job.paused_until > at)

    async def enable(self, job_id: int, who: str, at: float) -> Job | None:
        def work(db: sqlite3.Connection, job: Job) -> None:
            db.execute("UPDATE jobs SET enabled = 1, considered_at = ? WHERE id = ?", (at, job.id))

        return await self._change(job_id, "enabled", who, at, work, lambda job: not job.enabled)

    async def remove(self, job_id: int, who: str, at: float) -> Job | None:
        def work(db: sqlite3.Connection, job: Job) -> None:
            db.execute("UPDATE jobs SET removed_at = ? WHERE id = ?", (at, job.id))
            _skip_waiting(db, job.id, REMOVED, at, "1")
            # What is over already is nobody's concern any more.
            db.execute("UPDATE job_runs SET notice = 'told' WHERE notice = 'owed' AND job_id = ?", (job.id,))

        return await self._change(job_id, "removed", who, at, work)

    async def edits(self, job_id: int) -> list[JobEdit]:
        def work(db: sqlite3.Connection) -> list[JobEdit]:
            rows = db.execute("SELECT * FROM job_edits WHERE job_id = ? ORDER BY id DESC", (job_id,))
            return [JobEdit(row["at"], row["who"], row["what"], _load(row["before"])) for row in rows]

        return await self._database.read(work)

    async def forget(self, before: float) -> int:
        def work(db: sqlite3.Connection) -> int:
            query = "SELECT id FROM jobs WHERE removed_at < ? AND schedule <> ''"
            gone = db.execute(query, (before,)).fetchall()
            for (job_id,) in gone:
                db.execute("DELETE FROM job_runs WHERE job_id = ?", (job_id,))
                db.execute("DELETE FROM job_edits WHERE job_id = ?", (job_id,))
                db.execute(
                    "UPDATE jobs SET schedule = '', prompt = '', silent_unless = '', skills = '[]', chat_key = '',"
                    " model = '' WHERE id = ?",
                    (job_id,),
                )
            return len(gone)

        return await self._database.write(work)

    async def _change(
        self,
        job_id: int,
        what: EditKind,
        who: str,
        at: float,
        work: Callable[[sqlite3.Connection, Job], None],
        needed: Callable[[Job], bool] = lambda job: True,
    ) -> Job | None:
        """Carry out a change of a job that is not removed, and keep what it was before."""

        def change(db: sqlite3.Connection) -> Job | None:
            job = find(db, job_id)
            if job is None or job.removed_at is not None:
                return None
            if needed(job):
                work(db, job)
                self._note(db, job, what, who, at)
            return find(db, job_id)

        return await self._database.write(change, durable=True)

    def _note(self, db: sqlite3.Connection, job: Job, what: EditKind, who: str, at: float) -> None:
        db.execute("UPDATE jobs SET version = version + 1, changed_at = ? WHERE id = ?", (at, job.id))
        query = "INSERT INTO job_edits (job_id, at, who, what, before) VALUES (?, ?, ?, ?, ?)"
        db.execute(query, (job.id, at, who, what, json.dumps(asdict(job.spec))))
        db.execute(
            "DELETE FROM job_edits WHERE job_id = ? AND id <="
            " (SELECT id FROM job_edits WHERE job_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
            (job.id, job.id, self._limits.edits),
        )

    def _seed(self, db: sqlite3.Connection, spec: JobSpec, at: float) -> bool:
        """Whether the name is the program's."""
        query = f"SELECT * FROM jobs WHERE name_key = ? ORDER BY {LIVE} DESC, origin = 'house' DESC, id DESC"
        rows = [job_of(row) for row in db.execute(query, (_key(spec.name),))]
        ours = next((each for each in rows if each.origin == "house"), None)
        if any(each.removed_at is None and each.origin != "house" for each in rows):
            return False
        if ours is None:
            _insert(db, spec, "house", "", at, enabled=True)
        elif ours.removed_at is None and ours.spec != spec and not _edited_by_a_person(db, ours):
            _respell(db, ours, spec, at)
            self._note(db, ours, "edited", "", at)
        return True


def find(db: sqlite3.Connection, job_id: int) -> Job | None:
    """The job, its tombstone too."""
    row = db.execute("SELECT * FROM jobs WHERE id = ?", (job_id,)).fetchone()
    return job_of(row) if row else None


def job_of(row: sqlite3.Row) -> Job:
    """A row of `jobs`."""
    spec = JobSpec(
        name=row["name"],
        kind=row["kind"],
        schedule=row["schedule"],
        zone=row["zone"],
        prompt=row["prompt"],
        skills=tuple(json.loads(row["skills"])),
        model=row["model"],
        chat_key=row["chat_key"],
        silent_unless=row["silent_unless"],
        budget=row["budget"],
    )
    return Job(
        id=row["id"],
        spec=spec,
        origin=row["origin"],
        owner=row["owner"],
        enabled=bool(row["enabled"]),
        paused_until=UNTIL_RESUMED if row["paused_until"] is None else row["paused_until"],
        considered_at=row["considered_at"],
        failures=row["failures"],
        version=row["version"],
        created_at=row["created_at"],
        changed_at=row["changed_at"],
        removed_at=row["removed_at"],
    )


def _key(name: str) -> str:
    return clean(name).strip().casefold()


def _name_is_free(db: sqlite3.Connection, name: str, job_id: int = 0) -> None:
    query = f"SELECT id, name FROM jobs WHERE name_key = ? AND {LIVE} AND id <> ?"
    row = db.execute(query, (_key(name), job_id)).fetchone()
    if row is not None:
        raise JobNameTaken(
            f"job {row['id']} is called {row['name']!r} already: give another name, or remove that one"
        )


def _columns(spec: JobSpec) -> tuple[Any, ...]:
    """Values of the columns from `name` to `budget`, the kind left out."""
    skills = json.dumps(spec.skills)
    return (
        *(spec.name, _key(spec.name), spec.schedule, spec.zone, spec.prompt, skills),
        *(spec.model, spec.chat_key, spec.silent_unless, spec.budget),
    )


def _insert(db: sqlite3.Connection, spec: JobSpec, origin: JobOrigin, owner: str, at: float, enabled: bool) -> Job:
    cursor = db.execute(
        "INSERT INTO jobs (name, name_key, schedule, zone, prompt, skills, model, chat_key, silent_unless, budget,"
        " kind, origin, owner, enabled, considered_at, created_at, changed_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*_columns(spec), spec.kind, origin, owner, int(enabled), at, at, at),
    )
    job = find(db, cursor.lastrowid or 0)
    assert job is not None
    return job


def _respell(db: sqlite3.Connection, job: Job, spec: JobSpec, at: float) -> None:
    anew = (spec.schedule, spec.zone) != (job.spec.schedule, job.spec.zone)
    db.execute(
        "UPDATE jobs SET name = ?, name_key = ?, schedule = ?, zone = ?, prompt = ?, skills = ?, model = ?,"
        " chat_key = ?, silent_unless = ?, budget = ?, considered_at = ? WHERE id = ?",
        (*_columns(spec), at if anew else job.considered_at, job.id),
    )


def _edited_by_a_person(db: sqlite3.Connection, job: Job) -> bool:
    query = "SELECT 1 FROM job_edits WHERE job_id = ? AND what = 'edited' AND who <> ''"
    return db.execute(query, (job.id,)).fetchone() is not None


def _skip_waiting(db: sqlite3.Connection, job_id: int, why: str, at: float, only: str) -> None:
    db.execute(
        "UPDATE job_runs SET state = 'skipped', error = ?, ended_at = ?,"
        " delivery = CASE delivery WHEN 'owed' THEN 'withheld' ELSE delivery END"
        f" WHERE job_id = ? AND state = 'waiting' AND {only}",
        (why, at, job_id),
    )


def _load(before: str) -> JobSpec:
    raw: dict[str, Any] = json.loads(before)
    raw["skills"] = tuple(raw["skills"])
    return JobSpec(**raw)
