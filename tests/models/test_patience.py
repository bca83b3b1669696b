"""A slow host is waited for, a dead one is not; the person hears something meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from gateway.models.client import Delta, ReadingProgress, Reply, TextDelta, Waiting
from gateway.models.contract import asked
from gateway.models.errors import FirstTokenLate, HostDown, ModelError, StreamBroken
from gateway.models.openai_compatible import OpenAICompatible
from gateway.models.patience import Patience
from gateway.models.retrying import Retrying
from tests.fakes.clock import FakeClock
from tests.fakes.openai_server import OpenAIServer, Step


class Guest:
    """Somebody who reads an answer to its end, or to its error."""

    def __init__(self, client: OpenAICompatible | Retrying) -> None:
        self.heard: list[Delta] = []
        self.error: ModelError | None = None
        self.task = asyncio.create_task(self._read(client))

    async def _read(self, client: OpenAICompatible | Retrying) -> None:
        try:
            async for delta in client.stream(asked()):
                self.heard.append(delta)
        except ModelError as error:
            self.error = error

    @property
    def waits(self) -> list[str]:
        return [delta.reason for delta in self.heard if isinstance(delta, Waiting)]

    @property
    def progress(self) -> list[ReadingProgress]:
        return [delta for delta in self.heard if isinstance(delta, ReadingProgress)]

    @property
    def text(self) -> str:
        return "".join(delta.text for delta in self.heard if isinstance(delta, TextDelta))

    async def gone(self) -> None:
        await until(self.task.done)

    @property
    def reply(self) -> Reply:
        reply = self.heard[-1]
        assert isinstance(reply, Reply)
        return reply


async def until(true: Callable[[], bool]) -> None:
    """Real sockets need real time: the clock stands still until what must come next has come (in thirty seconds)."""
    async with asyncio.timeout(30):
        while not true():
            await asyncio.sleep(0.002)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def server(clock: FakeClock) -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer(clock=clock) as host:
        yield host


@pytest.fixture
async def client(server: OpenAIServer, clock: FakeClock) -> AsyncIterator[OpenAICompatible]:
    made = OpenAICompatible("inn", "fake-model", server.base_url, None, clock=clock)
    yield made
    await made.close()


async def test_four_minutes_of_silence_then_the_answer(
    server: OpenAIServer, client: OpenAICompatible, clock: FakeClock
) -> None:
    server.script.append(Step(text="Here I am.", silence=240))
    guest = Guest(client)
    await until(lambda: clock.sleepers == 2)  # the host's pretended reading, and the client's patience
    await clock.advance(239)
    assert guest.waits == ["still reading"] * 15
    await clock.advance(1)
    await guest.gone()
    assert guest.reply.text == "Here I am."
    assert len(server.chats) == 1


async def test_a_connection_lost_after_ten_minutes_is_tried_again_after_a_pause(
    server: OpenAIServer, client: OpenAICompatible, clock: FakeClock
) -> None:
    server.script += [Step(silence=599, reset_after=0), Step(text="Now.")]
    guest = Guest(Retrying(client, clock))
    await until(lambda: clock.sleepers == 2)
    await clock.advance(599)
    await until(lambda: "inn does not answer; trying again in 2 s" in guest.waits)
    await clock.advance(1)
    assert len(server.chats) == 1  # never at once
    await clock.advance(1)
    await guest.gone()
    assert guest.reply.text == "Now."
    assert server.most_active == 1


async def loading_until(guest: Guest, clock: FakeClock, end: Callable[[], bool]) -> None:
    """Let time pass in steps, each until the guest has heard of the next attempt."""
    await until(lambda: len(guest.waits) == 1)
    while not end():
        heard = len(guest.waits)
        await clock.advance(15)
        await until(lambda: guest.task.done() or len(guest.waits) > heard)  # noqa: B023  # awaited at once


async def test_ninety_seconds_of_loading(server: OpenAIServer, client: OpenAICompatible, clock: FakeClock) -> None:
    server.loading = "status"
    guest = Guest(Retrying(client, clock))
    await loading_until(guest, clock, lambda: clock.monotonic() >= 90)
    server.loading = ""
    await clock.advance(15)
    await guest.gone()
    assert guest.reply.text == "You said: Hello?"
    assert set(guest.waits) == {"loading model"}
    assert server.most_active == 1


async def test_a_host_that_loads_for_ever_is_given_up(
    server: OpenAIServer, client: OpenAICompatible, clock: FakeClock
) -> None:
    server.loading = "error"
    guest = Guest(Retrying(client, clock))
    await loading_until(guest, clock, guest.task.done)
    assert "loading" in str(guest.error)
    assert 600 <= clock.monotonic() <= 630


async def test_patience_for_the_first_token_ends(
    server: OpenAIServer, client: OpenAICompatible, clock: FakeClock
) -> None:
    server.script.append(Step(silence=10_000))
    guest = Guest(Retrying(client, clock))
    await until(lambda: clock.sleepers == 2)
    await clock.advance(1799)  # the host is on this machine
    assert not guest.task.done()
    await clock.advance(1)
    await guest.gone()
    assert isinstance(guest.error, FirstTokenLate)
    await until(lambda: server.active == 0)
    assert server.chats[0].abandoned
    assert len(server.chats) == 1


def test_elsewhere_patience_is_shorter() -> None:
    assert Patience.standard(local=True).first_token == 1800
    assert Patience.standard(local=False).first_token == 300


async def test_reading_progress_is_a_sign_of_life(server: OpenAIServer, clock: FakeClock) -> None:
    patience = Patience(first_token=100)
    client = OpenAICompatible("inn", "fake-model", server.base_url, None, clock=clock, patience=patience)
    server.script.append(Step(text="Read.", silence=60, progress=[(number, 10) for number in range(1, 11)]))
    guest = Guest(client)
    for number in range(1, 11):
        await until(lambda: clock.sleepers == 2)
        await clock.advance(60)
        await until(lambda: len(guest.progress) == number)  # noqa: B023  # awaited at once
    await guest.gone()
    assert guest.reply.text == "Read."
    assert guest.progress[-1] == ReadingProgress(10, 10)
    await client.close()


async def test_a_host_that_falls_silent_in_the_middle_is_given_up_sooner(
    server: OpenAIServer, client: OpenAICompatible, clock: FakeClock
) -> None:
    server.script.append(Step(pieces=["Once upon a time"], hang_after=1))
    guest = Guest(Retrying(client, clock))
    await until(lambda: guest.text == "Once upon a time")
    await clock.advance(119)
    assert not guest.task.done()
    assert set(guest.waits) == {"still waiting for more"}
    await clock.advance(1)
    await guest.gone()
    assert isinstance(guest.error, StreamBroken)
    assert "120 seconds" in str(guest.error)
    await until(lambda: server.active == 0)
    assert len(server.chats) == 1  # the person has seen a part: not again


async def test_slow_tokens_are_no_silence(server: OpenAIServer, client: OpenAICompatible, clock: FakeClock) -> None:
    server.script.append(Step(pieces=["one ", "two ", "three"], delay=100))
    guest = Guest(client)
    for seen in ("one ", "one two ", "one two three"):
        await until(lambda: clock.sleepers == 2)
        await clock.advance(100)
        await until(lambda: guest.text == seen)  # noqa: B023  # awaited at once
    await guest.gone()
    assert guest.reply.text == "one two three"


async def test_a_stop_while_the_host_reads_reaches_the_host(server: OpenAIServer, client: OpenAICompatible) -> None:
    server.script.append(Step(silence=10_000))
    guest = Guest(client)
    chat = await server.arrived(1, "/chat/completions")
    guest.task.cancel()
    await asyncio.wait({guest.task})
    await asyncio.wait_for(chat.done.wait(), 30)
    assert chat.abandoned


async def test_three_tries_and_no_more(server: OpenAIServer, client: OpenAICompatible, clock: FakeClock) -> None:
    server.script += [Step(reset_after=0)] * 9
    guest = Guest(Retrying(client, clock))
    for tries, pause in ((1, 2), (2, 8)):
        await until(lambda: len(guest.waits) == tries)  # noqa: B023  # awaited at once
        assert len(server.chats) == tries
        await clock.advance(pause)
    await guest.gone()
    assert isinstance(guest.error, HostDown)
    assert len(server.chats) == 3
