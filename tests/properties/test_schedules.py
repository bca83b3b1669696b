"""What must hold of any schedule, in any zone, on any date, clock changes above all; and of any words for a time."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gateway.schedule.crontab import Crontab
from gateway.schedule.crontab_fields import KINDS, Kind
from gateway.schedule.errors import UnclearTime
from gateway.schedule.phrases import describe, parse
from gateway.schedule.times import Every, Once, Schedule, dump, load, missed, next_run, next_runs

MINUTE = timedelta(minutes=1)
WINDOW = 8 * 60
# A moment shortly before clocks change, in each zone: spring and autumn, half hours, midnights, and none at all.
CHANGES = [
    ("Europe/Berlin", "2026-03-29T01:00Z"),
    ("Europe/Berlin", "2026-10-25T01:00Z"),
    ("America/New_York", "2026-03-08T07:00Z"),
    ("America/New_York", "2026-11-01T06:00Z"),
    ("Australia/Lord_Howe", "2026-04-04T15:00Z"),
    ("Australia/Lord_Howe", "2026-10-03T15:30Z"),
    ("Africa/Casablanca", "2026-02-15T02:00Z"),
    ("Africa/Casablanca", "2026-03-22T02:00Z"),
    ("Africa/Cairo", "2026-04-23T22:00Z"),
    ("Africa/Cairo", "2026-10-29T21:00Z"),
    ("America/Nuuk", "2026-03-29T01:00Z"),
    ("America/Nuuk", "2026-10-25T01:00Z"),
    ("America/Havana", "2026-03-08T05:00Z"),
    ("America/Havana", "2026-11-01T05:00Z"),
    ("Asia/Tokyo", "2026-03-29T01:00Z"),
]
changes = st.sampled_from(CHANGES)


@st.composite
def field(draw: st.DrawFn, low: int, high: int) -> str:
    kind = draw(st.sampled_from(("*", "*", "one", "list", "range", "star step", "range step")))
    first, last = sorted((draw(st.integers(low, high)), draw(st.integers(low, high))))
    step = draw(st.integers(1, max(1, (high - low) // 2)))
    listed = ",".join(str(value) for value in draw(st.lists(st.integers(low, high), min_size=2, max_size=4)))
    return {
        "*": "*",
        "one": str(first),
        "list": listed,
        "range": f"{first}-{last}",
        "star step": f"*/{step}",
        "range step": f"{first}-{last}/{step}",
    }[kind]


lines = st.tuples(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7)).map(" ".join)
crontabs = lines.map(Crontab.parse)
# Jobs of the small hours, where clocks change.
nightly = st.tuples(
    field(0, 59), st.sampled_from(("*", "*/2", "0", "1", "2", "3", "23", "0-3", "1,2", "23,0", "2-4/2"))
)
nightly_crontabs = nightly.map(lambda parts: Crontab.parse(f"{parts[0]} {parts[1]} * * *"))


def walk(crontab: Crontab, zone: ZoneInfo, start: datetime, minutes: int) -> list[datetime]:
    """The runs among the minutes after `start`, found by looking at the clock in each; from the rules alone."""

    def named(wall: datetime) -> bool:
        fits = wall.hour in crontab.hours.values and wall.minute in crontab.minutes.values
        return fits and crontab.fires(wall.date())

    several = len(crontab.hours.values) * len(crontab.minutes.values) > 1
    in_real_time = several and (crontab.hours.star or crontab.minutes.star)
    found: list[datetime] = []
    before = start.astimezone(zone).replace(tzinfo=None, fold=0)
    for number in range(1, minutes + 1):
        moment = start + number * MINUTE
        clock = moment.astimezone(zone)
        wall = clock.replace(tzinfo=None, fold=0)
        skipped: list[datetime] = []
        passing = before + MINUTE
        before = wall
        while passing < wall:
            skipped.append(passing)
            passing += MINUTE
        made_up = len(crontab.hours.values) < 24 and any(named(one) for one in skipped)
        if made_up or (named(wall) and (in_real_time or clock.fold == 0)):
            found.append(moment)
    return found


@settings(max_examples=50, deadline=None)
@given(crontab=nightly_crontabs, change=changes, hours=st.integers(0, 5))
@example(crontab=Crontab.parse("30 2 * * *"), change=CHANGES[0], hours=3)
@example(crontab=Crontab.parse("*/15 2 * * *"), change=CHANGES[1], hours=3)
@example(crontab=Crontab.parse("30 23 * * *"), change=CHANGES[10], hours=5)
def test_around_a_change_of_clocks_runs_are_what_the_rules_say(
    crontab: Crontab, change: tuple[str, str], hours: int
) -> None:
    zone = ZoneInfo(change[0])
    start = datetime.fromisoformat(change[1]) - timedelta(hours=hours)
    expected = walk(crontab, zone, start, WINDOW)
    runs = next_runs(crontab, zone, start, count=len(expected) + 1)
    assert [run.astimezone(UTC) for run in runs[:-1]] == expected
    assert runs[-1].astimezone(UTC) > start + WINDOW * MINUTE


moments = st.datetimes(datetime(2025, 12, 1), datetime(2028, 3, 1), timezones=st.just(UTC))  # noqa: DTZ001
schedules: st.SearchStrategy[Schedule] = st.one_of(
    crontabs,
    st.builds(Once, moments),
    st.builds(Every, st.integers(60, 10_000_000), moments),
)


@settings(max_examples=100, deadline=None)
@given(schedule=schedules, change=changes, offset=st.integers(-3 * 86400, 3 * 86400))
def test_runs_go_forward_and_the_last_of_them_is_the_one_missed(
    schedule: Schedule, change: tuple[str, str], offset: int
) -> None:
    zone = ZoneInfo(change[0])
    since = datetime.fromisoformat(change[1]) + timedelta(seconds=offset)
    runs = [run.astimezone(UTC) for run in next_runs(schedule, zone, since, count=10)]
    assert runs == sorted(set(runs))
    assert all(run > since for run in runs)
    for run, before in zip(runs, [since, *runs], strict=False):
        assert missed(schedule, zone, since, run) == run
        assert missed(schedule, zone, before, run - timedelta(seconds=1)) is None
        following = next_run(schedule, zone, run - timedelta(seconds=1))
        assert following is not None
        assert following.astimezone(UTC) == run


# Clock times and days as people have them, so that most crontabs have words of their own.
plain = st.tuples(
    st.sampled_from(("0", "30", "0,30", "5,20", "*/15", "*", "0-10")),
    st.sampled_from(("9", "0", "7,19", "*", "*/2", "*/12", "0,6,12,18", "8-12")),
    st.sampled_from(("*", "*", "1", "1,15", "31", "*/2", "1-31", "11-13")),
    st.sampled_from(("*", "*", "12", "1,7", "*/2", "*/4", "1-12")),
    st.sampled_from(("*", "*", "1-5", "0,6", "7", "1", "2,4", "*/2", "0-6")),
).map(lambda fields: Crontab.parse(" ".join(fields)))


@settings(max_examples=300, deadline=None)
@given(schedule=st.one_of(schedules, plain), change=changes)
@example(schedule=Once(datetime(2026, 10, 25, 1, 30, tzinfo=UTC)), change=CHANGES[1])
@example(schedule=Every(60, datetime(2026, 10, 25, 0, 30, 7, tzinfo=UTC)), change=CHANGES[1])
def test_words_for_a_schedule_read_back_as_the_same(schedule: Schedule, change: tuple[str, str]) -> None:
    zone = ZoneInfo(change[0])
    long_ago = datetime(2025, 11, 1, tzinfo=UTC)
    if isinstance(schedule, Crontab) and schedule.never:
        return
    words = describe(schedule, zone)
    assert parse(words, zone, long_ago) == schedule
    assert describe(parse(words, zone, long_ago), zone) == words


@given(schedule=st.one_of(schedules, plain))
def test_what_is_stored_is_what_comes_back(schedule: Schedule) -> None:
    text = dump(schedule)
    assert load(text) == schedule
    assert dump(load(text)) == text


WORDS = """
in at on every each the of and or to from next this tonight today tomorrow daily hourly weekly monthly yearly weekdays
weekends month year day days week hour hours minutes m h clock noon midnight am pm cron 1st 2nd 15th 31st 32nd 0 9
9:30 12 13 25 9am 13pm 30m 2h 2026-12-24 2026-12-24T18:00 * */5 1-5 , - @daily 99999999999999 0000-00-00 9999-12-31
morning evenings night five two 12/24/2026 12/11 24.12. 1/2/27 @every 5m 2026 29 other last half an a now until
+ é \u0663 ½ \x00 mon fridays :15 sunday monday january february
"""
sentences = st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=7).map(" ".join)


@settings(max_examples=500, deadline=None)
@given(text=st.one_of(sentences, sentences, st.text(max_size=40)))
@example(text="every 9999999999999999999999 hours")
@example(text="on 9999-12-31 at 23:59")
@example(text="every 10000 hours from 0001-01-01 at 0:00")
@example(text="in half a day")
def test_any_words_are_a_time_or_told_what_to_write(text: str) -> None:
    zone = ZoneInfo("America/New_York")
    now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
    try:
        schedule = parse(text, zone, now)
    except UnclearTime:
        return
    assert next_runs(schedule, zone, now)
    assert parse(describe(schedule, zone), zone, now) == schedule


UNCLEAR = """
tonight|tonight at 8|at midnight|midnight|monday|sunday at 23:59|today|today at 0:00|2026|12/11/2026 18:00|12/11
2026-11-01|in 0 minutes|every 7 minutes on the clock|every 0 hours on the clock|every 2 weeks on monday|30m|9am
every 2 days at 9|every 2 days from tomorrow|every 2 days from 1/2 at 3|every day|weekly|monthly at 9|on the 1st
every month on the last day|in 3 months|every 9 months|on 2026-10-25 at 2:30|on 2026-11-01 at 1:30|soon|@reboot
on 30 february at 9|0 9 * *|@every 10s|every month on the 31st in february|every year on february 30|...
friday night at 1|every night at 2|tomorrow evening at 12|at 11 in the afternoon tomorrow|in the morning
this night at 3
wednesday morning at 8pm|tonight at midnight|noon tonight|every 2 hours on weekdays|every 61 seconds from tonight
"""
unclear = st.sampled_from(re.split(r"[|\n]", UNCLEAR.strip()))


@settings(max_examples=400, deadline=None)
@given(
    text=st.one_of(unclear, sentences),
    now=st.datetimes(datetime(2026, 1, 1), datetime(2028, 12, 31), timezones=st.just(UTC)),  # noqa: DTZ001
    name=st.sampled_from(sorted({zone for zone, _ in CHANGES})),
)
@example(text="tonight", now=datetime(2026, 11, 30, 22, 30, tzinfo=UTC), name="Europe/Berlin")
@example(text="today", now=datetime(2026, 11, 30, 22, 30, tzinfo=UTC), name="Europe/Berlin")
@example(text="monday", now=datetime(2026, 11, 30, 20, 0, tzinfo=UTC), name="Europe/Berlin")
@example(text="on 2026-10-25 at 2:30", now=datetime(2026, 10, 25, 0, 45, tzinfo=UTC), name="Europe/Berlin")
@example(text="on 2026-11-01 at 1:30", now=datetime(2026, 11, 2, tzinfo=UTC), name="America/New_York")
def test_whatever_is_told_to_be_written_is_understood(text: str, now: datetime, name: str) -> None:
    zone = ZoneInfo(name)
    told, hints = advice(text, zone, now)
    assert re.findall(r"'([^']*)'", told.rpartition(" write ")[2] if hints else "") == list(hints)
    for hint in hints:
        assert next_runs(parse(hint, zone, now), zone, now), hint


def advice(text: str, zone: ZoneInfo, now: datetime) -> tuple[str, tuple[str, ...]]:
    try:
        parse(text, zone, now)
    except UnclearTime as error:
        return str(error), error.hints
    return "", ()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@settings(max_examples=200, deadline=None)
@given(
    text=st.from_regex(
        r"[0-9]{1,2}(-[0-9]{1,2})?(/[0-9]{1,3})?|(fri|mon|dec)(-(mon|jan|sun))?(/[0-9])?", fullmatch=True
    )
)
def test_what_is_told_to_be_written_in_a_field_of_cron_is_understood(kind: Kind, text: str) -> None:
    try:
        kind.read(text)
    except UnclearTime as error:
        told = re.search(r"; write (\S+?)(?: or (\S+))?; allowed", str(error))
        for hint in told.groups() if told else ():
            assert hint is None or kind.read(hint).values
