"""What reviews are behind by, counted from a session's rows: user turns for memory, tool calls for skills.

Rows of a turn that runs are not looked at. Moving the marks is the queue's matter, and is done with `marked`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable

from gateway.state.review_records import ReviewKind, ReviewStanding
from gateway.state.turns import SAID

KINDS: tuple[ReviewKind, ...] = ("memory", "skill")
COUNTED: dict[ReviewKind, str] = {
    # What a job asks for is nobody's turn.
    "memory": "FROM messages WHERE session_id = ? AND id > ? AND id <= ? AND role = 'user' AND untrusted <> 'job'",
    "skill": f"FROM messages WHERE session_id = ? AND id > ? AND id <= ? AND role = 'tool' AND {SAID}",
}
UNITS: dict[ReviewKind, str] = {"memory": "count(DISTINCT turn_id)", "skill": "count(*)"}


def standing(db: sqlite3.Connection, session_id: str, kinds: Collection[ReviewKind]) -> ReviewStanding:
    """See `review_protocols.Reviews.standing`."""
    upto = last_row(db, session_id)
    begun = db.execute(
        "SELECT kinds, upto FROM review_queue WHERE session_id = ? AND (state = 'running' OR progress <> '')",
        (session_id,),
    ).fetchall()
    counts: dict[ReviewKind, int] = {}
    for kind in kinds:
        since = max(_mark(db, session_id, kind, "counted"), *_covered(kind, begun))
        counts[kind] = _count(db, session_id, kind, since, upto)
    return ReviewStanding(counts, fresh(db, session_id, kinds, upto, *begun), _answered(db, session_id))


def fresh(
    db: sqlite3.Connection, session_id: str, kinds: Collection[ReviewKind], upto: int, *begun: sqlite3.Row | None
) -> frozenset[ReviewKind]:
    """Those kinds for which the rows up to `upto` hold something that no review saw, or covers already."""
    found: set[ReviewKind] = set()
    for kind in kinds:
        since = max(_mark(db, session_id, kind, "seen"), *_covered(kind, begun))
        some = f"SELECT 1 {COUNTED[kind]} LIMIT 1"
        if db.execute(some, (session_id, since, upto)).fetchone() is not None:
            found.add(kind)
    return frozenset(found)


def first_unseen(db: sqlite3.Connection, session_id: str, kinds: Collection[ReviewKind]) -> int:
    """The last row that reviews of all these kinds have seen; 0 for none."""
    return min(_mark(db, session_id, kind, "seen") for kind in kinds)


def seen_by(db: sqlite3.Connection, session_id: str, kind: ReviewKind) -> int:
    """The last row that reviews of this kind have seen; 0 for none."""
    return _mark(db, session_id, kind, "seen")


def last_row(db: sqlite3.Connection, session_id: str) -> int:
    """The newest row that is no running turn's; 0 for none."""
    row = db.execute(
        "SELECT id FROM messages WHERE session_id = ? AND NOT EXISTS"
        " (SELECT 1 FROM turns WHERE turns.id = messages.turn_id AND turns.state = 'running')"
        " ORDER BY id DESC LIMIT 1",
        (session_id,),
    ).fetchone()
    return int(row[0]) if row else 0


def marked(db: sqlite3.Connection, session_id: str, kind: ReviewKind, *, counted: int, seen: int = 0) -> None:
    """Move marks forward; none ever goes back."""
    db.execute(
        "INSERT INTO review_marks VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET counted = max(counted, excluded.counted), seen = max(seen, excluded.seen)",
        (session_id, kind, counted, seen),
    )


def named(kinds: Iterable[ReviewKind]) -> str:
    """Kinds as the queue writes them."""
    wanted = set(kinds)
    return "+".join(kind for kind in KINDS if kind in wanted)


def kinds_of(row: sqlite3.Row) -> frozenset[ReviewKind]:
    """The inverse of `named`."""
    return frozenset(kind for kind in KINDS if kind in row["kinds"].split("+"))


def _mark(db: sqlite3.Connection, session_id: str, kind: ReviewKind, name: str) -> int:
    query = f"SELECT {name} FROM review_marks WHERE session_id = ? AND kind = ?"
    row = db.execute(query, (session_id, kind)).fetchone()
    return int(row[0]) if row else 0


def _covered(kind: ReviewKind, begun: Iterable[sqlite3.Row | None]) -> list[int]:
    return [0, *(row["upto"] for row in begun if row is not None and kind in kinds_of(row))]


def _count(db: sqlite3.Connection, session_id: str, kind: ReviewKind, after: int, upto: int) -> int:
    return int(db.execute(f"SELECT {UNITS[kind]} {COUNTED[kind]}", (session_id, after, upto)).fetchone()[0])


def _answered(db: sqlite3.Connection, session_id: str) -> bool:
    last = db.execute(
        "SELECT id, state FROM turns WHERE session_id = ? ORDER BY id DESC LIMIT 1", (session_id,)
    ).fetchone()
    if last is None or last["state"] != "answered":
        return False
    query = "SELECT 1 FROM messages WHERE turn_id = ? AND role = 'assistant' AND content <> ''"
    return db.execute(query, (last["id"],)).fetchone() is not None
