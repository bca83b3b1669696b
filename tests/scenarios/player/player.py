"""Plays a chat on a stage: one gateway as `innkeeper run` puts it together, a scripted model host, one person.

Keeps what the person has read, so that every line has to be expected by somebody; reports what was left out, and why.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gateway.app import App, running
from gateway.config.extensions import Extensions
from gateway.config.load import load_settings
from gateway.config.paths import Profile
from gateway.engine.house import House
from platforms.registry import manifests, usable
from tests.fakes.openai_server import OpenAIServer, Step
from tests.scenarios.player.stage import Ability, Place, Shown, Stage

PATIENCE = 40.0
"""Real seconds to wait for what is expected, on a busy machine."""

LOOK = 0.02
"""Real seconds between two looks."""

CARD_AFTER = 0.1
"""Seconds that a card waits for more, instead of a minute."""

WINDOW = 65_536
NOTHING: Mapping[str, Any] = MappingProxyType({})
HOME, TOPIC, ROOM = Place.HOME, Place.TOPIC, Place.ROOM


class Player:
    """The person's part, and the model's. Every message of the bot is read once, and in order."""

    def __init__(self, stage: Stage, host: OpenAIServer, folder: Path, app: App) -> None:
        self.stage = stage
        self.host = host
        self.folder = folder
        self._app = app
        self._read: dict[Place, dict[str, str]] = defaultdict(dict)

    async def says(
        self, text: str, *steps: Step | str, where: Place = HOME, named: bool = False, meanwhile: bool = False
    ) -> None:
        """The person writes, and the model will take these steps. People do not begin to write in the millisecond in
        which the last answer ends; `meanwhile` does not wait for its end."""
        if not meanwhile:
            workers = self._app.engine.workers
            await self._until(lambda: not workers.running, lambda: f"the turn before {text!r} did not end")
        self._expects(steps)
        await self.stage.says(text, where, named)

    async def edits(self, old: str, new: str) -> None:
        await self.stage.edits(old, new)

    async def presses(self, label: str, *steps: Step | str) -> None:
        self._expects(steps)
        await self.stage.presses(label)

    async def gives_picture(self, name: str, data: bytes, words: str, *steps: Step | str) -> None:
        self._expects(steps)
        await self.stage.gives_picture(name, data, words)

    async def reads(self, *lines: str, where: Place = HOME) -> list[Shown]:
        """Exactly these messages are new here, each on one line; `…` stands for anything."""

        def first() -> list[Shown]:
            return self.new(where)[: len(lines)]

        await self._until(
            lambda: _fit(first(), lines),
            lambda: f"expected {list(lines)}, new in the {where}: {_lines(self.new(where))}",
        )
        return self._take(where, first())

    async def finds(self, line: str, where: Place = HOME) -> Shown:
        """A new message that comes in its own time, be it before or after others."""

        def found() -> list[Shown]:
            return [each for each in self.new(where) if _fit([each], [line])]

        await self._until(lambda: bool(found()), lambda: f"no {line!r} among {_lines(self.new(where))}")
        return self._take(where, found()[:1])[0]

    async def reads_until(self, end: str, where: Place = HOME) -> list[Shown]:
        """New messages up to one that ends so, however many there are."""

        def ends() -> list[int]:
            return [at for at, each in enumerate(self.new(where)) if each.line.endswith(end)]

        await self._until(lambda: bool(ends()), lambda: f"no {end!r} among {_lines(self.new(where))}")
        return self._take(where, self.new(where)[: ends()[0] + 1])

    async def glimpses(self, words: str, where: Place = HOME) -> None:
        """These words stand there for a moment at least, be it as a preview."""
        await self._until(lambda: words in self.stage.glimpses(where), lambda: f"never saw {words!r}")

    def new(self, where: Place = HOME) -> list[Shown]:
        """What has not been read yet."""
        return [each for each in self.stage.sees(where) if each.id not in self._read[where]]

    def unread(self) -> list[str]:
        """What nobody expected, anywhere; and what reads differently from when it was read."""
        left = [f"{where}: {each.line}" for where in self._places() for each in self.new(where)]
        for where in self._places():
            now = {each.id: each.line for each in self.stage.sees(where)}
            left += [f"{where}: {was!r} became {now.get(name)!r}" for name, was in self._read[where].items()
                     if now.get(name) != was]  # fmt: skip
        return left

    # What came to the model, and what the house keeps.

    @property
    def house(self) -> House:
        return self._app.engine.house

    @property
    def requests(self) -> list[dict[str, Any]]:
        return [each.json() for each in self.host.chats]

    def heard(self) -> list[str]:
        """What people said, as the last request to the model has it."""
        return [_words(each["content"]) for each in self.requests[-1]["messages"] if each["role"] == "user"]

    def pictures(self) -> list[bytes]:
        """The pictures of the last request."""
        parts = [part for each in self.requests[-1]["messages"] if isinstance(each["content"], list)
                 for part in each["content"] if part["type"] == "image_url"]  # fmt: skip
        return [base64.b64decode(part["image_url"]["url"].partition("base64,")[2]) for part in parts]

    def kept(self, name: str) -> str:
        """What a memory file holds."""
        path = self.folder / "memories" / name
        return path.read_text("utf-8") if path.exists() else ""

    # Inside.

    def _places(self) -> list[Place]:
        return [each for each in Place if each is not ROOM or Ability.ROOMS not in self.stage.lacks]

    def _expects(self, steps: Sequence[Step | str]) -> None:
        self.host.script.extend(Step(text=step) if isinstance(step, str) else step for step in steps)

    def _take(self, where: Place, shown: list[Shown]) -> list[Shown]:
        self._read[where] |= {each.id: each.line for each in shown}
        return shown

    async def _until(self, holds: Callable[[], bool], why: Callable[[], str]) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                while not holds():
                    await asyncio.sleep(LOOK)
        except TimeoutError:
            raise AssertionError(f"{self.stage.name}: {why()}") from None


def _lines(shown: Sequence[Shown]) -> list[str]:
    return [each.line for each in shown]


def _fit(shown: Sequence[Shown], lines: Sequence[str]) -> bool:
    if len(shown) != len(lines):
        return False
    patterns = [".*".join(map(re.escape, line.split("…"))) for line in lines]
    return all(re.fullmatch(pattern, each.line) for pattern, each in zip(patterns, shown, strict=True))


def _words(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part["type"] == "text")


@dataclass(frozen=True, slots=True)
class Scene:
    """One step of a transcript, and what it takes of a platform."""

    title: str
    play: Callable[[Player], Awaitable[None]]
    needs: Ability | None = None


async def played(stage: Stage, folder: Path, transcript: Sequence[Scene]) -> Mapping[str, str]:
    """Play every scene that the stage is able to. What was left out, by title, with the stage's reason.

    Raises AssertionError that names stage and scene.
    """
    left_out = {}
    async with playing(stage, folder) as player:
        for scene in transcript:
            if scene.needs is not None and scene.needs in stage.lacks:
                left_out[scene.title] = stage.lacks[scene.needs]
                continue
            try:
                await scene.play(player)
            except AssertionError as fault:
                raise AssertionError(f"{stage.name}, {scene.title}: {fault}") from fault
        assert not player.host.script, f"{stage.name}: the model was asked {len(player.host.script)} times too few"
    if left := [*player.unread(), *stage.loose_ends()]:
        raise AssertionError(f"{stage.name}: what nobody expected, or still waits for: {left}")
    return left_out


@asynccontextmanager
async def playing(stage: Stage, folder: Path, more: Mapping[str, Any] = NOTHING) -> AsyncIterator[Player]:
    """The house on this stage's platform alone, from its start to its orderly end. `more` replaces whole sections of
    its config.yaml."""
    async with OpenAIServer(window=WINDOW) as host:
        config = {
            "model": {"provider": "openai", "model": "m", "base_url": host.base_url, "api_key": "none", "sees": True},
            "platforms": {stage.name: settings} if (settings := stage.settings()) else {},
            "access": {"owners": [stage.owner], "home_chats": list(stage.homes)},
            "memory": {"write_approval": True},
            "auxiliary": {"background_review": {"enabled": False}},
            "sessions": {"boundary_hint": "off"},
            "gateway": {"drain_seconds": 1},
            **more,
        }
        (folder / "config.yaml").write_text(json.dumps(config))
        (folder / "SOUL.md").write_text("You keep the inn.")
        profile = Profile("default", folder, folder)
        extensions = Extensions(platforms=usable(manifests().values()))
        loaded = load_settings(profile, {}, extensions)
        async with running(profile, loaded, {}, only=[stage.name], extensions=extensions, batch=CARD_AFTER) as app:
            async with stage.enter(folder):
                yield Player(stage, host, folder, app)
