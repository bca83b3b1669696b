"""The SQLite store: opens the database and hands out its repositories."""

from __future__ import annotations

import os
from pathlib import Path

from gateway.state.database import Database
from gateway.state.facts import SqliteFacts
from gateway.state.imported import SqliteImports
from gateway.state.inbox import SqliteInbox
from gateway.state.job_runs import SqliteJobRuns
from gateway.state.jobs import SqliteJobs
from gateway.state.logins import SqliteLogins
from gateway.state.outbox import SqliteOutbox
from gateway.state.pairing import SqlitePairing
from gateway.state.retention import SqliteRetention
from gateway.state.review_books import SqliteReviewBooks
from gateway.state.review_queue import SqliteReviews
from gateway.state.search import SqliteSearch
from gateway.state.sessions import SqliteSessions
from gateway.state.traces import SqliteTraces
from gateway.state.turns import SqliteTurns
from gateway.state.usage import SqliteUsage


class SqliteStore:
    """See `protocols.Store`. `await SqliteStore.open(path)`, then `close()`."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.inbox = SqliteInbox(database)
        self.sessions = SqliteSessions(database)
        self.turns = SqliteTurns(database)
        self.outbox = SqliteOutbox(database)
        self.usage = SqliteUsage(database)
        self.facts = SqliteFacts(database)
        self.traces = SqliteTraces(database)
        self.pairing = SqlitePairing(database)
        self.reviews = SqliteReviews(database)
        self.review_books = SqliteReviewBooks(database)
        self.search = SqliteSearch(database)
        self.jobs = SqliteJobs(database)
        self.job_runs = SqliteJobRuns(database)
        self.imports = SqliteImports(database)
        self.retention = SqliteRetention(database)
        self.logins = SqliteLogins(database)

    @classmethod
    async def open(cls, path: Path) -> SqliteStore:
        """Create or migrate the file and open it. The file is readable by its owner only."""
        prepare(path)
        database = Database(path)
        await database.open()
        return cls(database)

    async def close(self) -> None:
        await self.database.close()


def prepare(path: Path) -> None:
    """Make the folder and an empty file with tight rights. An existing file is never opened here: closing it again
    would drop the locks that SQLite holds on it in this process."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        pass
