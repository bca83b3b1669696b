"""Links into the dashboard and logins, in the store: used once, ended at once, also by another process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.state.login_records import Invitation, Login
from gateway.state.store import SqliteStore

ADA = Invitation("telegram:111", "telegram:111")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = await SqliteStore.open(tmp_path / "state.db")
    yield opened
    await opened.close()


async def test_a_link_is_used_up_by_the_first_who_takes_it(store: SqliteStore) -> None:
    await store.logins.offer("h", ADA, 100.0, 700.0)
    assert await store.logins.offered("h", 100.0) == ADA
    assert await store.logins.offered("h", 699.0) == ADA
    assert await store.logins.offered("g", 100.0) is None
    taken = await asyncio.gather(*(store.logins.take("h", 200.0) for _ in range(5)))
    assert [each for each in taken if each is not None] == [ADA]
    assert await store.logins.offered("h", 200.0) is None


async def test_of_two_processes_one_takes_it(store: SqliteStore, tmp_path: Path) -> None:
    other = await SqliteStore.open(tmp_path / "state.db")
    try:
        for number in range(10):
            await store.logins.offer(f"h{number}", ADA, 100.0, 700.0)
            taken = await asyncio.gather(*(each.logins.take(f"h{number}", 200.0) for each in (store, other)))
            assert sorted(taken, key=lambda each: each is None) == [ADA, None]
    finally:
        await other.close()


async def test_what_is_too_old_is_nobodys_and_goes(store: SqliteStore) -> None:
    await store.logins.offer("old", ADA, 100.0, 700.0)
    await store.logins.begin(Login("s", "telegram:111", "", 3, 100.0, 700.0))
    assert await store.logins.take("old", 700.0) is None
    assert await store.logins.standing("s", 700.0) is None
    await store.logins.offer("new", ADA, 800.0, 1400.0)
    assert await store.logins.offered("old", 0.0) is None  # it is not even there any more
    assert await store.logins.standing("s", 0.0) is None


async def test_a_login_stands_until_it_is_ended(store: SqliteStore) -> None:
    first, second = (Login(name, "telegram:111", "telegram:111", 2, 100.0, 700.0) for name in ("a", "b"))
    await store.logins.begin(first)
    await store.logins.begin(second)
    await store.logins.offer("h", ADA, 100.0, 700.0)
    assert await store.logins.standing("a", 100.0) == first
    assert [await store.logins.end("a"), await store.logins.end("a")] == [True, False]
    assert [await store.logins.standing("a", 100.0), await store.logins.standing("b", 100.0)] == [None, second]
    assert await store.logins.end_all() == 1
    assert await store.logins.standing("b", 100.0) is None
    assert await store.logins.offered("h", 100.0) is None
