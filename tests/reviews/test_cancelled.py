"""Whoever runs the queue is cancelled while it claims: the review is not left claimed by nobody."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.reviews.cadence import Intervals
from gateway.state.store import SqliteStore
from tests.fakes.clock import FakeClock
from tests.reviews.house import House, Inn


@pytest.fixture
async def inn(tmp_path: Path) -> AsyncIterator[Inn]:
    store = await SqliteStore.open(tmp_path / "state.db")
    yield Inn(store, FakeClock(), House(), Intervals(1, 0))
    await store.close()


async def test_what_was_claimed_at_the_moment_of_the_end_is_put_back(inn: Inn) -> None:
    await inn.turn()
    claimed = 0
    for steps in range(60):
        claiming = asyncio.ensure_future(inn.queue.next())
        for _ in range(steps):
            await asyncio.sleep(0)
        claiming.cancel()
        await asyncio.wait({claiming})
        if not claiming.cancelled() and (review := claiming.result()) is not None:
            claimed += 1
            await inn.queue.stopped(review, review.spent)
        (entry,) = await inn.store.reviews.queue()
        assert not entry.running, f"after {steps} steps"
        assert entry.died == 0
