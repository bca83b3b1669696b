"""Runs the curator: what it sees, what it remembers in `.curator.json`, and putting away what its plan says, each
skill looked at again just before. Reports lie in `.curator/`.

A dry run is `rehearse`: it is given what was seen, and has nothing to write with. Nothing is ever deleted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from memory.files import FileTrouble, Unreadable, Unwritable, locked, read, write_atomic
from memory.model import Author, Origin
from memory.skills.curator import Judged, Plan, Remembered, Rules, Sight, due, known, observed, plan
from memory.skills.library import Library
from memory.skills.merging import Announce, Merger, MergerDown, Propose, consolidate
from memory.skills.model import SkillApplied, SkillOutcome
from memory.skills.report import Archived, Left, Proposed, Report, as_json, markdown
from memory.skills.tree import Tree
from memory.skills.usage import Usage

STATE = ".curator.json"
REPORTS = ".curator"
NO_MODEL = "No model can be asked here. In a chat with the running gateway, /curator run can."
BY = Author(Origin.CRON, who="curator")
_KEPT = 50
_LOCK = f"{STATE}.lock"

Refers = Callable[[str], bool]
"""Whether something else, such as a job, also a paused one, needs the skill of that name."""


class Keeper(Protocol):
    """What is asked of `memory.skills.apply.SkillStore`."""

    def archive(self, name: str, by: Author) -> SkillOutcome: ...

    def restore(self, name: str, by: Author) -> SkillOutcome: ...


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What merging needs: asking a model, putting aside what it proposes, and saying how many calls are expected."""

    merge: Merger
    propose: Propose
    announce: Announce


def see(library: Library, usage: Usage, refers: Refers) -> Sight:
    """Everything that a plan is made from, as of now; reading only. Raises `FileTrouble`."""
    skills = library.found().skills
    remembered = _remembered(library.root)
    return Sight(skills, dict(usage.all()), remembered, _referred(refers, [each.name for each in skills]))


def rehearse(sight: Sight, rules: Rules, now: float) -> Report:
    """A dry run: what a run would do. It has values alone."""
    would = plan(replace(sight, remembered=known(sight.remembered, _names(sight), now)), rules, now)
    return Report(now, True, would, tuple(_archived(each) for each in would.archive))


