"""What jobs are to the rest of the house: notices, quiet hours, heavy work that waits, skills that stay."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from gateway.config.schema import Access
from gateway.config.sections import Gateway
from gateway.engine.jobs.needed_skills import NeededSkills
from gateway.errors import InnkeeperError
from gateway.schedule.maintenance import JobReport, MaintenanceJob
from gateway.state.job_records import Job, JobRun
from platforms.messages import ChatRef
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import guesthouse, settings
from tests.fakes.scripted_model import Script, Turn
from tests.scenarios.clerk import Clerk, clerk

HOMES = Access(owners=("inprocess:ada",), home_chats=("inprocess:c5",))
MINUTE = 60.0


async def moved(clock: FakeClock, seconds: float, step: float = 20.0) -> None:
    """The clock moves on, and everybody has time to do what is due."""
    for _ in range(int(seconds / step)):
        await clock.advance(step)
        await asyncio.sleep(0.005)


async def moved_until(clock: FakeClock, holds: Callable[[], bool], step: float = 20.0) -> None:
    """The clock moves on until something has happened (a real deadline of thirty seconds)."""
    async with asyncio.timeout(30):
        while not holds():
            await moved(clock, step, step)


async def moved_to_its_end(clock: FakeClock, jobs: Clerk, run: JobRun) -> JobRun:
    """The clock moves on until the run has ended."""
    ended = asyncio.ensure_future(jobs.ended(run))
    await moved_until(clock, ended.done)
    return await ended


def task(
    name: str, calls: list[bool], *, heavy: bool = False, tell: bool = False, fails: bool = False
) -> MaintenanceJob:
    async def run(dry: bool) -> JobReport:
        calls.append(dry)
        if fails:
            raise InnkeeperError("the disk is full")
        return JobReport(f"{name} is done", tell=tell)

    return MaintenanceJob(name, "daily at 3:40", run, heavy=heavy)


async def named(jobs: Clerk, name: str) -> Job:
    async with asyncio.timeout(30):
        while (job := await jobs.house.store.jobs.named(name)) is None:
            await asyncio.sleep(0.01)
    return job


async def test_maintenance_that_has_something_to_say_says_it_at_home(tmp_path: Path) -> None:
    calls: list[bool] = []
    tasks = {each.name: each for each in (task("quiet", calls), task("loud", calls, tell=True))}
    rules = settings(access=HOMES)
    async with (
        guesthouse(tmp_path, clock=FakeClock(), with_settings=rules) as house,
        clerk(house, tasks) as jobs,
    ):
        for name in tasks:
            await jobs.run(await named(jobs, name))
        await house.adapter.until_text("loud is done", "c5")
        assert (len(house.adapter.texts("c5")), calls) == (1, [False, False])


async def test_without_a_home_chat_the_owner_hears_of_a_failure_where_they_spoke_last(tmp_path: Path) -> None:
    tasks = {"sweep": task("sweep", [], fails=True)}
    async with guesthouse(tmp_path, ["Hello."], clock=FakeClock()) as house, clerk(house, tasks) as jobs:
        await house.adapter.reply_to("hi", chat="c3")
        await jobs.run(await named(jobs, "sweep"))
        told = await house.adapter.until_text("the disk is full", "c3")
        assert "sweep" in told.text


async def test_a_failure_of_the_night_is_told_in_the_morning(tmp_path: Path) -> None:
    clock = FakeClock()  # 8:00 in UTC
    night = Gateway(timezone="UTC", quiet_hours="22:00-9:00")  # type: ignore[arg-type]
    rules = settings(access=HOMES, gateway=night)
    async with (
        guesthouse(tmp_path, clock=clock, with_settings=rules) as house,
        clerk(house) as jobs,
    ):
        job = await jobs.add("digest", "in 2m", chat_key="telegram:1")
        jobs.wake()
        await moved(clock, 2 * MINUTE)
        async with asyncio.timeout(30):
            while not (runs := await house.store.job_runs.history(9, job.id)):
                await moved(clock, 20)
        run = await jobs.ended(runs[0])
        assert (run.state, run.notice, house.adapter.texts("c5")) == ("failed", "owed", [])
        await moved(clock, 60 * MINUTE, 60)
        await house.adapter.until_text("digest", "c5")
        assert len(house.adapter.texts("c5")) == 1


async def test_heavy_work_waits_for_people_and_for_the_host(tmp_path: Path) -> None:
    clock, gate = FakeClock(), asyncio.Event()
    calls: list[bool] = []
    tasks = {"backup": task("backup", calls, heavy=True)}
    script: Script = [Turn(["Well, ", gate, "hello."])]
    rules = settings(gateway=Gateway(timezone="UTC"))
    async with (
        guesthouse(tmp_path, script, clock=clock, with_settings=rules) as house,
        clerk(house, tasks) as jobs,
    ):
        job = await named(jobs, "backup")
        await house.adapter.say("hi")
        await house.model.arrived(1)
        await house.store.job_runs.due(job, clock.now(), clock.now())
        jobs.wake()
        await moved(clock, 2 * MINUTE)
        assert calls == [], "somebody is talked to"
        jobs.near.idle = False
        gate.set()
        await house.adapter.until_text("hello.")
        await moved(clock, 2 * MINUTE)
        assert calls == [], "the host has work"
        jobs.near.idle = True
        await moved_until(clock, lambda: bool(calls))
        assert calls == [False]


async def test_a_job_that_never_ends_is_stopped_and_its_chat_goes_on(tmp_path: Path) -> None:
    clock, never = FakeClock(), asyncio.Event()
    script: Script = [Turn(["1. ", never]), "Yes."]
    async with guesthouse(tmp_path, script, clock=clock) as house, clerk(house) as jobs:
        run = await jobs.fire(await jobs.add())
        await house.model.arrived(1)
        found = await moved_to_its_end(clock, jobs, run)
        assert (found.state, found.error) == ("failed", "it was stopped after 25 minutes")
        assert await house.adapter.reply_to("hi") == "Yes."


async def test_a_chat_that_is_busy_for_too_long_lets_the_job_fail(tmp_path: Path) -> None:
    clock, gate = FakeClock(), asyncio.Event()
    script: Script = [Turn(["Well, ", gate, "hello."]), "Yes."]
    async with guesthouse(tmp_path, script, clock=clock) as house, clerk(house) as jobs:
        await house.adapter.say("hi")
        await house.model.arrived(1)
        run = await jobs.fire(await jobs.add())
        found = await moved_to_its_end(clock, jobs, run)
        assert (found.state, found.error) == ("failed", "its chat was busy for 25 minutes")
        gate.set()
        await house.adapter.until_text("hello.")
        await house.adapter.say("and now?")
        await house.adapter.until_text("Yes.")
        assert len(house.model.requests) == 2, "nothing of it is left in the line"


async def test_skills_that_jobs_need_are_known_to_who_puts_skills_away(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, clock=FakeClock()) as house, clerk(house) as jobs:
        needed = NeededSkills(house.store.jobs, house.house.clock)
        assert needed("weather"), "on the store's own loop nobody could say"
        job = await jobs.add(skills=("weather",))
        await house.store.jobs.pause(job.id, 2e9, "ada", house.house.clock.now())
        assert await asyncio.to_thread(needed, "weather")
        assert not await asyncio.to_thread(needed, "other")


async def test_a_chat_keeps_its_jobs_when_it_moves(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["1. Rain."], clock=FakeClock()) as house, clerk(house) as jobs:
        job = await jobs.add(chat_key="inprocess:g1")
        await house.engine.move(ChatRef("inprocess", "g1"), ChatRef("inprocess", "g2"))
        assert (await jobs.run(job)).delivery == "delivered"
        assert house.adapter.texts("g2") == ["1. Rain."]
