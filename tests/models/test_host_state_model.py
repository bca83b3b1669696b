"""The real server of our own: a request that is given up is given up there too, and a question wakes nobody."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path

import httpx
import pytest

from gateway.clock import SystemClock
from gateway.config.schema import Settings
from gateway.models.client import Message, ModelClient, ReadingProgress, Reply, Request, TextDelta
from gateway.models.host_state import REVIEW, HostState, HostWatch
from gateway.models.local import LocalHost
from gateway.models.registry import HostRegistry
from tests.fakes.clock import FakeClock

pytestmark = pytest.mark.model

WITHIN = 8.0
"""Seconds. No figure but an order: read or written to its end, each of these requests takes longer, so a slot that
rests before has stopped. How soon it stops is measured by `python -m tests.bench review`."""
TRIES = 3
BOOK = " ".join(
    f"Guest {number} came from town {number * 7} and stays in room {number * 13}." for number in range(90)
)


class Kitchen:
    """A registry whose one host is the real server, and the watch over it."""

    def __init__(self, weights: Path, folder: Path) -> None:
        clock = SystemClock()
        self.server = LocalHost(weights, folder, clock=clock, name="smollm2-135m", window=4096)
        self.registry = HostRegistry(Settings(), clock, lambda name: self.server)
        self.watch = HostWatch(self.registry, clock)

    @property
    def client(self) -> ModelClient:
        return self.registry.resolve()

    async def at_work(self) -> bool:
        """What the server itself says of its one slot."""
        assert self.server.endpoint is not None
        address, key = self.server.endpoint
        async with httpx.AsyncClient(trust_env=False, headers={"Authorization": f"Bearer {key}"}) as web:
            (slot,) = (await web.get(f"{address}/slots", timeout=30)).json()
        return bool(slot["is_processing"])

    async def given_up(self, request: Request, at: type[ReadingProgress | TextDelta]) -> float | None:
        """Begin a request, give it up at the first sign of that kind, and return the seconds until the slot rests;
        None when the small model was done so soon that there was nothing to give up."""
        seen = asyncio.Event()

        async def follow() -> None:
            async for delta in self.client.stream(request):
                if isinstance(delta, at):
                    assert not isinstance(delta, ReadingProgress) or delta.done < delta.total
                    seen.set()

        following = asyncio.create_task(follow())
        await seen.wait()
        if not await self.at_work():
            await asyncio.wait({following})
            return None
        assert await self.watch.state(self.client) is HostState.BUSY
        began = time.monotonic()
        following.cancel()
        await asyncio.wait({following})
        while await self.at_work():
            await asyncio.sleep(0.01)
        return time.monotonic() - began


@pytest.fixture
async def kitchen(weights: Path, tmp_path: Path) -> AsyncIterator[Kitchen]:
    opened = Kitchen(weights, tmp_path / "profile")
    yield opened
    await opened.watch.close()
    await opened.registry.close()


def _reading(number: int) -> Request:
    """A prompt that takes long to read, and of which nothing is known yet."""
    return Request((Message("user", f"Book {number}. {BOOK}"),), task=REVIEW, session=f"s{number}", max_tokens=8)


def _writing(number: int) -> Request:
    return Request((Message("user", f"Count from {number} to one thousand."),), task=REVIEW, max_tokens=2000)


async def _tries(given_up: Callable[[int], Awaitable[float | None]]) -> list[float]:
    """The seconds of so many tries in which there was something to give up; most are such."""
    took: list[float] = []
    for number in range(2 * TRIES):
        if len(took) < TRIES and (each := await given_up(number)) is not None:
            took.append(each)
    assert len(took) == TRIES
    return took


async def test_given_up_while_it_reads_the_slot_rests_long_before_its_end(kitchen: Kitchen) -> None:
    took = await _tries(lambda number: kitchen.given_up(_reading(number), ReadingProgress))
    assert sorted(took)[len(took) // 2] < WITHIN, took
    assert (await kitchen.watch.look(kitchen.client, fresh=True)).why == "its slots are idle"


async def test_given_up_while_it_writes_the_slot_rests_long_before_its_end(kitchen: Kitchen) -> None:
    took = await _tries(lambda number: kitchen.given_up(_writing(number), TextDelta))
    assert sorted(took)[len(took) // 2] < WITHIN, took
    assert await kitchen.watch.state(kitchen.client) is HostState.IDLE


async def test_a_chat_that_comes_while_a_review_reads_does_not_wait_for_its_end(kitchen: Kitchen) -> None:
    """A review that is told that its host is wanted lets go of it."""
    hello = Request((Message("user", "Hello"),), session="chat", max_tokens=4)

    async def first_word() -> float:
        began = time.monotonic()
        async with aclosing(kitchen.client.stream(hello)) as deltas:
            async for delta in deltas:
                if isinstance(delta, TextDelta | Reply):
                    return time.monotonic() - began
        raise AssertionError("no answer")

    async def reviewing(number: int, reads: asyncio.Event) -> None:
        async for delta in kitchen.client.stream(_reading(number)):
            if isinstance(delta, ReadingProgress):
                reads.set()

    async def yielding(number: int, reads: asyncio.Event) -> None:
        review = asyncio.create_task(reviewing(number, reads))
        await kitchen.watch.wanted(kitchen.client)
        assert not review.done()
        review.cancel()
        await asyncio.wait({review})

    await first_word()  # loads the model
    alone, beside = [], []
    for number in range(TRIES):
        alone.append(await first_word())
        reads = asyncio.Event()
        review = asyncio.create_task(yielding(number, reads))
        await reads.wait()
        beside.append(await first_word())
        await review
    assert sorted(beside)[TRIES // 2] - sorted(alone)[TRIES // 2] < WITHIN, (alone, beside)


SLEEPER = """
import sys
import xllamacpp
p = xllamacpp.CommonParams()
p.model.path = sys.argv[1]
p.hostnames, p.port, p.n_ctx, p.n_parallel = ["127.0.0.1"], 0, 512, 1
p.endpoint_slots = p.endpoint_props = True
p.sleep_idle_seconds = 1
p.verbosity = 0
server = xllamacpp.Server(p)
print(server.listening_address, flush=True)
sys.stdin.readline()
import os
os._exit(0)
"""


async def test_a_real_server_that_sleeps_is_not_woken_by_looking(weights: Path) -> None:
    with subprocess.Popen(
        (sys.executable, "-c", SLEEPER, str(weights)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=dict(os.environ),
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        address = (await asyncio.to_thread(process.stdout.readline)).strip()
        clock = FakeClock()
        registry = HostRegistry(Settings.model_validate({"model": {"base_url": f"{address}/v1"}}), clock, _nobody)
        watch = HostWatch(registry, clock)

        async def sleeps() -> bool:
            async with httpx.AsyncClient(trust_env=False) as web:
                return bool((await web.get(f"{address}/props", timeout=30)).json()["is_sleeping"])

        seen = await watch.look(registry.resolve(), fresh=True)
        assert (seen.state, seen.why) == (HostState.IDLE, "its slots are idle")
        async with asyncio.timeout(30):
            while not await sleeps():
                await asyncio.sleep(0.1)
        for _ in range(5):
            seen = await watch.look(registry.resolve(), fresh=True)
            assert (seen.state, seen.why) == (HostState.IDLE, "its model sleeps")
        assert await sleeps()
        await watch.close()
        await registry.close()
        process.stdin.close()


def _nobody(name: str) -> ModelClient:
    raise AssertionError(f"{name} was asked for")
