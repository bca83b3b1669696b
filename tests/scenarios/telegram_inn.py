"""The gateway on Telegram as people meet it: everything that `innkeeper run` puts together, in the test's own loop.

python-telegram-bot talks to a Bot API server on loopback, the openai library to a scripted model host. Only the
process, the command line and the signals are left out.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from gateway.app import App, running
from gateway.config.extensions import Extensions
from gateway.config.load import load_settings
from gateway.config.paths import Profile
from gateway.engine.gates.cards import BATCH_SECONDS
from platforms.registry import manifests, usable
from tests.fakes.openai_server import OpenAIServer, Step
from tests.fakes.telegram import BotApi, Person, Room

PATIENCE = 40.0
"""Real seconds to wait for an answer on a busy machine."""

PERSONA = "You keep the inn."
NOTE = "[Innkeeper] Memory changed since this conversation began."
OTHERS = ["cronjob", "send_file", "session_search", "skill_manage", "skill_view", "skills_list"]
"""The tools of the house but memory's."""


class Inn:
    """Telegram, a model host, and a profile's folder, whose gateway can be opened again and again.

    Ada (111) is the owner. `config` replaces whole sections of config.yaml.
    """

    def __init__(self, folder: Path, server: BotApi, host: OpenAIServer, config: Mapping[str, Any]) -> None:
        self.folder = folder
        self.server = server
        self.host = host
        self.ada = server.user(111, "Ada")
        self.settle(**config)
        (folder / "SOUL.md").write_text(PERSONA)

    def settle(self, **sections: Any) -> None:
        """Write the settings; JSON is YAML."""
        telegram = {"token": self.server.token, "base_url": self.server.root, "allowed_users": [111]}
        config = {
            "model": {"provider": "openai", "model": "m", "base_url": self.host.base_url, "api_key": "none"},
            "platforms": {"telegram": telegram},
            "auxiliary": {"background_review": {"enabled": False}},
            "sessions": {"boundary_hint": "off"},
            "gateway": {"drain_seconds": 1},
        }
        (self.folder / "config.yaml").write_text(json.dumps(config | sections, indent=1))

    @asynccontextmanager
    async def open(self, batch: float = BATCH_SECONDS, only: Sequence[str] = ("telegram",)) -> AsyncIterator[App]:
        """The gateway, from its start to its orderly end, with these platforms. `batch` is how long a card about what
        waits is held back, in seconds."""
        profile = Profile("default", self.folder, self.folder)
        extensions = Extensions(platforms=usable(manifests().values()))
        loaded = load_settings(profile, {}, extensions)
        async with running(profile, loaded, {}, only=only, extensions=extensions, batch=batch) as app:
            yield app

    def file(self, name: str) -> str:
        """What a memory file holds, or what is wrong with its bytes; empty when it is not there."""
        path = self.folder / "memories" / name
        return path.read_bytes().decode() if path.exists() else ""

    def write(self, name: str, text: str | bytes) -> None:
        """A person edits a memory file."""
        path = self.folder / "memories" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)

    async def says(self, text: str, *steps: Step | str, by: Person | None = None, chat: Room | None = None) -> str:
        """Somebody writes, the model takes these steps, and this is the bot's answer."""
        person = by or self.ada
        self.host.script.extend(Step(text=step) if isinstance(step, str) else step for step in steps)
        return await self._answer(chat or person.chat, lambda: person.says(text, chat=chat))

    async def presses(self, label: str) -> str:
        """Ada taps a button; the answer."""
        return await self._answer(self.ada.chat, lambda: self.ada.presses(label))

    async def _answer(self, room: Room, act: Any) -> str:
        before = len(room.seen())
        act()
        await self.server.until(lambda: len(room.seen()) > before, PATIENCE)
        return room.texts()[-1]

    # What the model was shown

    @property
    def request(self) -> dict[str, Any]:
        """The last request to the model host."""
        body: dict[str, Any] = self.host.chats[-1].json()
        return body

    @property
    def prompt(self) -> str:
        return str(self.request["messages"][0]["content"])

    @property
    def said(self) -> str:
        """The person's last message as the model read it, notes included."""
        return str([each["content"] for each in self.request["messages"] if each["role"] == "user"][-1])

    @property
    def tools(self) -> list[str]:
        return [each["function"]["name"] for each in self.request.get("tools", [])]

    def tool_answer(self) -> dict[str, Any]:
        """What the last call of a tool was answered."""
        answers = [each["content"] for each in self.request["messages"] if each["role"] == "tool"]
        answer: dict[str, Any] = json.loads(answers[-1])
        return answer


@asynccontextmanager
async def telegram_inn(folder: Path, window: int = 8192, **config: Any) -> AsyncIterator[Inn]:
    """The two servers and the folder; nothing runs until it is opened."""
    async with BotApi() as server, OpenAIServer(window=window) as host:
        yield Inn(folder, server, host, config)


async def indexed(app: App) -> None:
    """Wait until the search's index has all that was said."""
    async with asyncio.timeout(PATIENCE):
        while (await app.engine.house.store.search.state()).waiting:
            await asyncio.sleep(0.02)


def keeps(target: str, content: str) -> Step:
    """The model asks to keep an entry."""
    return Step(calls=[{"name": "memory", "arguments": {"target": target, "action": "add", "content": content}}])


def patches(target: str, old_text: str, content: str) -> Step:
    """The model asks to change a span of an entry."""
    arguments = {"target": target, "action": "patch", "old_text": old_text, "content": content}
    return Step(calls=[{"name": "memory", "arguments": arguments}])
