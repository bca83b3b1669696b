"""Five-field cron with Unix meaning, and when such a job runs in a zone whose clocks change.

Day and weekday: a date fits if either fits, once both are restricted; a field that begins with `*` is not restricted,
so that `*/2` and a weekday must both fit. Ranges over the end are errors, as in Unix; `fri-sun` is 5-7.

Clock changes, as Vixie's cron has it. A job belongs to local dates and runs once for each time it names: in a
repeated hour at its first passing, in a skipped one at the first minute after the gap, once however many of its times
are skipped. Jobs that keep running (hour or minute begin with `*`, several runs a day) run in both passings, in real
time; those of every hour make up for nothing in a gap, since their next run is at hand. Vixie's cron drops
`*/15 2 * * *` in a gap, and runs `*/60 2 * * *` twice on a date; here each runs once.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from calendar import monthrange
from dataclasses import dataclass, field
from datetime import MAXYEAR, UTC, date, datetime, time
from zoneinfo import ZoneInfo

from gateway.schedule.crontab_fields import KINDS, Field
from gateway.schedule.errors import UnclearTime
from gateway.schedule.wall import DAY, fixed, gap_end, instants, is_plain, once

NICKNAMES = (
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
)
LEAP_YEAR = 2024
EVERY_HOUR = 24


@dataclass(frozen=True, slots=True)
class Crontab:
    """A line of cron without its command. Equal when they mean the same, however they were written."""

    minutes: Field
    hours: Field
    days: Field
    months: Field
    weekdays: Field
    text: str = field(compare=False)

    @classmethod
    def parse(cls, text: str) -> Crontab:
        """From `minute hour day month weekday` or `@daily` and its kind. UnclearTime names the field."""
        words = text.lower().split()
        plain = " ".join(words)
        if plain.startswith("@"):
            plain = _nickname(plain)
        fields = plain.split()
        if len(fields) != len(KINDS):
            raise UnclearTime(_miscounted(fields))
        read = [kind.read(one) for kind, one in zip(KINDS, fields, strict=True)]
        minutes, hours, days, months, weekdays = read
        # A star in the month says no more than its values do.
        months = Field(months.values)
        return cls(minutes, hours, days, months, weekdays, " ".join(words))

    @property
    def repeats(self) -> bool:
        """Whether it keeps running in real time, and so in both passings of a repeated hour."""
        return (self.hours.star or self.minutes.star) and len(self.hours.values) * len(self.minutes.values) > 1

    @property
    def makes_up(self) -> bool:
        """Whether a time that the clocks skip is made up for after the gap."""
        return len(self.hours.values) < EVERY_HOUR

    @property
    def either(self) -> bool:
        """Whether day and weekday are both restricted, so that one of them is enough."""
        return not self.days.star and not self.weekdays.star

    @property
    def never(self) -> bool:
        """Whether no date fits: 30 February."""
        if self.either:
            return False
        # Any date of the calendar comes on each weekday within 40 years.
        return all(self.days.values[0] > monthrange(LEAP_YEAR, month)[1] for month in self.months.values)

    def fires(self, day: date) -> bool:
        """Whether it has runs that belong to this local date."""
        if day.month not in self.months.values:
            return False
        by_day = day.day in self.days.values
        by_weekday = day.isoweekday() % 7 in self.weekdays.values
        return (by_day or by_weekday) if self.either else (by_day and by_weekday)

    def after(self, moment: datetime, zone: ZoneInfo) -> datetime | None:
        """The first run strictly after the aware `moment`, with its offset in `zone`; None if there never is one."""
        local = _local(moment, zone)
        # A gap at the end of yesterday moves yesterday's run into today.
        day = self._day_from(local.date() - DAY)
        while day is not None:
            found = self._first_on(day, local, zone)
            if found is not None:
                return fixed(found, zone)
            day = self._day_from(day + DAY)
        return None

    def last(self, since: datetime, until: datetime, zone: ZoneInfo) -> datetime | None:
        """The last run after the aware `since` and not after `until`, with its offset in `zone`; None if none is."""
        local, floor = _local(until, zone), since.astimezone(UTC)
        day, first = local.date(), _local(since, zone).date() - DAY
        while day >= first and not self.never:
            if self.fires(day):
                found = self._last_on(day, local, zone)
                if found is not None:
                    return fixed(found, zone) if found.astimezone(UTC) > floor else None
            day -= DAY
        return None

    def runs_on(self, day: date, zone: ZoneInfo) -> tuple[datetime, ...]:
        """All runs, in UTC and in order, that belong to a local date: up to 1,500. Made for days of change."""
        if not self.fires(day):
            return ()
        walls = (
            datetime.combine(day, time(hour, minute)) for hour in self.hours.values for minute in self.minutes.values
        )
        return tuple(sorted({run for wall in walls for run in self._runs_at(wall, zone)}))

    def _runs_at(self, wall: datetime, zone: ZoneInfo) -> tuple[datetime, ...]:
        """The runs, in UTC, of one time on the clock."""
        passings = instants(wall, zone)
        if passings:
            return passings if self.repeats else passings[:1]
        return (gap_end(wall, zone),) if self.makes_up else ()

    def _day_from(self, start: date) -> date | None:
        """The first date from `start` on that fits. The last year of the calendar is left out."""
        if self.never:
            return None
        year, month, day = start.year, start.month, start.day
        while year < MAXYEAR:
            if month in self.months.values:
                for number in range(day, monthrange(year, month)[1] + 1):
                    if self.fires(date(year, month, number)):
                        return date(year, month, number)
            day = 1
            year, month = (year, month + 1) if month < 12 else (year + 1, 1)
        return None

    def _first_on(self, day: date, local: datetime, zone: ZoneInfo) -> datetime | None:
        if not is_plain(day, zone):
            return self._first_on_changing(day, local.astimezone(UTC), zone)
        if day < local.date():
            return None
        clock = local.time() if day == local.date() else None
        hours, minutes = self.hours.values, self.minutes.values
        if clock is None:
            return datetime.combine(day, time(hours[0], minutes[0]), zone)
        if clock.hour in hours and minutes[-1] > clock.minute:
            return datetime.combine(day, time(clock.hour, minutes[bisect_right(minutes, clock.minute)]), zone)
        place = bisect_right(hours, clock.hour)
        return datetime.combine(day, time(hours[place], minutes[0]), zone) if place < len(hours) else None

    def _first_on_changing(self, day: date, moment: datetime, zone: ZoneInfo) -> datetime | None:
        """Hour by hour: later ones begin no earlier, and none ends later than its last minute comes the last time."""
        best: datetime | None = None
        for hour in self.hours.values:
            walls = [datetime.combine(day, time(hour, minute)) for minute in self.minutes.values]
            if best is not None and once(walls[0], zone) >= best:
                break
            final = instants(walls[-1], zone) or (gap_end(walls[-1], zone),)
            if final[-1] <= moment:
                continue
            later = (run for wall in walls for run in self._runs_at(wall, zone) if run > moment)
            best = min(later, default=best) if best is None else min([best, *later])
        return best

    def _last_on(self, day: date, local: datetime, zone: ZoneInfo) -> datetime | None:
        if not is_plain(day, zone):
            moment = local.astimezone(UTC)
            runs = reversed(self.runs_on(day, zone))
            return next((run for run in runs if run <= moment), None)
        clock = local.time() if day == local.date() else time.max
        hours, minutes = self.hours.values, self.minutes.values
        if clock.hour in hours and minutes[0] <= clock.minute:
            return datetime.combine(day, time(clock.hour, minutes[bisect_right(minutes, clock.minute) - 1]), zone)
        place = bisect_left(hours, clock.hour)
        return datetime.combine(day, time(hours[place - 1], minutes[-1]), zone) if place else None


def _local(moment: datetime, zone: ZoneInfo) -> datetime:
    if moment.utcoffset() is None:
        raise ValueError("a moment needs its zone")
    return moment.astimezone(zone)


def _nickname(text: str) -> str:
    for name, line in NICKNAMES:
        if text == name:
            return line
    if text == "@reboot":
        raise UnclearTime("@reboot names no time", "@daily")
    if text.startswith("@every"):
        raise UnclearTime(f"{text!r} is not Unix cron", text[1:], "every 1m")
    raise UnclearTime(f"{text!r} is unknown; there are {', '.join(name for name, _ in NICKNAMES)}")


def _miscounted(fields: list[str]) -> str:
    order = "minute hour day month weekday, such as 0 9 * * 1-5"
    if len(fields) == len(KINDS) + 1:
        return f"cron has five fields and no seconds or years, these are six: {order}"
    return f"cron has five fields, here {'is 1' if len(fields) == 1 else f'are {len(fields)}'}: {order}"
