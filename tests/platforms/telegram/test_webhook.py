"""Telegram calls the gateway: with the secret alone, through a proxy, and hears only of what is stored."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from platforms.contract import eventually
from platforms.telegram.settings import TelegramSettings
from tests.fakes.telegram import BotApi
from tests.fakes.telegram.webhook import call
from tests.platforms.telegram.house import adapter_of, open_adapter
from tests.platforms.telegram.test_receiving import Graveyard, Poisoned


@pytest.fixture
async def server() -> AsyncIterator[BotApi]:
    async with BotApi() as server:
        yield server


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class TestWebhook:
    async def test_updates_are_taken_with_the_secret_alone(self, server: BotApi, tmp_path: Path) -> None:
        port = free_port()
        url = f"http://127.0.0.1:{port}/telegram"
        settings = {"mode": "webhook", "webhook_url": url, "webhook_secret": "s3cret"}
        settings["webhook_listen"] = f"127.0.0.1:{port}"
        ear = Poisoned("later")
        grave = Graveyard(full=True)
        adapter = adapter_of(server, tmp_path, settings=settings, bury=grave)
        async with open_adapter(adapter, ear):
            forged = {"update_id": 1, "message": {"message_id": 1, "date": 1, "chat": {"id": 111, "type": "private"}}}
            assert await call(url, "wrong", forged) == 403
            assert await call(url, "", forged) == 403
            server.user(111).says("hello")
            await ear.until_heard(1)
            server.user(111).says("later")
            await eventually(lambda: ear.tries >= 4)
            assert server.world.updates, "what is not stored is not acknowledged"
            ear.poison = ""
            await server.until_confirmed()
        assert [event.text for event in ear.heard] == ["hello", "later"]
        assert server.called("getUpdates") == []

    async def test_behind_a_proxy_the_public_address_is_not_the_one_that_is_listened_at(
        self, server: BotApi, tmp_path: Path
    ) -> None:
        public, port = "http://127.0.0.1:9/hooks/telegram", free_port()
        settings = {"mode": "webhook", "webhook_url": public, "webhook_secret": "s3cret"}
        settings["webhook_listen"] = f"127.0.0.1:{port}"
        async with open_adapter(adapter_of(server, tmp_path, settings=settings)) as ear:
            (registered,) = [each for each in server.called("setWebhook") if each.get("url")]
            assert (registered["url"], registered["secret_token"]) == (public, "s3cret")
            update = server.user(111).says("hello")
            assert update is not None
            assert await call(f"http://127.0.0.1:{port}/hooks/telegram", "s3cret", update) == 200
            assert await call(f"http://127.0.0.1:{port}/elsewhere", "s3cret", update) == 404
            await ear.until_heard(1)

    @pytest.mark.parametrize("wrong", ["8443", ":8443", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:http", "::1:99999"])
    def test_where_to_listen_is_checked_at_the_start(self, wrong: str) -> None:
        with pytest.raises(ValueError, match="must be host:port"):
            TelegramSettings.model_validate({"webhook_listen": wrong})
