"""Deciding about changes of skills: each touched file must still be what it was when the change was put aside.

Claims, receipts and repair are `memory.pending.deciding`'s, making the change is `memory.skills.apply`'s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from memory.model import Author
from memory.pending.deciding import Decider
from memory.pending.outcomes import Kept, Resolved
from memory.pending.receipts import Receipts
from memory.pending.skill_model import SkillWrite
from memory.pending.skill_store import SkillPendings
from memory.skills.model import SkillApplied, SkillDraft, SkillOutcome, SkillRefused, SkillStaged, SkillUnchanged

SkillResolution = Resolved[SkillWrite, SkillApplied | SkillUnchanged]


class Hands(Protocol):
    """What makes changes of skills: `memory.skills.apply`."""

    def carry_out(self, draft: SkillDraft, by: Author) -> SkillOutcome:
        """Make a change that was put aside and approved, all of it or nothing: past the gate, on exactly the files
        that its pins name, by every other check."""

    def carried_out(self, pending: str) -> str | None:
        """The id of the change that an approval of this pending write made, if it did, once what a dead process left
        half done is settled. Raises FileTrouble."""


class SkillResolver(Decider[SkillWrite, SkillApplied | SkillUnchanged]):
    """`now()` in seconds since the epoch. Synchronous. There is no edit: a skill is changed by another wish."""

    def __init__(self, pendings: SkillPendings, receipts: Receipts, hands: Hands, now: Callable[[], float]) -> None:
        super().__init__(pendings, receipts, now)
        self._hands = hands

    def _carry_out(self, write: SkillWrite, who: str) -> SkillApplied | SkillUnchanged | Kept[SkillWrite]:
        outcome = self._hands.carry_out(write.draft, replace(write.author, who=who, pending=write.id))
        assert not isinstance(outcome, SkillStaged), "what was decided is not put aside again"
        return Kept(write.id, outcome.message) if isinstance(outcome, SkillRefused) else outcome

    def _carried_out(self, name: str) -> str | None:
        return self._hands.carried_out(name)

    def _change_of(self, outcome: SkillApplied | SkillUnchanged) -> str:
        return outcome.id if isinstance(outcome, SkillApplied) else ""
