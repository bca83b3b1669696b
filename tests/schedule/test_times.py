"""Schedules: the next runs, the one to catch up, and their form in the database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from gateway.schedule.crontab import Crontab
from gateway.schedule.times import Every, Once, Schedule, UnknownSchedule, dump, load, missed, next_runs

BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN)


def shown(runs: tuple[datetime, ...]) -> list[str]:
    return [run.isoformat(timespec="minutes") for run in runs]


def test_the_next_three_runs() -> None:
    assert shown(next_runs(Crontab.parse("0 9 * * 1-5"), BERLIN, at("2026-10-22T12:00"))) == [
        "2026-10-23T09:00+02:00",
        "2026-10-26T09:00+01:00",
        "2026-10-27T09:00+01:00",
    ]


def test_one_moment_has_one_run() -> None:
    once = Once(at("2026-12-24T18:00"))
    assert shown(next_runs(once, BERLIN, at("2026-11-30T12:00"))) == ["2026-12-24T18:00+01:00"]
    assert next_runs(once, BERLIN, at("2026-12-24T18:00")) == ()


def test_a_date_that_never_comes_has_none() -> None:
    assert next_runs(Crontab.parse("0 0 30 2 *"), BERLIN, at("2026-11-30T12:00")) == ()


def test_an_interval_is_elapsed_time_whatever_the_clocks_do() -> None:
    assert shown(next_runs(Every(7200, at("2026-03-29T00:00")), BERLIN, at("2026-03-29T00:00"))) == [
        "2026-03-29T03:00+02:00",
        "2026-03-29T05:00+02:00",
        "2026-03-29T07:00+02:00",
    ]
    assert shown(next_runs(Every(3600, at("2026-10-25T00:30")), BERLIN, at("2026-10-25T01:00"))) == [
        "2026-10-25T01:30+02:00",
        "2026-10-25T02:30+02:00",
        "2026-10-25T02:30+01:00",
    ]


def test_both_passings_of_an_hour_are_different_moments() -> None:
    """Python's own zones hold them equal, and both unequal to the same moment in UTC."""
    first, second = next_runs(Crontab.parse("30 * * * *"), BERLIN, at("2026-10-25T02:00"), count=2)
    assert (first.hour, second.hour) == (2, 2)
    assert second - first == timedelta(hours=1)
    assert second == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


def test_an_interval_begins_at_its_anchor() -> None:
    every = Every(86400, at("2026-12-24T09:00"))
    assert shown(next_runs(every, BERLIN, at("2026-11-30T12:00"), count=2)) == [
        "2026-12-24T09:00+01:00",
        "2026-12-25T09:00+01:00",
    ]
    assert missed(every, BERLIN, at("2026-11-30T12:00"), at("2026-12-24T08:59")) is None


@pytest.mark.parametrize(
    ("schedule", "caught_up"),
    [
        (Crontab.parse("0 3 * * *"), "2026-11-30T03:00+01:00"),
        (Crontab.parse("*/10 * * * *"), "2026-11-30T08:00+01:00"),
        (Crontab.parse("5 * * * *"), "2026-11-30T07:05+01:00"),
        (Crontab.parse("49 2 * * *"), None),
        (Crontab.parse("50 2 * * *"), None),
        (Crontab.parse("1 8 * * *"), None),
        (Crontab.parse("0 3 * * 2"), None),
        (Every(3600, at("2026-11-01T00:10")), "2026-11-30T07:10+01:00"),
        (Every(86400, at("2026-11-01T08:30")), None),
        (Once(at("2026-11-30T07:00")), "2026-11-30T07:00+01:00"),
        (Once(at("2026-11-30T02:50")), None),
        (Once(at("2026-11-30T08:01")), None),
    ],
)
def test_down_from_ten_to_three_until_eight(schedule: Schedule, caught_up: str | None) -> None:
    """One run to catch up for each job, however many it missed; none for those that were not due."""
    run = missed(schedule, BERLIN, at("2026-11-30T02:50"), at("2026-11-30T08:00"))
    assert (run and run.isoformat(timespec="minutes")) == caught_up


@pytest.mark.parametrize(
    ("since", "until", "caught_up"),
    [
        ("2026-03-29T00:30:00Z", "2026-03-29T05:00:00Z", "2026-03-29T03:00+02:00"),
        ("2026-10-24T22:00:00Z", "2026-10-25T00:40:00Z", "2026-10-25T02:30+02:00"),
        ("2026-10-25T00:40:00Z", "2026-10-25T09:00:00Z", None),
    ],
)
def test_down_while_the_clocks_change(since: str, until: str, caught_up: str | None) -> None:
    daily = Crontab.parse("30 2 * * *")
    run = missed(daily, BERLIN, datetime.fromisoformat(since), datetime.fromisoformat(until))
    assert (run and run.isoformat(timespec="minutes")) == caught_up


def test_a_long_absence() -> None:
    run = missed(Crontab.parse("0 9 29 2 *"), BERLIN, at("2000-01-01T00:00"), at("2027-06-01T00:00"))
    assert run == at("2024-02-29T09:00")


@pytest.mark.parametrize(
    ("schedule", "text"),
    [
        (Once(at("2026-12-24T18:00")), '{"v":1,"kind":"once","at":"2026-12-24T17:00:00+00:00"}'),
        (
            Every(900, at("2026-11-30T12:00")),
            '{"v":1,"kind":"every","seconds":900,"anchor":"2026-11-30T11:00:00+00:00"}',
        ),
        (Crontab.parse("0  9 * * MON-FRI"), '{"v":1,"kind":"cron","text":"0 9 * * mon-fri"}'),
    ],
)
def test_the_form_in_the_database_stays(schedule: Schedule, text: str) -> None:
    assert dump(schedule) == text
    assert load(text) == schedule


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        '{"v":2,"kind":"cron","text":"@daily"}',
        '{"v":1,"kind":"moon"}',
        '{"v":1,"kind":"cron","text":"61 * * * *"}',
        '{"v":1,"kind":"every","seconds":5,"anchor":"2026-11-30T11:00:00+00:00"}',
        '{"v":1,"kind":"once","at":"2026-11-30T11:00:00"}',
        '{"v":1,"kind":"once","at":"yesterday"}',
    ],
)
def test_what_this_version_did_not_write_is_refused(text: str) -> None:
    with pytest.raises(UnknownSchedule, match="stored schedule"):
        load(text)


def test_moments_are_kept_to_the_second() -> None:
    assert Once(at("2026-12-24T18:00") + timedelta(microseconds=700_000)) == Once(at("2026-12-24T18:00"))
    assert Once(at("2026-12-24T18:00")).at.tzinfo is UTC
