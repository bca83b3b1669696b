"""A clock that moves through 2026: jobs in three zones, through the store and the scheduler, at their local times."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tests.schedule.house import Desk, at
from tests.schedule.test_year import BERLIN, LORD_HOWE, NEW_YORK, ROWS, Row, expected

SEVERAL = [
    row
    for row in ROWS
    if (row.zone, row.when)
    in {
        (BERLIN, "0 9 * * 1-5"),
        (BERLIN, "daily at 2:30"),
        (BERLIN, "@daily"),
        (BERLIN, "on the 31st of every month at 8"),
        (NEW_YORK, "daily at 1:30"),
        (NEW_YORK, "daily at 2:30"),
        (NEW_YORK, "weekends at 1am"),
        (NEW_YORK, "0 18 4 7 *"),
        (LORD_HOWE, "daily at 2:15"),
        (LORD_HOWE, "daily at 1:45"),
        (LORD_HOWE, "0 8 * jun-aug 3"),
    }
]
CHANGES = ["2026-03-08", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25", "2026-11-01"]


def local(row: Row, moment: float) -> str:
    full = datetime.fromtimestamp(moment, ZoneInfo(row.zone)).isoformat(timespec="minutes")
    return full if full[:10] in row.changes else full[:16]


async def fired(desk: Desk, rows: list[Row], first: date, last: date) -> dict[str, list[str]]:
    """The local times at which each job was asked, from the first date of its zone to the last."""
    for row in rows:
        await desk.add(f"{row.zone} {row.when}", row.when, zone=row.zone)
    async with desk.open():
        await desk.until(at(f"{last + timedelta(days=1)} 07:00"))
    asked: dict[str, list[str]] = {f"{row.zone} {row.when}": [] for row in rows}
    named = {f"{row.zone} {row.when}": row for row in rows}
    for name, scheduled, began in desk.scripted.asked:
        assert began == scheduled, "on time, to the second"
        if first <= datetime.fromtimestamp(began, ZoneInfo(named[name].zone)).date() <= last:
            asked[name].append(local(named[name], began))
    return asked


async def test_a_year_in_three_zones() -> None:
    assert len(SEVERAL) == 11
    first, last = date(2026, 1, 1), date(2026, 12, 31)
    asked = await fired(Desk(at("2025-12-31 00:00")), SEVERAL, first, last)
    assert asked == {f"{row.zone} {row.when}": expected(row) for row in SEVERAL}


@pytest.mark.parametrize("change", CHANGES)
async def test_every_kind_of_job_around_a_change_of_clocks(change: str) -> None:
    first, last = date.fromisoformat(change), date.fromisoformat(change)
    asked = await fired(Desk(at(f"{first - timedelta(days=1)} 13:00")), ROWS, first, last)
    wanted = {
        f"{row.zone} {row.when}": [each for each in expected(row) if str(first) <= each[:10] <= str(last)]
        for row in ROWS
    }
    assert asked == wanted


async def test_an_interval_is_elapsed_time_and_once_is_once() -> None:
    desk = Desk(at("2026-03-28 12:00"))
    await desk.add("every", "every 7h")
    await desk.add("once", "on 2026-03-29 at 2:30")
    async with desk.open():
        await desk.until(at("2026-03-30 12:00"))
    times = {name: [moment for each, _, moment in desk.scripted.asked if each == name] for name in ("every", "once")}
    steps = {round(after - before) for before, after in zip(times["every"], times["every"][1:], strict=False)}
    assert (steps, len(times["every"])) == ({7 * 3600}, 6)
    assert times["once"] == [at("2026-03-29 03:00")]
    (planned,) = [each for each in await desk.book.all() if each.job.name == "once"]
    assert planned.next_runs == ()
