"""What runs beside the engine: a crash is written down, and the work goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gateway.engine.networks.beside import LONGEST_PAUSE, kept
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Notes


class Work:
    """Fails as often as it is told, then works."""

    def __init__(self, faults: int, clock: FakeClock, lasts: float = 0.0) -> None:
        self.faults = faults
        self.begun = 0
        self._clock = clock
        self._lasts = lasts

    async def run(self) -> None:
        self.begun += 1
        await self._clock.sleep(self._lasts)
        if self.begun <= self.faults:
            raise ValueError(f"fault {self.begun}")
        await asyncio.Event().wait()


@asynccontextmanager
async def running(work: Work, notes: Notes, clock: FakeClock) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.ensure_future(kept("cards", work.run, clock, notes))
    await clock.advance(0)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait({task})


async def test_a_crash_is_reported_and_the_work_is_begun_again() -> None:
    clock, notes = FakeClock(), Notes()
    work = Work(2, clock)
    async with running(work, notes, clock):
        assert work.begun == 1
        await clock.advance(1)
        assert work.begun == 2
        await clock.advance(2)
        assert work.begun == 3
        await clock.advance(3600)
        assert work.begun == 3
    assert [each["why"] for each in notes.named("beside.fault")] == ["ValueError: fault 1", "ValueError: fault 2"]
    assert {each["work"] for each in notes.named("beside.fault")} == {"cards"}


async def test_the_pauses_grow_up_to_a_limit_and_begin_anew_after_a_long_run() -> None:
    clock, notes = FakeClock(), Notes()
    async with running(Work(1000, clock), notes, clock):
        await clock.advance(24 * 3600)
    assert len(notes.lines) < 24 * 3600 / LONGEST_PAUSE + 20
    work = Work(1000, clock, lasts=2 * LONGEST_PAUSE)
    async with running(work, notes, clock):
        await clock.advance(20 * (2 * LONGEST_PAUSE + 1) - 1)
        assert work.begun == 20


async def test_work_that_ends_by_itself_has_ended() -> None:
    clock, notes = FakeClock(), Notes()

    async def done() -> None:
        return

    await kept("warm", done, clock, notes)
    assert notes.lines == []
