"""Whether the store answers, and how much waits in it."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from pathlib import Path

import pytest

from gateway.state.connection import DatabaseFault
from gateway.state.pulse import waiting
from gateway.state.records import PartDraft
from gateway.state.store import SqliteStore
from platforms.messages import ChatKind, ChatRef, Inbound, Sender

CHAT = ChatRef("telegram", "111")


async def test_what_waits_is_counted(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "state.db")
    assert await waiting(store.database) == (0, 0)
    event = Inbound("bot", "1", CHAT, ChatKind.DIRECT, Sender("111", "Ada"), "hello", 1.0)
    await store.inbox.accept(event, CHAT.key, 1.0)
    await store.outbox.put(CHAT, "turn:1", [PartDraft("a"), PartDraft("b")], 1.0)
    assert await waiting(store.database) == (1, 2)
    await store.close()
    with pytest.raises(DatabaseFault):
        await waiting(store.database)


async def test_a_writer_that_hangs_is_no_answer(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "state.db")
    go_on = threading.Event()

    def hangs(db: sqlite3.Connection) -> None:
        go_on.wait()

    stuck = asyncio.ensure_future(store.database.write(hangs))
    try:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(waiting(store.database), 0.2)
    finally:
        go_on.set()
    await stuck
    assert await waiting(store.database) == (0, 0)
    await store.close()
