"""Random crontabs against croniter, an independent reading of cron, over 2026; where the two differ is stated here.

1. croniter takes day and weekday as alternatives also where one begins with a star (`*/2`); its `implement_cron_bug`
   is what Unix does, and is switched on.
2. croniter reads ranges over the end (`22-6`) and steps on one number (`5/15`); Unix knows neither, and here they are
   errors that name the right spelling. What they name is compared with croniter instead.
3. `5,*` and `5,*/7`: to croniter these can be stars; to Unix a star stands first or not at all, so that a weekday
   beside it is an alternative.
4. `3-3` and `sun-sun` are one value in Unix, and the whole round in croniter: it is given the value alone.
Dates that never come are None here, and an error there.
"""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from croniter import CroniterBadDateError, croniter

from gateway.schedule.crontab import Crontab
from gateway.schedule.errors import UnclearTime

UTC_ZONE = ZoneInfo("UTC")
START = datetime(2025, 12, 31, 23, 59, tzinfo=UTC)
END = datetime(2027, 1, 1, tzinfo=UTC)
FIELDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
REFUSALS = ("runs backwards", "needs a range", "never comes")
ROUND = re.compile(r"\b(\w+)-\1(?:/\d+)?(?=[, ]|$)")
RUNS = 60


def item(rng: random.Random, low: int, high: int) -> str:
    kind = rng.random()
    first, last = rng.randint(low, high), rng.randint(low, high)
    # Now and then a range runs backwards.
    if first > last and rng.random() < 0.95:
        first, last = last, first
    if kind < 0.45:
        return str(first)
    if kind < 0.7:
        return f"{first}-{last}"
    if kind < 0.85:
        return f"*/{rng.randint(1, high)}"
    if kind < 0.98:
        return f"{first}-{last}/{rng.randint(1, max(1, high // 2))}"
    return f"{first}/{rng.randint(1, high)}"


def named(rng: random.Random, text: str, names: list[str], low: int) -> str:
    """Some numbers as names, steps excepted."""
    if rng.random() < 0.7:
        return text
    return re.sub(r"(?<![/\d])\d+", lambda found: names[(int(found[0]) - low) % len(names)], text)


def expression(rng: random.Random) -> str:
    fields: list[str] = []
    for low, high in FIELDS:
        if rng.random() < (0.15 if high > 30 and low == 0 else 0.45):
            fields.append("*")
            continue
        items = [item(rng, low, high) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
        if rng.random() < 0.01:
            items.append("*")
        fields.append(",".join(items))
    fields[3] = named(rng, fields[3], MONTHS, 1)
    fields[4] = named(rng, fields[4], WEEKDAYS, 0)
    return " ".join(fields)


def theirs(line: str) -> list[datetime] | None:
    """The first runs of 2026, and those after nine moments through the year; None if there never are any."""
    found: list[datetime] = []
    try:
        for begin, count in begins():
            runs = croniter(line, begin, implement_cron_bug=True)
            for _ in range(count):
                run = runs.get_next(datetime)
                found.append(run)
                if run >= END:
                    break
    except CroniterBadDateError:
        return None
    return found


def ours(line: str) -> list[datetime] | None:
    crontab = Crontab.parse(line)
    found: list[datetime] = []
    for begin, count in begins():
        run = begin
        for _ in range(count):
            following = crontab.after(run, UTC_ZONE)
            if following is None:
                return None
            run = following
            found.append(run)
            if run >= END:
                break
    return found


def begins() -> list[tuple[datetime, int]]:
    spread = [START + timedelta(days=36.5 * number, minutes=377 * number) for number in range(1, 10)]
    return [(START, RUNS), *((begin, 3) for begin in spread)]


def explained(line: str) -> str | None:
    """Which of the stated differences applies to a line, if any."""
    day, weekday = line.split()[2], line.split()[4]
    if any(re.search(r"^[^*]+,\*", field) for field in (day, weekday)):
        return "star inside a list"
    return None


def compare(count: int, seed: int) -> dict[str, int]:
    rng = random.Random(seed)
    tally = {"equal": 0, "never": 0, "refused": 0, "range of one": 0, "star inside a list": 0}
    for _ in range(count):
        line = expression(rng)
        try:
            mine = ours(line)
        except UnclearTime as refusal:
            if not any(reason in str(refusal) for reason in REFUSALS):
                raise
            tally["refused"] += 1
            continue
        plain = ROUND.sub(r"\1", line)
        tally["range of one"] += plain != line
        other = theirs(plain)
        if mine == other:
            tally["equal" if mine is not None else "never"] += 1
            continue
        why = explained(line)
        assert why is not None, f"{line}: {mine and mine[:3]} and not {other and other[:3]}"
        tally[why] += 1
    return tally


def test_three_hundred_random_crontabs() -> None:
    tally = compare(300, seed=9)
    assert tally["equal"] > 240


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_five_thousand_random_crontabs(capsys: pytest.CaptureFixture[str]) -> None:
    tally = compare(5000, seed=2026)
    with capsys.disabled():
        print(f"\n5,000 crontabs over 2026: {tally}")
    assert tally["equal"] > 4000
    assert tally["never"] > 0
    assert tally["refused"] > 0
    assert tally["range of one"] > 0


@pytest.mark.parametrize(
    ("refused", "advice"),
    [("0 22-6 * * *", "22-23,0-6"), ("0 5/6 * * *", "5-23/6"), ("0 0 * nov-feb *", "nov-dec,jan-feb")],
)
def test_the_spelling_that_is_advised_is_what_croniter_reads(refused: str, advice: str) -> None:
    with pytest.raises(UnclearTime, match=advice):
        Crontab.parse(refused)
    written = next(field for field in refused.split() if "-" in field or "/" in field)
    assert ours(refused.replace(written, advice)) == theirs(refused)


def test_a_star_inside_a_list_restricts_as_in_unix() -> None:
    line = "0 0 5,* * 1"
    daily = ours(line)
    assert daily is not None
    assert daily[:3] == [datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2, 3)]
    assert daily != theirs(line)
