"""A platform that cannot even be built is not passed over: the start says so, /status says so, and the owner hears it
on another platform. What runs beside the engine is run by the application."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gateway.app import App
from tests.scenarios.props import until
from tests.scenarios.telegram_inn import telegram_inn


@pytest.fixture(autouse=True)
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock of the bot's token lies in the user's cache folder."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("user")))


async def waiting(app: App) -> list[str]:
    """What waits for the home chat, which is a terminal that nobody sits at."""
    outbox = app.engine.house.store.outbox
    return [part.text for chat in await outbox.chats() for part in await outbox.queued(chat)]


async def news(app: App) -> list[str]:
    """The same, once there is something."""
    async with asyncio.timeout(30):
        while not (texts := await waiting(app)):
            await asyncio.sleep(0.01)
    return texts


async def test_a_token_that_is_none(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, access={"home_chats": ["console:home"]}) as inn:
        inn.settle(platforms={"telegram": {"token": "nonsense"}}, access={"home_chats": ["console:home"]})
        async with inn.open(only=("telegram", "console")) as app:
            assert any(line.startswith("telegram: the token does not look like one") for line in app.lines)
            await until(lambda: app.engine.platforms["console"].up)
            await app.engine.watch.look()
            view = await app.engine.ports.status.view(None)
            assert dict(view.lines)["Telegram"].startswith("off: the token does not look like one")
            assert view.data["platforms"]["telegram"]["up"] is False  # type: ignore[index]
            (line,) = await news(app)
            assert line.startswith("⚠️ Telegram does not work: it is off (the token does not look like one")
        async with inn.open(only=("telegram", "console")) as app:
            await until(lambda: app.engine.platforms["console"].up)
            await app.engine.watch.look()
            assert len(await news(app)) == 1


async def test_a_server_that_is_away_at_the_start(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn:
        await inn.server.close()
        async with inn.open() as app:
            for _ in range(10):
                state = app.engine.platforms["telegram"]
                assert not state.up
                assert not state.words.startswith(("listening", "connected"))
                await asyncio.sleep(0.01)
            await inn.server.open()
            assert await inn.says("hello", "Good day.") == "Good day."
            assert app.engine.platforms["telegram"].up
