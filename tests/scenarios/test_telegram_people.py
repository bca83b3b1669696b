"""A household on Telegram: each person has a file, the family's group has one, and the owner's stay the owner's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.openai_server import Step
from tests.scenarios.telegram_inn import OTHERS, Inn, keeps, telegram_inn

GROUP = -100777
SECRET = "Ada plans a party for Bob."
SWIMS, TEA, NIGHTS = "Bob swims.", "Tea is at four.", "Bob works at night."


@pytest.fixture(autouse=True)
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock of the bot's token lies in the user's cache folder."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("user")))


def household(inn: Inn, people: list[int], **memory: Any) -> None:
    telegram = {"token": inn.server.token, "base_url": inn.server.root, "allowed_users": people}
    inn.settle(
        platforms={"telegram": telegram},
        access={"owners": ["telegram:111"]},
        memory=memory,
        display={"memory_notifications": "off"},
    )


def bodies(inn: Inn, start: int = 0) -> str:
    """What the model host was sent, to the letter."""
    return "\n".join(json.dumps(each.json(), ensure_ascii=False) for each in inn.host.chats[start:])


async def test_a_household_with_a_group(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn:
        household(inn, [111, 222], scope="room")
        bob, group = inn.server.user(222, "Bob"), inn.server.group(GROUP)
        async with inn.open():
            await inn.says("I plan something", keeps("user", SECRET), "A party!")
            await inn.says("I swim", keeps("user", SWIMS), "Good for you.", by=bob)
            others = len(inn.host.chats)
            await inn.says("@inn_bot tea is at four", keeps("memory", TEA), "At four.", by=bob, chat=group)
            await inn.says("@inn_bot I work at night", keeps("user", NIGHTS), "Noted.", by=bob, chat=group)
            forgets = Step(
                calls=[{"name": "memory", "arguments": {"target": "user", "action": "remove", "old_text": "Bob"}}]
            )
            await inn.says("@inn_bot what do you know?", forgets, "Nothing.", chat=group)
            assert SECRET not in bodies(inn, others)
            assert SWIMS not in bodies(inn, others)
            assert "direct chat" in await inn.says("/memory", by=bob, chat=group)
            assert not {SECRET, SWIMS} & set(" ".join(group.texts()).split("\n"))
        files = {
            str(each.relative_to(tmp_path / "memories")): each.read_text()
            for each in tmp_path.rglob("memories/**/*.md")
        }
        assert files == {
            "USER.md": SECRET,
            "people/telegram-222.md": f"{SWIMS}\n§\n{NIGHTS}",
            f"rooms/telegram-{GROUP}.md": TEA,
        }
        async with inn.open():
            await inn.says("Hello", "Hello, Bob.", by=bob)
            assert NIGHTS in inn.said, "what he said in the group is told in his running session"
            await inn.says("/new", by=bob)
            await inn.says("Hello", "Hello, Bob.", by=bob)
            assert NIGHTS in inn.prompt
            assert (TEA in inn.prompt, SECRET in inn.prompt) == (False, False)
            shown = await inn.says("/memory", by=bob)
            assert (SWIMS in shown, SECRET in shown) == (True, False)


async def test_a_group_of_its_owner_until_somebody_joins(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn:
        household(inn, [111])
        inn.write("USER.md", SECRET)
        bob, group = inn.server.user(222, "Bob"), inn.server.group(GROUP)
        async with inn.open() as app:
            await inn.says("@inn_bot hello", "Hello, Ada.", chat=group)
            assert SECRET in inn.prompt
            alone = len(inn.host.chats)
            household(inn, [111, 222])
            app.watcher.check(True)
            await inn.says("@inn_bot hello", "Hello, Bob.", by=bob, chat=group)
            assert SECRET not in bodies(inn, alone)
            assert "Hello, Ada." not in bodies(inn, alone)
            assert inn.tools == OTHERS
            await inn.says("Hello", "Hello, Ada.")
            assert SECRET in inn.prompt
