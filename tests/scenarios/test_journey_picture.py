"""/journey on messengers: a picture, the newest in words under it, and each of both once, whatever happens."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from tests.fakes.discord import DiscordServer
from tests.fakes.discord.faults import rate_limited
from tests.fakes.telegram import BotApi
from tests.fakes.telegram.faults import Refusal, bad, flood
from tests.scenarios.player.console import console_stage
from tests.scenarios.player.discord import Discord, discord_stage
from tests.scenarios.player.player import HOME, playing
from tests.scenarios.player.stage import Shown, Stage
from tests.scenarios.player.telegram import Telegram, telegram_stage

Opened = Callable[[], AbstractAsyncContextManager[Telegram]] | Callable[[], AbstractAsyncContextManager[Discord]]
BOTH = pytest.mark.parametrize("opened", [telegram_stage, discord_stage], ids=["telegram", "discord"])
TEA = "Ada drinks green tea."


@pytest.fixture(autouse=True)
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock of a bot's token lies in the user's cache folder."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("user")))


def looked_at(shown: Shown) -> tuple[str, tuple[int, int]]:
    """The name of the picture that a message carries, and its size."""
    (file,) = shown.files
    image = Image.open(BytesIO(file.data))
    assert image.format == "PNG"
    return file.name, image.size


def pictures(stage: Stage) -> list[Shown]:
    return [each for each in stage.sees(HOME) if each.files]


def learnt(folder: Path) -> None:
    """Somebody wrote an entry into the file by hand."""
    (folder / "memories").mkdir()
    (folder / "memories" / "USER.md").write_text(TEA)


@BOTH
async def test_the_picture_comes_first_and_then_what_its_numbers_mean(opened: Opened, tmp_path: Path) -> None:
    learnt(tmp_path)
    async with opened() as stage, playing(stage, tmp_path) as chat:
        await chat.says("/journey")
        picture, words = await chat.reads("📎 journey.png", f"1. … {TEA} …")
        assert looked_at(picture) == ("journey.png", (1280, 720))
        assert words.buttons[:3] == ("1 Read", "1 Edit", "1 Delete")


@BOTH
async def test_a_restart_brings_no_second_picture(opened: Opened, tmp_path: Path) -> None:
    learnt(tmp_path)
    async with opened() as stage:
        async with playing(stage, tmp_path) as chat:
            await chat.says("/journey")
            await chat.reads("📎 journey.png", "1. …")
        async with playing(stage, tmp_path) as chat:
            before = len(stage.sees(HOME))
            await chat.says("Good evening!", "Good evening, Ada.")
            await chat.finds("Good evening, Ada.")
            assert len(stage.sees(HOME)) == before + 1
        assert len(pictures(stage)) == 1


async def test_a_picture_that_telegram_held_back_comes_once_after_a_restart(tmp_path: Path) -> None:
    learnt(tmp_path)
    async with BotApi() as server:
        stage = Telegram(server)
        server.misbehave("sendPhoto", flood(600))
        async with playing(stage, tmp_path) as chat:
            await chat.says("/journey")
            await server.until(lambda: bool(server.called("sendPhoto")))
        assert stage.sees(HOME) == []
        async with playing(stage, tmp_path) as chat:
            await chat.reads("📎 journey.png", "1. …")
        assert len(pictures(stage)) == 1


async def test_a_picture_that_discord_held_back_comes_once_after_a_restart(tmp_path: Path) -> None:
    learnt(tmp_path)
    async with DiscordServer() as server:
        stage, ways = Discord(server), ("create_message", "create_followup", "edit_original")
        for way in ways:
            server.misbehave(way, rate_limited(600), times=9)
        async with playing(stage, tmp_path) as chat:
            await chat.says("/journey")
            await server.until(lambda: any(server.called(way) for way in ways))
        assert pictures(stage) == []
        for way in ways:
            server.behave(way)
        async with playing(stage, tmp_path) as chat:
            await chat.finds("📎 journey.png")
            await chat.finds("1. …")
        assert len(pictures(stage)) == 1


REFUSED = ("PHOTO_INVALID_DIMENSIONS", "IMAGE_PROCESS_FAILED")


@pytest.mark.parametrize("refusal", [bad(each) for each in REFUSED], ids=REFUSED)
async def test_what_telegram_does_not_take_for_a_photo_comes_as_a_document(refusal: Refusal, tmp_path: Path) -> None:
    learnt(tmp_path)
    async with BotApi() as server:
        stage = Telegram(server)
        server.misbehave("sendPhoto", refusal)
        async with playing(stage, tmp_path) as chat:
            await chat.says("/journey")
            picture, _ = await chat.reads("📎 journey.png", "1. …")
            assert looked_at(picture) == ("journey.png", (1280, 720))
        assert [each.method for each in server.calls if each.method.startswith("sendPh") or "Doc" in each.method] == [
            "sendPhoto",
            "sendDocument",
        ]


async def test_another_refusal_is_told_and_not_tried_as_a_document(tmp_path: Path) -> None:
    learnt(tmp_path)
    async with BotApi() as server:
        stage = Telegram(server)
        server.misbehave("sendPhoto", bad("message thread not found"))
        async with playing(stage, tmp_path) as chat:
            await chat.says("/journey")
            await chat.finds("1. …")
            await chat.finds("…journey.png could not be sent…")
        assert not server.called("sendDocument")


async def test_the_console_says_it_all_in_words(tmp_path: Path) -> None:
    learnt(tmp_path)
    async with console_stage() as stage, playing(stage, tmp_path) as chat:
        await chat.says("/journey")
        await chat.reads(f"…{TEA}…")
        assert pictures(stage) == []
