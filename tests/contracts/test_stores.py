"""Every store that exists passes the suite of `gateway.state.contract`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.state.contract import FactsContract, InboxContract, UsageContract
from gateway.state.contract_imports import ImportsContract
from gateway.state.contract_job_turns import JobTurnsContract
from gateway.state.contract_jobs import JobRunsContract, JobsContract
from gateway.state.contract_logins import LoginsContract
from gateway.state.contract_outbox import OutboxContract, PreviewContract
from gateway.state.contract_pairing import PairingContract
from gateway.state.contract_retention import RetentionContract
from gateway.state.contract_reviews import ReviewBooksContract, ReviewCountsContract, ReviewQueueContract
from gateway.state.contract_search import ArchiveContract, SearchContract
from gateway.state.contract_sessions import MovingContract, SessionsContract
from gateway.state.contract_turns import TurnsContract
from gateway.state.store import SqliteStore


class TestSqliteStore(
    InboxContract,
    SessionsContract,
    MovingContract,
    TurnsContract,
    OutboxContract,
    PreviewContract,
    FactsContract,
    UsageContract,
    PairingContract,
    ReviewCountsContract,
    ReviewQueueContract,
    ReviewBooksContract,
    RetentionContract,
    SearchContract,
    ArchiveContract,
    ImportsContract,
    JobsContract,
    JobRunsContract,
    JobTurnsContract,
    LoginsContract,
):
    """On disk, in a folder whose name would mean something in a URI and in SQL."""

    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[SqliteStore]:
        store = await SqliteStore.open(tmp_path / "it's 100% #odd?mode=ro&ü" / "state.db")
        yield store
        await store.close()
