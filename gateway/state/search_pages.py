"""Reading sessions as an archive: whole messages around one, from one on, at both ends; by index, at any size.

Only what people and the assistant said: results of tools and empty rows are passed over.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass

from gateway.state.search_match import snippet
from gateway.state.search_query import Term
from gateway.state.search_records import FoundSession, Hit, RecentSession, Said, Stretch
from gateway.state.sessions import ELSEWHERE

SESSION = "id, session_key, chat, title, started_at, active_at, ended_at"
SHOWN = (
    "SELECT id, role, content, created_at, untrusted FROM messages"
    " WHERE session_id = ? AND role <> 'tool' AND content <> ''"
)
NEIGHBOURS = 2
"""Messages before and after one that was found."""

ENDS = 2
"""Messages at the beginning and at the end of a session."""

SNIPPET = 240
"""Signs of a snippet, more or less."""


@dataclass(frozen=True, slots=True)
class Best:
    """The message of a session that fits best, and how many of its messages fit."""

    session_id: str
    message_id: int
    terms: tuple[Term, ...]
    matches: int
    score: float


def session(db: sqlite3.Connection, session_id: str, visible: Collection[str] | None) -> FoundSession | None:
    """A session, if this asker may see it."""
    row = db.execute(f"SELECT {SESSION} FROM sessions WHERE id = ? AND leaving = 0", (session_id,)).fetchone()
    if row is None:
        return None
    if visible is not None and (row["session_key"] not in visible or _elsewhere(db, session_id, row["chat"])):
        return None
    return FoundSession(*row)


def hit(db: sqlite3.Connection, best: Best, visible: Collection[str] | None) -> Hit | None:
    """What was found in a session, with what is around it; None when it is not there to be seen."""
    found = session(db, best.session_id, visible)
    message = _one(db, best.session_id, best.message_id)
    if found is None or message is None:
        return None
    return Hit(
        session=found,
        message=message,
        snippet=snippet(message.text, best.terms, SNIPPET),
        matches=best.matches,
        score=round(best.score, 3),
        before=_back(db, found.id, message.id, NEIGHBOURS),
        after=_on(db, found.id, message.id, NEIGHBOURS),
        first=_on(db, found.id, 0, ENDS),
        last=_back(db, found.id, None, ENDS),
    )


def scroll(
    db: sqlite3.Connection, session_id: str, around: int, window: int, visible: Collection[str] | None
) -> Stretch | None:
    found = session(db, session_id, visible)
    message = _one(db, session_id, around)
    if found is None or message is None:
        return None
    before, after = (
        _back(db, session_id, around, window + 1),
        _on(db, session_id, around, window + 1),
    )
    kept = (*before[max(0, len(before) - window) :], message, *after[:window])
    return Stretch(found, kept, len(before) > window, len(after) > window)


def read(
    db: sqlite3.Connection, session_id: str, after: int, limit: int, visible: Collection[str] | None
) -> Stretch | None:
    found = session(db, session_id, visible)
    if found is None:
        return None
    messages = _on(db, session_id, after, limit + 1)
    begin = messages[0].id if messages else after + 1
    return Stretch(found, messages[:limit], bool(_back(db, session_id, begin, 1)), len(messages) > limit)


def browse(
    db: sqlite3.Connection, limit: int, visible: Collection[str] | None, exclude: str | None
) -> list[RecentSession]:
    query = f"SELECT {SESSION} FROM sessions WHERE leaving = 0 AND id IS NOT ? ORDER BY active_at DESC, id LIMIT ?"
    if visible is None:
        rows = db.execute(query, (exclude, limit)).fetchall()
    else:
        among = query.replace("WHERE", f"WHERE session_key = ? AND NOT {ELSEWHERE} AND")
        rows = [row for key in visible for row in db.execute(among, (key, exclude, limit))]
        rows = sorted(rows, key=lambda row: (-row["active_at"], row["id"]))[:limit]
    return [
        RecentSession(FoundSession(*row), _on(db, row["id"], 0, ENDS), _back(db, row["id"], None, ENDS))
        for row in rows
    ]


def _elsewhere(db: sqlite3.Connection, session_id: str, chat: str) -> bool:
    held = "SELECT 1 FROM turns WHERE session_id = ? AND chat <> ? LIMIT 1"
    return db.execute(held, (session_id, chat)).fetchone() is not None


def _one(db: sqlite3.Connection, session_id: str, message_id: int) -> Said | None:
    row = db.execute(f"{SHOWN} AND id = ?", (session_id, message_id)).fetchone()
    return None if row is None else Said(*row)


def _on(db: sqlite3.Connection, session_id: str, after: int, limit: int) -> tuple[Said, ...]:
    rows = db.execute(f"{SHOWN} AND id > ? ORDER BY id LIMIT ?", (session_id, after, limit))
    return tuple(Said(*row) for row in rows)


def _back(db: sqlite3.Connection, session_id: str, before: int | None, limit: int) -> tuple[Said, ...]:
    """The last messages before one, or of the session, in the order of saying."""
    below = 2**62 if before is None else before
    rows = db.execute(f"{SHOWN} AND id < ? ORDER BY id DESC LIMIT ?", (session_id, below, limit)).fetchall()
    return tuple(Said(*row) for row in reversed(rows))
