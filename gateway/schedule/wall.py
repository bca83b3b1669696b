"""What a clock on the wall shows, and which instants those are: none in the gap in spring, two in autumn.

Zones come from the IANA database by way of zoneinfo. Which of the instants
a job takes is left to crontab and phrases.
"""

from __future__ import annotations

import difflib
from datetime import UTC, date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo, available_timezones

from gateway.schedule.errors import UnclearTime

DAY = timedelta(days=1)


def zone_named(name: str) -> ZoneInfo:
    """The IANA zone of that name. UnclearTime with a near name if there is none."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        known = {zone.casefold(): zone for zone in sorted(available_timezones())}
        cities = {zone.rpartition("/")[2].casefold(): zone for zone in known.values() if "/" in zone}
        wanted = name.strip().casefold().replace(" ", "_")
        near = known.get(wanted) or cities.get(wanted)
        if near is None:
            near = next((known[close] for close in difflib.get_close_matches(wanted, known, n=1)), "Europe/Berlin")
        raise UnclearTime(f"there is no time zone {name!r}; write an IANA name, such as {near}") from None


def fixed(moment: datetime, zone: ZoneInfo) -> datetime:
    """The moment with the offset that `zone` has then, not with the zone.

    Python compares two times of one ZoneInfo by the clock alone, so that both passings of a repeated hour are equal,
    and holds such times unequal to any in another zone. With their offset they compare as what they are.
    """
    local = moment.astimezone(zone)
    return local.replace(tzinfo=timezone(local.utcoffset() or timedelta()), fold=0)


def is_plain(day: date, zone: ZoneInfo) -> bool:
    """Whether the clocks stay as they are from the start of `day` to the start of the next."""
    start = datetime.combine(day, time(), zone)
    return start.utcoffset() == (start + DAY).utcoffset()


def instants(wall: datetime, zone: ZoneInfo) -> tuple[datetime, ...]:
    """The instants, in UTC and in order, at which clocks in `zone` show the naive `wall`: one, two, or none."""
    first, second = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    if first == second:
        return (first,)
    return (first, second) if first < second else ()


def gap_end(wall: datetime, zone: ZoneInfo) -> datetime:
    """The first instant after the gap that holds the naive `wall`, in UTC: the next minute that clocks do show."""
    late, early = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    before = early.astimezone(zone).utcoffset()
    # The change lies in (early, late]; whole seconds are as fine as the database gets.
    while late - early > timedelta(seconds=1):
        middle = early + timedelta(seconds=(late - early) // timedelta(seconds=2))
        if middle.astimezone(zone).utcoffset() == before:
            early = middle
        else:
            late = middle
    return late


def once(wall: datetime, zone: ZoneInfo) -> datetime:
    """The first instant, in UTC, at which clocks show `wall`; for a time in a gap, the first one after it."""
    return next(iter(instants(wall, zone)), None) or gap_end(wall, zone)
