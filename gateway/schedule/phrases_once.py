"""Phrases that name one moment: `in 30m`, `tomorrow at 7`, `next friday 10am`, `on 2026-12-24 at 18:00`, ISO 8601.

`next friday` is the first Friday after today. Days and weeks keep the time of day, hours and minutes are elapsed
time. A time that the clocks skip is the next minute that they show; one that they show twice is an error.
"""

from __future__ import annotations

import contextlib
import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from gateway.schedule.crontab_fields import WEEKDAYS
from gateway.schedule.errors import UnclearTime
from gateway.schedule.phrase_words import CLOCK, WEEKDAY, clock, day_of_year, duration, weekday
from gateway.schedule.wall import DAY, instants, once

EVENING = 17
YEARS = range(1970, 9000)
ISO_DATE = r"\d{4}-\d{2}-\d{2}"
OFFSET = r"z|[+-]\d{2}:?\d{2}"
ISO = re.compile(rf"(?:on )?({ISO_DATE})(?:t|,? at | )(\d{{1,2}}:\d{{2}}(?::\d{{2}}(?:\.\d+)?)?) ?({OFFSET})?")
NUMERIC = re.compile(r"(\d{1,2})([./])(\d{1,2})(?:\2(\d{4}|\d{2})?)?(?!\S)")
BARE_HOUR = re.compile(rf"((?:on |next |this |coming )*(?:{WEEKDAY}|today|tomorrow)),? (\d{{1,2}})")
AT_END = re.compile(rf"(.+?)(?: at|,)? ((?<=at )\d{{1,2}}|{CLOCK})")
AT_START = re.compile(rf"(?:at |(?=noon|midnight|\d{{1,2}}(?::| ?[ap]\.?m)))({CLOCK}) (?:on )?(.+)")


def moment(text: str, zone: ZoneInfo, now: datetime) -> datetime | None:
    """The moment, aware, that the lower-case `text` names, past ones too; None if it names none."""
    if text.startswith("in ") or re.fullmatch(r".+ from now", text):
        return _in(re.sub(r"^in | from now$", "", text), zone, now)
    iso = ISO.fullmatch(text)
    if iso is not None:
        return _iso(iso[1], iso[2], iso[3], zone)
    found = AT_END.fullmatch(text)
    if found is not None and (day := _day(found[1], zone, now, found[2])) is not None:
        return _at(day, found[2], text, zone)
    found = AT_START.fullmatch(text)
    if found is not None and (day := _day(found[2], zone, now, found[1])) is not None:
        return _at(day, found[1], text, zone)
    found = BARE_HOUR.fullmatch(text)
    if found is not None and (day := _day(found[1], zone, now, found[2])) is not None:
        return _at(day, found[2], text, zone)
    if _day(text, zone, now, None) is not None:
        raise UnclearTime(f"{text!r} has no time of day", *(f"{text} at {hour}:00" for hour in _hours(text)))
    if NUMERIC.match(text.removeprefix("on ")):
        raise UnclearTime(
            f"{text!r}: a date and a time of day, and nothing else, are understood", "on {date} at 18:00"
        )
    return None


def _hours(day: str) -> tuple[int, ...]:
    """Which hours are proposed for a day that has none: later ones for a day that may be over soon."""
    if "tonight" in day:
        return (21, 23)
    return (9, 18, 23) if "today" in day else (9,)


def _in(text: str, zone: ZoneInfo, now: datetime) -> datetime | None:
    found = duration(text)
    if found is None:
        return None
    days, seconds = found
    start = now
    if days:
        local = now.astimezone(zone).replace(tzinfo=None)
        start = once(local + timedelta(days=days), zone)
    return start.astimezone(UTC) + timedelta(seconds=seconds)


def _iso(day: str, at: str, offset: str | None, zone: ZoneInfo) -> datetime:
    written = f"{day}T{at.zfill(5) if at.count(':') == 1 else at.zfill(8)}"
    try:
        if offset is not None:
            return _in_range(datetime.fromisoformat(written + offset.upper()))
        return unambiguous(datetime.fromisoformat(written), zone)
    except ValueError:
        raise UnclearTime(f"'{day} {at}' is not in the calendar", "on {date} at 18:00") from None


