"""What a review wrote: read from the journals and from what waits, never from what its model said.

Touches files, in a thread of its own. What became of it later is noted by whoever decides.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from gateway.state.review_records import ReviewKind, ReviewWrite
from memory.pending.folder import PendingFolder
from memory.pending.model import PendingWrite
from memory.pending.skill_model import SkillWrite
from memory.shelf import Shelf
from memory.skills.apply import SkillStore


def named(review_id: int) -> str:
    """The name that the writes of a review carry in journals and pending writes."""
    return f"review:{review_id}"


@dataclass(frozen=True, slots=True)
class Ledger:
    """The four places where writes are found."""

    shelf: Shelf
    pendings: PendingFolder[PendingWrite]
    skills: SkillStore
    skill_pendings: PendingFolder[SkillWrite]

    async def writes(self, review_id: int) -> list[ReviewWrite]:
        """All of a review's writes so far. Raises `FileTrouble`."""
        return await asyncio.to_thread(self._writes, named(review_id))

    def _writes(self, message: str) -> list[ReviewWrite]:
        found = [
            ReviewWrite(each.id, "memory", "kept" if each.undone_by is None else "undone")
            for each in self.shelf.made(message)
            if each.undoes is None and not each.author.pending  # one that was approved is known by what waited
        ]
        found += _waiting("memory", message, self.pendings.waiting())
        deeds = self.skills.history()
        undone = {each.undoes for each in deeds}
        found += [
            ReviewWrite(each.id, "skill", "undone" if each.id in undone else "kept")
            for each in reversed(deeds)
            if each.author.message == message and each.undoes is None and not each.author.pending
        ]
        return found + _waiting("skill", message, self.skill_pendings.waiting())


def _waiting(kind: ReviewKind, message: str, waiting: Iterable[PendingWrite | SkillWrite]) -> list[ReviewWrite]:
    return [ReviewWrite(each.id, kind, "waiting") for each in waiting if each.author.message == message]
