"""Telegram as a stage: Ada's private chat, a group, and a topic of a forum, at a Bot API server on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.fakes.telegram import BotApi, Room
from tests.fakes.telegram.texts import LONGEST_TEXT, units
from tests.fakes.telegram.world import Seen
from tests.scenarios.player.stage import Ability, File, Place, Shown

ADA, GROUP, FORUM, THREAD = 111, -100777, -100888, 7


class Telegram:
    """The stage. python-telegram-bot does the talking."""

    name = "telegram"
    limit = LONGEST_TEXT
    lacks: Mapping[Ability, str] = MappingProxyType({})
    asks_at_once = False
    owner = f"telegram:{ADA}"
    homes: Sequence[str] = (f"telegram:{ADA}",)

    def __init__(self, server: BotApi) -> None:
        self._server = server
        self._ada = server.user(ADA, "Ada")
        self._rooms: dict[Place, tuple[Room, int | None]] = {
            Place.HOME: (self._ada.chat, None),
            Place.ROOM: (server.group(GROUP, "The lobby"), None),
            Place.TOPIC: (server.group(FORUM, "The inn", forum=True).topic(THREAD, "The cellar"), THREAD),
        }

    def settings(self) -> dict[str, Any]:
        return {"token": self._server.token, "base_url": self._server.root, "allowed_users": [ADA]}

    @asynccontextmanager
    async def enter(self, folder: Path) -> AsyncIterator[None]:
        yield

    async def says(self, text: str, where: Place, named: bool) -> None:
        room, thread = self._rooms[where]
        text = f"@{self._server.username} {text}" if named else text
        assert self._ada.says(text, chat=room, thread=thread) is not None

    async def edits(self, old: str, new: str) -> None:
        mine = [number for number, each in self._ada.chat.state.messages.items()
                if not each.by_bot and each.raw.get("text") == old]  # fmt: skip
        assert self._ada.edits(mine[-1], new) is not None, "the bot did not ask for edited messages"

    async def presses(self, label: str) -> None:
        self._ada.presses(label)

    async def gives_picture(self, name: str, data: bytes, words: str) -> None:
        self._ada.sends("photo", name, data, words)

    def sees(self, where: Place) -> list[Shown]:
        room, thread = self._rooms[where]
        return [_shown(each) for each in room.seen(thread)]

    def glimpses(self, where: Place) -> str:
        room, _ = self._rooms[where]
        return "\n".join([*room.texts(), *room.drafts[-1:]])

    def loose_ends(self) -> list[str]:
        return [f"tap {name}" for name, each in self._server.world.queries.items() if not each.answered]


def _shown(seen: Seen) -> Shown:
    """The client draws entities; what is left of the text is what a person reads."""
    fixed = tuple(text for kind in ("pre", "code") for text in seen.formatted(kind))
    labels = tuple(label for row in seen.buttons for label in row)
    files = (File(seen.file.name, seen.file.data),) if seen.file is not None else ()
    return Shown(str(seen.message_id), seen.text, fixed, labels, files, units(seen.text))


@asynccontextmanager
async def telegram_stage() -> AsyncIterator[Telegram]:
    async with BotApi() as server:
        yield Telegram(server)