def unambiguous(wall: datetime, zone: ZoneInfo) -> datetime:
    """The instant of a naive time; UnclearTime if clocks show it twice."""
    found = instants(_in_range(wall), zone)
    if len(found) > 1:
        exact: Literal["minutes", "seconds"] = "seconds" if wall.second else "minutes"
        both = (run.astimezone(zone).isoformat(timespec=exact) for run in found)
        raise UnclearTime(f"{wall:%Y-%m-%d %H:%M} comes twice in {zone.key}, as clocks are set back", *both)
    return found[0] if found else once(wall, zone)


def _in_range(moment: datetime) -> datetime:
    if moment.year not in YEARS:
        raise UnclearTime(f"the year {moment.year} is out of range: those from {YEARS[0]} to {YEARS[-1]} are not")
    return moment


def _at(day: date, at: str, text: str, zone: ZoneInfo) -> datetime:
    found = clock(at)
    if found is None:
        raise UnclearTime(f"{text!r} has no time of day: there are 9:00, 9am, noon and midnight")
    if text.startswith("tonight") or text.endswith("tonight"):
        if found == time():
            raise UnclearTime(f"{text!r}: midnight begins a day", "tomorrow at 0:00")
        if found.hour < EVENING:
            hour = found.hour + 12 if found.hour < 12 and "m" not in at else found.hour
            times = (f"{day} at {hour}:{found:%M}" for day in ("today", "tomorrow"))
            raise UnclearTime(f"{text!r} could be another time of day", *times)
    return unambiguous(datetime.combine(day, found), zone)


def _day(text: str, zone: ZoneInfo, now: datetime, at: str | None) -> date | None:
    """The local date that a day is called by. `at` is the time of day beside it, for what depends on it."""
    today = now.astimezone(zone).date()
    text = text.removeprefix("on ").removesuffix(" at").removesuffix(",")
    named = {"today": 0, "tonight": 0, "tomorrow": 1, "day after tomorrow": 2}.get(text.removeprefix("the "))
    if named is not None:
        return today + named * DAY
    try:
        if re.fullmatch(ISO_DATE, text):
            return date.fromisoformat(text)
        if (numbers := NUMERIC.fullmatch(text)) is not None:
            return _numeric(numbers, today, at)
        found = day_of_year(text.removeprefix("the "))
        if found is not None:
            month, day, year = found
            return date(year, month, day) if year else _coming(month, day, today)
    except ValueError:
        raise UnclearTime(f"{text!r} is not in the calendar", f"on {{date}} at {at or '9:00'}") from None
    word = re.sub(r"^(?:next|this|coming|this coming) ", "", text)
    number = None if word.endswith("days") else weekday(word)
    if number is None:
        return None
    ahead = (number - today.isoweekday()) % 7
    if ahead == 0 and not text.startswith("next ") and not _is_over(today, at, zone, now):
        hours = (at,) if at else ("9:00", "18:00", "23:00")
        raise UnclearTime(
            f"{text!r}: today is {WEEKDAYS[number].title()}",
            *(f"today at {hour}" for hour in hours),
            f"next {word} at {hours[0]}",
            f"every {word} at {hours[0]}",
        )
    return today + (ahead or 7) * DAY


def _is_over(today: date, at: str | None, zone: ZoneInfo, now: datetime) -> bool:
    """Whether this time of today is past, so that a day of today's name can only be the next one."""
    found = clock(at) if at else None
    return found is not None and once(datetime.combine(today, found), zone) <= now.astimezone(UTC)


def _numeric(found: re.Match[str], today: date, at: str | None) -> date:
    """`24.12.2026`, `12/24`: whichever of the two can be a month alone; ValueError if neither makes a date."""
    first, second, written = int(found[1]), int(found[3]), found[4]
    year = int(written) + (2000 if len(written) == 2 else 0) if written else None
    both = []
    for month, day in dict.fromkeys(((second, first), (first, second))):
        with contextlib.suppress(ValueError):
            both.append(date(year, month, day) if year else _coming(month, day, today))
    if len(both) > 1:
        hints = (f"on {each.isoformat()} at {at or '9:00'}" for each in both)
        raise UnclearTime(f"{found[0]!r}: day and month could be swapped", *hints)
    if not both:
        raise ValueError("no such date")
    return both[0]


def _coming(month: int, day: int, today: date) -> date:
    """The first such date from today on; 29 February waits for its year."""
    for year in range(today.year, today.year + 9):
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if found >= today:
            return found
    raise ValueError("no such date")
