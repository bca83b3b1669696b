"""Skills that say nearly the same, offered to a model to be made one: only proposed, never written.

Which model, and how it is asked, is the merger's matter; what is proposed waits for a person in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory.skills.curator import Sight
from memory.skills.model import Skill, SkillOperation, SkillRefused, SkillStaged
from memory.skills.report import Proposed

MOST_GROUPS = 5
"""Calls of one run, at most: each group is one."""

_LARGEST = 4
_ALIKE = 72.0


class MergerDown(Exception):
    """The model could not be asked, or answered nothing that can be used. `str(error)` says why, in a sentence."""


@dataclass(frozen=True, slots=True)
class Merge:
    """What a model makes of some skills: the operations of one batch, such as a new skill and two that go."""

    names: tuple[str, ...]
    operations: tuple[SkillOperation, ...]


class Merger(Protocol):
    """Asks a model about one group. None: it would rather leave them apart. Raises `MergerDown`."""

    def __call__(self, skills: Sequence[Skill]) -> Merge | None: ...


Propose = Callable[[Merge], SkillStaged | SkillRefused]
"""Puts a merge aside for a person's yes; there is no way past it."""

Announce = Callable[[int], None]
"""Hears how many calls are expected, before the first."""


def groups(sight: Sight) -> tuple[tuple[Skill, ...], ...]:
    """The skills of the assistant's own that resemble each other, the most alike first. What is pinned, needed by
    something, or of another source is none of a merger's business."""
    from rapidfuzz import fuzz

    own = sorted(
        (
            each
            for each in sight.skills
            if each.source == "agent" and not each.external and each.name not in sight.referred
            if each.name not in sight.tallies or not sight.tallies[each.name].pinned
        ),
        key=lambda each: each.name,
    )
    pairs = [
        (score, one, other)
        for number, one in enumerate(own)
        for other in own[number + 1 :]
        if (score := fuzz.token_set_ratio(_words(one), _words(other), score_cutoff=_ALIKE))
    ]
    found: list[list[Skill]] = []
    for _, one, other in sorted(pairs, key=lambda pair: (-pair[0], pair[1].name, pair[2].name)):
        homes = [group for group in found if one in group or other in group]
        if not homes:
            found.append([one, other])
        elif len(homes) == 1 and len(homes[0]) < _LARGEST:
            homes[0] += [each for each in (one, other) if each not in homes[0]]
    return tuple(tuple(group) for group in found[:MOST_GROUPS])


def consolidate(sight: Sight, merge: Merger, propose: Propose, announce: Announce) -> tuple[Proposed, ...]:
    """Ask about each group, and only then put aside what came back: a model that fails changes nothing. Raises
    `MergerDown`."""
    asked = groups(sight)
    announce(len(asked))
    merges = [found for each in asked if (found := merge(each)) is not None]
    done = []
    for each in merges:
        outcome = propose(each)
        if isinstance(outcome, SkillStaged):
            done.append(Proposed(each.names, outcome.pending_id))
        else:
            done.append(Proposed(each.names, why=outcome.message))
    return tuple(done)


def _words(skill: Skill) -> str:
    return f"{skill.name.replace('-', ' ')} {skill.description}".casefold()
