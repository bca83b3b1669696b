"""Deciding what waits: claim, check the pins, change the store (journal first), keep a receipt, let the file go.

Every surface ends here. Who may decide is judged before; what is shown of a decision is written elsewhere.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from memory.files import FileTrouble
from memory.journal import Receipt
from memory.model import Applied, Outcome, Reason, Refused, Target, Unchanged
from memory.pending.model import PendingWrite
from memory.pending.store import REPLACES, Broken, Claim, PendingStore, edited
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
        """Finish what dead processes left between claim and receipt; lines for the log. Raises FileTrouble."""
        lines = []
        with self.pendings.orphans() as claims:
            for claim in claims:
                lines.append(self._mend(claim))
        return lines

    def _decide(self, name: str, step: Callable[[], Resolution | None]) -> Resolution:
        late = time.monotonic() + PATIENCE
        try:
            while True:
                self.mend()
                if (done := step()) is not None:
                    return done
                if (receipt := self._records.receipt(name)) is not None:
                    return Decided(receipt)
                if self.pendings.get(name) is None and self.pendings.path_of_claim(name) is None:
                    receipt = self._records.receipt(name)  # it may have been written in between
                    return Decided(receipt) if receipt is not None else Unknown(name)
                if time.monotonic() > late:
                    return Kept(name, "somebody is deciding it right now; look again in a moment")
                time.sleep(_POLL)
        except FileTrouble as error:
            return Kept(name, str(error))

    def _approve(self, name: str, who: str) -> Resolution | None:
        with self.pendings.claimed(name, "approve", who) as claim:
            if claim is None:
                return None
            if isinstance(claim, Broken):
                return Kept(name, f"it can never be carried out: {claim.why}. Reject it.")
            outcome = self._carried_out(claim)
            if isinstance(outcome, Refused):
                return Kept(name, outcome.message, claim.write)
            self._settle(claim, "approved", outcome.id if isinstance(outcome, Applied) else "")
            return Approved(claim.write, outcome)

    def _carried_out(self, claim: Claim) -> Applied | Unchanged | Refused:
        write = claim.write
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
            if claim is None:
                return None
            if isinstance(claim, Broken):
                self._records.record(Receipt(name, "rejected", who, self._now()))
                if (path := self.pendings.path_of_claim(name)) is not None:
                    self.pendings.close(path)
                return Rejected(name, None)
            self._settle(claim, "rejected")
            return Rejected(name, claim.write)

    def _edit(self, name: str, text: str, who: str) -> Resolution | None:
        with self.pendings.claimed(name, "edit", who) as claim:
            if claim is None:
                return None
            if isinstance(claim, Broken):
                return Kept(name, f"it cannot be read: {claim.why}. Reject it.")
            try:
                write = edited(claim.write, secrets.token_hex(4), text.strip())
                checked = self._holding(write.target, write.file).rehearse(write.target, write.changes)
            except ValueError as error:
                return Kept(name, str(error), claim.write)
            if isinstance(checked, Refused):
                return Kept(name, checked.message, claim.write)
            self.pendings.keep(write)
            self._settle(claim, "edited", write.id)
            return Edited(claim.write, write)

    def _settle(self, claim: Claim, result: str, detail: str = "") -> None:
        self._records.record(Receipt(claim.write.id, result, claim.who, self._now(), detail))
        self.pendings.close(claim.path)

    def _mend(self, claim: Claim) -> str:
        """What became of a claim whose process died: the receipt tells, or else the journal."""
        name = claim.write.id
        if self._records.receipt(name) is not None:
            self.pendings.close(claim.path)
            return f"{name} was decided; its file is gone now"
        record = self._records.carried_out(name) if claim.decision == "approve" else None
        if record is not None:
            self._settle(claim, "approved", record.id)
            return f"{name} was approved by {claim.who} and is in the store; the receipt was made up for"
        heir = next((each for each in self.pendings.waiting() if f"{REPLACES}{name}" in each.flags), None)
        if heir is not None:
            self._settle(claim, "edited", heir.id)
            return f"{name} was edited by {claim.who} and waits as {heir.id}; the receipt was made up for"
        self.pendings.give_back(claim)
        return f"{name} was claimed by {claim.who} and not decided; it waits again"
