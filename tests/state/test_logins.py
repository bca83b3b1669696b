"""Links into the dashboard between processes: the shell makes one, the gateway takes it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from gateway.state.contract_logins import ADA
from gateway.state.store import SqliteStore


async def test_of_two_processes_one_takes_a_link(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "state.db")
    other = await SqliteStore.open(tmp_path / "state.db")
    try:
        for number in range(10):
            await store.logins.offer(f"h{number}", ADA, 100.0, 700.0)
            taken = await asyncio.gather(*(each.logins.take(f"h{number}", 200.0) for each in (store, other)))
            assert sorted(taken, key=lambda each: each is None) == [ADA, None]
    finally:
        await other.close()
        await store.close()
