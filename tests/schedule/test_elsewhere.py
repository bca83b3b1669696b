"""Orders of another process of the profile, such as the shell's, are heard soon; without any nothing happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gateway.schedule.elsewhere import LOOK, Elsewhere
from tests.schedule.house import Desk, at

START = at("2026-11-10 06:00")


@asynccontextmanager
async def hearing(desk: Desk) -> AsyncIterator[list[float]]:
    """A gateway that listens; when it was woken."""
    woken: list[float] = []

    def wake() -> None:
        woken.append(desk.clock.now())
        desk.scheduler.wake()

    async with desk.open():
        listening = asyncio.ensure_future(Elsewhere(desk.runs, desk.clock, wake).run())
        await desk.clock.advance(LOOK)
        await desk.settled()
        woken.clear()
        try:
            yield woken
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)


async def test_a_run_that_the_shell_asks_for_begins_at_the_next_look() -> None:
    desk = Desk(START)
    job = await desk.add("digest", "daily at 7:00")
    async with hearing(desk):
        assert await desk.runs.ask(job.id, "shell", desk.clock.now()) is not None
        await desk.clock.advance(LOOK)
        await desk.settled()
        (run,) = await desk.history("digest")
        assert (run.state, run.cause, run.started_at) == ("done", "person", START + 2 * LOOK)


async def test_a_job_that_the_shell_makes_runs_at_its_time() -> None:
    desk = Desk(START)
    async with hearing(desk):
        await desk.add("soon", "in 60 seconds")
        await desk.clock.advance(LOOK)
        await desk.settled()
        assert desk.clockwork.moment == START + LOOK + 60
        job = await desk.book.find("soon")
        assert job is not None
        await desk.book.pause(job, "shell")
        await desk.clock.advance(LOOK)
        await desk.settled()
        assert desk.clockwork.moment is None


async def test_where_nothing_is_asked_nobody_is_woken() -> None:
    desk = Desk(START)
    await desk.add("digest", "daily at 7:00")
    async with hearing(desk) as woken:
        for _ in range(5):
            await desk.clock.advance(LOOK)
        assert woken == []
