"""Whether the index really has what was said: messages of a sample, looked up by their own words. Changes nothing."""

from __future__ import annotations

import sqlite3

from gateway.state.search_index import Generation
from gateway.state.search_prepare import WORD, prepared

LOOKED_UP = 3
"""Words of a message that it must be found by: the longest, which few others have."""


def missing(db: sqlite3.Connection, generation: Generation, sample: int) -> list[int]:
    """Ids of messages that the index does not find, of so many, which are spread over all of them."""
    found = []
    for number in range(sample):
        row = db.execute(
            "SELECT messages.id, content, number, chat FROM messages"
            " JOIN search_sessions ON search_sessions.session_id = messages.session_id"
            " WHERE messages.id > ? AND messages.id <= ? AND role <> 'tool' AND content <> '' ORDER BY messages.id",
            (generation.upto * number // sample, generation.upto * (number + 1) // sample),
        ).fetchone()
        if row is not None and not _has(db, generation, row):
            found.append(int(row["id"]))
    return found


def _has(db: sqlite3.Connection, generation: Generation, row: sqlite3.Row) -> bool:
    failed = "SELECT 1 FROM search_failed WHERE generation = ? AND message_id = ?"
    gone = "SELECT 1 FROM search_gone WHERE message_id = ?"
    if db.execute(failed, (generation.number, row["id"])).fetchone() or db.execute(gone, (row["id"],)).fetchone():
        return True  # known not to be as it should be, and on its way
    listed = WORD.findall(prepared(row["content"], row["id"], row["number"], row["chat"]))
    asked = " AND ".join(f'"{word}"' for word in sorted(listed, key=len, reverse=True)[:LOOKED_UP])
    query = f"SELECT 1 FROM {generation.table} WHERE {generation.table} MATCH ? AND rowid = ?"
    return db.execute(query, (asked, row["id"])).fetchone() is not None
