"""Rounds of network faults over a platform, whatever it is: people go on writing, and every reply arrives once or is
reported as uncertain; the platform hears again, and nobody calls it up while it is deaf.

Owns the rounds and the judgement. How a network is broken, and what its people see, each `Network` knows itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from gateway.clock import SystemClock
from gateway.config.schema import Settings
from gateway.engine.networks.supervisor import PlatformState
from gateway.models.client import Request
from gateway.state.records import Part
from platforms.adapter import Adapter
from tests.fakes.guesthouse import Guesthouse, guesthouse
from tests.fakes.scripted_model import ScriptedModel, Turn

PATIENCE = 30.0
"""Real seconds after which a round is given up."""

LOOK = 0.01
"""Seconds between two looks at what the house says of its platform."""

STALLED = 0.05
"""Seconds from which on two looks are too far apart for the machine to have been at work on us."""

SLACK = 0.3
"""Seconds by which a busy machine may be late in noticing that nothing is heard."""

_NAME = re.compile(r"#(\d+)\b")
_LINE = re.compile(r"\((\d+)\.(\d+)\)")


class Network(Protocol):
    """A chat network on loopback with one person in one chat, and the real adapter that speaks to it."""

    @property
    def adapter(self) -> Adapter: ...

    @property
    def settings(self) -> Settings:
        """They let the person talk."""

    @property
    def faults(self) -> Sequence[str]:
        """What can go wrong, by name."""

    @property
    def deaf_faults(self) -> Sequence[str]:
        """Those of them during which nothing at all reaches the bot, until `heal`."""

    def says(self, text: str) -> None:
        """The person writes. What cannot be delivered now waits with the network."""

    def seen(self) -> list[str]:
        """The bot's messages as the chat reads now, oldest first."""

    async def fault(self, name: str, chance: random.Random) -> None:
        """From now on this goes wrong: for a few calls, or until `heal`."""

    async def heal(self) -> None:
        """Everything works again."""


class Hurried(SystemClock):
    """The engine's rests are a twentieth as long; what it reads from the clock is real."""

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds / 20)


def answer(name: str, lines: int) -> str:
    """A reply of which every line can be told from every other."""
    return "\n".join(f"({name}.{number}) The answer goes on, line by line." for number in range(lines))


def model(chance: random.Random) -> ScriptedModel:
    """Answers what it was asked last, in pieces, some of them at length."""

    def replies(request: Request) -> Turn:
        asked = [each.content for each in request.messages if each.role == "user"]
        name = _NAME.findall(asked[-1])[-1]
        text = answer(name, chance.choice([1, 4, 30, 250]))
        pieces: list[str | asyncio.Event] = []
        step = max(1, len(text) // 4)
        for start in range(0, len(text), step):
            pieces += [text[start : start + step], _soon(0.04)]
        return Turn(pieces)

    return ScriptedModel(replies)


def _soon(seconds: float) -> asyncio.Event:
    event = asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, event.set)
    return event


