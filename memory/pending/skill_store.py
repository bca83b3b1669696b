"""Changes of skills that wait: put aside once, within bounds.

The folder and its claims are `memory.pending.folder`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from memory.files import FileTrouble, locked
from memory.model import Author, Reason
from memory.pending.folder import PendingFolder, crowded
from memory.pending.skill_model import SkillWrite, dump, load
from memory.skills.model import SkillDraft, SkillRefused, SkillStaged

LONGEST = 2 << 20
"""Bytes of files before and after that one write may hold: people are to read all of it before they say yes."""

ROOM = 32 << 20
"""Bytes that all files in the folder may have together: it is read whole, and often."""


class SkillPendings(PendingFolder[SkillWrite]):
    """`folder` is `pending/skills`; `now()` in seconds since the epoch; `staged` hears of each new write."""

    def __init__(
        self, folder: Path, now: Callable[[], float], *, staged: Callable[[SkillWrite], object] = lambda write: None
    ) -> None:
        super().__init__(folder, load, dump)
        self._lock = folder / ".lock"
        self._now = now
        self._staged = staged

    def put(self, draft: SkillDraft, author: Author, why: str) -> SkillStaged | SkillRefused:
        """Put a valid draft aside. The same one that waits already is not put there twice."""
        write = SkillWrite(self.fresh_id(), author, self._now(), draft)
        try:
            with locked(self._lock):
                waiting = self.waiting()
                same = next((each for each in waiting if each.same_as(write)), None)
                if same is not None:
                    words = f"This waits already, as {same.id}: {why}. Nothing is saved yet."
                    return SkillStaged(same.id, words)
                if (full := self._too_much(write, waiting)) is not None:
                    words = f"It has to wait ({why}), but {full} Nothing was saved."
                    return SkillRefused(Reason.INVALID, words)
                self.keep(write)
        except FileTrouble as error:
            words = f"It has to wait ({why}), but {error} Nothing was saved."
            return SkillRefused(Reason.UNWRITABLE, words)
        self._staged(write)
        return SkillStaged(write.id, f"It waits for a yes as {write.id}: {why}. Nothing is saved yet.")

    def _too_much(self, write: SkillWrite, waiting: Sequence[SkillWrite]) -> str | None:
        """Why it is more than people can decide, as the rest of a sentence."""
        size = sum(len(each.before or b"") + len(each.after or b"") for each in write.draft.changes)
        if size > LONGEST:
            return "it is too long to be read before somebody says yes: make fewer changes at once."
        if size + self.size() > ROOM:
            return f"{len(waiting)} writes wait already and fill the room: an operator has to decide some first."
        return crowded(write.author, waiting)
