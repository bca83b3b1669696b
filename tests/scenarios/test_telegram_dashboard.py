"""/dashboard on Telegram: a link for who asks, where nobody reads along, with the rights of who asks."""

from __future__ import annotations

import re
from pathlib import Path

import httpx

from tests.scenarios.telegram_inn import Inn, telegram_inn

LINK = re.compile(r"http://127\.0\.0\.1:\d+/login/[\w-]{43,}")
ROOM = -100777


def settled(inn: Inn) -> None:
    telegram = {"token": inn.server.token, "base_url": inn.server.root, "allowed_users": [111, 222, 333]}
    access = {"owners": ["telegram:111"], "operators": ["telegram:222"]}
    inn.settle(platforms={"telegram": telegram}, access=access, dashboard={"port": 0})


async def login(link: str) -> str:
    """Open a link and press its button; the first page."""
    at = httpx.URL(link)
    origin = f"{at.scheme}://{at.netloc.decode()}"
    async with httpx.AsyncClient(trust_env=False, follow_redirects=True, headers={"Origin": origin}) as browser:
        answer = await browser.post(f"{origin}/login", data={"token": at.path.rpartition("/")[2]})
        return answer.text


async def test_a_link_has_the_rights_of_who_asked(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn:
        settled(inn)
        bob = inn.server.user(222, "Bob")
        async with inn.open():
            for person, name, role in ((inn.ada, "telegram:111", "owner"), (bob, "telegram:222", "operator")):
                told = await inn.says("/dashboard", by=person)
                found = LINK.search(told)
                assert found is not None, told
                assert "once, within ten minutes" in told
                page = await login(found[0])
                assert (name in page, f">{role}<" in page) == (True, True)
        assert inn.host.chats == []


async def test_where_others_read_along_and_for_users_there_is_none(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn:
        settled(inn)
        eve, room = inn.server.user(333, "Eve"), inn.server.group(ROOM)
        async with inn.open():
            told = await inn.says(f"/dashboard@{inn.server.username}", chat=room)
            assert "Ask for it in a direct chat with me" in told
            assert LINK.search(told) is None
            assert await inn.says("/dashboard", by=eve) == "/dashboard is for an operator of this bot."
            assert "/dashboard sign-out is for an owner" in await inn.says("/dashboard sign-out", by=eve)
            link = LINK.search(await inn.says("/dashboard"))
            assert link is not None
            assert await inn.says("/dashboard sign-out") == (
                "Nobody was logged in. Links that were not used yet are void."
            )
            assert "leads nowhere" in await login(link[0])
