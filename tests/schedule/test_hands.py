"""People's hands on a schedule: pause, run now, edit and remove, also while a job runs."""

from __future__ import annotations

import asyncio

from gateway.errors import InnkeeperError
from gateway.schedule.jobs import Wish
from gateway.schedule.maintenance import JobReport, MaintenanceJob
from gateway.state.job_records import BY_HAND
from tests.fakes.clock import settle
from tests.schedule.house import Desk, at, counted, held

START = at("2026-11-10 06:00")
SEVEN = at("2026-11-10 07:00")
DAY = 86_400.0
HOUR = 3600.0


async def test_pause_until_a_date() -> None:
    desk = Desk(START)
    job = await desk.add("digest", "daily at 7:00")
    async with desk.open():
        await desk.until(SEVEN)
        planned = await desk.book.pause(job, "ada", "2026-11-13")
        assert planned is not None
        assert str(planned.next_runs[0]) == "2026-11-13 07:00:00+01:00"
        desk.scheduler.wake()
        await desk.until(SEVEN + 3 * DAY)
    days = [(each.scheduled_at - SEVEN) / DAY for each in await desk.history("digest")]
    assert days == [0, 3], "nothing is caught up for the days between"


async def test_a_pause_ends_with_a_run_at_that_very_moment() -> None:
    desk = Desk(START)
    job = await desk.add("digest", "daily at 0:00")
    await desk.book.pause(job, "ada", "2026-11-13")
    async with desk.open():
        await desk.until(at("2026-11-13 00:00"))
    assert [each.scheduled_at for each in await desk.history("digest")] == [at("2026-11-13 00:00")]


async def test_paused_until_resumed() -> None:
    desk = Desk(START)
    job = await desk.add("digest", "daily at 7:00")
    paused = await desk.book.pause(job, "ada")
    assert paused is not None
    assert paused.next_runs == ()
    async with desk.open():
        await desk.until(SEVEN + 3 * DAY + HOUR)
        assert desk.clockwork.moment is None
        resumed = await desk.book.resume(paused.job, "ada")
        assert resumed is not None
        assert len(resumed.next_runs) == 3
        desk.scheduler.wake()
        await desk.until(SEVEN + 4 * DAY)
    assert [(each.scheduled_at - SEVEN) / DAY for each in await desk.history("digest")] == [4]


async def test_run_now_does_not_shift_the_schedule() -> None:
    desk = Desk(START)
    job = await desk.add("every", "every 2h")
    async with desk.open():
        await desk.until(START + HOUR)
        asked = await desk.runs.ask(job.id, "ada", desk.clock.now())
        assert asked is not None
        desk.scheduler.wake()
        await desk.settled()
        done = await desk.runs.get(asked.id)
        assert done is not None
        assert (done.state, done.cause, done.who) == ("done", "person", "ada")
        await desk.until(START + 4 * HOUR)
    by_schedule = [each.scheduled_at for each in await desk.history("every") if each.cause == "schedule"]
    assert by_schedule == [START + 2 * HOUR, START + 4 * HOUR]
    assert desk.scripted.asked[0][2] == START + HOUR


async def test_never_two_of_a_job_at_a_time() -> None:
    desk = Desk(START)
    gate = asyncio.Event()
    job = await desk.add("slow", "every 5 minutes on the clock")
    desk.scripted.courses["slow"] = held(gate)
    desk.hangs = True
    async with desk.open():
        await desk.until(START + 5 * 60)
        await desk.runs.ask(job.id, "ada", desk.clock.now())
        for minute in range(6, 22):
            await desk.clock.advance(60)
            desk.scheduler.wake()
            assert len(desk.scripted.asked) == 1, minute
        gate.set()
        desk.hangs = False
        await desk.settled()
        ran = [(each.cause, each.scheduled_at - START, each.coalesced) for each in await desk.history("slow")]
    assert ran == [("schedule", 300, 0), ("person", 300, 0), ("schedule", 1200, 2)]
    assert await desk.scripted.said() == ["late"] * 3


