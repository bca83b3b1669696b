"""Every adapter that runs here passes the suite of `platforms.contract`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from platforms.adapter import Capabilities
from platforms.console import protocol
from platforms.console.adapter import ConsoleAdapter
from platforms.console.client import Window
from platforms.contract import AdapterContract
from platforms.discord.adapter import DiscordAdapter
from platforms.in_process import InProcess
from platforms.manifest import AdapterContext
from platforms.messages import Button, ChatRef
from platforms.telegram.adapter import TelegramAdapter
from tests.fakes.discord import DiscordServer
from tests.fakes.telegram import BotApi
from tests.platforms.discord import house as discord_house
from tests.platforms.telegram.house import adapter_of


class InProcessStage:
    """A chat of the platform in memory."""

    def __init__(self, adapter: InProcess) -> None:
        self.adapter = adapter
        self.chat = ChatRef(adapter.name, "c1")

    async def opened(self) -> None:
        pass  # `say` waits by itself

    async def say(self, text: str) -> None:
        try:
            await self.adapter.say(text)
        except RuntimeError:
            pass  # the sink's fault, which a person does not see

    async def press(self, label: str) -> None:
        await self.adapter.press("c1", label)

    async def redeliver(self) -> bool:
        await self.adapter.redeliver()
        return True

    async def shows(self) -> Sequence[str]:
        return self.adapter.texts("c1")

    async def labels(self) -> Sequence[str]:
        return [label for seen in self.adapter.transcript("c1") for label in seen.labels]


class ConsoleStage:
    """A window on a console chat, over the real socket."""

    def __init__(self, folder: Path) -> None:
        self.adapter = ConsoleAdapter(AdapterContext({}, "default", str(folder)))
        self.chat = ChatRef("console", "desk")
        self._folder = folder
        self._window: Window | None = None
        self._messages: dict[str, tuple[str, tuple[tuple[Button, ...], ...]]] = {}
        self._reading: asyncio.Task[None] | None = None
        self._last = ""

    async def opened(self) -> None:
        await self.adapter.opened.wait()
        self._window = await Window(self._folder, "desk").__aenter__()
        self._reading = asyncio.create_task(self._read(self._window))
        while not self.adapter.attended(self.chat):
            await asyncio.sleep(0)

    async def close(self) -> None:
        if self._reading is not None and self._window is not None:
            self._reading.cancel()
            await self._window.__aexit__(None, None, None)

    async def say(self, text: str) -> None:
        assert self._window is not None
        self._last = text
        await self._window.say(text)

    async def press(self, label: str) -> None:
        assert self._window is not None
        for message_id, (_, buttons) in self._messages.items():
            for button in (button for row in buttons for button in row):
                if button.label == label:
                    await self._window.press(button.action, message_id)

    async def redeliver(self) -> bool:
        return False  # tests/platforms/console shows what a reconnect does

    async def shows(self) -> Sequence[str]:
        await asyncio.sleep(0.005)
        return [text for text, _ in self._messages.values()]

    async def labels(self) -> Sequence[str]:
        return [button.label for _, buttons in self._messages.values() for row in buttons for button in row]

    async def _read(self, window: Window) -> None:
        async for event in window.events():
            match event:
                case protocol.Message(message_id, text, buttons) | protocol.Edit(message_id, text, buttons):
                    self._messages[message_id] = (text, buttons)
                case protocol.Delete(message_id):
                    self._messages.pop(message_id, None)


class TelegramStage:
    """A private chat on the Bot API server, with the real client library."""

    def __init__(self, server: BotApi, adapter: TelegramAdapter) -> None:
        self.adapter = adapter
        self.chat = ChatRef("telegram", "4294967500")
        self._server = server
        self._person = server.user(int(self.chat.chat_id), "Ada")

    async def opened(self) -> None:
        await self.adapter.listening.wait()

    async def say(self, text: str) -> None:
        self._person.says(text)

    async def press(self, label: str) -> None:
        self._person.presses(label)

    async def redeliver(self) -> bool:
        await self._server.until_confirmed()
        self._server.deliver_again()
        return True

    async def shows(self) -> Sequence[str]:
        return self._person.texts()

    async def labels(self) -> Sequence[str]:
        return self._person.chat.labels()


class DiscordStage:
    """A direct channel on the Discord server, with the real client library."""

    def __init__(self, server: DiscordServer, adapter: DiscordAdapter) -> None:
        self.adapter = adapter
        self._server = server
        self._person = server.user(222333444555666777, "Ada")
        self.chat = discord_house.direct(self._person)

    async def opened(self) -> None:
        await self._server.until(lambda: self.adapter.listening)

    async def say(self, text: str) -> None:
        self._person.says(text)

    async def press(self, label: str) -> None:
        self._person.presses(label)

    async def redeliver(self) -> bool:
        return False  # tests/platforms/discord shows what comes again after a restart

    async def shows(self) -> Sequence[str]:
        return self._person.texts()

    async def labels(self) -> Sequence[str]:
        return self._person.chat.labels()


class TestInProcess(AdapterContract):
    @pytest.fixture(params=["telegram-like", "discord-like", "plain"])
    def stage(self, request: pytest.FixtureRequest) -> InProcessStage:
        shapes = {
            "telegram-like": Capabilities(limit=4096, unit="utf16"),
            "discord-like": Capabilities(limit=2000, nonce_seconds=120, finds=True),
            "plain": Capabilities(limit=160, edits=False, buttons=False),
        }
        return InProcessStage(InProcess(capabilities=shapes[request.param]))


class TestConsole(AdapterContract):
    @pytest.fixture
    async def stage(self, tmp_path: Path) -> AsyncIterator[ConsoleStage]:
        stage = ConsoleStage(tmp_path)
        yield stage
        await stage.close()


class TestTelegram(AdapterContract):
    @pytest.fixture
    async def stage(self, tmp_path: Path) -> AsyncIterator[TelegramStage]:
        async with BotApi() as server:
            yield TelegramStage(server, adapter_of(server, tmp_path))


class TestDiscord(AdapterContract):
    @pytest.fixture
    async def stage(self, tmp_path: Path) -> AsyncIterator[DiscordStage]:
        async with DiscordServer() as server:
            yield DiscordStage(server, discord_house.adapter_of(server, tmp_path))
