"""A stretch of time as a line: where a moment lies on it, and which moments are written beside it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from gateway.drawing.words import MONTHS

SHORTEST = 86_400.0
"""Seconds that a line covers at least: a single moment stands in the middle of a day."""

EDGE = 0.03
"""What is left free at both ends, as a part of the whole."""


@dataclass(frozen=True, slots=True)
class Span:
    """From `start` to `end`, in seconds since the epoch; `end` is later."""

    start: float
    end: float

    @classmethod
    def over(cls, first: float, last: float) -> Span:
        """A span that holds both moments, with a little room around them."""
        length = max(last - first, SHORTEST)
        middle = (first + last) / 2
        half = length * (0.5 + EDGE)
        return cls(middle - half, middle + half)

    def part(self, at: float) -> float:
        """Where a moment lies, from 0 to 1; what lies outside stands at the end."""
        return min(1.0, max(0.0, (at - self.start) / (self.end - self.start)))


def ticks(span: Span, zone: tzinfo, most: int) -> list[tuple[float, str]]:
    """At most `most` moments of the calendar, and how they are written: hours, days, half months, months or years."""
    for step in _steps():
        found = list(_within(step, span, zone, most))
        if len(found) <= most:
            return found
    return []


_Step = tuple[str, int]


def _steps() -> Iterator[_Step]:
    yield from (("hour", 3), ("hour", 6), ("day", 1), ("day", 2), ("day", 7), ("half", 1))
    yield from (("month", 1), ("month", 2), ("month", 3), ("month", 6))
    yield from (("year", each) for each in (1, 2, 5, 10, 50, 100))


def _within(step: _Step, span: Span, zone: tzinfo, most: int) -> Iterator[tuple[float, str]]:
    """The moments of one step, `most` + 1 of them at most."""
    unit, many = step
    try:
        moment = _begin(unit, many, datetime.fromtimestamp(span.start, zone))
        shown, last_year = 0, 0
        while moment.timestamp() <= span.end and shown <= most:
            if moment.timestamp() >= span.start:
                yield moment.timestamp(), _LABELS[unit](moment, moment.year != last_year)
                shown, last_year = shown + 1, moment.year
            moment = _after(unit, many, moment)
    except (OverflowError, ValueError):
        return  # the calendar ends here


def _begin(unit: str, many: int, start: datetime) -> datetime:
    midnight = start.replace(hour=0, minute=0, second=0, microsecond=0)
    match unit:
        case "hour":
            return midnight
        case "day":
            return midnight - timedelta(days=midnight.weekday() if many == 7 else 0)
        case "half":
            return midnight.replace(day=1)
        case "month":
            return midnight.replace(month=1, day=1)
        case _:
            return midnight.replace(year=max(1, start.year - start.year % many), month=1, day=1)


def _after(unit: str, many: int, moment: datetime) -> datetime:
    match unit:
        case "hour":
            return moment + timedelta(hours=many)
        case "day":
            return moment + timedelta(days=many)
        case "half":
            return moment.replace(day=15) if moment.day == 1 else _after("month", 1, moment.replace(day=1))
        case "month":
            years, month = divmod(moment.month - 1 + many, 12)
            return moment.replace(year=moment.year + years, month=month + 1)
        case _:
            return moment.replace(year=moment.year + many)


def _hour(moment: datetime, _new_year: bool) -> str:
    return f"{moment:%H:%M}" if moment.hour else f"{moment.day} {MONTHS[moment.month - 1][:3]}"


def _day(moment: datetime, new_year: bool) -> str:
    year = f" {moment.year}" if new_year else ""
    return f"{moment.day} {MONTHS[moment.month - 1][:3]}{year}"


def _month(moment: datetime, new_year: bool) -> str:
    return f"{MONTHS[moment.month - 1][:3]}{f' {moment.year}' if new_year else ''}"


def _year(moment: datetime, _new_year: bool) -> str:
    return str(moment.year)


_LABELS: dict[str, Callable[[datetime, bool], str]] = {
    "hour": _hour,
    "day": _day,
    "half": _day,
    "month": _month,
    "year": _year,
}
