"""The process ends while the database is looked at: nobody waits for the last page."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gateway.maintenance.database import looked
from gateway.state.connection import DatabaseFault
from gateway.state.health import examine, inspect
from gateway.state.store import SqliteStore


async def test_a_look_ends_when_its_job_is_cancelled() -> None:
    begun, ended = threading.Event(), threading.Event()

    def look(stopped: Callable[[], bool]) -> None:
        begun.set()
        while not stopped():
            ended.wait(0.001)
        ended.set()

    looking = asyncio.ensure_future(looked(look))
    while not begun.is_set():
        await asyncio.sleep(0.001)
    looking.cancel()
    await asyncio.wait([looking])
    assert looking.cancelled()
    async with asyncio.timeout(30):
        await asyncio.get_running_loop().shutdown_default_executor()
    assert ended.is_set()


async def test_sqlite_is_asked_to_end(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "state.db")
    for number in range(300):
        await store.facts.put(f"scope {number}", "name", "x" * 500)
    await store.close()
    for look in (examine, inspect):
        with pytest.raises(DatabaseFault, match="interrupted"):
            look(tmp_path / "state.db", lambda: True)
        assert look(tmp_path / "state.db", lambda: False)