class Caretaker:
    """`rules()` are those in force, `now()` is in seconds since the epoch. Everything raises `FileTrouble` where the
    records cannot be had; then nothing was changed."""

    def __init__(
        self,
        library: Library,
        usage: Usage,
        keeper: Keeper,
        rules: Callable[[], Rules],
        now: Callable[[], float],
        refers: Refers,
        consolidation: Consolidation | None = None,
    ) -> None:
        self._library = library
        self._usage = usage
        self._keeper = keeper
        self._rules = rules
        self._now = now
        self._refers = refers
        self._consolidation = consolidation
        self._tree = Tree(library.root)

    def consolidate_by(self, consolidation: Consolidation | None) -> None:
        """From now on, where the rules want merging."""
        self._consolidation = consolidation

    def remembered(self) -> Remembered:
        """Since when it watches, when it ran, whether it is paused."""
        return _remembered(self._library.root)

    def tick(self, idle: float) -> Report | None:
        """Call now and then with the seconds since the last turn ended: runs when it is time to. The first call only
        sets the clock."""
        now, before = self._now(), self.remembered()
        after = observed(before, now)
        if before.since is None:
            names = _names(self._sight())
            self._remember(lambda kept: known(observed(kept, now), names, now))
        elif after != before:
            self._remember(lambda kept: observed(kept, now))
        return self.run() if due(after, self._rules(), now, idle) else None

    def run(self) -> Report:
        """Whatever the clock says. The report is kept as Markdown and JSON, unless the disk does not let it."""
        now, rules, sight = self._now(), self._rules(), self._sight()
        names = _names(sight)
        # Written before anything is put away: a disk that takes nothing stops the run here.
        self._remember(lambda kept: replace(known(observed(kept, now), names, now), last=now))
        sight = replace(sight, remembered=self.remembered())
        report = self._carry_out(plan(sight, rules, now), sight, rules, now)
        gone = {each.name for each in report.archived}
        if gone:
            self._remember(lambda kept: replace(kept, away=kept.away | gone))
        if rules.consolidate:
            remaining = replace(sight, skills=tuple(each for each in sight.skills if each.name not in gone))
            report = self._merged(report, remaining)
        self._keep(report)
        return report

    def dry_run(self) -> Report:
        return rehearse(self._sight(), self._rules(), self._now())

    def pause(self, paused: bool = True) -> None:
        """No run by itself until this is taken back; `run` still works."""
        self._remember(lambda kept: replace(kept, paused=paused))

    def pin(self, name: str, pinned: bool = True) -> bool:
        """A pinned skill is never put away by a run. False when there is no skill of that name."""
        if not any(each.name == name and not each.external for each in self._library.found().skills):
            return False
        self._usage.pin(name, pinned)
        return True

    def archive(self, name: str, by: Author) -> SkillOutcome:
        """On a person's order: whatever the figures say, pinned or not."""
        return self._keeper.archive(name, by)

    def restore(self, name: str, by: Author) -> SkillOutcome:
        """Bring a skill back, byte for byte; its idleness counts from now on."""
        outcome = self._keeper.restore(name, by)
        if isinstance(outcome, SkillApplied):
            now, names = self._now(), outcome.draft.names or (name,)
            self._remember(lambda kept: replace(kept, back={**kept.back, **dict.fromkeys(names, now)}))
        return outcome

    # Inside

    def _sight(self) -> Sight:
        return see(self._library, self._usage, self._refers)

    def _carry_out(self, what: Plan, sight: Sight, rules: Rules, now: float) -> Report:
        archived: list[Archived] = []
        left: list[Left] = []
        for each in what.archive:
            if (why := self._changed(each, sight, rules, now)) is not None:
                left.append(Left(each.name, why))
                continue
            outcome = self._keeper.archive(each.name, BY)
            if isinstance(outcome, SkillApplied):
                archived.append(_archived(each, outcome.archived[0] if outcome.archived else ""))
            else:
                left.append(Left(each.name, getattr(outcome, "message", "It was left as it is.")))
        return Report(now, False, what, tuple(archived), tuple(left))

    def _changed(self, each: Judged, sight: Sight, rules: Rules, now: float) -> str | None:
        """Why a skill stays although it was to go: it was used, pinned or referred to since the plan was made."""
        try:
            tallies = self._usage.all()
        except FileTrouble as error:
            return str(error)
        referred = sight.referred | _referred(self._refers, [each.name])
        alone = tuple(one for one in sight.skills if one.name == each.name and not one.external)
        again = plan(replace(sight, skills=alone, tallies=tallies, referred=referred), rules, now)
        fresh = again.verdicts[0]
        return None if again.archive else f"It is {fresh.kept or 'in use again'} since the plan was made."

    def _merged(self, report: Report, sight: Sight) -> Report:
        by = self._consolidation
        if by is None:
            return replace(report, trouble=NO_MODEL)
        proposed: Sequence[Proposed]
        try:
            proposed = consolidate(sight, by.merge, by.propose, by.announce)
        except MergerDown as error:
            return replace(report, trouble=str(error))
        return replace(report, proposed=tuple(proposed))

    def _keep(self, report: Report) -> None:
        stamp = datetime.fromtimestamp(report.at, UTC).strftime("%Y%m%dT%H%M%SZ")
        try:
            self._tree.make_folder(REPORTS)
            there = {name for name, _ in self._tree.names(REPORTS)}
            number = next(n for n in range(1, 1000) if f"{_named(stamp, n)}.json" not in there)
            for suffix, text in (("md", markdown(report)), ("json", as_json(report))):
                self._tree.create(f"{REPORTS}/{_named(stamp, number)}.{suffix}", text.encode())
            old = sorted(name for name in there if name.startswith("run-"))
            for name in old[: max(0, len(old) - 2 * (_KEPT - 1))]:
                self._tree.remove(f"{REPORTS}/{name}")
        except FileTrouble:
            return  # the report was handed back as well, and what was done stands in the skills' own journal

    def _remember(self, how: Callable[[Remembered], Remembered]) -> None:
        root = self._library.root
        for path in (root / STATE, root / _LOCK):
            if path.is_symlink():
                raise Unwritable(f"{path} is a link; it was not followed.")
        with locked(root / _LOCK):
            write_atomic(root / STATE, _text(how(_remembered(root))))


def _names(sight: Sight) -> Collection[str]:
    return [each.name for each in sight.skills if not each.external]


def _referred(refers: Refers, names: Sequence[str]) -> frozenset[str]:
    return frozenset(name for name in names if refers(name))


def _archived(each: Judged, where: str = "") -> Archived:
    return Archived(each.name, each.place, each.days, each.never, where)


def _named(stamp: str, number: int) -> str:
    return f"run-{stamp}" if number == 1 else f"run-{stamp}-{number}"


def _text(remembered: Remembered) -> str:
    document = {
        "version": 1,
        "since": remembered.since,
        "last": remembered.last,
        "paused": remembered.paused,
        "seen": dict(remembered.seen),
        "back": dict(remembered.back),
        "away": sorted(remembered.away),
    }
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _remembered(root: Path) -> Remembered:
    path = root / STATE
    if path.is_symlink():
        raise Unreadable(f"{path} is a link; it was not followed.")
    text = read(path)
    if text is None:
        return Remembered()
    try:
        kept = json.loads(text)
        since, last = (None if kept[each] is None else float(kept[each]) for each in ("since", "last"))
        return Remembered(
            since, last, bool(kept["paused"]), _moments(kept["seen"]), _moments(kept["back"]), frozenset(kept["away"])
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Unreadable(
            f"{path} cannot be understood ({error!r}). Remove it, and the curator begins anew."
        ) from None


def _moments(kept: Any) -> dict[str, float]:
    return {str(name): float(moment) for name, moment in kept.items()}
