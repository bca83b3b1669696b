"""Deciding what waits: claim, check the pins, change the store (journal first), keep a receipt, let the file go.

Every surface ends here. Who may decide is judged before; what is shown of a decision is written elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from memory.files import FileTrouble
from memory.journal import Receipt
from memory.model import Applied, Outcome, Reason, Refused, Target, Unchanged
from memory.pending.model import PendingWrite
from memory.pending.store import Broken, Claim, PendingStore, edited
from memory.store import Stores

PATIENCE = 15.0
"""Seconds that a loser waits to learn what the winner did. A decision takes milliseconds; a store's lock, ten."""

_POLL = 0.02


@dataclass(frozen=True, slots=True)
class Approved:
    """It is in the store."""

    write: PendingWrite
    outcome: Applied | Unchanged


@dataclass(frozen=True, slots=True)
class Rejected:
    """It is gone; `write` is None for a file that was no pending write."""

    id: str
    write: PendingWrite | None


@dataclass(frozen=True, slots=True)
class Edited:
    """`write` waits in place of `former`."""

    former: PendingWrite
    write: PendingWrite


@dataclass(frozen=True, slots=True)
class Kept:
    """It could not be carried out, and waits on."""

    id: str
    why: str
    write: PendingWrite | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """Somebody else was first."""

    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nothing waits under that id, and nothing ever did."""

    id: str


Resolution = Approved | Rejected | Edited | Kept | Decided | Unknown


class Resolver:
    """`holding(target, file)` is the store of a pending write's file, `records` any store of the folder (they share
    the journal); `now()` in seconds since the epoch. Synchronous."""

    def __init__(
        self,
        pendings: PendingStore,
        holding: Callable[[Target, str], Stores],
        records: Stores,
        now: Callable[[], float],
    ) -> None:
        self.pendings = pendings
        self._holding = holding
        self._records = records
        self._now = now

    def approve(self, name: str, who: str) -> Resolution:
        """Carry it out as it was shown, or say why it waits on."""
        return self._decide(name, lambda: self._approve(name, who))

    def reject(self, name: str, who: str) -> Resolution:
        return self._decide(name, lambda: self._reject(name, who))

    def edit(self, name: str, text: str, who: str) -> Resolution:
        """Put another text in its place, by the same checks. It waits under a new id: what was shown under the old
        one can no longer be approved."""
        return self._decide(name, lambda: self._edit(name, text, who))

    def became(self, name: str) -> Decided | Unknown:
        """What became of a write that does not wait. Raises FileTrouble."""
        receipt = self._records.receipt(name)
        return Decided(receipt) if receipt is not None else Unknown(name)

    def stands(self, write: PendingWrite) -> Applied | Unchanged:
        """The outcome of an approval that was made elsewhere, as it is told now. Raises FileTrouble."""
        record, stores = self._records.carried_out(write.id), self._holding(write.target, write.file)
        use, count = stores.usage(write.target), len(stores.entries(write.target))
        if record is None:
            return Unchanged(write.target, use, count, ("It was approved, and was there already.",))
        return Applied(write.target, record.id, record.changes, use, count)

    def mend(self) -> list[str]:
        """Finish what dead processes left between claim and receipt; lines for the log."""
        lines = []
        with self.pendings.orphans() as claims:
            for claim in claims:
                try:
                    lines.append(self._mend(claim))
                except FileTrouble as error:  # it stays as it is; the others are not to wait for it
                    lines.append(f"{claim.id} was claimed by {claim.who}, and could not be looked into: {error}")
        return lines

    def _decide(self, name: str, step: Callable[[], Resolution | None]) -> Resolution:
        late = time.monotonic() + PATIENCE
        missed = False
        try:
            while True:
                self.mend()
                if (done := step()) is not None:
                    return done
                there = self.pendings.there(name)
                if (receipt := self._records.receipt(name)) is not None:
                    return Decided(receipt)
                if not there and missed:
                    return Unknown(name)
                if time.monotonic() > late:
                    return Kept(name, "somebody is deciding it right now; look again in a moment")
                missed = not there
                time.sleep(_POLL)
        except FileTrouble as error:
            return self._halted(name, error)

    def _halted(self, name: str, error: FileTrouble) -> Resolution:
        """Whatever was half done is looked into as if the process had died."""
        self.mend()
        with suppress(FileTrouble):
            if (receipt := self._records.receipt(name)) is not None:
                return Decided(receipt)
        return Kept(name, str(error))

    def _approve(self, name: str, who: str) -> Resolution | None:
        with self.pendings.claimed(name, "approve", who) as claim:
            if claim is None or (before := self._decided_before(claim)) is not None:
                return None if claim is None else before
            if isinstance(claim.write, Broken):
                return self._kept(claim, f"it can never be carried out: {claim.write.why}. Reject it.")
            outcome = self._carried_out(claim, claim.write)
            if isinstance(outcome, Refused):
                return self._kept(claim, outcome.message)
            try:
                self._settle(claim, "approved", outcome.id if isinstance(outcome, Applied) else "")
            except FileTrouble:
                if isinstance(outcome, Unchanged):
                    raise
                # It is in the store, and the journal says whose: the receipt can be made up for.
            return Approved(claim.write, outcome)

    def _carried_out(self, claim: Claim, write: PendingWrite) -> Applied | Unchanged | Refused:
        author = replace(write.author, who=claim.who, pending=write.id)
        try:
            stores = self._holding(write.target, write.file)
        except ValueError as error:
            return Refused(write.target, Reason.INVALID, f"{error}.")
        outcome: Outcome = stores.carry_out(write.target, write.changes, author)
        assert isinstance(outcome, Applied | Unchanged | Refused), "what was decided is not put aside again"
        return outcome

    def _reject(self, name: str, who: str) -> Resolution | None:
        with self.pendings.claimed(name, "reject", who) as claim:
            if claim is None or (before := self._decided_before(claim)) is not None:
                return None if claim is None else before
            if isinstance(claim.write, Broken):
                self.pendings.close(claim)  # there is nothing in it to lose
                self._records.record(Receipt(name, "rejected", who, self._now()))
                return Rejected(name, None)
            self._settle(claim, "rejected")
            return Rejected(name, claim.write)

    def _edit(self, name: str, text: str, who: str) -> Resolution | None:
        with self.pendings.claimed(name, "edit", who) as claim:
            if claim is None or (before := self._decided_before(claim)) is not None:
                return None if claim is None else before
            if isinstance(claim.write, Broken):
                return self._kept(claim, f"it cannot be read: {claim.write.why}. Reject it.")
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

    def _decided_before(self, claim: Claim) -> Decided | None:
        """For a file that somebody put back after it was decided. An id may come again: an older receipt is
        another write's."""
        receipt = self._records.receipt(claim.id)
        if receipt is None or isinstance(claim.write, Broken) or receipt.time < claim.write.created_at:
            return None
        self.pendings.close(claim)
        return Decided(receipt)

    def _kept(self, claim: Claim, why: str) -> Kept:
        self.pendings.give_back(claim)
        return Kept(claim.id, why, claim.write if isinstance(claim.write, PendingWrite) else None)

    def _settle(self, claim: Claim, result: str, detail: str = "") -> None:
        self._records.record(Receipt(claim.id, result, claim.who, self._now(), detail))
        self.pendings.close(claim)

    def _mend(self, claim: Claim) -> str:
        """What became of a claim whose process died: the receipt tells, or else the journal."""
        name = claim.id
        if self._records.receipt(name) is not None:
            self.pendings.close(claim)
            return f"{name} was decided; its file is gone now"
        record = self._records.carried_out(name) if claim.decision == "approve" else None
        if record is not None:
            self._settle(claim, "approved", record.id)
            return f"{name} was approved by {claim.who} and is in the store; the receipt was made up for"
        if claim.heir and self._took_its_place(claim.heir):
            self._settle(claim, "edited", claim.heir)
            return f"{name} was edited by {claim.who}, into {claim.heir}; the receipt was made up for"
        self.pendings.give_back(claim)
        return f"{name} was claimed by {claim.who} and not decided; it waits again"

    def _took_its_place(self, heir: str) -> bool:
        """Whether the new text of an edit was kept: it waits, is being decided, or was."""
        seen = self.pendings.there(heir) or self._records.receipt(heir) is not None
        return seen or self.pendings.there(heir)  # once more, since a rename can hide it
