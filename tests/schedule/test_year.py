"""Jobs through 2026 in three zones, spring and autumn included: each runs at exactly the expected local times."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest

from gateway.schedule.phrases import parse
from gateway.schedule.times import next_run

BERLIN, NEW_YORK, LORD_HOWE = "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"
DATES = [date(2026, 1, 1) + timedelta(days=number) for number in range(365)]
Dates = Callable[[date], bool]


class Row(NamedTuple):
    """A job; the dates on which it runs, the times of such a date, and the runs of dates on which clocks change."""

    zone: str
    when: str
    dates: Dates
    times: str
    changes: dict[str, str] = {}  # noqa: RUF012  (read only)


def daily(day: date) -> bool:
    return True


def on(*weekdays: int) -> Dates:
    """Monday is 1, Sunday 7."""
    return lambda day: day.isoweekday() in weekdays


def the(*days: int) -> Dates:
    return lambda day: day.day in days


def hours(minute: str, *, skip: str = "", twice: str = "", offsets: tuple[str, str]) -> str:
    """Each hour of a date of change: before it with the first offset, then with the second."""
    before, after = offsets
    split = int(skip or twice)
    first = [f"{hour:02}:{minute}{before}" for hour in range(split + (1 if twice else 0))]
    return " ".join([*first, *(f"{hour:02}:{minute}{after}" for hour in range(split + (1 if skip else 0), 24))])


def each_hour(minute: str) -> str:
    return " ".join(f"{hour:02}:{minute}" for hour in range(24))


B_SPRING, B_AUTUMN = "2026-03-29", "2026-10-25"
N_SPRING, N_AUTUMN = "2026-03-08", "2026-11-01"
L_SPRING, L_AUTUMN = "2026-10-04", "2026-04-05"
TO_SUMMER, TO_WINTER = ("+01:00", "+02:00"), ("+02:00", "+01:00")
TO_EDT, TO_EST = ("-05:00", "-04:00"), ("-04:00", "-05:00")
QUARTERS_OF_2 = "02:00 02:15 02:30 02:45"
BOTH_2 = "02:00+02:00 02:15+02:00 02:30+02:00 02:45+02:00 02:00+01:00 02:15+01:00 02:30+01:00 02:45+01:00"

ROWS = [
    # Berlin: 02:00-02:59 is missing on 29 March, and comes twice on 25 October.
    Row(BERLIN, "0 9 * * 1-5", on(1, 2, 3, 4, 5), "09:00"),
    Row(BERLIN, "daily at 2:30", daily, "02:30", {B_SPRING: "03:00+02:00", B_AUTUMN: "02:30+02:00"}),
    Row(BERLIN, "daily at 2", daily, "02:00", {B_SPRING: "03:00+02:00", B_AUTUMN: "02:00+02:00"}),
    Row(BERLIN, "daily at 1:59", daily, "01:59", {B_SPRING: "01:59+01:00", B_AUTUMN: "01:59+02:00"}),
    Row(BERLIN, "daily at 3", daily, "03:00", {B_SPRING: "03:00+02:00", B_AUTUMN: "03:00+01:00"}),
    Row(BERLIN, "daily at 2:30 and 3:30", daily, "02:30 03:30", {B_SPRING: "03:00+02:00 03:30+02:00"}),
    Row(BERLIN, "0 2,3 * * *", daily, "02:00 03:00", {B_SPRING: "03:00+02:00", B_AUTUMN: "02:00+02:00 03:00+01:00"}),
    Row(BERLIN, "@daily", daily, "00:00"),
    Row(BERLIN, "sundays at 2:30", on(7), "02:30", {B_SPRING: "03:00+02:00", B_AUTUMN: "02:30+02:00"}),
    Row(
        BERLIN, "hourly", daily, each_hour("00"),
        {B_SPRING: hours("00", skip="2", offsets=TO_SUMMER), B_AUTUMN: hours("00", twice="2", offsets=TO_WINTER)},
    ),
    Row(
        BERLIN, "30 * * * *", daily, each_hour("30"),
        {B_SPRING: hours("30", skip="2", offsets=TO_SUMMER), B_AUTUMN: hours("30", twice="2", offsets=TO_WINTER)},
    ),
    Row(BERLIN, "*/15 2 * * *", daily, QUARTERS_OF_2, {B_SPRING: "03:00+02:00", B_AUTUMN: BOTH_2}),
    Row(BERLIN, "0,15,30,45 2 * * *", daily, QUARTERS_OF_2, {B_SPRING: "03:00+02:00"}),
    Row(BERLIN, "*/60 2 * * *", daily, "02:00", {B_SPRING: "03:00+02:00", B_AUTUMN: "02:00+02:00"}),
    Row(BERLIN, "on the 29th of every month at 2:15", the(29), "02:15", {B_SPRING: "03:00+02:00"}),
    Row(BERLIN, "on the 31st of every month at 8", the(31), "08:00"),
    Row(BERLIN, "0 0 13 * 5", lambda day: day.day == 13 or day.isoweekday() == 5, "00:00"),
    Row(BERLIN, "0 12 */2 * 1", lambda day: day.day % 2 == 1 and day.isoweekday() == 1, "12:00"),
    # New York: 02:00-02:59 is missing on 8 March; 01:00-01:59 comes twice on 1 November.
    Row(NEW_YORK, "daily at 1:30", daily, "01:30", {N_AUTUMN: "01:30-04:00"}),
    Row(NEW_YORK, "daily at 2:30", daily, "02:30", {N_SPRING: "03:00-04:00", N_AUTUMN: "02:30-05:00"}),
    Row(NEW_YORK, "weekends at 1am", on(6, 7), "01:00", {N_AUTUMN: "01:00-04:00"}),
    Row(NEW_YORK, "weekdays at 9am", on(1, 2, 3, 4, 5), "09:00"),
    Row(NEW_YORK, "every month on the 1st at 1:15", the(1), "01:15", {N_AUTUMN: "01:15-04:00"}),
    Row(NEW_YORK, "every month on the 8th at 2:45", the(8), "02:45", {N_SPRING: "03:00-04:00"}),
    Row(
        NEW_YORK, "@hourly", daily, each_hour("00"),
        {N_SPRING: hours("00", skip="2", offsets=TO_EDT), N_AUTUMN: hours("00", twice="1", offsets=TO_EST)},
    ),
    Row(
        NEW_YORK, "*/30 1 * * *", daily, "01:00 01:30",
        {N_AUTUMN: "01:00-04:00 01:30-04:00 01:00-05:00 01:30-05:00"},
    ),
    Row(NEW_YORK, "0-30/30 1 * * *", daily, "01:00 01:30", {N_AUTUMN: "01:00-04:00 01:30-04:00"}),
    Row(NEW_YORK, "0 */6 * * *", daily, "00:00 06:00 12:00 18:00"),
    Row(NEW_YORK, "0 9 1,15 * *", the(1, 15), "09:00"),
    Row(NEW_YORK, "0 18 4 7 *", lambda day: (day.month, day.day) == (7, 4), "18:00"),
    Row(NEW_YORK, "59 23 * * 7", on(7), "23:59"),
    # Lord Howe changes by half an hour: 02:00-02:29 is missing on 4 October; 01:30-01:59 comes twice on 5 April.
    Row(LORD_HOWE, "daily at 2", daily, "02:00", {L_SPRING: "02:30+11:00", L_AUTUMN: "02:00+10:30"}),
    Row(LORD_HOWE, "daily at 2:15", daily, "02:15", {L_SPRING: "02:30+11:00"}),
    Row(LORD_HOWE, "daily at 2:30", daily, "02:30", {L_SPRING: "02:30+11:00"}),
    Row(LORD_HOWE, "daily at 1:45", daily, "01:45", {L_SPRING: "01:45+10:30", L_AUTUMN: "01:45+11:00"}),
    Row(LORD_HOWE, "daily at 1:15", daily, "01:15", {L_AUTUMN: "01:15+11:00"}),
    Row(LORD_HOWE, "daily at 2:15 and 2:45", daily, "02:15 02:45", {L_SPRING: "02:30+11:00 02:45+11:00"}),
    Row(LORD_HOWE, "sundays at 1:30", on(7), "01:30", {L_AUTUMN: "01:30+11:00"}),
    Row(
        LORD_HOWE, "*/30 1-2 * * *", daily, "01:00 01:30 02:00 02:30",
        {
            L_SPRING: "01:00+10:30 01:30+10:30 02:30+11:00",
            L_AUTUMN: "01:00+11:00 01:30+11:00 01:30+10:30 02:00+10:30 02:30+10:30",
        },
    ),
    Row(LORD_HOWE, "0 8 * jun-aug 3", lambda day: 6 <= day.month <= 8 and day.isoweekday() == 3, "08:00"),
]  # fmt: skip


def expected(row: Row) -> list[str]:
    """The local times of a year: with their offsets where the row gives them, without elsewhere."""
    days = {day: row.times for day in DATES if row.dates(day)}
    days.update({date.fromisoformat(day): times for day, times in row.changes.items()})
    return [f"{day}T{one}" for day in sorted(days) for one in days[day].split()]


def test_the_table_has_forty_rows() -> None:
    assert len(ROWS) == 40


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.zone} {row.when}")
def test_a_year(row: Row) -> None:
    zone = ZoneInfo(row.zone)
    begin = datetime.combine(DATES[0], time(), zone) - timedelta(seconds=1)
    schedule = parse(row.when, zone, begin)
    found: list[str] = []
    run = next_run(schedule, zone, begin)
    while run is not None and run.year == 2026:
        full = run.isoformat(timespec="minutes")
        found.append(full if str(run.date()) in row.changes else full[:16])
        run = next_run(schedule, zone, run)
    assert found == expected(row)


ZONES = (BERLIN, NEW_YORK, LORD_HOWE, "Africa/Casablanca", "Asia/Tokyo")


@pytest.mark.parametrize("zone_name", ZONES)
@pytest.mark.parametrize("at", ["0:00", "1:15", "1:30", "1:45", "2:00", "2:15", "2:30", "2:59", "3:00", "23:59"])
def test_a_daily_job_runs_once_on_each_local_date(zone_name: str, at: str) -> None:
    zone = ZoneInfo(zone_name)
    run = datetime(2026, 1, 1, tzinfo=zone) - timedelta(seconds=1)
    schedule = parse(f"daily at {at}", zone, run)
    dates: list[date] = []
    for _ in DATES:
        following = next_run(schedule, zone, run)
        assert following is not None
        run = following
        dates.append(run.date())
    assert dates == DATES


@pytest.mark.parametrize(
    ("zone_name", "spring", "autumn"),
    [
        ("Africa/Casablanca", "2026-03-22T03:00+01:00", "2026-02-15T02:30+01:00"),
        ("Asia/Tokyo", "2026-03-22T02:30+09:00", "2026-02-15T02:30+09:00"),
    ],
)
def test_zones_with_a_change_of_their_own_or_none(zone_name: str, spring: str, autumn: str) -> None:
    zone = ZoneInfo(zone_name)
    for run in (datetime.fromisoformat(spring), datetime.fromisoformat(autumn)):
        midnight = datetime.combine(run.date(), time(), zone)
        found = next_run(parse("daily at 2:30", zone, midnight), zone, midnight)
        assert found is not None
        assert found.isoformat(timespec="minutes") == run.isoformat(timespec="minutes")


@pytest.mark.parametrize(
    ("zone_name", "when", "runs"),
    [
        # Cairo skips the first hour of 24 April, and has 23:00 twice on 29 October.
        ("Africa/Cairo", "2026-04-23T12:00 daily at 0:00", "2026-04-24T01:00+03:00 2026-04-25T00:00+03:00"),
        ("Africa/Cairo", "2026-10-29T12:00 daily at 23:30", "2026-10-29T23:30+03:00 2026-10-30T23:30+02:00"),
        # Nuuk skips the last hour of 28 March: the next valid minute is on the next date.
        ("America/Nuuk", "2026-03-28T12:00 daily at 23:30", "2026-03-29T00:00-01:00 2026-03-29T23:30-01:00"),
        # Havana has the first hour of 1 November twice.
        ("America/Havana", "2026-10-31T12:00 @daily", "2026-11-01T00:00-04:00 2026-11-02T00:00-05:00"),
    ],
)
def test_changes_at_midnight(zone_name: str, when: str, runs: str) -> None:
    zone = ZoneInfo(zone_name)
    start, _, phrase = when.partition(" ")
    run: datetime | None = datetime.fromisoformat(start).replace(tzinfo=zone)
    for wanted in runs.split():
        assert run is not None
        run = next_run(parse(phrase, zone, run), zone, run)
        assert run is not None
        assert run.isoformat(timespec="minutes") == wanted
