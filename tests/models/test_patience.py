"""A slow host is waited for, a dead one is not; the person hears something meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from gateway.models.client import Delta, ReadingProgress, Reply, Waiting
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
    def reply(self) -> Reply:
        reply = self.heard[-1]
        assert isinstance(reply, Reply)
        return reply


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
    await server.arrived(1, "/chat/completions")
    await clock.advance_until(guest.task, step=15)
    assert guest.reply.text == "Here I am."
    assert 14 <= guest.waits.count("still reading") <= 17
    assert len(server.chats) == 1


async def test_a_connection_lost_after_ten_minutes_is_tried_again_after_a_pause(
    server: OpenAIServer, client: OpenAICompatible, clock: FakeClock
) -> None:
    server.script += [Step(silence=599, reset_after=0), Step(text="Now.")]
    guest = Guest(Retrying(client, clock))
    first = await server.arrived(1, "/chat/completions")
    await clock.advance(599)
    await asyncio.wait_for(first.done.wait(), 5)
    await asyncio.sleep(0.05)
    assert len(server.chats) == 1  # never at once
    await clock.advance_until(guest.task)
    assert guest.reply.text == "Now."
    assert "inn does not answer; trying again in 2 s" in guest.waits
    assert server.most_active == 1


async def test_ninety_seconds_of_loading(server: OpenAIServer, client: OpenAICompatible, clock: FakeClock) -> None:
    server.loading = "status"
    guest = Guest(Retrying(client, clock))
    await server.arrived(1, "/chat/completions")
    await clock.advance(90)
    server.loading = ""
    await clock.advance_until(guest.task, step=5)
    assert guest.reply.text == "You said: Hello?"
    assert set(guest.waits) == {"loading model"}
    assert server.most_active == 1


async def test_a_host_that_loads_for_ever_is_given_up(
    server: OpenAIServer, client: OpenAICompatible, clock: FakeClock
) -> None:
    server.loading = "error"
    guest = Guest(Retrying(client, clock))
    await clock.advance_until(guest.task, step=15, limit=900)
    assert "loading" in str(guest.error)
    assert 600 <= clock.monotonic() <= 640


async def test_patience_for_the_first_token_ends(
    server: OpenAIServer, client: OpenAICompatible, clock: FakeClock
) -> None:
    server.script.append(Step(silence=10_000))
    guest = Guest(Retrying(client, clock))
    chat = await server.arrived(1, "/chat/completions")
    await clock.advance_until(guest.task, step=15)
    assert isinstance(guest.error, FirstTokenLate)
    assert 1795 <= clock.monotonic() <= 1830  # the host is on this machine
    await asyncio.wait_for(chat.done.wait(), 5)
    assert chat.abandoned
    assert len(server.chats) == 1


async def test_elsewhere_patience_is_shorter() -> None:
    assert Patience.standard(local=True).first_token == 1800
    assert Patience.standard(local=False).first_token == 300


async def test_reading_progress_is_a_sign_of_life(server: OpenAIServer, clock: FakeClock) -> None:
    patience = Patience(first_token=100)
    client = OpenAICompatible("inn", "fake-model", server.base_url, None, clock=clock, patience=patience)
    server.script.append(Step(text="Read.", silence=60, progress=[(number, 10) for number in range(1, 11)]))
    guest = Guest(client)
    await server.arrived(1, "/chat/completions")
    await clock.advance_until(guest.task, step=10)
    assert guest.reply.text == "Read."
    assert [delta for delta in guest.heard if isinstance(delta, ReadingProgress)][-1] == ReadingProgress(10, 10)
    await client.close()


async def test_a_host_that_falls_silent_in_the_middle_is_given_up_sooner(
    server: OpenAIServer, client: OpenAICompatible, clock: FakeClock
) -> None:
    server.script.append(Step(pieces=["Once upon a time"], hang_after=1))
    guest = Guest(Retrying(client, clock))
    chat = await server.arrived(1, "/chat/completions")
    await clock.advance_until(guest.task, step=15)
    assert isinstance(guest.error, StreamBroken)
    assert "120 seconds" in str(guest.error)
    assert "still waiting for more" in guest.waits
    await asyncio.wait_for(chat.done.wait(), 5)
    assert len(server.chats) == 1  # the person has seen a part: not again


async def test_slow_tokens_are_no_silence(server: OpenAIServer, client: OpenAICompatible, clock: FakeClock) -> None:
    server.script.append(Step(pieces=["one ", "two ", "three"], delay=100))
    guest = Guest(client)
    await server.arrived(1, "/chat/completions")
    await clock.advance_until(guest.task, step=10)
    assert guest.reply.text == "one two three"


async def test_a_stop_while_the_host_reads_reaches_the_host(server: OpenAIServer, client: OpenAICompatible) -> None:
    server.script.append(Step(silence=10_000))
    guest = Guest(client)
    chat = await server.arrived(1, "/chat/completions")
    guest.task.cancel()
    await asyncio.wait({guest.task})
    await asyncio.wait_for(chat.done.wait(), 5)
    assert chat.abandoned


async def test_three_tries_and_no_more(server: OpenAIServer, client: OpenAICompatible, clock: FakeClock) -> None:
    server.script += [Step(reset_after=0)] * 9
    guest = Guest(Retrying(client, clock))
    await clock.advance_until(guest.task)
    assert isinstance(guest.error, HostDown)
    assert len(server.chats) == 3
    assert clock.monotonic() >= 10
