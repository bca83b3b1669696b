"""The mailbox alone: one piece of work at a time, in order, and none between a boundary's two ends."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from gateway.engine.turns.mailbox import Mailbox, Running
from tests.fakes.clock import FakeClock, settle


class Desk:
    """A mailbox of words, each of which is worked on until its gate opens."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}
        self.tasks: list[asyncio.Task[None]] = []
        self.box: Mailbox[str] = Mailbox("key", self._work, self.clock, self._spawn)

    def _spawn(self, step: Coroutine[Any, Any, None]) -> None:
        self.tasks.append(asyncio.ensure_future(step))

    async def _work(self, running: Running[str], box: Mailbox[str]) -> None:
        self.begun.append(running.work)
        gate = self.gates.setdefault(running.work, asyncio.Event())
        try:
            await gate.wait()
            self.ended.append(running.work)
        except asyncio.CancelledError:
            if running.work.startswith("deaf"):
                await self.clock.sleep(60)
            raise

    def open(self, word: str) -> None:
        self.gates.setdefault(word, asyncio.Event()).set()

    async def close(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


async def test_one_after_the_other() -> None:
    desk = Desk()
    for word in "abc":
        desk.box.put(word)
    await settle()
    assert desk.begun == ["a"]
    for word in "abc":
        desk.open(word)
        await settle()
    assert desk.ended == ["a", "b", "c"]
    assert desk.box.idle
    desk.box.put("d")
    desk.open("d")
    await settle()
    assert desk.ended[-1] == "d"


async def test_what_is_put_first_is_next() -> None:
    desk = Desk()
    desk.box.put("a")
    await settle()
    desk.box.put("b")
    desk.box.put("c", first=True)
    desk.open("a")
    await settle()
    assert desk.begun == ["a", "c"]
    await desk.close()


async def test_steered_work_that_nobody_took_goes_first() -> None:
    desk = Desk()
    desk.box.put("a")
    await settle()
    assert desk.box.running is not None
    desk.box.running.steered.extend(["b", "c"])
    desk.box.put("d")
    for word in "abcd":
        desk.open(word)
    await settle()
    await settle()
    assert desk.ended == ["a", "b", "c", "d"]


async def test_nothing_begins_inside_a_boundary() -> None:
    desk = Desk()
    with desk.box.between():
        desk.box.put("a")
        await settle()
        with desk.box.between():
            await settle()
        await settle()
        assert desk.begun == []
    await settle()
    assert desk.begun == ["a"]
    await desk.close()


async def test_a_boundary_that_follows_at_once() -> None:
    """Between the end of one and the beginning of the next nothing slips through."""
    desk = Desk()
    with desk.box.between():
        desk.box.put("a")
        await settle()
    with desk.box.between():
        await settle()
        assert desk.begun == []
    await settle()
    assert desk.begun == ["a"]
    await desk.close()


async def test_a_frozen_mailbox_stays_frozen_after_a_boundary() -> None:
    desk = Desk()
    with desk.box.between():
        desk.box.freeze()
    desk.box.put("a")
    await settle()
    assert desk.begun == []
    await desk.close()


async def test_halting_cancels_once_and_waits() -> None:
    desk = Desk()
    desk.box.put("a")
    await settle()
    first, second = await asyncio.gather(desk.box.halt("stop"), desk.box.halt("new"))
    assert first is second
    assert first is not None
    assert first.halted == "stop"
    assert first.task is not None
    assert first.task.cancelled()
    assert await desk.box.halt("stop") is None


async def test_work_that_will_not_end_is_let_go_when_it_is_released() -> None:
    desk = Desk()
    desk.box.put("deaf")
    desk.box.put("b")
    await settle()
    halting = asyncio.ensure_future(desk.box.halt("new"))
    await desk.clock.advance(2)
    halted = await halting
    assert halted is not None
    assert halted.task is not None
    assert not halted.task.done()
    await settle()
    assert desk.begun == ["deaf"]
    halted.released.set()
    await settle()
    assert desk.begun == ["deaf", "b"]
    await desk.clock.advance(60)
    await desk.close()


async def test_arrival() -> None:
    desk = Desk()
    desk.box.put("a")
    await settle()
    waiting = asyncio.ensure_future(desk.box.arrival(2))
    await desk.clock.advance(2)
    assert await waiting is False
    waiting = asyncio.ensure_future(desk.box.arrival(2))
    await settle()
    desk.box.put("b")
    assert await waiting is True
    assert await desk.box.arrival(2) is True
    await desk.close()
