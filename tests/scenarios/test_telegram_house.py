"""What the house says about itself on Telegram: who may talk, whether it hears, how full its memory is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from platforms.telegram.settings import TelegramSettings
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import guesthouse, settings
from tests.fakes.telegram import BotApi, Fault
from tests.platforms.telegram.house import adapter_of
from tests.scenarios.shell import Home
from tests.scenarios.telegram_inn import keeps, telegram_inn


@pytest.fixture(autouse=True)
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock of the bot's token lies in the user's cache folder."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("user")))


@pytest.mark.parametrize(
    ("allowed", "rule"),
    [
        ({}, "nobody yet; strangers in a direct chat get a pairing code"),
        ({"allowed_users": []}, "nobody yet; strangers in a direct chat get a pairing code"),
        ({"allowed_users": [111]}, "1 allowed person; 1 owner"),
        ({"allowed_users": ["111", 222]}, "2 allowed people; 2 owners"),
        ({"allowed_users": ["111 "]}, "1 allowed person; 1 owner"),
        ({"allowed_users": ["*"]}, "everybody (because of *); no owner"),
        ({"allowed_users": [111], "allowed_chats": [-100]}, "1 allowed person, 1 allowed room; 1 owner"),
    ],
)
async def test_the_start_line_says_who_may_talk(tmp_path: Path, allowed: dict[str, Any], rule: str) -> None:
    async with telegram_inn(tmp_path) as inn:
        telegram = {"token": inn.server.token, "base_url": inn.server.root}
        inn.settle(platforms={"telegram": telegram | allowed})
        async with inn.open() as app:
            assert f"telegram: {rule}" in app.lines


async def test_a_platform_that_went_deaf_is_not_called_up(tmp_path: Path) -> None:
    clock = FakeClock()
    async with BotApi(now=clock.now) as server:
        adapter = adapter_of(server, tmp_path, now=clock.now)
        chosen = settings(platforms={"telegram": TelegramSettings(allowed_users=("111",))})
        try:
            async with guesthouse(
                tmp_path, ["Good day."], more=[adapter], with_settings=chosen, clock=clock
            ) as house:
                await adapter.listening.wait()
                ada = server.user(111)
                ada.says("Hello")
                await server.until(lambda: ada.texts() == ["Good day."])
                assert house.engine.platforms["telegram"].up
                server.misbehave("getUpdates", Fault.HANG, times=100)
                await clock.advance(3600)
                state = house.engine.platforms["telegram"]
                assert not state.up
                assert re.fullmatch(r"deaf: last heard 36\d\d s ago", state.words)
        finally:
            await adapter.close()


async def test_every_surface_counts_alike(tmp_path: Path) -> None:
    family = "👨‍👩‍👧 live by the sea."
    quiet = {"memory_notifications": "off"}
    async with telegram_inn(tmp_path, memory={"user_char_limit": 100}, display=quiet) as inn:
        async with inn.open():
            await inn.says("Hello", keeps("user", family), "Hello.")
            used = len(family)
            assert inn.tool_answer()["usage"] == f"{used}/100"
            second = await inn.says("/remember Ada drinks tea.")
            used += 3 + len("Ada drinks tea.")
            figure = f"{used}% — {used}/100 chars"
            assert figure in second
            assert f"USER.md [{figure}]" in await inn.says("/memory")
            assert figure in await inn.says("/memory doctor")
            assert figure in (await Home(tmp_path).innkeeper("memory")).out
            assert f"USER.md 2 entries, {figure}" in await inn.says("/new")
            await inn.says("Hello", "Hello.")
            assert f"USER PROFILE (who the user is) [{figure}]" in inn.prompt
            assert f"{used}/100" in await inn.says(f"/remember {'x' * 60}")
        inn.write("USER.md", "\n§\n".join(f"{number} {'x' * 60}" for number in range(4)))
        async with inn.open() as app:
            over = "100% — 257/100 chars"
            assert any(over in line and "over its limit" in line for line in app.lines)
            assert f"USER.md [{over}]" in await inn.says("/memory")
            assert "257/100" in await inn.says("/remember one more")
            assert "Removed" in await inn.says("/forget 3 x")
