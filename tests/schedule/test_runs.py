"""What becomes of runs: quiet success, failures and their notices, patience and its end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from gateway.errors import InnkeeperError, StaleEpoch
from gateway.schedule.maintenance import JobReport, MaintenanceJob
from gateway.schedule.runner import Answer, Halted
from gateway.schedule.scheduler import WAITS_FOR_IDLE, WAITS_FOR_ROOM
from gateway.state.job_records import Job, JobRun
from tests.schedule.house import CHAT, HOME, Course, Desk, at, counted, held

START = at("2026-11-10 06:00")
SEVEN = at("2026-11-10 07:00")
DAY = 86_400.0
HOUR = 3600.0


def failing(*faults: BaseException | None) -> Course:
    """Raises each of these in turn, None for one that goes well; well from then on."""
    coming: Iterator[BaseException | None] = iter(faults)

    async def course(job: Job, run: JobRun) -> Answer:
        fault = next(coming, None)
        if fault is not None:
            raise fault
        return Answer("fine")

    return course


async def test_an_answer_goes_to_its_chat_and_success_is_quiet() -> None:
    desk = Desk(START)
    await desk.add("digest", "daily at 7:00")
    async with desk.open():
        await desk.until(SEVEN)
    (run,) = await desk.history("digest")
    assert (run.state, run.delivery, run.answer, run.tokens) == ("done", "delivered", "fine", 10)
    assert (run.scheduled_at, run.started_at, run.ended_at) == (SEVEN, SEVEN, SEVEN)
    assert await desk.scripted.said() == ["fine"]
    assert desk.owner.notices == []


async def test_what_has_nothing_to_say_says_nothing() -> None:
    async def nothing(job: Job, run: JobRun) -> Answer:
        return Answer("no rain", 7, silent=True)

    desk = Desk(START)
    await desk.add("digest", "daily at 7:00", silent_unless="it rains")
    desk.scripted.courses["digest"] = nothing
    async with desk.open():
        await desk.until(SEVEN)
    (run,) = await desk.history("digest")
    assert (run.state, run.delivery, run.answer, run.tokens) == ("silent", "none", "no rain", 7)
    assert (await desk.scripted.said(), desk.owner.notices) == ([], [])


async def test_an_answer_without_a_chat_goes_home() -> None:
    desk = Desk(START)
    await desk.add("digest", "daily at 7:00", chat_key="")
    async with desk.open():
        await desk.until(SEVEN)
    (run,) = await desk.history("digest")
    assert (run.state, run.delivery, run.answer) == ("done", "delivered", "fine")
    assert [part.text for part in await desk.store.outbox.queued(HOME)] == ["fine"]


async def test_a_run_that_somebody_stopped_is_no_failure() -> None:
    desk = Desk(START)
    await desk.add("digest", "daily at 7:00")
    desk.scripted.courses["digest"] = failing(Halted("somebody stopped it"), None)
    async with desk.open():
        await desk.until(SEVEN + DAY)
    stopped, done = await desk.history("digest")
    assert (stopped.state, stopped.error, done.state) == ("skipped", "somebody stopped it", "done")
    assert desk.owner.notices == []


async def test_failures_are_told_after_the_first_and_the_third() -> None:
    desk = Desk(START)
    await desk.add("digest", "daily at 7:00")
    down = InnkeeperError("the host is down")
    desk.scripted.courses["digest"] = failing(down, down, down, down, None, down)
    heard = []
    async with desk.open():
        for day in range(6):
            await desk.until(SEVEN + day * DAY)
            heard.append(len(desk.owner.heard))
    assert heard == [1, 1, 2, 2, 2, 3], "the count begins anew after a success"
    assert set(desk.owner.heard) == {"digest: failed the host is down"}
    assert [each.source for each in desk.owner.notices] == [
        f"job-notice:{each.run.id}" for each in desk.owner.notices
    ]
    assert await desk.states() == ["failed"] * 4 + ["done", "failed"]


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (ZeroDivisionError("by\nzero"), "ZeroDivisionError: by zero"),
        (StaleEpoch("the session went to another turn"), "the session went to another turn"),
        (asyncio.CancelledError(), "it was cancelled from within"),
        (TimeoutError("x" * 1000), "TimeoutError: " + "x" * 286),
    ],
)
async def test_a_fault_of_any_kind_stops_no_other_job(fault: BaseException, why: str) -> None:
    desk = Desk(START)
    await desk.add("digest", "daily at 7:00")
    await desk.add("other", "daily at 7:00")
    desk.scripted.courses["digest"] = failing(fault)
    async with desk.open():
        await desk.until(SEVEN + DAY)
    first, second = await desk.history("digest")
    assert (first.state, first.error, second.state) == ("failed", why, "done")
    assert await desk.states("other") == ["done", "done"]


async def test_an_empty_answer_is_a_failure() -> None:
    async def empty(job: Job, run: JobRun) -> Answer:
        return Answer(" \n")

    desk = Desk(START)
    await desk.add("digest", "daily at 7:00")
    desk.scripted.courses["digest"] = empty
    async with desk.open():
        await desk.until(SEVEN)
    assert desk.owner.heard == ["digest: failed the model gave no answer"]


async def test_ran_but_was_not_delivered() -> None:
    desk = Desk(START)
    await desk.add("digest", "daily at 7:00")
    desk.scripted.unreachable = ConnectionError("the bot was put out of the chat")
    async with desk.open():
        await desk.until(SEVEN)
        await desk.until(SEVEN + HOUR)
    (run,) = await desk.history("digest")
    assert (run.state, run.delivery, run.answer) == ("done", "failed", "fine")
    assert desk.owner.heard == ["digest: done ConnectionError: the bot was put out of the chat"]


async def test_an_owner_who_cannot_be_told_is_told_later_and_once() -> None:
    desk = Desk(START)
    await desk.add("digest", "daily at 7:00")
    desk.scripted.courses["digest"] = failing(InnkeeperError("no"))
    desk.owner.deaf = True
    async with desk.open():
        await desk.until(SEVEN + 150)
        assert 2 <= len(desk.report.of("job.untold")) <= 4
        desk.owner.deaf = False
        await desk.until(SEVEN + 300)
    async with desk.open():
        assert desk.owner.heard == ["digest: failed no"]


async def test_an_owner_is_told_though_the_clock_was_set_back_meanwhile() -> None:
    desk = Desk(START)
    await desk.add("digest", "daily at 7:00")
    desk.scripted.courses["digest"] = failing(InnkeeperError("no"))
    desk.owner.deaf = True
    async with desk.open():
        await desk.until(SEVEN + 10)
        desk.owner.deaf = False
        desk.clock.set_back(DAY)
        await desk.clock.advance(120)
        assert desk.owner.heard == ["digest: failed no"]


async def test_an_owner_who_sleeps_is_told_in_the_morning() -> None:
    desk = Desk(START)
    await desk.add("digest", "daily at 7:00")
    desk.scripted.courses["digest"] = failing(InnkeeperError("no"))
    desk.owner.sleeps = True
    async with desk.open():
        await desk.until(SEVEN + 150)
        assert (desk.owner.heard, desk.report.of("job.untold")) == ([], [])
        desk.owner.sleeps = False
        await desk.until(SEVEN + 300)
    assert desk.owner.heard == ["digest: failed no"]


async def test_what_takes_too_long_is_stopped() -> None:
    desk = Desk(START)
    await desk.add("digest", "daily at 7:00")
    desk.scripted.courses["digest"] = held(asyncio.Event())
    desk.hangs = True
    async with desk.open():
        await desk.until(SEVEN + HOUR / 2 - 1)
        assert await desk.states() == ["claimed"]
        await desk.until(SEVEN + HOUR / 2 + 31)
    assert desk.owner.heard == ["digest: failed it was stopped after 30 minutes"]


async def test_work_that_will_not_end_is_let_go() -> None:
    async def stubborn(job: Job, run: JobRun) -> Answer:
        while not gate.is_set():
            try:
                await gate.wait()
            except asyncio.CancelledError:
                pass
        raise ValueError("at last")

    gate = asyncio.Event()
    desk = Desk(START)
    await desk.add("digest", "daily at 7:00")
    desk.scripted.courses["digest"] = stubborn
    desk.hangs = True
    async with desk.open():
        await desk.until(SEVEN + HOUR)
        assert await desk.states() == ["failed"]
        assert desk.report.of("job.stuck") == [{"job": "digest"}]
        gate.set()


async def test_who_lost_the_claim_says_nothing() -> None:
    desk = Desk(START)
    gate = asyncio.Event()
    await desk.add("digest", "daily at 7:00")
    desk.scripted.courses["digest"] = held(gate)
    desk.hangs = True
    async with desk.open():
        await desk.until(SEVEN)
        (run,) = await desk.runs.take_back("another", desk.clock.now(), everyone=True)
        assert await desk.runs.claim(run.id, "another", SEVEN + DAY, SEVEN) is not None
        await desk.clock.advance(31)
        assert [each["why"] for each in desk.report.of("job.lost")] == [f"the claim of run {run.id} was lost"]
        gate.set()
        await desk.clock.advance(60)
        assert await desk.scripted.said() == []


async def test_only_so_many_jobs_run_at_a_time() -> None:
    desk = Desk(START)
    gate = asyncio.Event()
    for number in range(4):
        await desk.add(f"job {number}", "daily at 7:00")
        desk.scripted.courses[f"job {number}"] = held(gate)
    desk.hangs = True
    async with desk.open():
        await desk.until(SEVEN)
        assert len(desk.scripted.asked) == 2
        assert list(desk.scheduler.waits().values()) == [WAITS_FOR_ROOM] * 2
        gate.set()
        desk.hangs = False
        await desk.settled()
        assert len(desk.scripted.asked) == 4
        assert desk.scheduler.waits() == {}


async def test_heavy_work_waits_for_a_quiet_house_but_not_for_ever() -> None:
    calls: list[bool] = []
    desk = Desk(START, [counted("backup", "daily at 7:00", calls, heavy=True)])
    desk.idle = False
    async with desk.open():
        await desk.until(SEVEN + HOUR)
        assert list(desk.scheduler.waits().values()) == [WAITS_FOR_IDLE]
        desk.idle = True
        await desk.until(SEVEN + HOUR + 60)
        assert len(calls) == 1
        desk.idle = False
        await desk.until(SEVEN + DAY + 6 * HOUR - 1)
        assert len(calls) == 1
        await desk.until(SEVEN + DAY + 6 * HOUR)
        assert len(calls) == 2
        backup = await desk.book.find("backup")
        assert backup is not None
        await desk.runs.ask(backup.id, "ada", desk.clock.now())
        desk.scheduler.wake()
        await desk.settled()
        assert len(calls) == 3, "who asks does not wait"


async def test_maintenance_says_so_where_it_has_something_to_say() -> None:
    async def run(dry: bool) -> JobReport:
        return JobReport("would remove 3" if dry else "removed 3", {"removed": 3}, tell=True)

    desk = Desk(START, [MaintenanceJob("retention", "daily at 7:00", run, deletes=True)])
    async with desk.open():
        await desk.until(SEVEN)
        retention = await desk.book.find("retention")
        assert retention is not None
        assert retention.origin == "house"
        await desk.runs.ask(retention.id, "ada", desk.clock.now(), dry=True)
        desk.scheduler.wake()
        await desk.settled()
    assert desk.owner.heard == ["retention: done removed 3", "retention: done would remove 3"]
    assert [each.dry for each in await desk.history("retention")] == [False, True]


async def test_work_that_this_program_does_not_know_is_skipped_and_said() -> None:
    desk = Desk(START, [counted("gone", "daily at 7:00", [])])
    async with desk.open():
        pass
    desk.tasks.clear()
    async with desk.open():
        await desk.until(SEVEN)
    (run,) = await desk.history("gone")
    assert (run.state, run.error) == ("skipped", "this Innkeeper does not know how to do it")
    assert len(desk.report.of("job.skipped")) == 1


@pytest.mark.parametrize(
    "spoilt",
    [
        '{"v":9}',
        '{"v":1,"kind":"every","seconds":0,"anchor":"2026-01-01T00:00:00+00:00"}',
        '{"v":1,"kind":"every","seconds":60,"anchor":"2026-01-01T00:00:00"}',
        '{"v":1,"kind":"every","seconds":9999999999999999,"anchor":"2026-01-01T00:00:00+00:00"}',
        '{"v":1,"kind":"once","at":"2026-01-01T00:00:00"}',
        "[" * 100_000,
    ],
)
async def test_a_schedule_that_cannot_be_read_stops_no_other_job(spoilt: str) -> None:
    desk = Desk(START)
    broken = await desk.add("broken", "daily at 7:00")
    await desk.add("digest", "daily at 7:00")
    spoil = "UPDATE jobs SET schedule = ? WHERE id = ?"
    await desk.database.write(lambda db: db.execute(spoil, (spoilt, broken.id)))
    async with desk.open():
        await desk.until(SEVEN + DAY)
    assert await desk.states() == ["done", "done"]
    assert len(desk.report.of("job.unreadable")) == 1
    problems = {each.job.name: each.problem for each in await desk.book.all()}
    assert problems["digest"] == ""
    assert "cannot be read" in problems["broken"]


async def test_answers_of_the_same_moment_go_to_one_chat_each_once() -> None:
    desk = Desk(START)
    for name in ("one", "two", "three"):
        await desk.add(name, "daily at 7:00")
    async with desk.open():
        await desk.until(SEVEN + DAY)
    assert [part.chat for part in await desk.store.outbox.queued(CHAT)] == [CHAT] * 6
