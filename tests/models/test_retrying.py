"""When a host is asked again, and when it is not."""

from __future__ import annotations

import asyncio

import pytest

from gateway.models.client import ReadingProgress, Waiting
from gateway.models.contract import asked, heard, raised
from gateway.models.errors import (
    ContextTooLong,
    FirstTokenLate,
    HostBusy,
    HostDown,
    HostLoading,
    KeyRefused,
    ModelError,
    ModelMissing,
    QuotaExhausted,
    RequestRefused,
    StreamBroken,
)
from gateway.models.retrying import Retrying
from tests.fakes.clock import FakeClock
from tests.fakes.scripted_model import ScriptedModel, Turn


async def test_a_stumble_is_forgiven() -> None:
    clock = FakeClock()
    model = ScriptedModel([HostDown("x"), HostBusy("x"), "Good evening."])
    answer = asyncio.create_task(heard(Retrying(model, clock)))
    await clock.advance_until(answer)
    assert answer.result()[0] == "Good evening."
    assert clock.monotonic() >= 2 + 8


async def test_the_pause_is_the_hosts_own_when_it_names_one() -> None:
    clock = FakeClock()
    model = ScriptedModel([HostBusy("x", retry_after=30), "Here."])
    answer = asyncio.create_task(heard(Retrying(model, clock)))
    await model.arrived(1)
    await clock.advance(29)
    assert len(model.requests) == 1
    await clock.advance(2)
    assert (await answer)[0] == "Here."


async def test_a_host_that_wants_an_hour_is_given_up_for_now() -> None:
    model = ScriptedModel([HostBusy("x", retry_after=3600)])
    _, error = await raised(Retrying(model, FakeClock()))
    assert isinstance(error, HostBusy)


@pytest.mark.parametrize(
    "error",
    [KeyRefused, QuotaExhausted, ModelMissing, RequestRefused, ContextTooLong, FirstTokenLate],
)
async def test_what_a_pause_does_not_mend_is_not_tried_again(error: type[ModelError]) -> None:
    model = ScriptedModel([error("x")])
    _, raised_error = await raised(Retrying(model, FakeClock()))
    assert type(raised_error) is error
    assert len(model.requests) == 1


@pytest.mark.parametrize("error", [HostDown("x"), HostBusy("x"), HostLoading("x"), StreamBroken("x")])
async def test_nothing_is_tried_again_once_a_word_was_shown(error: ModelError) -> None:
    model = ScriptedModel([Turn("Half a ", error=error)])
    seen, raised_error = await raised(Retrying(model, FakeClock()))
    assert (seen, raised_error) == ("Half a ", error)
    assert len(model.requests) == 1


async def test_an_answer_of_which_nothing_was_seen_may_break_and_be_tried_again() -> None:
    clock = FakeClock()
    model = ScriptedModel([Turn("<think>hm", before=[ReadingProgress(1, 2)], error=StreamBroken("x")), "Whole."])
    answer = asyncio.create_task(heard(Retrying(model, clock)))
    await clock.advance_until(answer)
    assert answer.result()[0] == "Whole."
    assert model.most_active == 1


async def test_loading_is_waited_for_with_growing_pauses() -> None:
    clock = FakeClock()
    model = ScriptedModel([*[HostLoading("x")] * 6, "Awake."])
    moments: list[float] = []

    async def read() -> None:
        async for delta in Retrying(model, clock).stream(asked()):
            if isinstance(delta, Waiting):
                assert delta.reason == "loading model"
                moments.append(clock.monotonic())

    reading = asyncio.create_task(read())
    await clock.advance_until(reading, step=0.5)
    assert moments == [0, 1, 3, 7, 15, 30]


async def test_leaving_during_a_pause_asks_nobody_again() -> None:
    clock = FakeClock()
    model = ScriptedModel([HostDown("x"), "never"])
    stream = Retrying(model, clock).stream(asked())
    assert isinstance(await anext(stream), Waiting)
    await stream.aclose()
    await clock.advance(60)
    assert len(model.requests) == 1
