"""A schedule in English, in words that phrases reads back as the same schedule.

Crontabs that have no short wording are shown as they are, after the word cron.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import assert_never
from zoneinfo import ZoneInfo

from gateway.schedule.crontab import Crontab
from gateway.schedule.crontab_fields import MONTHS, WEEKDAYS, Field
from gateway.schedule.times import Every, Once, Schedule
from gateway.schedule.wall import instants

LONGEST_LIST = 6
UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def describe(schedule: Schedule, zone: ZoneInfo) -> str:
    """In English, in the time of `zone`: `on 2026-12-24 at 18:00`, `weekdays at 9:00`."""
    match schedule:
        case Once(at):
            return f"on {_moment(at, zone)}"
        case Every(seconds, anchor):
            size, unit = next((size, unit) for size, unit in UNITS if seconds % size == 0)
            count = seconds // size
            return f"every {f'{count} {unit}s' if count > 1 else unit} from {_moment(anchor, zone)}"
        case Crontab():
            return _cron(schedule)
        case _:
            assert_never(schedule)


def _moment(at: datetime, zone: ZoneInfo) -> str:
    local = at.astimezone(zone)
    clock = f"{local.hour}:{local:%M}" + (f":{local:%S}" if local.second else "")
    twice = len(instants(local.replace(tzinfo=None, fold=0), zone)) > 1
    return f"{local:%Y-%m-%d} at {clock}" + (f" {local.isoformat()[-6:]}" if twice else "")


def _cron(crontab: Crontab) -> str:
    clock, days = _clock(crontab), _days(crontab)
    if clock is None or days is None:
        return f"cron {crontab.text}"
    if clock.startswith("at "):
        if crontab.weekdays.star and len(crontab.days.values) == len(crontab.months.values) == 1:
            return f"every year on {crontab.days.values[0]} {MONTHS[crontab.months.values[0] - 1].title()} {clock}"
        return f"{days} {clock}{_months(crontab)}"
    months = _months(crontab)
    if days.startswith("week"):
        days = f"on {days}"
    return f"{clock} {days}{months}" if days != "daily" or months else clock


def _clock(crontab: Crontab) -> str | None:
    minutes, hours = crontab.minutes, crontab.hours
    if hours == Field(tuple(range(24)), star=True):
        if minutes.star:
            return _stepped(minutes, 60, "minute")
        if minutes.values == (0,):
            return "hourly"
        if len(minutes.values) <= LONGEST_LIST:
            return f"hourly at {_listed(f':{minute:02}' for minute in minutes.values)}"
        return None
    if hours.star:
        return _stepped(hours, 24, "hour") if minutes == Field((0,)) else None
    if minutes.star or len(minutes.values) * len(hours.values) > LONGEST_LIST:
        return None
    return "at " + _listed(f"{hour}:{minute:02}" for hour in hours.values for minute in minutes.values)


def _stepped(field: Field, whole: int, unit: str) -> str | None:
    """`*/15` as every 15 minutes on the clock, if it divides the hour evenly."""
    step = whole // len(field.values)
    if field.values != tuple(range(0, whole, step)) or whole % step or step == whole:
        return None
    return f"every {f'{step} {unit}s' if step > 1 else unit} on the clock"


def _days(crontab: Crontab) -> str | None:
    days, weekdays = crontab.days, crontab.weekdays
    every_day = days == Field(tuple(range(1, 32)), star=True)
    every_weekday = weekdays == Field(tuple(range(7)), star=True)
    if every_day and every_weekday:
        return "daily"
    if every_day:
        return _weekdays(weekdays)
    if len(days.values) > LONGEST_LIST or days.star:
        return None
    monthly = f"every month on the {_listed(_ordinal(day) for day in days.values)}"
    if every_weekday:
        return monthly
    either = _weekdays(weekdays)
    return f"{monthly} or {either}" if either else None


def _weekdays(field: Field) -> str | None:
    if field.star:
        return None
    if field.values == (1, 2, 3, 4, 5):
        return "weekdays"
    if field.values == (0, 6):
        return "weekends"
    return "every " + _listed(WEEKDAYS[day].title() for day in field.values)


def _months(crontab: Crontab) -> str:
    if len(crontab.months.values) == len(MONTHS):
        return ""
    return " in " + _listed(MONTHS[month - 1].title() for month in crontab.months.values)


def _ordinal(day: int) -> str:
    return f"{day}{'th' if 11 <= day <= 13 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"


def _listed(items: Iterable[str]) -> str:
    *most, last = items
    return f"{', '.join(most)} and {last}" if most else last
