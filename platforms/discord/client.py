"""The library's client with everything switched off that the house does not need, and events handed on in order.

Owns what is asked of Discord's gateway. What an event means is `hearing`'s matter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import aiohttp
import discord
from discord.state import ConnectionState

from platforms.discord.buttons import ActionButton
from platforms.discord.patience import Patience
from platforms.discord.transport import Transport

CONNECTIONS = 100
"""Calls on the wire at one time; more wait for their turn. Discord takes about fifty a second."""

Handlers = Mapping[str, Callable[..., None]]
"""What to do at an event, by the library's name for it. A handler does not wait for anything."""


def intents() -> discord.Intents:
    """What the bot wants to hear of."""
    wanted = discord.Intents.none()
    wanted.guilds = wanted.guild_messages = wanted.dm_messages = wanted.message_content = True
    return wanted


class Client(discord.Client):
    """`address` is the API's. `handlers` may be replaced at any time. Nothing of members or messages is kept."""

    http: Transport

    def __init__(self, patience: Patience, address: str) -> None:
        self._own = (patience, address)
        self.handlers: Handlers = {}
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # no voice here: nothing is missing
        super().__init__(
            intents=intents(),
            connector=aiohttp.TCPConnector(limit=CONNECTIONS),
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            max_messages=None,
            allowed_mentions=discord.AllowedMentions.none(),
            heartbeat_timeout=2 * patience.deaf,  # `link` looks sooner
            guild_ready_timeout=0.0,
        )
        self.add_dynamic_items(ActionButton)

    def _get_state(self, **options: Any) -> ConnectionState[Any]:
        self.http = Transport(self.loop, *self._own)
        return super()._get_state(**options)

    @property
    def state(self) -> ConnectionState[Any]:
        return self._connection

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        """At once and in order, where the library would start a task for each event."""
        handler = self.handlers.get(event)
        if handler is not None:
            handler(*args, **kwargs)

    async def pressed(self, interaction: discord.Interaction[Any], action: str) -> None:
        """A button of the bot's was pressed."""
        self.dispatch("press", interaction, action)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """`link` waits where waiting is due."""

    async def close(self) -> None:
        ready: asyncio.Task[None] | None = self.state._ready_task
        if ready is not None:
            ready.cancel()
            await asyncio.gather(ready, return_exceptions=True)
        await super().close()
