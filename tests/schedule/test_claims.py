"""Holding a run while it is done, and what becomes of it when the database fails meanwhile."""

from __future__ import annotations

import asyncio
from typing import Any

from gateway.schedule.runner import LEASE_SECONDS
from gateway.state.connection import DatabaseFault
from gateway.state.job_records import JobRun
from tests.fakes.clock import settle
from tests.schedule.house import Desk, at, held

START = at("2026-11-10 06:00")
SEVEN = at("2026-11-10 07:00")
FULL = DatabaseFault("the disk is full")


async def test_a_claim_is_held_while_the_job_runs() -> None:
    desk, gate = Desk(START), asyncio.Event()
    await desk.add("digest", "daily at 7:00")
    desk.scripted.courses["digest"] = held(gate)
    desk.hangs = True
    async with desk.open():
        for minute in range(20):
            await desk.until(SEVEN + 60 * minute)
            (run,) = await desk.history("digest")
            assert run.lease_until > desk.clock.now() + LEASE_SECONDS / 2, minute
        gate.set()
        desk.hangs = False
        await desk.settled()
        assert await desk.states() == ["done"]
        assert desk.clock.sleepers == 1, "nothing is held any more; the scheduler sleeps until tomorrow"


async def test_a_database_that_fails_for_a_minute_costs_no_run() -> None:
    desk, gate = Desk(START), asyncio.Event()
    await desk.add("digest", "daily at 7:00")
    desk.scripted.courses["digest"] = held(gate)
    desk.hangs = True
    renew = desk.runs.renew

    async def refused(run: JobRun, lease_until: float) -> bool:
        raise FULL

    async with desk.open():
        await desk.until(SEVEN)
        desk.runs.renew = refused  # type: ignore[method-assign]
        await desk.clock.advance(65)
        desk.runs.renew = renew  # type: ignore[method-assign]
        await desk.clock.advance(100)
        assert len(desk.report.of("job.unrenewed")) == 2
        gate.set()
        desk.hangs = False
        await desk.settled()
    assert await desk.states() == ["done"]


async def test_a_claim_that_cannot_be_renewed_is_given_up_before_somebody_else_takes_it() -> None:
    desk = Desk(START)
    await desk.add("digest", "daily at 7:00")
    desk.scripted.courses["digest"] = held(asyncio.Event())
    desk.hangs = True

    async def refused(run: JobRun, lease_until: float) -> bool:
        raise FULL

    async with desk.open():
        await desk.until(SEVEN)
        desk.runs.renew = refused  # type: ignore[method-assign]
        await desk.clock.advance(LEASE_SECONDS)
        assert len(desk.report.of("job.lost")) == 1


async def test_an_end_that_cannot_be_stored_is_found_again_and_nothing_is_said_twice() -> None:
    desk = Desk(START)
    await desk.add("digest", "daily at 7:00")
    finish = desk.runs.finish

    async def refused(run: JobRun, *rest: Any, **fields: Any) -> JobRun:
        raise FULL

    async with desk.open():
        desk.runs.finish = refused  # type: ignore[method-assign]
        desk.hangs = True
        await desk.until(SEVEN)
        assert len(desk.report.of("job.unfinished")) == 1
        desk.runs.finish = finish  # type: ignore[method-assign]
        await desk.clock.advance(LEASE_SECONDS - 1)
        await settle()
        assert await desk.states() == ["claimed"]
        desk.hangs = False
        await desk.until(SEVEN + LEASE_SECONDS)
    (run,) = await desk.history("digest")
    assert (run.state, run.delivery, run.starts) == ("done", "delivered", 2)
    assert (len(desk.scripted.asked), await desk.scripted.said()) == (1, ["fine"])
