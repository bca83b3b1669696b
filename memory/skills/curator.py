"""What becomes of skills that nobody uses: active, then stale, then archived; and when to look (pure).

Nothing here can write: what was seen goes in as values, a plan comes out. Carrying it out is `caretaker`'s part,
saying it `report`'s.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from memory.skills.model import Skill
from memory.skills.usage import Tally

DAY = 86_400.0
HOUR = 3_600.0

State = Literal["active", "stale", "overdue"]
"""`overdue`: stale for so long that it would be put away."""


@dataclass(frozen=True, slots=True)
class Rules:
    """As `curator.*` in the settings."""

    enabled: bool = True
    interval_hours: float = 168
    min_idle_hours: float = 2
    stale_after_days: float = 30
    archive_after_days: float = 90
    consolidate: bool = False


@dataclass(frozen=True, slots=True)
class Remembered:
    """What the curator knows from earlier. Times in seconds since the epoch: `since` is the first observation, `last`
    the last run; `seen` when each skill was seen first, which is all that is known of one that was put there by hand;
    `back` when it came back from the archive; `away` are those that a run put there."""

    since: float | None = None
    last: float | None = None
    paused: bool = False
    seen: Mapping[str, float] = field(default_factory=dict)
    back: Mapping[str, float] = field(default_factory=dict)
    away: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Sight:
    """Everything that a plan is made from, as of one moment. Values alone: whoever has it can change nothing by it.
    `referred` are the skills that something else needs, such as a job, paused ones too."""

    skills: tuple[Skill, ...]
    tallies: Mapping[str, Tally]
    remembered: Remembered
    referred: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Judged:
    """One skill: its state, the days for which it was not used, and what keeps it although it is overdue (`pinned`,
    `referred to`, `new`), if anything does. `never`: it was not used at all."""

    name: str
    place: str
    state: State
    days: int
    never: bool
    kept: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would do, and what it thinks of each skill, by name."""

    verdicts: tuple[Judged, ...]

    @property
    def archive(self) -> tuple[Judged, ...]:
        """Those to put away."""
        return tuple(each for each in self.verdicts if each.state == "overdue" and not each.kept)

    @property
    def stale(self) -> tuple[Judged, ...]:
        """Those that are not used, and stay for now."""
        return tuple(each for each in self.verdicts if each.state != "active" and each not in self.archive)


def plan(sight: Sight, rules: Rules, now: float) -> Plan:
    """`now` in seconds since the epoch. External skills are none of the curator's business."""
    own = sorted((each for each in sight.skills if not each.external), key=lambda each: each.name)
    return Plan(tuple(_judged(each, sight, rules, now) for each in own))


def state(idle: float, rules: Rules) -> State:
    """By the seconds for which it was not used."""
    if idle >= rules.archive_after_days * DAY:
        return "overdue"
    return "stale" if idle >= rules.stale_after_days * DAY else "active"


def due(remembered: Remembered, rules: Rules, now: float, idle: float) -> bool:
    """Whether to run now, `idle` seconds after the last turn ended. Never at the first observation: that only sets
    the clock, which is the caller's to remember (`observed`)."""
    if not rules.enabled or remembered.paused or remembered.since is None:
        return False
    before = remembered.since if remembered.last is None else remembered.last
    return now - before >= rules.interval_hours * HOUR and idle >= rules.min_idle_hours * HOUR


def observed(remembered: Remembered, now: float) -> Remembered:
    """The clock set, if it was not; a moment that has not come yet is a wrong clock's, and is not waited for."""
    since = now if remembered.since is None or remembered.since > now else remembered.since
    last = None if remembered.last is not None and remembered.last > now else remembered.last
    return replace(remembered, since=since, last=last)


def known(remembered: Remembered, names: Collection[str], now: float) -> Remembered:
    """The same, with these skills as those that are there: new ones are seen now, and what was away and is there
    again came back now at the latest."""
    back = {name: moment for name, moment in remembered.back.items() if name in names}
    back |= {name: now for name in remembered.away if name in names and name not in back}
    seen = {name: min(remembered.seen.get(name, now), now) for name in names}
    return replace(remembered, seen=seen, back=back, away=remembered.away - set(names))


def _judged(skill: Skill, sight: Sight, rules: Rules, now: float) -> Judged:
    tally = sight.tallies.get(skill.name, Tally())
    used = max((each for each in (tally.viewed, tally.used, tally.patched) if each), default=None)
    # A skill that was put there by hand has no date: it counts from when it was first seen here, at the earliest now.
    born = tally.created if tally.created is not None else sight.remembered.seen.get(skill.name, now)
    since = max(used if used is not None else born, sight.remembered.back.get(skill.name, 0.0))
    idle = max(0.0, now - since)
    found = state(idle, rules)
    kept = ""
    if found == "overdue":
        if tally.pinned:
            kept = "pinned"
        elif skill.name in sight.referred:
            kept = "referred to"
        elif used is None and idle < rules.stale_after_days * DAY:
            kept = "new"
    return Judged(skill.name, skill.place, found, int(idle // DAY), used is None, kept)
