"""A bot of the real discord.py, pointed at the server of these tests; no code of the house takes part."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import discord
import yarl
from discord import app_commands

from tests.fakes.discord import DiscordServer


class Bot(discord.Client):
    """Keeps what it hears. `told` holds the names of events, `heard` messages, `asked` interactions."""

    def __init__(self, intents: discord.Intents, **options: Any) -> None:
        super().__init__(
            intents=intents, guild_ready_timeout=0.05, max_ratelimit_timeout=30.0, enable_debug_events=True, **options
        )
        self.tree = app_commands.CommandTree(self)
        self.told: list[str] = []
        self.heard: list[discord.Message] = []
        self.asked: list[discord.Interaction[Any]] = []
        self.is_up = asyncio.Event()
        self.ended = False
        """The library has given up."""

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """The library's own waits five seconds."""

    async def on_ready(self) -> None:
        self.is_up.set()

    async def on_socket_event_type(self, name: str) -> None:
        self.told.append(name)

    async def on_message(self, message: discord.Message) -> None:
        self.heard.append(message)

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        self.asked.append(interaction)

    @property
    def texts(self) -> list[str]:
        """What others than itself said."""
        return [each.content for each in self.heard if each.author != self.user]


def all_intents() -> discord.Intents:
    intents = discord.Intents.default()
    intents.message_content = True
    return intents


@asynccontextmanager
async def pointed_at(server: DiscordServer) -> AsyncIterator[None]:
    """discord.py keeps its addresses in class attributes; they are put back afterwards."""
    http, gateway = discord.http.Route.BASE, discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY
    discord.http.Route.BASE = server.api_url
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(server.gateway_url)
    try:
        yield
    finally:
        discord.http.Route.BASE, discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = http, gateway


@asynccontextmanager
async def running(
    server: DiscordServer, intents: discord.Intents | None = None, token: str = "", **options: Any
) -> AsyncIterator[Bot]:
    """A bot that is connected and ready."""
    async with pointed_at(server):
        bot = Bot(intents or all_intents(), **options)
        task = asyncio.create_task(bot.start(token or server.token))
        task.add_done_callback(lambda _: setattr(bot, "ended", True))
        try:
            waiting = asyncio.create_task(bot.is_up.wait())
            async with asyncio.timeout(30):
                await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            if task.done():
                await task
            yield bot
        finally:
            await bot.close()
            task.cancel()
            await asyncio.wait((task,))
