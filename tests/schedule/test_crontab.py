"""Cron with Unix meaning: fields, names, the day-or-weekday rule, and errors that say what is right."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from gateway.schedule.crontab import NICKNAMES, Crontab
from gateway.schedule.errors import UnclearTime
from gateway.schedule.wall import zone_named

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=BERLIN)
WEEK = [date(2026, 11, 29) + timedelta(days=number) for number in range(7)]
NAMES = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


def days_of(field: str) -> str:
    """The weekdays of one week on which a job with this weekday field runs."""
    return " ".join(NAMES[day.isoweekday() % 7] for day in WEEK if Crontab.parse(f"0 3 * * {field}").fires(day))


@pytest.mark.parametrize(
    ("field", "runs"),
    [
        ("0", "sun"),
        ("7", "sun"),
        ("sun", "sun"),
        ("SUNDAY", "sun"),
        ("1", "mon"),
        ("1-5", "mon tue wed thu fri"),
        ("mon-fri", "mon tue wed thu fri"),
        ("5-7", "sun fri sat"),
        ("fri-sun", "sun fri sat"),
        ("0-7", "sun mon tue wed thu fri sat"),
        ("0,6", "sun sat"),
        ("*/2", "sun tue thu sat"),
        ("1-7/2", "sun mon wed fri"),
        ("*/7", "sun"),
        ("tue,thu-sat", "tue thu fri sat"),
    ],
)
def test_weekdays_are_those_of_unix(field: str, runs: str) -> None:
    assert days_of(field) == runs


def test_day_or_weekday_once_both_are_restricted() -> None:
    friday_or_13th = Crontab.parse("0 3 13 * 5")
    assert [day for day in range(1, 32) if friday_or_13th.fires(date(2026, 12, day))] == [4, 11, 13, 18, 25]


def test_a_field_that_begins_with_a_star_restricts_nothing() -> None:
    odd_mondays = Crontab.parse("0 3 */2 * 1")
    assert [day for day in range(1, 32) if odd_mondays.fires(date(2026, 12, day))] == [7, 21]
    first_or_monday = Crontab.parse("0 3 1-2 * 1")
    assert [day for day in range(1, 32) if first_or_monday.fires(date(2026, 12, day))] == [1, 2, 7, 14, 21, 28]


@pytest.mark.parametrize(("name", "line"), NICKNAMES)
def test_nicknames(name: str, line: str) -> None:
    assert Crontab.parse(name.upper()) == Crontab.parse(line)
    assert Crontab.parse(name).text == name


def test_lines_that_mean_the_same_are_equal_however_written() -> None:
    assert Crontab.parse("0   9 * JAN-mar Mon-Fri") == Crontab.parse("00 09 * 1,2,3 1-5")
    assert Crontab.parse("0 9 * * 1-5") != Crontab.parse("0 9 * * 1-6")


@pytest.mark.parametrize(
    ("line", "run"),
    [
        ("*/15 * * * *", "2026-11-30T12:15:00+01:00"),
        ("0 12 * * *", "2026-12-01T12:00:00+01:00"),
        ("1 12 * * *", "2026-11-30T12:01:00+01:00"),
        ("59 11 * * *", "2026-12-01T11:59:00+01:00"),
        ("10-20/5,50 8,22 * * *", "2026-11-30T22:10:00+01:00"),
        ("0 0 1 jan *", "2027-01-01T00:00:00+01:00"),
        ("0 0 31 * *", "2026-12-31T00:00:00+01:00"),
        ("0 0 29 2 *", "2028-02-29T00:00:00+01:00"),
        ("0 0 29 2 */7", "2032-02-29T00:00:00+01:00"),
        ("0 0 30 2 1", "2027-02-01T00:00:00+01:00"),
    ],
)
def test_the_next_run(line: str, run: str) -> None:
    found = Crontab.parse(line).after(NOW, BERLIN)
    assert found is not None
    assert found.isoformat() == run


def test_seconds_after_the_minute_wait_for_the_next() -> None:
    found = Crontab.parse("0 12 * * *").after(NOW - timedelta(microseconds=1), BERLIN)
    assert found == NOW
    assert Crontab.parse("0 12 * * *").after(NOW + timedelta(seconds=59), BERLIN) == NOW + timedelta(days=1)


@pytest.mark.parametrize("line", ["0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "0 0 31 4 */2"])
def test_dates_that_never_come(line: str) -> None:
    crontab = Crontab.parse(line)
    assert crontab.never
    assert crontab.after(NOW, BERLIN) is None
    assert crontab.last(datetime(1990, 1, 1, tzinfo=UTC), NOW, BERLIN) is None


def test_leap_days_over_a_century_without_one() -> None:
    assert Crontab.parse("0 0 29 2 *").after(datetime(2096, 3, 1, tzinfo=UTC), ZoneInfo("UTC")) == datetime(
        2104, 2, 29, tzinfo=UTC
    )


def test_the_calendar_ends() -> None:
    assert Crontab.parse("@yearly").after(datetime(9998, 6, 1, tzinfo=UTC), ZoneInfo("UTC")) is None


def test_a_moment_without_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        Crontab.parse("@daily").after(datetime(2026, 1, 1), BERLIN)  # noqa: DTZ001  (that is the point)


@pytest.mark.parametrize(
    ("line", "field", "advice"),
    [
        ("60 * * * *", "minute", "0-59"),
        ("0 24 * * *", "hour", "0-23"),
        ("0 0 0 * *", "day", "1-31"),
        ("0 0 * 13 *", "month", "jan-dec"),
        ("0 0 * * 8", "weekday", "0 and 7 are Sunday"),
        ("0 0 * foo *", "month", "'foo'"),
        ("0 22-6 * * *", "hour", "write 22-23,0-6"),
        ("0 0 * nov-feb *", "month", "write nov-dec,jan-feb"),
        ("0 0 * * sat-mon", "weekday", "write sat,sun-mon"),
        ("0 0 * * 7-1", "weekday", "write 0-1"),
        ("0 0 * * 7-0", "weekday", "write 0;"),
        ("0 5/6 * * *", "hour", "write 5-23/6 or */6"),
        ("*/0 * * * *", "minute", "whole number from 1"),
        ("*/90 * * * *", "minute", "every 90m"),
        ("1,,2 * * * *", "minute", "empty"),
        ("5- * * * *", "minute", "missing"),
        ("-5 * * * *", "minute", "missing"),
        ("1/2/3 * * * *", "minute", "whole number"),
        ("0 0 L * *", "day", "not part of Unix cron"),
        ("0 0 15W * *", "day", "working day"),
        ("0 0 * * 5#2", "weekday", "n-th weekday"),
        ("0 0 ? * *", "day", "write *"),
        ("H * * * *", "minute", "write a number"),
        ("٣ * * * *", "minute", "not a value"),
    ],
)
def test_an_error_names_the_field_and_says_what_is_right(line: str, field: str, advice: str) -> None:
    with pytest.raises(UnclearTime) as caught:
        Crontab.parse(line)
    assert f"field {field}," in str(caught.value)
    assert advice in str(caught.value)


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("", "five fields"),
        ("* *", "are 2"),
        ("0 0 9 * * 1", "no seconds"),
        ("@reboot", "names no time"),
        ("@every 5m", "write 'every 5m'"),
        ("@often", "@hourly"),
    ],
)
def test_lines_that_are_no_cron(line: str, advice: str) -> None:
    with pytest.raises(UnclearTime, match=advice.replace("(", r"\(")):
        Crontab.parse(line)


@pytest.mark.parametrize(
    ("name", "near"),
    [("Europe/Berln", "Europe/Berlin"), ("new york", "America/New_York"), ("", "IANA"), ("../etc", "IANA")],
)
def test_a_zone_that_there_is_not_names_a_near_one(name: str, near: str) -> None:
    with pytest.raises(UnclearTime, match=near):
        zone_named(name)
    assert zone_named("Asia/Tokyo").key == "Asia/Tokyo"
