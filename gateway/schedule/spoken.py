"""Words of speech in phrases, put into those that are read: `in five minutes`, `tomorrow morning`. Pure.

What nobody says of a time stays as it is. Which time a part of the day means is shown to whoever wrote it, as the
time that the job then has.
"""

from __future__ import annotations

import re

from gateway.schedule.phrase_words import CLOCK, WEEKDAY, clock

NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
PARTS = {"morning": "9:00", "afternoon": "15:00", "evening": "18:00", "night": "21:00"}
HALF_DAY = 12

_NUMBER = re.compile(rf"(?<![\w-])(?:{'|'.join(NUMBERS)})(?![\w-])")
_PART = re.compile(rf"(.+?)(?: in the| at)? ({'|'.join(PARTS)})(s)?(?: (?:at )?((?<=at )\d{{1,2}}(?!\d|:)|{CLOCK}))?")
_ONE_DAY = re.compile(rf"{WEEKDAY}")


def plainly(text: str) -> str:
    """The lower-case phrase without numbers in words and parts of the day, as far as it is one with them."""
    text = _NUMBER.sub(lambda found: str(NUMBERS.index(found[0]) + 1), text)
    found = _PART.fullmatch(text)
    if found is None:
        return text
    days, part, several, at = found.groups()
    days = {"this": "today", "every": "every day", "each": "every day"}.get(days, days)
    time = PARTS[part] if at is None else _within(part, at)
    if time is None:
        return text
    return f"{'every ' if several and _ONE_DAY.fullmatch(days) else ''}{days} at {time}"


def _within(part: str, at: str) -> str | None:
    """The time of day that is meant by `8` in the evening; None for one that is no time of that part."""
    found = clock(at)
    if found is None:
        return None
    hour = found.hour
    if not re.search("[a-z]", at) and part != "morning" and 0 < hour < HALF_DAY:
        hour += HALF_DAY
    return f"{hour}:{found:%M}" if (hour < HALF_DAY) == (part == "morning") else None
