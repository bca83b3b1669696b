"""Skills that nobody uses: when they are stale, when overdue, what keeps them, and when to look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memory.skills.curator import DAY, HOUR, Remembered, Rules, Sight, due, observed, plan
from memory.skills.model import Skill
from memory.skills.usage import Tally
from tests.memory.skills.care import RULES, T


def sight(*names: str, remembered: Remembered | None = None, referred: Sequence[str] = (), **tallies: Tally) -> Sight:
    skills = tuple(Skill(name, "Does things.", Path("/skills") / name) for name in names)
    return Sight(skills, tallies, remembered or Remembered(), frozenset(referred))


def states(what: Sight, now: float, rules: Rules = RULES) -> dict[str, str]:
    return {
        each.name: f"{each.state}{f' {each.kept}' if each.kept else ''}" for each in plan(what, rules, now).verdicts
    }


# The plan


@pytest.mark.parametrize(
    ("days", "state"),
    [(0, "active"), (29.9, "active"), (30, "stale"), (89.9, "stale"), (90, "overdue"), (5_000, "overdue")],
)
def test_by_the_days_since_it_was_last_used(days: float, state: str) -> None:
    for tally in (Tally(used=T), Tally(viewed=T), Tally(patched=T, created=T - 900 * DAY), Tally(created=T)):
        assert states(sight("a", a=tally), T + days * DAY) == {"a": state}


def test_pinned_and_referred_to_ones_are_kept_and_it_is_said() -> None:
    what = sight("a", "b", "c", referred=["b"], a=Tally(used=T, pinned=True), b=Tally(used=T), c=Tally(used=T))
    assert states(what, T + 100 * DAY) == {"a": "overdue pinned", "b": "overdue referred to", "c": "overdue"}
    assert [each.name for each in plan(what, RULES, T + 100 * DAY).archive] == ["c"]
    assert [each.name for each in plan(what, RULES, T + 100 * DAY).stale] == ["a", "b"]


def test_one_that_was_never_used_is_not_archived_before_it_would_be_stale() -> None:
    strict = Rules(stale_after_days=30, archive_after_days=5)
    what = sight("new", "used", new=Tally(created=T), used=Tally(created=T, used=T))
    assert states(what, T + 10 * DAY, strict) == {"new": "overdue new", "used": "overdue"}
    assert states(what, T + 31 * DAY, strict) == {"new": "overdue", "used": "overdue"}


def test_one_without_dates_counts_from_when_it_was_first_seen() -> None:
    assert states(sight("a"), T) == {"a": "active"}
    assert states(sight("a", remembered=Remembered(seen={"a": T})), T + 95 * DAY) == {"a": "overdue"}


def test_a_clock_that_was_set_back_makes_nobody_old() -> None:
    assert states(sight("a", a=Tally(used=T + 999 * DAY)), T) == {"a": "active"}


def test_external_skills_are_none_of_its_business() -> None:
    what = sight("a", a=Tally(used=1.0))
    what = replace(what, skills=tuple(replace(each, external=True) for each in what.skills))
    assert plan(what, RULES, T).verdicts == ()


# When it runs


@pytest.mark.parametrize(
    ("rules", "hours", "idle", "runs"),
    [
        (RULES, 168, 2, True),
        (RULES, 167.9, 2, False),
        (RULES, 168, 1.9, False),
        (replace(RULES, enabled=False), 999, 99, False),
    ],
)
def test_it_runs_after_a_week_when_nobody_talks(rules: Rules, hours: float, idle: float, runs: bool) -> None:
    assert due(Remembered(since=T), rules, T + hours * HOUR, idle * HOUR) is runs
    assert due(Remembered(since=0, last=T), rules, T + hours * HOUR, idle * HOUR) is runs
    assert not due(Remembered(since=T, paused=True), rules, T + hours * HOUR, idle * HOUR)


def test_a_moment_to_come_is_not_waited_for() -> None:
    assert observed(Remembered(since=T + 9e9, last=T + 9e9), T) == Remembered(since=T)
