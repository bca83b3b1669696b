"""Which chat a channel is: direct channels and those of guilds by their id, threads as chats within their parent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import discord

from platforms.discord.client import Client
from platforms.discord.errors import FAULTS
from platforms.discord.transport import patiently
from platforms.errors import Refused
from platforms.messages import ChatKind, ChatRef

PLATFORM = "discord"

_DIRECT = (discord.ChannelType.private.value, discord.ChannelType.group.value)
_THREADS = (
    discord.ChannelType.news_thread.value,
    discord.ChannelType.public_thread.value,
    discord.ChannelType.private_thread.value,
)
_KEPT = 5000


@dataclass(frozen=True, slots=True)
class Place:
    """A channel as the house knows it."""

    chat: ChatRef
    kind: ChatKind


def channel_of(chat: ChatRef) -> int:
    """The channel to write to. Raises Refused for what is no id."""
    return number(chat.thread_id or chat.chat_id)


def number(text: str) -> int:
    """An id as Discord's own. Raises Refused."""
    if not text.isascii() or not text.isdigit():
        raise Refused(f"{text!r} is no id of Discord")
    return int(text)


class Places:
    """Looks channels up: in what the gateway told, else at Discord."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._asked: dict[int, Place] = {}

    def known(self, channel: Any) -> Place | None:
        """The place of a channel of the library's; None when it does not say enough."""
        match channel:
            case discord.DMChannel():
                return Place(ChatRef(PLATFORM, str(channel.id)), ChatKind.DIRECT)
            case discord.Thread():
                return Place(ChatRef(PLATFORM, str(channel.parent_id), str(channel.id)), ChatKind.GROUP)
            case discord.abc.GuildChannel():
                return Place(ChatRef(PLATFORM, str(channel.id)), ChatKind.GROUP)
            case _:
                return None

    async def of(self, channel: Any) -> Place | None:
        """The place of a channel; None when it cannot be looked up now. One into which the bot may not look counts as
        a plain channel of a guild."""
        place = self.known(channel) or self._asked.get(channel.id)
        if place is None:
            try:
                place = _place(await patiently(lambda: self._client.http.get_channel(channel.id)))
            except (discord.Forbidden, discord.NotFound):
                return Place(ChatRef(PLATFORM, str(channel.id)), ChatKind.GROUP)
            except FAULTS:
                return None
            if len(self._asked) >= _KEPT:
                self._asked.clear()
            self._asked[channel.id] = place
        return place


def _place(told: Mapping[str, Any]) -> Place:
    kind, own = int(told.get("type", 0)), str(told["id"])
    if kind in _DIRECT:
        return Place(ChatRef(PLATFORM, own), ChatKind.DIRECT)
    if kind in _THREADS:
        return Place(ChatRef(PLATFORM, str(told["parent_id"]), own), ChatKind.GROUP)
    return Place(ChatRef(PLATFORM, own), ChatKind.GROUP)
