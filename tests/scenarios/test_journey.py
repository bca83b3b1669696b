"""What was learnt, seen and changed from a chat: the same on every platform, and nobody else's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.openai_server import Step
from tests.scenarios.player.console import console_stage
from tests.scenarios.player.discord import discord_stage
from tests.scenarios.player.player import Player, playing
from tests.scenarios.player.telegram import telegram_stage
from tests.scenarios.telegram_inn import keeps, telegram_inn

FREE: dict[str, Any] = {
    "memory": {"write_approval": False},
    "skills": {"write_approval": False},
    "display": {"memory_notifications": "off"},
}
TEA, HOST, SWIMS = "Ada drinks green tea.", "The host is called bramble.", "Bob swims."
SKILL = "---\nname: water-plants\ndescription: How to water the plants.\n---\n\n1. Look.\n2. Water.\n"
MAKES = Step(calls=[{"name": "skill_manage", "arguments": {
    "operations": [{"action": "create", "name": "water-plants", "content": SKILL}]}}])  # fmt: skip
ID = re.compile(r"\b[0-9a-f]{8}\b")
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(autouse=True)
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock of a bot's token lies in the user's cache folder."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("user")))


async def _learns(chat: Player) -> None:
    await chat.says("/journey")
    await chat.reads("Nothing was learnt yet. …")
    await chat.says("I drink green tea.", keeps("user", TEA), "Green tea it is.")
    await chat.reads("Green tea it is.")
    await chat.says("The host is bramble.", keeps("memory", HOST), "I see.")
    await chat.reads("I see.")
    await chat.says("Make a skill of it.", MAKES, "I can water plants now.")
    await chat.reads("I can water plants now.")


async def _changes_it(chat: Player, name: str) -> None:
    """Ada edits, deletes and brings back what she drinks."""
    await chat.says(f"/journey edit {name} Ada drinks mate.")
    await chat.reads("✏️ Changed in USER.md: «Ada drinks mate.» It was: «Ada drinks green tea.»…")
    assert chat.kept("USER.md") == "Ada drinks mate."
    await chat.says(f"/journey delete {name}")
    await chat.reads("🗑 Removed from USER.md: «Ada drinks mate.»…")
    assert chat.kept("USER.md") == ""
    await chat.says("/memory-graph list drinks")
    await chat.reads("Nothing has these words.")
    await chat.says(f"/learning undo {name}")
    await chat.reads("↩️ Taken back. 💾 Kept in USER.md: «Ada drinks mate.»")
    await chat.says(f"/journey undo {name}")
    await chat.reads("↩️ Taken back. ✏️ Changed in USER.md: «Ada drinks green tea.» It was: «Ada drinks mate.»")
    assert chat.kept("USER.md") == TEA


async def _changes_a_skill(chat: Player) -> None:
    skill = chat.folder / "skills" / "water-plants" / "SKILL.md"
    await chat.says("/journey delete water-plants")
    await chat.reads("📦 Put away: water-plants.…")
    assert not skill.exists()
    await chat.says("/journey list --gone plants")
    await chat.reads(
        "…/water-plants: How to water the plants. (skill, from a conversation, put away) skill:water-plants"
    )
    await chat.says("/journey undo skill:water-plants")
    await chat.reads("↩️ Taken back: water-plants.")
    assert skill.read_text() == SKILL


@pytest.mark.parametrize("stage_of", [telegram_stage, discord_stage])
async def test_a_picture_with_the_newest_in_words_and_buttons(tmp_path: Path, stage_of: Any) -> None:
    async with stage_of() as stage, playing(stage, tmp_path, FREE) as chat:
        await _learns(chat)
        await chat.says("/journey")
        picture, words = await chat.reads(
            "📎 journey.png",
            "1. …/water-plants: How to water the plants.… 2. …The host is called bramble.… 3. …Ada drinks green…",
        )
        assert picture.files[0].data.startswith(PNG)
        assert words.buttons == tuple(f"{n} {word}" for n in (1, 2, 3) for word in ("Read", "Edit", "Delete"))
        name = ID.findall(words.text)[1]

        await chat.presses("3 Read")
        shown = (await chat.reads("…Ada drinks green tea.…Learnt …"))[0]
        assert shown.buttons == ("Edit", "Delete")
        await chat.presses("3 Edit")
        how = (await chat.reads("Send it back as it should read: …"))[0]
        assert how.fixed == (f"/journey edit {name} {TEA}",)
        await chat.presses("3 Delete")
        await chat.reads("🗑 Removed from USER.md: «Ada drinks green tea.»…")
        assert chat.kept("USER.md") == ""
        await chat.presses("Undo")
        await chat.reads("↩️ Taken back. 💾 Kept in USER.md: «Ada drinks green tea.»")
        if stage.name == "telegram":  # a person on Discord fills in fields instead
            await _changes_it(chat, name)
            await _changes_a_skill(chat)
        assert not chat.unread()


async def test_text_on_the_console(tmp_path: Path) -> None:
    async with console_stage() as stage, playing(stage, tmp_path, FREE) as chat:
        await _learns(chat)
        await chat.says("/journey")
        shown = (await chat.reads("…Ada drinks green tea.…bramble.…/water-plants: How to water the plants.…"))[0]
        assert not shown.files
        await _changes_it(chat, ID.findall(shown.text)[0])
        await _changes_a_skill(chat)
        assert not chat.unread()


async def test_nobody_in_a_group_sees_what_the_owner_has_learnt(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn:
        telegram = {"token": inn.server.token, "base_url": inn.server.root, "allowed_users": [111, 222]}
        inn.settle(platforms={"telegram": telegram}, access={"owners": ["telegram:111"]}, **FREE | {
            "memory": {"write_approval": False, "scope": "room"}})  # fmt: skip
        bob, group = inn.server.user(222, "Bob"), inn.server.group(-100777)
        async with inn.open():
            await inn.says("I drink green tea.", keeps("user", TEA), "Green tea it is.")
            await inn.says("Make a skill of it.", MAKES, "I can water plants now.")
            await inn.says("I swim.", keeps("user", SWIMS), "Good for you.", by=bob)
            hers = await inn.says("/journey list")
            name = ID.findall(hers.split(TEA)[1])[0]

            for words in ("/journey", "/journey list", f"/journey show {name}", f"/journey delete {name}"):
                for person in (bob, inn.ada):
                    told = await inn.says(f"{words.replace('/journey', '/journey@inn_bot')}", by=person, chat=group)
                    assert told == "Others may read along here: ask me about that in a direct chat."
            assert not [each for each in group.seen() if "photo" in str(each)]

            his = await inn.says("/journey list", by=bob)
            assert SWIMS in his
            assert TEA not in his
            assert "water-plants" not in his
            for order in (f"show {name}", f"delete {name}", f"edit {name} No.", f"undo {name}"):
                assert "Nothing that was learnt has the id" in await inn.says(f"/journey {order}", by=bob)
            for order in ("show water-plants", "delete skill:water-plants", "undo skill:water-plants"):
                assert "Nothing that was learnt has the id" in await inn.says(f"/journey {order}", by=bob)
            swims = ID.findall(his.split(SWIMS)[1])[0]
            assert "Removed" in await inn.says(f"/journey delete {swims}", by=bob)
        assert inn.file("USER.md") == TEA
        assert inn.file("people/telegram-222.md") == ""
        assert (tmp_path / "skills" / "water-plants" / "SKILL.md").exists()


async def test_without_a_file_of_their_own_others_see_nothing_at_all(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn:
        telegram = {"token": inn.server.token, "base_url": inn.server.root, "allowed_users": [111, 222]}
        inn.settle(platforms={"telegram": telegram}, access={"owners": ["telegram:111"]}, **FREE)
        bob = inn.server.user(222, "Bob")
        async with inn.open():
            await inn.says("I drink green tea.", keeps("user", TEA), "Green tea it is.")
            for words in ("/journey", "/journey list --gone", "/journey undo"):
                assert await inn.says(words, by=bob) == "What was learnt is for an owner of this bot."
        assert inn.file("USER.md") == TEA