@dataclass
class Storm:
    """One house in bad weather. `faults` fills with whatever is not as it should be."""

    house: Guesthouse
    network: Network
    chance: random.Random
    said: int = 0
    doubts: int = 0
    rounds: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slowest: float = 0.0
    _deaf_since: float | None = None
    _deck: list[str] = field(default_factory=list)

    async def round(self) -> None:
        """One to three faults, people who write before, during and after them, and a calm end."""
        names = [self._draw() for _ in range(self.chance.randint(1, 3))]
        if self.chance.random() < 0.5:
            self.say()
            await asyncio.sleep(self.chance.uniform(0, 0.1))
        for name in names:
            self.rounds[name] += 1
            await self.network.fault(name, self.chance)
            if name in self.network.deaf_faults and self._deaf_since is None:
                self._deaf_since = time.monotonic()
            self.say()
            await asyncio.sleep(self.chance.uniform(0, 0.1))
        lasts = self.chance.uniform(0.2, 0.5)
        if self._deaf_since is not None:
            lasts += self.network.adapter.capabilities.pulse + SLACK
        await asyncio.sleep(lasts)
        self._deaf_since = None
        await self.network.heal()
        self.say()
        await self._heard_again()
        await self.settled(f"after {', '.join(names)}")

    async def _heard_again(self) -> None:
        """It is up again, and what was just said arrives. How long that took at most is printed."""
        began = time.monotonic()
        with contextlib.suppress(TimeoutError):  # `settled` tells what is wrong
            async with asyncio.timeout(PATIENCE):
                while not (self._state.up and await self._stored() == self.said):
                    await asyncio.sleep(0.02)
        self.slowest = max(self.slowest, time.monotonic() - began)

    def _draw(self) -> str:
        """The next fault; every one comes before any comes again."""
        if not self._deck:
            self._deck = self.chance.sample(list(self.network.faults), len(self.network.faults))
        return self._deck.pop()

    def say(self) -> None:
        self.said += 1
        self.network.says(f"What about #{self.said}?")

    async def settled(self, when: str) -> None:
        """Everything that was said is answered, everything that can be sent is sent, and the platform is up."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not await self._quiet():
                    await asyncio.sleep(0.02)
        except TimeoutError:
            states = Counter(part.state for part in await self.parts())
            self.faults.append(
                f"{when}: not at rest; {await self._open()} events open, parts {states}, {self._state}"
            )
            raise

    async def watch(self) -> None:
        """While nothing reaches the bot, nobody says that it hears. A time in which this process got no turn from the
        machine does not count: nobody in it could notice anything."""
        limit = self.network.adapter.capabilities.pulse + SLACK
        last, deaf = time.monotonic(), 0.0
        while True:
            await asyncio.sleep(LOOK)
            passed, last, state = time.monotonic() - last, time.monotonic(), self._state
            deaf = 0.0 if self._deaf_since is None else deaf + min(passed, STALLED)
            if deaf > limit and (state.up or state.words.startswith(("listening", "connected"))):
                self.faults.append(f"deaf, and called {state.words!r}")
                self._deaf_since = None

    async def judge(self) -> None:
        """Each line of each reply stands there once; where not, the person was told."""
        shown = Counter(match.groups() for text in self.network.seen() for match in _LINE.finditer(text))
        parts = await self.parts()
        answered = {match[1] for part in parts for match in _LINE.finditer(part.text)}
        self.faults += [f"#{name} has no reply" for name in map(str, range(1, self.said + 1)) if name not in answered]
        told = {part.source for part in parts if part.source.startswith("doubt:") and part.state != "refused"}
        for part in parts:
            if not part.source.startswith("turn:") or not part.text:
                continue
            twice = f"doubt:{part.source}:{part.part}" in told
            unsure = part.state == "uncertain"
            self.doubts += twice or unsure
            if unsure and f"doubt:{part.source}" not in told:
                self.faults.append(f"{part.source}/{part.part} is uncertain, and nobody was told")
            if part.state not in ("sent", "uncertain"):
                self.faults.append(f"{part.source}/{part.part} is {part.state}")
            for line in {match.groups() for match in _LINE.finditer(part.text)}:
                least, most = (0 if unsure else 1), (2 if twice else 1)
                if not least <= shown[line] <= most:
                    self.faults.append(f"{part.source}/{part.part}: line {line} stands there {shown[line]} times")

    async def parts(self) -> list[Part]:
        """Every part of the outbox."""
        rows = await self._column("SELECT DISTINCT source FROM outbox")
        return [part for source in rows for part in await self.house.store.outbox.of_source(str(source))]

    async def _quiet(self) -> bool:
        waiting = "SELECT count(*) FROM outbox WHERE state IN ('queued', 'sending', 'preview')"
        sent = not (await self._column(waiting))[0]
        return bool(sent and self._state.up and await self._stored() == self.said and not await self._open())

    @property
    def _state(self) -> PlatformState:
        return self.house.engine.platforms[self.network.adapter.name]

    async def _stored(self) -> int:
        return int(str((await self._column("SELECT count(*) FROM inbox"))[0]))

    async def _open(self) -> int:
        query = "SELECT count(*) FROM inbox WHERE state IN ('new', 'held', 'taken')"
        return int(str((await self._column(query))[0]))

    async def _column(self, query: str) -> list[object]:
        return await self.house.store.database.read(lambda db: [row[0] for row in db.execute(query)])


@asynccontextmanager
async def storm(folder: Path, network: Network, seed: int) -> AsyncIterator[Storm]:
    """A house whose platform this is; judged at the end."""
    chance, script = random.Random(seed), model(random.Random(seed + 1))
    opened = guesthouse(folder, script, clock=Hurried(), more=[network.adapter], with_settings=network.settings)
    async with opened as house:
        weather = Storm(house, network, chance)
        watch = asyncio.ensure_future(weather.watch())
        try:
            yield weather
        finally:
            watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watch
        await weather.judge()


async def rounds(folder: Path, network: Network, seed: int, count: int, say: Callable[[str], None]) -> None:
    """So many rounds; fails with everything that was wrong in any of them."""
    async with storm(folder, network, seed) as weather:
        for _ in range(count):
            await weather.round()
    said = f"{weather.said} messages, {weather.doubts} parts in doubt, heard again after {weather.slowest:.1f} s"
    say(f"{count} rounds of faults on {network.adapter.name}, seed {seed}: {said} at most; {dict(weather.rounds)}")
    assert not weather.faults, "\n".join([f"seed {seed}", *weather.faults])
