"""When a job runs: once, at an interval, or by cron; next runs, the last one missed, the form in the database.

An interval is elapsed time, counted from its anchor, whatever the clocks do. Wording is left to phrases, keeping jobs
to the database, waking up to the scheduler.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, assert_never
from zoneinfo import ZoneInfo

from gateway.errors import InnkeeperError
from gateway.schedule.crontab import Crontab
from gateway.schedule.wall import fixed

VERSION = 1
SHORTEST = 60
LONGEST = 100 * 366 * 86_400


@dataclass(frozen=True, slots=True)
class Once:
    """One moment. `at` is kept in UTC, to the second."""

    at: datetime

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", _utc(self.at))


@dataclass(frozen=True, slots=True)
class Every:
    """Each `seconds` (at least 60, at most a century) of elapsed time, counted from `anchor`, which is a run itself.
    Kept in UTC."""

    seconds: int
    anchor: datetime

    def __post_init__(self) -> None:
        if self.seconds < SHORTEST:
            raise ValueError("an interval has at least a minute")
        if self.seconds > LONGEST:
            raise ValueError("an interval has at most a century")
        object.__setattr__(self, "anchor", _utc(self.anchor))


Schedule = Once | Every | Crontab


class UnknownSchedule(InnkeeperError):
    """A stored schedule is broken, or was written by a later version of the program."""


def next_run(schedule: Schedule, zone: ZoneInfo, after: datetime) -> datetime | None:
    """The first run strictly after the aware `after`, with its offset in `zone`; None if there is none any more."""
    match schedule:
        case Once(at):
            return fixed(at, zone) if at > after.astimezone(UTC) else None
        case Every(seconds, anchor):
            count = max(0, (after.astimezone(UTC) - anchor) // timedelta(seconds=seconds) + 1)
            return fixed(anchor + count * timedelta(seconds=seconds), zone)
        case Crontab():
            return schedule.after(after, zone)
        case _:
            assert_never(schedule)


def next_runs(schedule: Schedule, zone: ZoneInfo, after: datetime, count: int = 3) -> tuple[datetime, ...]:
    """Up to `count` runs strictly after the aware `after`, in order, with offsets; fewer if there are no more."""
    found: list[datetime] = []
    while len(found) < count:
        run = next_run(schedule, zone, found[-1] if found else after)
        if run is None:
            break
        found.append(run)
    return tuple(found)


def missed(schedule: Schedule, zone: ZoneInfo, since: datetime, until: datetime) -> datetime | None:
    """The last run after the aware `since` and not after `until`: the one to catch up, for all of them."""
    match schedule:
        case Once(at):
            return fixed(at, zone) if since.astimezone(UTC) < at <= until.astimezone(UTC) else None
        case Every(seconds, anchor):
            count = (until.astimezone(UTC) - anchor) // timedelta(seconds=seconds)
            run = anchor + count * timedelta(seconds=seconds)
            return fixed(run, zone) if count >= 0 and run > since.astimezone(UTC) else None
        case Crontab():
            return schedule.last(since, until, zone)
        case _:
            assert_never(schedule)


def dump(schedule: Schedule) -> str:
    """The schedule as one line of JSON, always in the same order: `v`, `kind`, and what the kind needs."""
    content: dict[str, str | int]
    match schedule:
        case Once(at):
            content = {"kind": "once", "at": at.isoformat()}
        case Every(seconds, anchor):
            content = {"kind": "every", "seconds": seconds, "anchor": anchor.isoformat()}
        case Crontab():
            content = {"kind": "cron", "text": schedule.text}
        case _:
            assert_never(schedule)
    return json.dumps({"v": VERSION, **content}, separators=(",", ":"))


def load(text: str) -> Schedule:
    """The schedule from its JSON. UnknownSchedule for anything that this version did not write."""
    try:
        content: dict[str, Any] = json.loads(text)
        match content:
            case {"v": 1, "kind": "once", "at": str(at)}:
                return Once(datetime.fromisoformat(at))
            case {"v": 1, "kind": "every", "seconds": int(seconds), "anchor": str(anchor)}:
                return Every(seconds, datetime.fromisoformat(anchor))
            case {"v": 1, "kind": "cron", "text": str(line)}:
                return Crontab.parse(line)
            case _:
                raise ValueError("unknown kind or version")
    except (ValueError, RecursionError, InnkeeperError) as error:
        raise UnknownSchedule(f"a stored schedule cannot be read ({error}): {text[:200]}") from error


def _utc(moment: datetime) -> datetime:
    if moment.utcoffset() is None:
        raise ValueError("a moment needs its zone")
    return moment.astimezone(UTC).replace(microsecond=0)
