"""The part of the suite that every store passes which is about links into the dashboard, and logins."""

from __future__ import annotations

import asyncio

from gateway.state.login_records import Invitation, Login
from gateway.state.protocols import Store

ADA = Invitation("telegram:111", "telegram:111")


class LoginsContract:
    """Links and logins: used once, ended at once."""

    async def test_a_link_is_used_up_by_the_first_who_takes_it(self, store: Store) -> None:
        await store.logins.offer("h", ADA, 100.0, 700.0)
        assert await store.logins.offered("h", 100.0) == ADA
        assert await store.logins.offered("h", 699.0) == ADA
        assert await store.logins.offered("g", 100.0) is None
        taken = await asyncio.gather(*(store.logins.take("h", 200.0) for _ in range(5)))
        assert [each for each in taken if each is not None] == [ADA]
        assert await store.logins.offered("h", 200.0) is None

    async def test_what_is_too_old_is_nobodys_and_goes(self, store: Store) -> None:
        await store.logins.offer("old", ADA, 100.0, 700.0)
        await store.logins.begin(Login("s", "telegram:111", "", 3, 100.0, 700.0))
        assert await store.logins.take("old", 700.0) is None
        assert await store.logins.standing("s", 700.0) is None
        await store.logins.offer("new", ADA, 800.0, 1400.0)
        assert await store.logins.offered("old", 0.0) is None  # it is not even there any more
        assert await store.logins.standing("s", 0.0) is None

    async def test_a_login_stands_until_it_is_ended(self, store: Store) -> None:
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
