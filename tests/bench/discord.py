"""The gateway on Discord, as a process of its own: latency, load, weight; and how soon it is ready on two networks.

The real discord.py and the openai library, over HTTP and a websocket on loopback, with a Discord server and a
scripted model host in this process. Moments are taken where these two hand something out or receive it, so the
figures hold both ways of the network and the fakes' own share; the processes share the machine's cores.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.bench.figures import milliseconds, percentile
from tests.bench.start import rss
from tests.bench.telegram import PATIENCE, Post, Rows, TimedHost, TimedTelegram, processor_seconds
from tests.fakes.discord import DiscordServer
from tests.fakes.discord.calls import Call, Reply
from tests.fakes.gateway_process import GatewayProcess

PEOPLE = 1000
FIRST = 222333444555600000
"""The number of the first person."""

ROUNDS = 200
PER_SECOND, SECONDS = 40, 60
STARTS = 3
WARM = 3.0
"""Seconds after which the warm-up that follows a start is over."""


class TimedDiscord(DiscordServer):
    def __init__(self, times: Post) -> None:
        super().__init__()
        self._times = times
        self.watchers.append(self._watch)

    async def _carry_out(self, call: Call) -> Reply:
        if call.operation in ("create_message", "edit_message"):
            self._times.sent.setdefault(str(call.json["content"]).removeprefix("re: "), time.perf_counter())
        return await super()._carry_out(call)

    def _watch(self, name: str, about: Any) -> None:
        if name == "MESSAGE_CREATE" and int(about["author"]["id"]) != self.world.bot.id:
            self._times.handed[about["content"]] = time.perf_counter()


class Street:
    """The servers, the gateway's process, and everybody who writes to it on Discord."""

    def __init__(self, folder: Path) -> None:
        self.times = Post()
        self.discord = TimedDiscord(self.times)
        self.telegram = TimedTelegram(self.times)
        self.host = TimedHost(self.times)
        self._folder = folder

    def furnish(self, *, both: bool) -> None:
        people = [str(FIRST + number) for number in range(PEOPLE)]
        where = {"api_url": self.discord.api_url, "gateway_url": self.discord.gateway_url}
        platforms: dict[str, Any] = {"discord": {"token": self.discord.token, "allowed_users": people} | where}
        if both:
            server = self.telegram
            platforms["telegram"] = {"token": server.token, "base_url": server.root, "allowed_users": [1]}
        config = {
            "model": {"provider": "openai", "model": "m", "base_url": self.host.base_url, "api_key": "k"},
            "platforms": platforms,
            "auxiliary": {"background_review": {"enabled": False}},
            "sessions": {"boundary_hint": "off"},
        }
        self.gateway = GatewayProcess(self._folder, config, entry_points={}, environment={"HOME": str(self._folder)})

    def says(self, person: int, text: str) -> str:
        self.times.said[text] = time.perf_counter()
        self.discord.user(FIRST + person).says(text)
        return text

    async def answered(self, keys: list[str]) -> None:
        """Wait until these messages were answered."""
        await self.discord.until(lambda: all(key in self.times.sent for key in reversed(keys)), PATIENCE)

    def heard_twice(self) -> bool:
        """Whether the gateway listens to both networks."""
        return bool(self.discord.gateway.connected) and bool(self.telegram.called("getUpdates"))

    def cpu(self) -> float:
        return processor_seconds(self.gateway.pid)


@asynccontextmanager
async def _street(*, both: bool) -> AsyncIterator[Street]:
    # The working folder, since a folder for temporary files may lie in memory, where fsync costs nothing.
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        street = Street(Path(folder))
        async with street.discord, street.telegram, street.host:
            street.furnish(both=both)
            try:
                yield street
            finally:
                await street.gateway.discard()


async def rows() -> Rows:
    out = await _ready()
    async with _street(both=False) as street:
        await street.gateway.start()
        await street.discord.until_connected(PATIENCE)
        for part in (_one_by_one, _stream):
            out += [(f"Discord over HTTP and websocket fakes: {what}", figure) for what, figure in await part(street)]
        assert await street.gateway.terminate() == 0, street.gateway.said()
    return out


async def _ready() -> Rows:
    """Until both networks are heard; and what the process weighs then."""
    seconds, spent, first, warm = [], [], [], []
    for _ in range(STARTS):
        async with _street(both=True) as street:
            began = time.perf_counter()
            await street.gateway.start()
            await street.discord.until(street.heard_twice, PATIENCE)
            seconds.append(time.perf_counter() - began)
            spent.append(street.cpu())
            first.append(rss(street.gateway.pid))
            await asyncio.sleep(WARM)
            warm.append(rss(street.gateway.pid))
            assert await street.gateway.terminate() == 0, street.gateway.said()
    what = f"gateway ready with Telegram and Discord, median of {STARTS}"
    weight = f"{percentile(first, 0.5):.0f} MB, after the warm-up {percentile(warm, 0.5):.0f} MB"
    soon = f"{percentile(seconds, 0.5):.2f} s (processor time {percentile(spent, 0.5):.2f} s)"
    return [(f"{what}: process start → both listen", soon), (f"{what}: memory", weight)]


async def _one_by_one(street: Street) -> Rows:
    await asyncio.sleep(WARM)
    for person in range(10):
        await street.answered([street.says(person, f"good day {person}")])
    keys, spent = [], street.cpu()
    for number in range(ROUNDS):
        keys.append(street.says(number % 10, f"message {number}"))
        await street.answered(keys[-1:])
        await asyncio.sleep(0.02)
    spent = street.cpu() - spent
    times = street.times
    answers = milliseconds([times.sent[key] - times.answered[key] for key in keys])
    return [
        ("event sent out → request at the model host", milliseconds(times.from_update(keys))),
        ("answer complete → message at the server", answers),
        ("processor time of the gateway a turn", f"{1e3 * spent / len(keys):.1f} ms"),
    ]


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
