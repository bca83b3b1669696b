"""Deciding about writes to memory: the pins are the entries themselves, and an edit puts another text in their place.

Claims, receipts and repair are `memory.pending.deciding`'s. Every surface ends here.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from memory.files import FileTrouble
from memory.model import Applied, Outcome, Refused, Target, Unchanged
from memory.pending.deciding import LOOK_AGAIN, Decider
from memory.pending.folder import Broken
from memory.pending.model import PendingWrite
from memory.pending.outcomes import Approved, Decided, Edited, Kept, Rejected, Resolved, Unknown
from memory.pending.store import PendingStore, edited
from memory.store import Stores

Resolution = Resolved[PendingWrite, Applied | Unchanged]

__all__ = ["Approved", "Decided", "Edited", "Kept", "Rejected", "Resolution", "Resolver", "Unknown"]


class Resolver(Decider[PendingWrite, Applied | Unchanged]):
    """`holding(target, file)` is the store of a pending write's file, `records` any store of the folder (they share
    the journal); `now()` in seconds since the epoch. Synchronous."""

    def __init__(
        self,
        pendings: PendingStore,
        holding: Callable[[Target, str], Stores],
        records: Stores,
        now: Callable[[], float],
    ) -> None:
        super().__init__(pendings, records, now)
        self._holding = holding
        self._stores = records

    def edit(self, name: str, text: str, who: str, shown: str = "") -> Resolution:
        """Put another text in its place, by the same checks. It waits under a new id: what was shown under the old
        one can no longer be approved."""
        return self._decide(name, lambda: self._edit(name, text, who, shown))

    def store(self, write: PendingWrite) -> Stores:
        """The store that it would change. Raises ValueError for a file that leads out of the folder."""
        return self._holding(write.target, write.file)

    def stands(self, write: PendingWrite) -> Applied | Unchanged:
        """The outcome of an approval that was made elsewhere, as it is told now. Raises FileTrouble."""
        record, stores = self._stores.carried_out(write.id), self._holding(write.target, write.file)
        use, count = stores.usage(write.target), len(stores.entries(write.target))
        if record is None:
            return Unchanged(write.target, use, count, ("It was approved, and was there already.",))
        return Applied(write.target, record.id, record.changes, use, count)

    def _carry_out(self, write: PendingWrite, who: str) -> Applied | Unchanged | Kept[PendingWrite]:
        author = replace(write.author, who=who, pending=write.id)
        try:
            stores = self._holding(write.target, write.file)
        except ValueError as error:
            return Kept(write.id, f"{error}.")
        outcome: Outcome = stores.carry_out(write.target, write.changes, author)
        assert isinstance(outcome, Applied | Unchanged | Refused), "what was decided is not put aside again"
        return Kept(write.id, outcome.message) if isinstance(outcome, Refused) else outcome

    def _carried_out(self, name: str) -> str | None:
        record = self._stores.carried_out(name)
        return record.id if record is not None else None

    def _change_of(self, outcome: Applied | Unchanged) -> str:
        return outcome.id if isinstance(outcome, Applied) else ""

    def _edit(self, name: str, text: str, who: str, shown: str) -> Resolution | None:
        with self.pendings.claimed(name, "edit", who) as claim:
            if claim is None or (before := self._decided_before(claim)) is not None:
                return None if claim is None else before
            if isinstance(claim.write, Broken):
                return self._kept(claim, f"it cannot be read: {claim.write.why}. Reject it.")
            if self._differs(claim.write, shown):
                return self._kept(claim, LOOK_AGAIN)
            try:
                write = edited(claim.write, claim.heir, text)
                checked = self._holding(write.target, write.file).rehearse(write.target, write.changes)
            except ValueError as error:
                return self._kept(claim, str(error))
            if isinstance(checked, Refused):
                return self._kept(claim, checked.message)
            if checked.before == checked.after:
                return self._kept(claim, "with that text it would change nothing.")
            self.pendings.keep(write)
            with suppress(FileTrouble):  # the new one waits: the receipt can be made up for
                self._settle(claim, "edited", write.id)
            return Edited(claim.write, write)
