"""Waking up by the machine's own clock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from gateway.schedule.clockwork import ApsClockwork
from tests.schedule.house import Lines


class Bell:
    def __init__(self) -> None:
        self.rings = 0
        self.rang = asyncio.Event()

    def __call__(self) -> None:
        self.rings += 1
        self.rang.set()


@pytest.fixture
async def clockwork() -> AsyncIterator[ApsClockwork]:
    clockwork = ApsClockwork(Lines())
    yield clockwork
    await clockwork.stop()


async def test_it_wakes_at_the_moment_and_not_before(clockwork: ApsClockwork) -> None:
    bell = Bell()
    clockwork.start(bell)
    moment = time.time() + 0.15
    clockwork.wake_at(moment)
    await bell.rang.wait()
    assert time.time() >= moment
    assert bell.rings == 1


async def test_another_moment_takes_the_place_of_the_first(clockwork: ApsClockwork) -> None:
    bell = Bell()
    clockwork.start(bell)
    clockwork.wake_at(time.time() + 3600)
    clockwork.wake_at(time.time() + 0.05)
    await bell.rang.wait()
    clockwork.wake_at(time.time() + 0.05)
    clockwork.wake_at(None)
    clockwork.wake_at(None)
    await asyncio.sleep(0.15)
    assert bell.rings == 1


async def test_a_loop_that_was_blocked_at_the_moment_wakes_late_and_once(clockwork: ApsClockwork) -> None:
    bell = Bell()
    clockwork.start(bell)
    clockwork.wake_at(time.time() + 0.05)
    time.sleep(1.3)  # longer than the second that APScheduler forgives by itself
    await bell.rang.wait()
    assert bell.rings == 1


async def test_a_moment_that_is_past_is_now(clockwork: ApsClockwork) -> None:
    bell = Bell()
    clockwork.start(bell)
    clockwork.wake_at(time.time() - 5 * 3600)
    await bell.rang.wait()
    assert bell.rings == 1


async def test_a_fault_in_what_is_called_is_reported_and_survived() -> None:
    lines, bell = Lines(), Bell()
    clockwork = ApsClockwork(lines)

    def wake() -> None:
        bell()
        if bell.rings == 1:
            raise ValueError("not now")

    clockwork.start(wake)
    clockwork.wake_at(time.time())
    await bell.rang.wait()
    while not lines.lines:
        await asyncio.sleep(0.01)
    assert [each["why"] for each in lines.of("clockwork.missed")] == ["not now"]
    bell.rang.clear()
    clockwork.wake_at(time.time())
    await bell.rang.wait()
    await clockwork.stop()
    await clockwork.stop()


async def test_an_end_before_any_beginning(clockwork: ApsClockwork) -> None:
    await clockwork.stop()
