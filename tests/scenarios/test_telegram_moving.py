"""A Telegram group becomes a supergroup: its conversation, its place in the allowlist and the home chat go along."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.scenarios.telegram_inn import PATIENCE, telegram_inn

OLD, NEW = -4001, -1001234567890


@pytest.fixture(autouse=True)
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock of the bot's token lies in the user's cache folder."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("user")))


async def test_a_group_moves_in_the_middle_of_a_conversation(tmp_path: Path) -> None:
    access = {"owners": ["telegram:111"], "home_chats": [f"telegram:{OLD}"]}
    async with telegram_inn(tmp_path, access=access) as inn:
        telegram = {"token": inn.server.token, "base_url": inn.server.root, "allowed_chats": [OLD, -5]}
        inn.settle(access=access, platforms={"telegram": telegram})
        bob, old = inn.server.user(222, "Bob"), inn.server.group(OLD, "Guests", kind="group")
        async with inn.open():
            assert await inn.says("@inn_bot my room is 4", "Noted.", by=bob, chat=old) == "Noted."
            new = old.becomes_supergroup(NEW)
            await inn.server.until_confirmed(seconds=PATIENCE)
            assert await inn.says("@inn_bot which room?", "Room 4.", by=bob, chat=new) == "Room 4."
            assert "my room is 4" in str(inn.request["messages"]), "it is one conversation"
            settings = yaml.safe_load((tmp_path / "config.yaml").read_text())
        assert [str(each) for each in settings["platforms"]["telegram"]["allowed_chats"]] == [str(NEW), "-5"]
        assert settings["access"]["home_chats"] == [f"telegram:{NEW}"]
        async with inn.open():
            assert await inn.says("@inn_bot and now?", "Still 4.", by=bob, chat=new) == "Still 4."
            assert "my room is 4" in str(inn.request["messages"])
