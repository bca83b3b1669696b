"""What a process that was away finds: one catch-up a job, and runs that it, or another, had begun."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from gateway.schedule.runner import LEASE_SECONDS, Answer
from gateway.state.job_records import Job, JobRun
from tests.fakes.clock import settle
from tests.schedule.house import Desk, at, counted


async def hang(job: Job, run: JobRun) -> Answer:
    await asyncio.Event().wait()
    raise AssertionError("it was to hang")


async def killed(desk: Desk, moment: float) -> None:
    """A process that is killed at a moment: nothing of it is given back."""
    running = desk.boot()
    desk.hangs = True
    await desk.settled()
    await desk.until(moment)
    release, desk.runs.release = desk.runs.release, lambda run, at: asyncio.sleep(0)  # type: ignore[method-assign,assignment]
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    desk.runs.release = release  # type: ignore[method-assign]
    desk.hangs = False


async def test_down_from_0250_to_0800_each_missed_job_is_caught_up_once() -> None:
    calls: list[bool] = []
    desk = Desk(at("2026-11-10 02:00"), [counted("backup", "daily at 3:00", calls)])
    await desk.add("hourly", "hourly")
    await desk.add("minutely", "every minute on the clock")
    await desk.add("digest", "daily at 7:30")
    await desk.add("later", "daily at 9:00")
    await desk.add("once", "on 2026-11-10 at 4:44")
    async with desk.open():
        await desk.until(at("2026-11-10 02:50"))
    assert (calls, {name for name, _, _ in desk.scripted.asked}) == ([], {"minutely"})
    desk.scripted.asked.clear()
    await desk.clock.advance(at("2026-11-10 08:00:30") - desk.clock.now())
    async with desk.open():
        assert calls == [False]
        assert sorted(desk.scripted.asked) == [
            ("digest", at("2026-11-10 07:30"), at("2026-11-10 08:00:30")),
            ("hourly", at("2026-11-10 08:00"), at("2026-11-10 08:00:30")),
            ("minutely", at("2026-11-10 08:00"), at("2026-11-10 08:00:30")),
            ("once", at("2026-11-10 04:44"), at("2026-11-10 08:00:30")),
        ]
        assert sorted(str(each["job"]) for each in desk.report.of("job.missed")) == ["backup", "digest", "once"]
        await desk.until(at("2026-11-10 09:00"))
    assert [name for name, _, _ in desk.scripted.asked].count("later") == 1
    assert [name for name, _, _ in desk.scripted.asked].count("hourly") == 2


async def test_a_start_for_the_first_time_catches_nothing_up() -> None:
    calls: list[bool] = []
    desk = Desk(at("2026-11-10 08:00"), [counted("backup", "daily at 3:00", calls)])
    async with desk.open():
        assert calls == []
        await desk.until(at("2026-11-11 03:00"))
        assert calls == [False]


async def test_killed_in_the_middle_it_runs_once_more_and_is_delivered_once() -> None:
    desk = Desk(at("2026-11-10 06:59"))
    await desk.add("digest", "daily at 7:00")
    desk.scripted.courses["digest"] = hang
    await killed(desk, at("2026-11-10 07:01"))
    (run,) = await desk.history("digest")
    assert (run.state, run.starts) == ("claimed", 1)
    desk.scripted.courses.clear()
    async with desk.open():
        assert await desk.scripted.said() == ["fine"]
        (run,) = await desk.history("digest")
        assert (run.state, run.delivery, run.starts, run.notice) == ("done", "delivered", 2, "")
        await desk.until(at("2026-11-10 23:00"))
        assert len(desk.scripted.asked) == 2


async def test_killed_between_the_parts_and_their_acknowledgement_nothing_is_said_twice() -> None:
    desk = Desk(at("2026-11-10 06:59"))
    await desk.add("digest", "daily at 7:00")
    deliver = desk.scripted.deliver

    async def stored_and_stuck(job: Job, run: JobRun) -> None:
        await deliver(job, run)
        await asyncio.Event().wait()

    desk.scripted.deliver = stored_and_stuck  # type: ignore[method-assign]
    await killed(desk, at("2026-11-10 07:01"))
    assert (await desk.history("digest"))[0].delivery == "owed"
    desk.scripted.deliver = deliver  # type: ignore[method-assign]
    async with desk.open():
        assert await desk.scripted.said() == ["fine"]
    assert len(desk.scripted.asked) == 1, "the model is not asked again"
    assert (await desk.history("digest"))[0].delivery == "delivered"


async def test_a_job_that_kills_the_process_is_not_begun_a_third_time() -> None:
    desk = Desk(at("2026-11-10 06:59"))
    await desk.add("digest", "daily at 7:00")
    desk.scripted.courses["digest"] = hang
    await killed(desk, at("2026-11-10 07:01"))
    await killed(desk, at("2026-11-10 07:02"))
    async with desk.open():
        assert desk.owner.heard == ["digest: failed the process ended while it ran"]
    assert len(desk.scripted.asked) == 2


async def test_an_orderly_end_costs_no_start() -> None:
    desk = Desk(at("2026-11-10 06:59"))
    await desk.add("digest", "daily at 7:00")
    desk.scripted.courses["digest"] = hang
    desk.hangs = True
    for minute in ("07:00", "07:05", "07:10"):
        async with desk.open():
            await desk.until(at(f"2026-11-10 {minute}"))
    (run,) = await desk.history("digest")
    assert (run.state, run.starts) == ("waiting", 0)
    desk.scripted.courses.clear()
    async with desk.open():
        assert await desk.scripted.said() == ["fine"]


async def test_a_claim_of_somebody_else_is_taken_when_it_runs_out() -> None:
    desk = Desk(at("2026-11-10 06:59"))
    job = await desk.add("digest", "daily at 7:00")
    async with desk.open():
        now = desk.clock.now()
        noted = await desk.runs.due(job, now, now)
        assert noted is not None
        await desk.runs.claim(noted.id, "99999-dead", now + LEASE_SECONDS, now)
        desk.scheduler.wake()
        await settle()
        await desk.clock.advance(LEASE_SECONDS - 1)
        assert desk.scripted.asked == []
        await desk.clock.advance(2)
        await desk.settled()
        # Its own moment came meanwhile; it waited for this one.
        assert [scheduled for _, scheduled, _ in desk.scripted.asked] == [now, at("2026-11-10 07:00")]
        assert [each["run"] for each in desk.report.of("job.claim_ran_out")] == [noted.id]


@pytest.mark.parametrize("hours", [-2, 30 * 24])
async def test_a_clock_that_was_wrong_for_a_while_stops_no_job(hours: int) -> None:
    """Set back, or set right after it showed a month ahead."""
    desk = Desk(at("2026-11-10 06:00"))
    job = await desk.add("digest", "daily at 7:00")
    wrong = desk.clock.now() + hours * 3600
    await desk.runs.due(job, wrong, wrong)
    noted = (await desk.runs.standing()).runs[0]
    await desk.runs.skip(noted.id, "a wrong clock", wrong)
    async with desk.open():
        await desk.until(at("2026-11-10 07:00"))
    assert [began for _, _, began in desk.scripted.asked] == [at("2026-11-10 07:00")]


async def test_a_moment_runs_once_however_often_the_clock_shows_it() -> None:
    desk = Desk(at("2026-11-10 06:59"))
    job = await desk.add("digest", "daily at 7:00")
    async with desk.open():
        await desk.until(at("2026-11-10 07:00"))
    stored = await desk.store.jobs.get(job.id)
    assert stored is not None
    early = at("2026-11-10 06:00")
    await desk.database.write(lambda db: db.execute("UPDATE jobs SET considered_at = ?", (early,)))
    async with desk.open():
        await desk.until(at("2026-11-10 08:00"))
    assert len(desk.scripted.asked) == 1
    assert replace(stored, considered_at=0) == replace((await desk.store.jobs.all())[0], considered_at=0)
