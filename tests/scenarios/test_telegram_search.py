"""Searching earlier conversations in the whole gateway, on Telegram and at a console beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from platforms.console.client import Window
from platforms.console.protocol import Edit, Message
from tests.fakes.openai_server import Step
from tests.scenarios.telegram_inn import PATIENCE, telegram_inn

CODE = "The door code is 4711"


def searches(**arguments: Any) -> Step:
    return Step(calls=[{"name": "session_search", "arguments": arguments}])


async def test_the_model_and_the_owner_find_it_and_go_back(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn, inn.open():
        await inn.says(CODE, "Noted.")
        await inn.says("/new")
        assert await inn.says("What was the code?", searches(query="door code"), "It is 4711.") == "It is 4711."
        (hit,) = inn.tool_answer()["results"]
        assert [each["text"] for each in hit["around"]] == [CODE, "Noted."]
        shown = await inn.says("/search code from:me")
        place = next(number for number in (1, 2) if f"{number}. «{CODE}»" in shown)
        assert f"➡️ user: {CODE}" in await inn.presses(f"🔎 {place}")
        assert f"Back in «{CODE}»" in await inn.presses(f"↩️ {place}")
        await inn.says("And now?", "Still 4711.")
        await inn.server.until(lambda: inn.ada.chat.texts()[-1] == "Still 4711.", PATIENCE)
        assert CODE in str(inn.request["messages"])


async def test_a_member_of_a_group_finds_nothing_of_the_owners(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn:
        bob = inn.server.user(222, "Bob")
        group = inn.server.group(-300, "Team")
        door = {"token": inn.server.token, "base_url": inn.server.root, "allowed_users": [111, 222]}
        inn.settle(access={"owners": ["telegram:111"]}, platforms={"telegram": door})
        async with inn.open():
            await inn.says(CODE, "Noted.")
            await inn.says("/new")
            addressed = f"@{inn.server.username} what is the door code?"
            await inn.says(addressed, searches(query="4711"), "I do not know.", by=bob, chat=group)
            assert inn.tool_answer()["results"] == []
            assert await inn.says(f"/search@{inn.server.username} 4711", by=bob, chat=group) == "Nothing was found."
            assert "4711" in await inn.says("/search 4711")


async def test_at_the_console_everything_is_found(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn, inn.open(only=("telegram", "console")):
        await inn.says(CODE, "Noted.")
        async with Window(tmp_path, "main") as window:
            read = _reading(window)
            await window.say("/search 4711")
            text, buttons = await read(lambda text: "4711" in text)
            assert f"1. «{CODE}» telegram:111" in text
            await window.press(next(each.action for each in buttons if each.label == "🔎 1"), "0")
            assert "Noted." in (await read(lambda text: "➡️" in text))[0]


def _reading(window: Window) -> Callable[[Callable[[str], bool]], Any]:
    events = window.events()

    async def until(fits: Callable[[str], bool]) -> tuple[str, list[Any]]:
        async with asyncio.timeout(PATIENCE):
            async for event in events:
                if isinstance(event, Message | Edit) and fits(event.text):
                    return event.text, [each for row in event.buttons for each in row]
        raise AssertionError("the window closed")

    return until
