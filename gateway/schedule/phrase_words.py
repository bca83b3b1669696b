"""The small words of phrases: clock times, durations, weekdays, days of the month, months; each from text to numbers.

Every reader takes the lower-case text of its own part alone and answers None when that is something else, or raises
UnclearTime when it is meant but cannot be. How parts make a schedule is left to phrases.
"""

from __future__ import annotations

import re
from datetime import time

from gateway.schedule.crontab_fields import MONTHS, WEEKDAYS
from gateway.schedule.errors import UnclearTime

CLOCK = r"(?:noon|midnight|\d{1,2}(?::\d{2})?(?: ?[ap]\.?m\.?)?)"
AND = r"(?: ?, ?and | ?, ?| and | & )"
ORDINAL = r"\d{1,2}(?:st|[nr]d|th)"
WEEKDAY = r"(?:sun|mon|tues?|wed|thu(?:rs?)?|fri|sat)(?:days?)?|wednesdays?|thursdays?|saturdays?"
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
UNITS = (
    (1, ("s", "sec", "secs", "second", "seconds")),
    (60, ("m", "min", "mins", "minute", "minutes")),
    (3600, ("h", "hr", "hrs", "hour", "hours")),
    (86400, ("d", "day", "days")),
    (604800, ("w", "wk", "wks", "week", "weeks")),
)
AMOUNT = re.compile(r"(?:(\d{1,9}) ?|(half an|an?) )([a-z]+)(?: and | ?, ?| )?")
LONGEST = 10 * 366 * 86400


def listed(text: str) -> list[str]:
    """The items of `a, b and c`."""
    return [item for item in re.split(AND, text) if item]


def clock(text: str) -> time | None:
    """`9`, `9:30`, `9am`, `9:30 pm`, `noon`, `midnight`; 9 alone is in the morning, as on a clock of 24 hours."""
    if text in ("noon", "midnight"):
        return time(12 if text == "noon" else 0)
    found = re.fullmatch(r"(\d{1,2})(?::(\d{2}))?(?: ?([ap])\.?m\.?)?", text)
    if found is None:
        return None
    hour, minute, half = int(found[1]), int(found[2] or 0), found[3]
    if half and not 1 <= hour <= 12:
        raise UnclearTime(f"{text!r} is no time of day; with am and pm the hours are 1 to 12, without them 0 to 23")
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    if hour > 23 or minute > 59:
        raise UnclearTime(f"{text!r} is no time of day: there are 0:00 to 23:59, and 9am, 9:30pm, noon, midnight")
    return time(hour, minute)


def clocks(text: str) -> list[time] | None:
    """A list of clock times."""
    found = [clock(item) for item in listed(text)]
    return [one for one in found if one is not None] if found and None not in found else None


def duration(text: str) -> tuple[int, int] | None:
    """`2h`, `an hour`, `1h 30m`, `2 days and 3 hours` as (whole days, seconds). UnclearTime for months and years."""
    days = seconds = place = 0
    while place < len(text):
        found = AMOUNT.match(text, place)
        if found is None:
            return None
        size = next((size for size, names in UNITS if found[3] in names), None)
        if size is None:
            if re.fullmatch(r"mo|mos|months?|y|years?|quarters?", found[3]) and (found[1] or found[2]):
                hints = "on {date} at 18:00", "in 30 days", "every month on the 1st at 9:00"
                raise UnclearTime(f"{text!r} has no fixed length", *hints)
            return None
        if found[2] == "half an":
            seconds += size // 2
        elif size >= UNITS[3][0]:
            days += int(found[1] or 1) * (size // UNITS[3][0])
        else:
            seconds += int(found[1] or 1) * size
        place = found.end()
    if days * UNITS[3][0] + seconds > LONGEST:
        raise UnclearTime(f"{text!r} is more than ten years: too long a time")
    return (days, seconds) if text else None


def weekday(text: str) -> int | None:
    """A weekday by name or abbreviation, also in the plural; Sunday is 0."""
    if not re.fullmatch(WEEKDAY, text):
        return None
    return next(place for place, name in enumerate(WEEKDAYS) if name[:3] == text[:3])


def weekdays(text: str) -> set[int] | None:
    """`monday`, `mon, wed and fri`, `monday to friday` (a range may run over the end of the week), `weekdays`."""
    found: set[int] = set()
    for item in listed(text):
        if re.fullmatch(r"weekdays?|workdays?|working days?", item):
            found.update(range(1, 6))
            continue
        if re.fullmatch(r"weekends?", item):
            found.update((0, 6))
            continue
        first_text, _, last_text = re.sub(r" ?(?:-|–| to | through )(?!$) ?", "-", item).partition("-")
        first, last = weekday(first_text), weekday(last_text or first_text)
        if first is None or last is None:
            return None
        found.update(day % 7 for day in range(first, last + 1 if last >= first else last + 8))
    return found or None


def ordinals(text: str) -> set[int] | None:
    """`1st`, `1st and 15th`: days of a month."""
    items = [item.removeprefix("the ") for item in listed(text)]
    if not items or not all(re.fullmatch(ORDINAL, item) for item in items):
        return None
    days = {int(item[:-2]) for item in items}
    if not days <= set(range(1, 32)):
        raise UnclearTime(f"{text!r} is no day of a month: there are 1st to 31st")
    return days


def months(text: str) -> set[int] | None:
    """A list of months by name or abbreviation; January is 1."""
    items = listed(text)
    if not items or not all(re.fullmatch(MONTH, item) for item in items):
        return None
    return {place for place, name in enumerate(MONTHS, 1) for item in items if name[:3] == item[:3]}


def day_of_year(text: str) -> tuple[int, int, int | None] | None:
    """`24 december`, `24th of december 2026`, `december 24th, 2026` as (month, day, year or None)."""
    found = re.fullmatch(rf"(?P<d>\d{{1,2}})(?:st|[nr]d|th)?(?: of)? (?P<m>{MONTH})(?:,? (?P<y>\d{{4}}))?", text)
    found = found or re.fullmatch(rf"(?P<m>{MONTH}) (?P<d>\d{{1,2}})(?:st|[nr]d|th)?(?:,? (?P<y>\d{{4}}))?", text)
    if found is None:
        return None
    month = next(place for place, name in enumerate(MONTHS, 1) if name[:3] == found["m"][:3])
    return month, int(found["d"]), int(found["y"]) if found["y"] else None
