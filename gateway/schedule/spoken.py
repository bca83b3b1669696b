"""Words of speech in phrases, put into those that are read: `in five minutes`, `tomorrow morning`. Pure.

What nobody says of a time stays as it is. Which time a part of the day means is shown to whoever wrote it, as the
time that the job then has; an hour that is none of that part is an error.
"""

from __future__ import annotations

import re

from gateway.schedule.crontab_fields import WEEKDAYS
from gateway.schedule.errors import UnclearTime
from gateway.schedule.phrase_words import CLOCK, WEEKDAY, clock, weekday

NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
PARTS = {"morning": "9:00", "afternoon": "15:00", "evening": "18:00", "night": "21:00"}
HOURS = {"morning": range(12), "afternoon": range(12, 18), "evening": range(16, 24), "night": range(19, 24)}
HALF_DAY = 12
LATE = 6
"""Up to this hour, people speak of the night, or the evening, of the day before."""

_NUMBER = re.compile(rf"(?<![\w-])(?:{'|'.join(NUMBERS)})(?![\w-])")
_PART = re.compile(rf"(.+?)(?: in the| at)? ({'|'.join(PARTS)})(s)?(?: (?:at )?((?<=at )\d{{1,2}}(?!\d|:)|{CLOCK}))?")
_HOUR_FIRST = re.compile(rf"(?:(.+ )?at |)({CLOCK}) (?:in the (morning|afternoon|evening)|at (night))( .+)?")
_ONE_DAY = re.compile(rf"{WEEKDAY}")
_DAY = re.compile(rf"((?:on |every |each )?)({WEEKDAY})")


def plainly(said: str) -> str:
    """The lower-case phrase without numbers in words and parts of the day, as far as it is one with them. Raises
    UnclearTime for an hour that is not in its part of the day."""
    text = _NUMBER.sub(lambda found: str(NUMBERS.index(found[0]) + 1), said)
    if (found := _HOUR_FIRST.fullmatch(text)) is not None:
        before, at, part, behind = found[1] or "", found[2], found[3] or found[4], found[5] or ""
        return f"{before}at {_within(part, at, said, before.strip(), behind)}{behind}"
    found = _PART.fullmatch(text)
    if found is None:
        return text
    days, part, several, at = found.groups()
    days = {"this": "today", "every": "every day", "each": "every day"}.get(days, days)
    days = f"{'every ' if several and _ONE_DAY.fullmatch(days) else ''}{days}"
    return f"{days} at {PARTS[part] if at is None else _within(part, at, said, days)}"


def _within(part: str, at: str, said: str, days: str, behind: str = "") -> str:
    """The time of day that is meant by `8` in the evening. `days` stand before it and `behind` behind it."""
    found = clock(at)
    assert found is not None, "the phrase has a clock time there"
    bare = re.search("[a-z]", at) is None
    hour = found.hour + HALF_DAY if bare and part != "morning" and 0 < found.hour < HALF_DAY else found.hour
    if hour in HOURS[part]:
        return f"{hour}:{found:%M}"
    early = found.hour % HALF_DAY
    either = bare and 0 < found.hour <= HALF_DAY
    hours = (early, early + HALF_DAY) if either else (found.hour,)
    hints = []
    for each in hours[:1] if part == "night" and early < LATE else hours:
        after = _day_after(days) if part in ("evening", "night") and each < LATE else None
        hints += [f"{day} at {each}:{found:%M}{behind}".strip() for day in (after, days) if day is not None]
    raise UnclearTime(f"{said!r}: {at} is no clear time of the {part}", *hints)


def _day_after(days: str) -> str | None:
    """The day on which the night of such a day ends; None for words that name no one day."""
    if days in ("today", "tomorrow"):
        return "tomorrow" if days == "today" else "day after tomorrow"
    found = _DAY.fullmatch(days)
    number = weekday(found[2]) if found is not None else None
    if found is None or number is None:
        return None
    return f"{found[1]}{WEEKDAYS[(number + 1) % len(WEEKDAYS)]}{'s' if found[2].endswith('days') else ''}"
