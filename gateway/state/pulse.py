"""Whether the store answers, readers and writer alike, and how much waits in it: for signs of life and probes."""

from __future__ import annotations

import sqlite3

from gateway.state.database import Database

_WAITING = """
SELECT (SELECT count(*) FROM inbox WHERE state = 'new'), (SELECT count(*) FROM outbox WHERE state = 'queued')
"""


async def waiting(database: Database) -> tuple[int, int]:
    """(messages that nobody took up yet, parts that are to be sent), once the writer has answered too. Raises
    DatabaseFault."""

    def counted(db: sqlite3.Connection) -> tuple[int, int]:
        messages, parts = db.execute(_WAITING).fetchone()
        return int(messages), int(parts)

    await database.write(lambda db: None)
    return await database.read(counted)
