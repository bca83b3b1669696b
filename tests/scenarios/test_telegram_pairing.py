"""Somebody whom nobody knows on Telegram: what they read, and what the owner types at the shell beside it."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from gateway.engine.notices import LET_IN
from tests.cli.shell import Shell
from tests.scenarios.telegram_inn import PATIENCE, Inn, telegram_inn

CODE = re.compile(r"\bapprove ([A-Z]{8})\b")
ASKS = "strangers in a direct chat get a pairing code"


@pytest.fixture(autouse=True)
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock of the bot's token lies in the user's cache folder."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("user")))


def door(inn: Inn, **lists: Any) -> None:
    """Let in whom these lists name."""
    inn.settle(platforms={"telegram": {"token": inn.server.token, "base_url": inn.server.root, **lists}})


def code_in(text: str) -> str:
    found = CODE.search(text)
    assert found is not None, text
    return found[1]


async def innkeeper(inn: Inn, *words: str) -> str:
    """What the owner reads at the shell, in another process as it were."""
    result = await asyncio.to_thread(Shell(inn.folder), "pairing", *words)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result.output


async def test_a_stranger_is_let_in_at_the_shell_and_put_out_again(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn:
        door(inn)
        mallory, trudy = inn.server.user(333, "Mallory"), inn.server.user(444, "Trudy")
        async with inn.open() as app:
            assert f"telegram: nobody yet; {ASKS}" in app.lines
            code = code_in(await inn.says("/start", by=mallory))
            assert code_in(await inn.says(code, by=trudy)) != code
            rows = await asyncio.to_thread(Shell(inn.folder).json, "pairing", "list")
            assert [(next(iter(each)), each["id"], each["state"], each["name"]) for each in rows] == [
                ("id", "telegram:333", "asking", "Mallory"),
                ("id", "telegram:444", "asking", "Trudy"),
            ]
            assert "nobody's open code" in await innkeeper(inn, "approve", "WRONGONE")
            assert "telegram:333 «Mallory» may talk to me now" in await innkeeper(inn, "approve", code)
            await inn.server.until(lambda: mallory.texts()[-1:] == [LET_IN], PATIENCE)
            assert await inn.says("Good evening", "Good evening, Mallory.", by=mallory) == "Good evening, Mallory."
            assert "nobody's open code" in await innkeeper(inn, "approve", code)
            assert "may not talk to me any more" in await innkeeper(inn, "revoke", "Mallory")
            assert code_in(await inn.says("Are you there?", by=mallory)) != code
        assert len(inn.host.chats) == 1
        async with inn.open() as app:
            assert f"telegram: nobody yet; {ASKS}" in app.lines


async def test_with_a_list_a_stranger_reads_nothing_and_a_guest_stays(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn:
        door(inn)
        bob, mallory = inn.server.user(222, "Bob"), inn.server.user(333, "Mallory")
        async with inn.open():
            await innkeeper(inn, "approve", code_in(await inn.says("Hello", by=bob)))
            await inn.server.until(lambda: bob.texts()[-1:] == [LET_IN], PATIENCE)
        door(inn, allowed_users=[111])
        async with inn.open() as app:
            assert "telegram: 1 allowed person, 1 paired person; 1 owner" in app.lines
            mallory.says("Hello")
            assert await inn.says("Hello", "Good day, Bob.", by=bob) == "Good day, Bob."
            assert await inn.says("Hello", "Good day, Ada.") == "Good day, Ada."
            assert mallory.texts() == []
            assert "is for an operator" in await inn.says("/pairing list", by=bob)
            assert "telegram:222" in await inn.says("/pairing list")


async def test_in_a_room_nobody_gets_a_code(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn:
        door(inn)
        room, mallory = inn.server.group(-100777), inn.server.user(333, "Mallory")
        async with inn.open():
            mallory.says(f"@{inn.server.username} hello", chat=room)
            room.anonymous_admin_says(f"@{inn.server.username} hello")
            room.posts("hello")
            assert CODE.search(await inn.says("Hello", by=mallory))  # all before it was looked at, too
            assert room.texts() == []
            assert len(await asyncio.to_thread(Shell(inn.folder).json, "pairing")) == 1


@pytest.mark.parametrize("written", ["''", "123", "['']", "'123'"])
async def test_a_list_that_names_nobody_clearly_starts_nothing(tmp_path: Path, written: str) -> None:
    result = await asyncio.to_thread(_start, tmp_path, written)
    assert result.exit_code == 2
    assert "platforms.telegram.allowed_users" in result.output


def _start(folder: Path, written: str) -> Any:
    (folder / "config.yaml").write_text(f"platforms: {{telegram: {{token: '1:x', allowed_users: {written}}}}}\n")
    return Shell(folder)("run")


def test_the_shell_lists_and_refuses(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    assert shell.json("pairing") == shell.json("pairing", "list") == []
    assert "Nobody asks" in shell("pairing").output
    for words in (("approve", "ABCDEFGH"), ("revoke", "telegram:1")):
        assert shell("pairing", *words).exit_code == 1
        assert shell("pairing", words[0]).exit_code == 2