async def test_an_edit_in_full_flight() -> None:
    desk = Desk(START)
    gate = asyncio.Event()
    job = await desk.add("digest", "daily at 7:00")
    desk.scripted.courses["digest"] = held(gate)
    desk.hangs = True
    async with desk.open():
        await desk.until(SEVEN)
        edited = await desk.book.edit(job, Wish(when="daily at 8:00", prompt="less"), "ada")
        assert edited is not None
        assert edited.when == "daily at 8:00"
        gate.set()
        desk.hangs = False
        desk.scheduler.wake()
        await desk.settled()
        await desk.until(SEVEN + DAY + HOUR)
    assert [each.scheduled_at for each in await desk.history("digest")] == [
        *(SEVEN, SEVEN + HOUR, SEVEN + DAY + HOUR),
    ]
    (edit,) = await desk.store.jobs.edits(job.id)
    assert (edit.who, edit.what, edit.before) == ("ada", "edited", job.spec)


async def test_a_job_that_is_removed_while_it_runs_ends_well_and_is_not_delivered() -> None:
    desk = Desk(START)
    gate = asyncio.Event()
    job = await desk.add("digest", "daily at 7:00")
    desk.scripted.courses["digest"] = held(gate)
    desk.hangs = True
    async with desk.open():
        await desk.until(SEVEN)
        await desk.store.jobs.remove(job.id, "ada", desk.clock.now())
        gate.set()
        desk.hangs = False
        await desk.settled()
        await desk.until(SEVEN + 2 * DAY)
    (run,) = await desk.runs.history(9, job.id)
    assert (run.state, run.delivery, run.answer) == ("done", "withheld", "late")
    assert (await desk.scripted.said(), desk.owner.notices, await desk.book.all()) == ([], [], [])


async def test_by_hand_where_no_scheduler_runs() -> None:
    calls: list[bool] = []

    async def broken(dry: bool) -> JobReport:
        raise InnkeeperError("no room on the disk")

    desk = Desk(
        START, [counted("retention", "daily at 7:00", calls), MaintenanceJob("backup", "daily at 7:00", broken)]
    )
    async with desk.open():
        pass
    jobs = {each.job.name: each.job for each in await desk.book.all()}
    runner = desk.runner()
    done = await runner.by_hand(jobs["retention"], "ada", dry=True)
    assert done is not None
    assert (done.state, done.answer, done.dry, calls) == ("silent", "retention done", True, [True])
    failed = await runner.by_hand(jobs["backup"], "ada")
    assert failed is not None
    assert (failed.state, failed.error, failed.notice) == ("failed", "no room on the disk", "told")
    noted = await desk.runs.due(jobs["retention"], SEVEN, SEVEN)
    assert noted is not None
    await desk.runs.claim(noted.id, "another", SEVEN + DAY, SEVEN)
    assert await runner.by_hand(jobs["retention"], "ada") is None
    desk.tasks.clear()
    assert await desk.runner().by_hand(jobs["backup"], "ada") is None
    assert len(calls) == 1


async def test_a_gateway_that_starts_meanwhile_does_not_do_once_more_what_is_done_by_hand() -> None:
    gate, begun = asyncio.Event(), 0

    async def slow(dry: bool) -> JobReport:
        nonlocal begun
        begun += 1
        await gate.wait()
        return JobReport("copied")

    desk = Desk(START, [MaintenanceJob("backup", "daily at 7:00", slow)])
    async with desk.open():
        pass
    (planned,) = await desk.book.all()
    by_hand = asyncio.ensure_future(desk.runner().by_hand(planned.job, "ada"))
    await settle()
    starting = desk.boot()
    try:
        await desk.clock.advance(600)  # longer than a claim holds without a sign of life
        assert begun == 1
        gate.set()
        done = await by_hand
        assert done is not None
        assert (done.state, done.answer, begun) == ("silent", "copied", 1)
    finally:
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)


async def test_what_somebody_began_by_hand_and_died_in_is_done_once_its_claim_has_run_out() -> None:
    calls: list[bool] = []
    desk = Desk(START, [counted("backup", "daily at 7:00", calls)])
    async with desk.open():
        pass
    (planned,) = await desk.book.all()
    asked = await desk.runs.ask(planned.job.id, "ada", START)
    assert asked is not None
    await desk.runs.claim(asked.id, f"{BY_HAND} ada", START + 120, START)
    desk.hangs = True
    async with desk.open():
        assert calls == []
        await desk.until(START + 180)
        assert calls == [False]


async def test_a_default_that_names_no_time_stops_no_other_job() -> None:
    calls: list[bool] = []
    desk = Desk(START, [counted("odd", "whenever", []), counted("retention", "daily at 7:00", calls)])
    async with desk.open():
        await desk.until(SEVEN)
    assert calls == [False]
    assert [each["job"] for each in desk.report.of("job.unreadable")] == ["odd"]
