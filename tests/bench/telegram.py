"""The gateway on Telegram, as a process of its own: latency, load, weight, and the first message after a start.

The real python-telegram-bot and the openai library, over HTTP on loopback, with a Bot API server and a scripted model
host in this process. Moments are taken where these two hand something out or receive it, so the figures hold both
ways of HTTP and the fakes' own share; the processes share the machine's cores.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bench.figures import milliseconds
from tests.bench.inn import Times
from tests.bench.start import rss
from tests.fakes.gateway_process import GatewayProcess
from tests.fakes.loopback_http import Answering
from tests.fakes.openai_server import OpenAIServer, Step
from tests.fakes.telegram import BotApi

Rows = list[tuple[str, str]]

PEOPLE = 1000
FIRST = 10_000
"""The number of the first person."""

ROUNDS, BURST, WEIGHED = 200, 50, 200
PER_SECOND, SECONDS = 40, 60
PATIENCE = 120.0


@dataclass
class Post(Times):
    """Moments by message text; `handed`: the update was given to the bot."""

    handed: dict[str, float] = field(default_factory=dict)

    def from_update(self, keys: list[str]) -> list[float]:
        return [self.asked[key] - self.handed[key] for key in keys]

    def added(self, keys: list[str]) -> list[float]:
        """Written by a person → answer received by the server; the model takes no time."""
        return [self.sent[key] - self.said[key] for key in keys]


class TimedTelegram(BotApi):
    def __init__(self, times: Post) -> None:
        super().__init__()
        self._times = times

    async def _carry_out(self, method: str, given: dict[str, Any]) -> Any:
        now = time.perf_counter()
        if method in ("sendMessage", "editMessageText"):
            self._times.sent.setdefault(str(given["text"]).removeprefix("re: "), now)
        answer = await super()._carry_out(method, given)
        if method == "getUpdates":
            now = time.perf_counter()
            self._times.handed.update({each["message"]["text"]: now for each in answer})
        return answer


class TimedHost(OpenAIServer):
    """Answers `re: TEXT` at once."""

    def __init__(self, times: Post) -> None:
        super().__init__(otherwise=self._answer, window=100_000)
        self._times = times

    def _answer(self, given: dict[str, Any]) -> Step:
        said = _said(given)
        self._times.asked[said] = time.perf_counter()
        return Step(text=f"re: {said}")

    async def _chat(self, step: Step, given: dict[str, Any], answer: Answering) -> None:
        await super()._chat(step, given, answer)
        self._times.answered[_said(given)] = time.perf_counter()


def _said(given: dict[str, Any]) -> str:
    """The last line that the person wrote: notes stand above it."""
    return str(given["messages"][-1]["content"].rpartition("\n")[2])


class Street:
    """The two servers, the gateway's process, and everybody who writes to it."""

    def __init__(self, folder: Path) -> None:
        self.times = Post()
        self.server = TimedTelegram(self.times)
        self.host = TimedHost(self.times)
        self._folder = folder

    def furnish(self) -> None:
        people = [FIRST + number for number in range(PEOPLE)]
        telegram = {"token": self.server.token, "base_url": self.server.root, "allowed_users": people}
        config = {
            "model": {"provider": "openai", "model": "m", "base_url": self.host.base_url, "api_key": "k"},
            "platforms": {"telegram": telegram},
            "auxiliary": {"background_review": {"enabled": False}},
            "sessions": {"boundary_hint": "off"},
        }
        self.gateway = GatewayProcess(self._folder, config, entry_points={}, environment={"HOME": str(self._folder)})

    def says(self, person: int, text: str) -> str:
        self.times.said[text] = time.perf_counter()
        self.server.user(FIRST + person).says(text)
        return text

    async def answered(self, keys: list[str]) -> None:
        """Wait until these messages were answered."""
        await self.server.until(lambda: all(key in self.times.sent for key in reversed(keys)), PATIENCE)

    def cpu(self) -> float:
        return processor_seconds(self.gateway.pid)


