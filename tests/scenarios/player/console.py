"""The console as a stage: windows on the gateway's socket, one for each chat, read as a terminal would paint them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from platforms.console.client import NoGateway, Window
from platforms.console.protocol import Delete, Edit, Message
from platforms.console.render import Painter
from platforms.messages import Button
from tests.scenarios.player.stage import Ability, File, Place, Shown

COLUMNS = 100
LONGEST_TEXT = 100_000
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LIES_AT = re.compile(r"^📎 (.+): `(/.+)`$", re.MULTILINE)


class Console:
    """The stage: the owner at a terminal of 100 columns, with a second chat open beside the first."""

    name = "console"
    limit = LONGEST_TEXT
    lacks: Mapping[Ability, str] = MappingProxyType(
        {
            Ability.ROOMS: "nobody else sits at the owner's terminal",
            Ability.EDIT: "a line that was entered has been said",
        }
    )
    asks_at_once = True
    owner = "console:owner"
    homes: Sequence[str] = ()

    def __init__(self) -> None:
        self._desks: dict[Place, Desk] = {}
        self._folder = Path()

    def settings(self) -> dict[str, Any]:
        return {}

    @asynccontextmanager
    async def enter(self, folder: Path) -> AsyncIterator[None]:
        self._folder = folder
        async with AsyncExitStack() as stack:
            for place, chat in ((Place.HOME, "main"), (Place.TOPIC, "cellar")):
                self._desks[place] = Desk(await _opened(stack, folder, chat))
                stack.push_async_callback(self._desks[place].leave)
            yield

    async def says(self, text: str, where: Place, named: bool) -> None:
        await self._desks[where].window.say(text)

    async def edits(self, old: str, new: str) -> None:
        raise NotImplementedError(self.lacks[Ability.EDIT])

    async def presses(self, label: str) -> None:
        await self._desks[Place.HOME].presses(label)

    async def gives_picture(self, name: str, data: bytes, words: str) -> None:
        path = self._folder / name
        path.write_bytes(data)
        await self._desks[Place.HOME].window.say(words, [str(path)])

    def sees(self, where: Place) -> list[Shown]:
        return [_shown(each) for each in self._desks[where].messages.values()]

    def glimpses(self, where: Place) -> str:
        return "\n".join(each.text for each in self._desks[where].messages.values())

    def loose_ends(self) -> list[str]:
        return [
            f"{place}: {each.window.unstored} unstored" for place, each in self._desks.items() if each.window.unstored
        ]


class Desk:
    """Somebody at one window, reading as it comes."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.messages: dict[str, Message] = {}
        self._reading = asyncio.ensure_future(self._read())

    async def presses(self, label: str) -> None:
        for message in reversed(self.messages.values()):
            for button in _flat(message):
                if button.label == label:
                    await self.window.press(button.action, message.id)
                    return
        raise LookupError(f"no button {label!r}")

    async def leave(self) -> None:
        self._reading.cancel()
        await asyncio.wait([self._reading])

    async def _read(self) -> None:
        async for event in self.window.events():
            match event:
                case Message(name, text, buttons) | Edit(name, text, buttons):
                    self.messages[name] = Message(name, text, buttons)
                case Delete(name):
                    self.messages.pop(name, None)
                case _:
                    pass


async def _opened(stack: AsyncExitStack, folder: Path, chat: str) -> Window:
    """A window, as soon as the gateway takes one."""
    for _ in range(500):
        try:
            return await stack.enter_async_context(Window(folder, chat))
        except NoGateway:
            await asyncio.sleep(0.01)
    raise NoGateway("nobody serves the socket")


def _shown(message: Message) -> Shown:
    """As painted, colours aside. In a terminal all type is of one width, and a file is where the message says."""
    files = tuple(File(name, Path(path).read_bytes()) for name, path in _LIES_AT.findall(message.text))
    text = _painted(_LIES_AT.sub("", message.text))
    labels = tuple(button.label for button in _flat(message))
    return Shown(message.id, text.strip("\n"), (text,), labels, files, len(message.text))


@lru_cache(maxsize=256)
def _painted(markdown: str) -> str:
    return _COLOUR.sub("", Painter(lambda: COLUMNS, colour=True).markdown(markdown))


def _flat(message: Message) -> list[Button]:
    return [button for row in message.buttons for button in row]


@asynccontextmanager
async def console_stage() -> AsyncIterator[Console]:
    yield Console()
