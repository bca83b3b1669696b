"""The house's own jobs are put into the store before anybody is told of jobs, also where that fails at first."""

from __future__ import annotations

import asyncio
from zoneinfo import ZoneInfo

import pytest

from commands.cron_ports import JobWish
from gateway.schedule.admission import Premises
from gateway.schedule.crontab import Crontab
from gateway.schedule.desk import CronDesk
from gateway.schedule.times import dump
from gateway.state.job_records import JobSpec
from tests.fakes.clock import settle
from tests.schedule.house import Desk, at

START = at("2026-11-10 06:00")
OWN = JobSpec("backup", "maintenance", dump(Crontab.parse("0 3 * * *")), "Europe/Berlin")


async def nothing() -> frozenset[str]:
    return frozenset()


def cron(desk: Desk) -> CronDesk:
    zone = ZoneInfo("Europe/Berlin")
    premises = Premises(lambda: zone, lambda name: "", nothing, frozenset, lambda: "")
    return CronDesk(desk.store, desk.clock, premises)


async def test_who_asks_while_they_are_put_there_waits_for_it() -> None:
    desk, go, begun = Desk(START), asyncio.Event(), []

    async def seed() -> None:
        begun.append(1)
        await go.wait()
        await desk.store.jobs.seed([OWN], START)

    asked = cron(desk)
    asked.seed_by(seed)
    first, second = (asyncio.ensure_future(asked.jobs(None)) for _ in range(2))
    await settle()
    assert not first.done()
    assert not second.done()
    go.set()
    assert [[each.name for each in found] for found in await asyncio.gather(first, second)] == [["backup"]] * 2
    assert begun == [1]


async def test_what_failed_or_was_given_up_is_tried_again() -> None:
    desk, tried = Desk(START), []

    async def seed() -> None:
        tried.append(1)
        if len(tried) == 1:
            raise OSError("no room")
        if len(tried) == 2:
            await asyncio.Event().wait()
        await desk.store.jobs.seed([OWN], START)

    asked = cron(desk)
    asked.seed_by(seed)
    with pytest.raises(OSError, match="no room"):
        await asked.jobs(None)
    left = asyncio.ensure_future(asked.jobs(None))
    await settle()
    left.cancel()
    with pytest.raises(asyncio.CancelledError):
        await left
    assert [each.name for each in await asked.jobs(None)] == ["backup"]
    assert len(await asked.jobs(None)) == 1
    assert len(tried) == 3


async def test_no_name_made_of_a_prompt_is_theirs() -> None:
    desk = Desk(START)

    async def seed() -> None:
        await desk.store.jobs.seed([OWN], START)

    asked = cron(desk)
    asked.seed_by(seed)
    made = await asked.add(JobWish(when="daily at 9:00", prompt="backup"), "ada")
    assert made.name != "backup"
    assert {each.name: each.kind for each in await asked.jobs(None)} == {
        "backup": "maintenance",
        made.name: "prompt",
    }