def processor_seconds(pid: int) -> float:
    """The processor time that a process took so far."""
    words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def _street() -> AsyncIterator[Street]:
    # The working folder, since a folder for temporary files may lie in memory, where fsync costs nothing.
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        street = Street(Path(folder))
        async with street.server, street.host:
            street.furnish()
            try:
                yield street
            finally:
                await street.gateway.discard()


async def rows() -> Rows:
    out: Rows = []
    async with _street() as street:
        for part in (_first, _one_by_one, _burst, _weight, _stream):
            out += [(f"Telegram over HTTP fakes: {what}", figure) for what, figure in await part(street)]
        assert await street.gateway.terminate() == 0, street.gateway.said()
    return out


async def _first(street: Street) -> Rows:
    """A message that waits while the gateway starts."""
    street.server.user(FIRST)
    key = street.says(0, "the first message")
    await street.gateway.start()
    await street.answered([key])
    since, model = street.times.added([key])[0], street.times.from_update([key])[0]
    return [("first message after a start: process start → answer", f"{since:.2f} s (update → model {model:.2f} s)")]


async def _one_by_one(street: Street) -> Rows:
    await asyncio.sleep(2)  # the warm-up after the start
    for person in range(10):
        await street.answered([street.says(person, f"good day {person}")])
    keys, spent = [], street.cpu()
    for number in range(ROUNDS):
        keys.append(street.says(number % 10, f"message {number}"))
        await street.answered(keys[-1:])
        await asyncio.sleep(0.02)
    spent = street.cpu() - spent
    times = street.times
    return [
        ("update handed out → request at the model host", milliseconds(times.from_update(keys))),
        (
            "answer complete → sendMessage at the server",
            milliseconds([times.sent[key] - times.answered[key] for key in keys]),
        ),
        ("processor time of the gateway a turn", f"{1e3 * spent / len(keys):.1f} ms"),
    ]


async def _burst(street: Street) -> Rows:
    """Fifty chats at once, with sessions and without."""
    out = []
    for name in ("new chats", "the same chats again"):
        began = time.perf_counter()
        keys = [street.says(20 + person, f"{name} {person}") for person in range(BURST)]
        await street.answered(keys)
        took = max(street.times.sent[key] for key in keys) - began
        figure = f"all answered after {1e3 * took:.0f} ms ({BURST / took:.0f} a second)"
        out.append(
            (f"{BURST} {name} at once", f"{figure}; update → model {milliseconds(street.times.from_update(keys))}")
        )
    return out


async def _weight(street: Street) -> Rows:
    keys = []
    for person in range(WEIGHED):
        keys.append(street.says(person, f"weighed {person}"))
        await street.answered(keys[-1:])
    return [(f"memory of the gateway after {WEIGHED} chats", f"{rss(street.gateway.pid):.0f} MB")]


async def _stream(street: Street) -> Rows:
    """So many messages a second, whatever becomes of them."""
    times, keys = street.times, []
    began, spent = time.perf_counter(), street.cpu()
    for number in range(PER_SECOND * SECONDS):
        await asyncio.sleep(max(0.0, began + number / PER_SECOND - time.perf_counter()))
        keys.append(street.says(number % PEOPLE, f"in the stream {number}"))
    await street.answered(keys)
    share = (street.cpu() - spent) / (time.perf_counter() - began)
    what = f"{PEOPLE} chats, {PER_SECOND} messages a second, {SECONDS} s"
    answered = sum(key in times.sent for key in keys)
    return [
        (f"{what}: added in all", milliseconds(times.added(keys))),
        (f"{what}: answered", f"{answered} of {len(keys)}"),
        (f"{what}: one core's share, memory", f"{100 * share:.0f} %, {rss(street.gateway.pid):.0f} MB"),
    ]
