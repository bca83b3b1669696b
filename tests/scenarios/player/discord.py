"""Discord as a stage: Ada's direct messages, a channel of a guild, and a thread in it, at a server on loopback.

Orders are taken from the menu of slash commands, as Discord's own client does with what begins with a slash.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.fakes.discord import DiscordServer, Room, Seen
from tests.fakes.discord.checks import LONGEST
from tests.scenarios.player.stage import Ability, File, Place, Shown

ADA, GUILD, CHANNEL = 111222333444555666, 222333444555666777, 333444555666777888
_BLOCK = re.compile(r"```(?:[\w+#.-]*\n)?(.*?)\n?```", re.DOTALL)
_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_MARKS = re.compile(r"(\*\*|__|~~|\|\||\*|_)(?=\S)(.+?)(?<=\S)\1")
_HEAD = re.compile(r"^(?:#{1,3}|-#|>) ", re.MULTILINE)
_ESCAPE = re.compile(r"\\([^\w\s])")


class Discord:
    """The stage. discord.py does the talking."""

    name = "discord"
    limit = LONGEST
    lacks: Mapping[Ability, str] = MappingProxyType({})
    asks_at_once = False
    owner = f"discord:{ADA}"

    def __init__(self, server: DiscordServer) -> None:
        self._server = server
        self._ada = server.user(ADA, "Ada")
        lobby = server.guild(GUILD).channel(CHANNEL)
        cellar = self._ada.starts_thread("The cellar", lobby)
        self._rooms = {Place.HOME: self._ada.chat, Place.ROOM: lobby, Place.TOPIC: cellar}
        self.homes: Sequence[str] = (f"discord:{self._ada.chat.number}",)

    def settings(self) -> dict[str, Any]:
        where = {"api_url": self._server.api_url, "gateway_url": self._server.gateway_url}
        return {"token": self._server.token, "allowed_users": [str(ADA)]} | where

    @asynccontextmanager
    async def enter(self, folder: Path) -> AsyncIterator[None]:
        await self._server.until_connected()
        yield

    async def says(self, text: str, where: Place, named: bool) -> None:
        if text.startswith("/"):
            name = text[1:]
            await self._server.until(lambda: self._offers(name))
            self._ada.orders(name, self._rooms[where])
        else:
            self._ada.says(text, chat=self._rooms[where], mention=named)

    def _offers(self, name: str) -> bool:
        try:
            return bool(self._server.commands.find(name.split()[0], None))
        except LookupError:
            return False

    async def edits(self, old: str, new: str) -> None:
        mine = [number for number, each in self._ada.chat.state.messages.items() if each.content == old]
        self._ada.edits(mine[-1], new)

    async def presses(self, label: str) -> None:
        self._ada.presses(label)

    async def gives_picture(self, name: str, data: bytes, words: str) -> None:
        self._ada.uploads(name, data, words)

    def sees(self, where: Place) -> list[Shown]:
        return [_shown(each) for each in self._seen(where)]

    def glimpses(self, where: Place) -> str:
        return "\n".join(each.text for each in self._seen(where))

    def loose_ends(self) -> list[str]:
        unanswered = [
            f"interaction {each.data}" for each in self._server.interactions.all.values() if not each.answered
        ]
        thinking = [each for room in self._rooms.values() for each in room.seen(self._ada) if each.thinking]
        return [*unanswered, *(f"thinking: {each}" for each in thinking)]

    def _seen(self, where: Place) -> list[Seen]:
        """An order that is being carried out shows as "thinking" until it is: no message yet."""
        room: Room = self._rooms[where]
        return [each for each in room.seen(self._ada) if not each.thinking]


def _shown(seen: Seen) -> Shown:
    """As Discord's client draws it. A fence that is never closed stays in the text."""
    fixed = tuple(_BLOCK.findall(seen.text))
    labels = tuple(label for row in seen.buttons for label in row)
    files = tuple(File(each.name, each.data) for each in seen.files)
    return Shown(str(seen.message_id), _drawn(seen.text), fixed, labels, files, len(seen.text))


def _drawn(text: str) -> str:
    """Text without markup. Blocks of code stand as they are written."""
    pieces = _BLOCK.split(text)
    return "\n".join(each if number % 2 else _plain(each) for number, each in enumerate(pieces))


def _plain(text: str) -> str:
    text, before = _HEAD.sub("", text), ""
    while text != before:
        before, text = text, _MARKS.sub(r"\2", text)
    return _ESCAPE.sub(r"\1", _CODE.sub(r"\1", text))


@asynccontextmanager
async def discord_stage() -> AsyncIterator[Discord]:
    async with DiscordServer() as server:
        yield Discord(server)
