"""The quarters alone: what a provider raises there, or blocks in, ends neither its caller nor the process."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gateway.clock import SystemClock
from gateway.providers.quarters import HANDS, Late, Quarters
from tests.fakes.clock import FakeClock
from tests.providers.waiting import until

ROOT = Path(__file__).parents[2]

STUCK_IN_A_THREAD = """
import asyncio, time
from gateway.clock import SystemClock
from gateway.providers.quarters import Late, Quarters

async def hang():
    await asyncio.to_thread(time.sleep, 3600)

async def main():
    quarters = Quarters("stubborn", SystemClock())
    try:
        await quarters.call(hang, 0.1)
    except Late:
        print("late")
    await quarters.close()

asyncio.run(main())
"""


class Panic(BaseException):
    """As libraries with a native part raise it."""


def hands() -> int:
    return sum(each.name == "provider-busy-hand" for each in threading.enumerate())


async def test_what_is_no_exception_is_a_fault_all_the_same() -> None:
    quarters = Quarters("odd", FakeClock())

    async def panic() -> None:
        raise Panic("index out of bounds")

    with pytest.raises(RuntimeError, match="Panic: index out of bounds"):
        await quarters.call(panic, 5)
    assert not quarters.stuck
    assert await quarters.close()


async def test_an_exit_in_the_background_ends_no_thread(capfd: pytest.CaptureFixture[str]) -> None:
    quarters = Quarters("odd", FakeClock())
    left: list[asyncio.Task[None]] = []

    async def leave() -> None:
        raise SystemExit(3)

    async def begin() -> str:
        left.append(asyncio.create_task(leave()))
        await asyncio.wait(left)
        return str(left[0].exception())

    assert await quarters.call(begin, 5) == "3"
    assert await quarters.call(lambda: asyncio.sleep(0, "well"), 5) == "well"
    assert await quarters.close()


def test_one_that_blocks_in_a_thread_keeps_no_process_from_ending() -> None:
    done = subprocess.run(
        [sys.executable, "-c", STUCK_IN_A_THREAD], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "late\n"


async def test_its_threads_are_bounded_used_again_and_gone_in_the_end() -> None:
    clock, gate, begun = FakeClock(), threading.Event(), list[None]()
    quarters = Quarters("busy", clock)

    async def block() -> None:
        begun.append(None)
        await asyncio.to_thread(gate.wait)

    for number in range(HANDS + 3):
        calling = asyncio.ensure_future(quarters.call(block, 1))
        await until(lambda want=number + 1: len(begun) == want)  # type: ignore[misc]
        await clock.advance(1)
        with pytest.raises(Late):
            await calling
    assert hands() == HANDS
    gate.set()
    for number in range(20):
        assert await quarters.call(lambda number=number: asyncio.to_thread(str, number), 5) == str(number)  # type: ignore[misc]
    assert hands() == HANDS
    with pytest.raises(ZeroDivisionError):
        await quarters.call(lambda: asyncio.to_thread(lambda: 1 // 0), 5)
    assert await quarters.close()
    await until(lambda: not any(each.name.startswith("provider-busy") for each in threading.enumerate()))


async def test_a_thousand_calls_that_are_late_leave_nothing_behind() -> None:
    quarters = Quarters("slow", SystemClock())

    async def hang() -> None:
        await asyncio.Event().wait()

    late = await asyncio.gather(*(quarters.call(hang, 0.05) for _ in range(1000)), return_exceptions=True)
    assert all(isinstance(each, Late) for each in late)
    assert await quarters.call(lambda: asyncio.sleep(0, "well"), 60) == "well"
    await until(lambda: not quarters.stuck)
    assert await quarters.close()
