"""Marks by which somebody who looks on tells that something changed, without reading what: one a topic, cheap enough
to be taken once a second."""

from __future__ import annotations

import sqlite3

from gateway.state.database import Database

_QUERIES = {
    "sessions": (
        "SELECT (SELECT max(id) FROM messages), (SELECT max(id) FROM compactions), (SELECT max(id) FROM turns),"
        " (SELECT count(*) FROM turns WHERE state = 'running'),"
        " (SELECT count(*) FROM sessions), (SELECT max(active_at) FROM sessions),"
        " (SELECT group_concat(ifnull(title, '') || pinned || ifnull(ended_at, ''), ' ') FROM"
        " (SELECT title, pinned, ended_at FROM sessions ORDER BY active_at DESC LIMIT 40))"
    ),
    "jobs": (
        "SELECT (SELECT total(version) FROM jobs), (SELECT max(changed_at) FROM jobs),"
        " (SELECT count(removed_at) FROM jobs),"
        " (SELECT total(paused_until) + total(considered_at) + total(failures) FROM jobs),"
        " (SELECT max(id) FROM job_runs), (SELECT group_concat(id || state, ' ') FROM"
        " (SELECT id, state FROM job_runs ORDER BY id DESC LIMIT 20))"
    ),
    "reviews": (
        "SELECT (SELECT group_concat(id || state || reason || back_at, ' ') FROM review_queue),"
        " (SELECT max(id) FROM review_results), (SELECT count(*) FROM review_writes),"
        " (SELECT group_concat(fate || n, ' ') FROM"
        " (SELECT fate, count(*) AS n FROM review_writes GROUP BY fate ORDER BY fate))"
    ),
    "health": (
        "SELECT (SELECT count(*) FROM inbox WHERE state = 'new'),"
        " (SELECT count(*) FROM outbox WHERE state = 'queued'),"
        " (SELECT count(*) FROM turns WHERE state = 'running'), (SELECT count(*) FROM dead_letters)"
    ),
}


async def fingerprints(database: Database) -> dict[str, tuple[object, ...]]:
    """A mark for each topic; it differs when what is shown under the topic does. Raises DatabaseFault."""

    def work(db: sqlite3.Connection) -> dict[str, tuple[object, ...]]:
        return {topic: tuple(db.execute(query).fetchone()) for topic, query in _QUERIES.items()}

    return await database.consult(work)


async def version(database: Database) -> int:
    """A number that changes whenever anything was committed. Raises DatabaseFault."""
    return await database.read(lambda db: int(db.execute("PRAGMA data_version").fetchone()[0]))
