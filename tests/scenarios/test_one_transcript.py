"""The same chat of twelve scenes on every platform: what the person reads is the same, to the word."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenarios.player.console import console_stage
from tests.scenarios.player.discord import discord_stage
from tests.scenarios.player.player import Player, Scene, played
from tests.scenarios.player.telegram import telegram_stage
from tests.scenarios.player.transcript import TRANSCRIPT


@pytest.fixture(autouse=True)
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock of a bot's token lies in the user's cache folder."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("user")))


def test_the_transcript_has_twelve_scenes() -> None:
    assert len({scene.title for scene in TRANSCRIPT}) == 12


async def test_on_telegram(tmp_path: Path) -> None:
    async with telegram_stage() as stage:
        assert await played(stage, tmp_path, TRANSCRIPT) == {}


async def test_on_discord(tmp_path: Path) -> None:
    async with discord_stage() as stage:
        assert await played(stage, tmp_path, TRANSCRIPT) == {}


async def test_on_the_console(tmp_path: Path) -> None:
    async with console_stage() as stage:
        left_out = await played(stage, tmp_path, TRANSCRIPT)
    assert left_out == {
        "a mention among others": "nobody else sits at the owner's terminal",
        "an edit": "a line that was entered has been said",
    }


async def test_a_line_that_nobody_expected_is_a_difference(tmp_path: Path) -> None:
    async def inattentive(chat: Player) -> None:
        await chat.says("Good evening!", "Good evening, Ada.")
        await chat.glimpses("Good evening")

    async with console_stage() as stage:
        with pytest.raises(AssertionError, match="home: Good evening, Ada"):
            await played(stage, tmp_path, [Scene("greeting", inattentive)])
