"""What people write for a time, in English, as a schedule: `in 30m`, `every 2h`, `weekdays at 9am`, `0 9 * * 1-5`.

What could mean two things is an error that says what to write. `describe` (in wording) is the way back: what it says
can be read here again, and means the same.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from gateway.schedule.crontab import Crontab
from gateway.schedule.errors import UnclearTime
from gateway.schedule.phrase_words import (
    CLOCK,
    MONTH,
    ORDINAL,
    clocks,
    day_of_year,
    duration,
    listed,
    months,
    ordinals,
    weekdays,
)
from gateway.schedule.phrases_once import moment
from gateway.schedule.spoken import plainly
from gateway.schedule.times import SHORTEST, Every, Once, Schedule
from gateway.schedule.wording import describe

__all__ = ["describe", "parse"]

EXAMPLES = (
    "in 30m",
    "tomorrow at 7:00",
    "on {date} at 18:00",
    "every 2h",
    "daily at 9:00",
    "weekdays at 9am",
    "every monday 9:30",
    "every month on the 1st at 8:00",
    "0 9 * * 1-5",
)
ALWAYS = ("tomorrow at 9:00", "on {date} at 9:00")
"""Hints where none of those that fit better is understood."""
CRON_LINE = re.compile(r"(?:[\d*/,?-]+ ){2}\S+ \S+ \S+(?: \S+)?|\S*\*\S*(?: \S+)*")
ON_THE_CLOCK = re.compile(r"every (?:(\d{1,2}) )?(minute|hour)s? on the clock(?: (.+))?")
HOURLY = re.compile(r"hourly(?: at ((?::\d\d(?:, | and )?)+))?(?: (.+))?")
CLOCKS = rf"{CLOCK}(?:(?:, and |, | and ){CLOCK})*"
CLOCKS_END = re.compile(rf"(.+?)(?:,? at |,? (?=noon|midnight|\d{{1,2}}(?::| ?[ap]\.?m)))({CLOCKS})")
BARE_CLOCKS_END = re.compile(r"(.+?),? (\d{1,2}(?:(?:, and |, | and )\d{1,2})*)")
CLOCKS_START = re.compile(rf"(?:at |(?=noon|midnight|\d{{1,2}}(?::| ?[ap]\.?m)))({CLOCKS}) (?:on )?(.+)")
IN_MONTHS = re.compile(rf"(.+) (?:in|of) ((?:{MONTH}(?:, and |, | and )?)+)")
NEED_A_DAY = (
    ("weekly|every week|each week", "every monday"),
    ("monthly|every month|each month", "every month on the 1st"),
    ("yearly|annually|every year|each year", "every year on january 1"),
)
WEEK = timedelta(days=7)
RECURRING = re.compile(r"(?:every|each|on every|on each|on|the|all) ")


def parse(text: str, zone: ZoneInfo, now: datetime) -> Schedule:
    """The schedule that `text` names, seen from the aware `now` in `zone`. UnclearTime says what to write instead."""
    try:
        return _parsed(text, zone, now)
    except UnclearTime as error:
        if not error.hints:
            raise
        problem, hints = error.problem, error.hints
    raise UnclearTime(problem, *(_understood(hints, zone, now) or _understood(ALWAYS, zone, now)))


def _understood(hints: tuple[str, ...], zone: ZoneInfo, now: datetime) -> list[str]:
    """Those of the hints that name a time at this moment."""
    later = (now.astimezone(zone) + WEEK).date().isoformat()
    found = []
    for hint in dict.fromkeys(each.replace("{date}", later) for each in hints):
        try:
            _parsed(hint, zone, now)
        except UnclearTime:
            continue
        found.append(hint)
    return found


def _parsed(text: str, zone: ZoneInfo, now: datetime) -> Schedule:
    said = re.sub(r"\s+", " ", text).strip(" .!\"'`").casefold()
    words = plainly(said)
    try:
        return _meant(words, zone, now)
    except UnclearTime as error:
        if words == said or not error.problem.startswith(repr(words)):
            raise
        problem, hints = repr(said) + error.problem.removeprefix(repr(words)), error.hints
    raise UnclearTime(problem, *hints)


def _meant(words: str, zone: ZoneInfo, now: datetime) -> Schedule:
    if not words:
        raise UnclearTime("no time is given", *EXAMPLES)
    if words.startswith("cron "):
        return _cron(words.removeprefix("cron ").strip(" \"'`"), now)
    if words.startswith("@") or CRON_LINE.fullmatch(words):
        return _cron(words, now)
    again = _interval(words, zone, now) or _hourly(words) or _recurring(words)
    if again is not None:
        return again
    at = moment(words, zone, now)
    if at is None:
        raise _lost(words)
    return _ahead(Once(at), words, zone, now)


def _cron(line: str, now: datetime) -> Crontab:
    found = Crontab.parse(line)
    if found.never:
        raise UnclearTime(f"cron {line!r} never runs: no such date is in the calendar; name another day or month")
    return found


def _ahead(found: Once, text: str, zone: ZoneInfo, now: datetime) -> Once:
    if found.at <= now.astimezone(UTC):
        was = found.at.astimezone(zone)
        clock = f"{was.hour}:{was:%M}"
        problem = f"{text!r} is past: it was {was:%Y-%m-%d %H:%M} in {zone.key}"
        raise UnclearTime(problem, f"tomorrow at {clock}")
    return found


def _interval(text: str, zone: ZoneInfo, now: datetime) -> Every | None:
    text = re.sub(r"^(?:every|each) other (day|week)", r"every 2 \1s", text)
    found = re.fullmatch(r"(?:every|each) (.+?)(?:,? (?:counted |starting )?from (.+))?", text)
    length = _length(found[1]) if found else None
    if found is None or length is None:
        _refuse_days(text)
        return None
    if found[1] == "day" and found[2] is None:
        raise UnclearTime("'every day' has no time of day", "every day at 9:00", "every 24 hours")
    seconds = length[0] * 86400 + length[1]
    if seconds < SHORTEST:
        raise UnclearTime(f"{text!r}: the shortest interval is a minute", "every 1m")
    return Every(seconds, now if found[2] is None else _anchor(found[2], found[1], zone, now))


def _anchor(text: str, length: str, zone: ZoneInfo, now: datetime) -> datetime:
    """Where an interval of this length is counted from."""
    try:
        found = moment(text, zone, now)
    except UnclearTime as error:
        raise UnclearTime(error.problem, *(f"every {length} from {hint}" for hint in error.hints)) from None
    if found is None:
        raise UnclearTime(f"{text!r} is no moment to count from", f"every {length} from {{date}} at 18:00")
    return found


def _length(text: str) -> tuple[int, int] | None:
    """A duration, or the name of a unit alone: every hour."""
    return duration(f"1 {text}" if re.fullmatch(r"second|minute|hour|day|week", text) else text)


def _refuse_days(text: str) -> None:
    """An interval with a time of day, or with days, is told what to write."""
    found = re.fullmatch(r"(?:every|each) (.+?)(?: on (.+?))?(?: at (.+))?", text)
    if found is None or found[1] == "day" or _length(found[1]) is None:
        return
    length, on, at = found[1], found[2], found[3] or "9:00"
    if on == "the clock" or (on or "").startswith("the clock "):
        return
    if on and re.fullmatch(r"(?:\d+ )?(?:m|min|h)\w*|\d+[mh]", length):
        raise UnclearTime(f"{text!r}: intervals know no days", f"every {length} on the clock on {on}")
    raise UnclearTime(
        f"{text!r}: an interval is elapsed time and has no time of day",
        f"every {length} from {f'next {on}' if on else 'tomorrow'} at {at}",
        f"mondays and thursdays at {at}",
    )


def _hourly(text: str) -> Crontab | None:
    """`hourly`, `hourly at :15`, and `every 15 minutes on the clock`, each with days after it."""
    found = HOURLY.fullmatch(text)
    if found is not None:
        minutes = ",".join(item.removeprefix(":") for item in listed(found[1] or ":00"))
        return _line(f"{minutes} *", found[2] or "daily", text)
    found = ON_THE_CLOCK.fullmatch(text)
    if found is None:
        return None
    step, whole = int(found[1] or 1), 60 if found[2] == "minute" else 24
    if step == 0 or whole % step:
        raise UnclearTime(
            f"{text!r} does not divide {'an hour' if whole == 60 else 'a day'} evenly",
            f"every {step} {found[2]}s",
            *(f"every {each} {found[2]}s on the clock" for each in range(2, step) if whole % each == 0),
        )
    star = f"*/{step}" if step > 1 else "*"
    return _line(f"{star} *" if whole == 60 else f"0 {star}", found[3] or "daily", text)


def _recurring(text: str) -> Crontab | None:
    """Days that come again, with times of day."""
    named = IN_MONTHS.fullmatch(text)
    inner = named[1] if named and CLOCKS_END.fullmatch(named[1]) else text
    for shape, days_at, clocks_at in ((CLOCKS_END, 1, 2), (CLOCKS_START, 2, 1), (BARE_CLOCKS_END, 1, 2)):
        found = shape.fullmatch(inner)
        if found is None or (shape is BARE_CLOCKS_END and not _by_the_week(found[1])):
            continue
        days = found[days_at] if inner is text else f"{found[days_at]} in {named[2] if named else ''}"
        if _days(days) is not None and (times := clocks(found[clocks_at])) is not None:
            return _line(_clock_fields(times, text), days, text)
    if _days(text) is not None:
        raise UnclearTime(f"{text!r} has no time of day", f"{text} at 9:00")
    return None


def _by_the_week(days: str) -> bool:
    """Whether a number behind these days can be nothing but an hour."""
    fields = _days(days)
    return fields is not None and fields.startswith("* * ")


def _clock_fields(times: list[time], text: str) -> str:
    hours, minutes = {one.hour for one in times}, {one.minute for one in times}
    if len(set(times)) != len(hours) * len(minutes):
        raise UnclearTime(f"{text!r}: these times do not fit one job; make two, or use the same minute in each hour")
    return f"{_numbers(minutes)} {_numbers(hours)}"


def _line(clock_fields: str, days: str, text: str) -> Crontab | None:
    """The crontab of two fields and words for days; None if these name no days that come again."""
    fields = _days(days)
    if fields is None:
        return None
    found = Crontab.parse(f"{clock_fields} {fields}")
    if found.never:
        raise UnclearTime(f"{text!r} never runs: no such date is in the calendar; name another day or month")
    return found


def _days(text: str) -> str | None:
    """The fields day, month and weekday of words for days that come again; None if they are something else."""
    named = IN_MONTHS.fullmatch(text)
    if named is not None and day_of_year(_bare(text)) is None and (inner := _days(named[1])) is not None:
        day, month, week = inner.split()
        return f"{day} {_numbers(months(named[2]) or set())} {week}" if month == "*" else None
    first, either, second = text.partition(" or ")
    if either:
        by_day, by_week = _days(first), _days(second)
        if by_day and by_week and by_day.endswith("* *") and by_week.startswith("* *"):
            return f"{by_day.split()[0]} * {by_week.split()[2]}"
        return None
    if re.fullmatch(r"daily|every ?day|each day|all days", text):
        return "* * *"
    return _weekly(text) or _monthly(text) or _yearly(text)


def _weekly(text: str) -> str | None:
    bare = re.sub(r"^weekly on ", "", _bare(text))
    found = weekdays(bare)
    if found is None:
        return None
    again = re.match(r"(?:on )?(?:every|each) |weekly ", text) or bare.endswith("s") or len(found) > 1
    return f"* * {_numbers(found)}" if again else None


def _monthly(text: str) -> str | None:
    month = r"(?:every|each|the|a) month"
    found = re.fullmatch(rf"(?:every month|each month|monthly),?(?: on)? (?:the )?({ORDINAL}.*)", text)
    found = found or re.fullmatch(rf"(?:on )?(?:the |every |each )?({ORDINAL}.*?) (?:of|in) {month}", text)
    if found is not None and (days := ordinals(found[1])) is not None:
        return f"{_numbers(days)} * *"
    if re.fullmatch(rf"(?:on )?the {ORDINAL}", text):
        raise UnclearTime(f"{text!r}: once, or each month?", "every month on the 1st at 9:00", "on {date} at 9:00")
    if re.search(r"last (?:\w+ )?(?:of|in) (?:every|each|the) month|month on the last", text):
        raise UnclearTime(f"{text!r}: the last day cannot be named", "every month on the 28th at 9:00")
    return None


def _yearly(text: str) -> str | None:
    found = re.fullmatch(r"(?:(?:every|each) year|yearly|annually|every|each),?(?: on)? (?:the )?(.+)", text)
    date = day_of_year(found[1]) if found else None
    if date is None or date[2] is not None:
        return None
    return f"{date[1]} {date[0]} *"


def _bare(text: str) -> str:
    while RECURRING.match(text):
        text = RECURRING.sub("", text, count=1)
    return text


def _numbers(values: set[int]) -> str:
    return ",".join(str(value) for value in sorted(values))


def _lost(text: str) -> UnclearTime:
    if duration(text) is not None:
        return UnclearTime(f"{text!r} could be once or again and again", f"in {text}", f"every {text}")
    if clocks(text.removeprefix("at ")) is not None:
        at = text.removeprefix("at ")
        return UnclearTime(f"{text!r}: on which days?", f"today at {at}", f"tomorrow at {at}", f"daily at {at}")
    for start, when in NEED_A_DAY:
        if re.match(start, text):
            return UnclearTime(f"{text!r} has no day, or no time of day", f"{when} at 9:00")
    return UnclearTime(f"{text!r} names no time that is understood", *EXAMPLES)
