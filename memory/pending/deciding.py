"""Deciding what waits, whatever its kind: claim, carry out (journal first), keep a receipt, let the file go.

What carrying out means, and what can go wrong with it, is the kind's. Who may decide is judged before; what is shown
of a decision is written elsewhere.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, Protocol, TypeVar

from memory.files import FileTrouble
from memory.journal import Receipt
from memory.pending.folder import Broken, Claim, PendingFolder, W
from memory.pending.outcomes import Approved, Decided, Kept, Rejected, Unknown

PATIENCE = 15.0
"""Seconds that a loser waits to learn what the winner did. A decision takes milliseconds; a journal's lock, ten."""

_POLL = 0.02

LOOK_AGAIN = "it changed since it was shown; look again"

Made = TypeVar("Made")
"""What carrying out gives."""

R = TypeVar("R")


class Records(Protocol):
    """Where it is kept for good how writes were decided. Everything raises FileTrouble."""

    def receipt(self, pending: str) -> Receipt | None:
        """How a pending write was decided, the last one of that id; None for one that was not."""

    def record(self, receipt: Receipt) -> None:
        """Keep it."""


class Decider(ABC, Generic[W, Made]):
    """`now()` in seconds since the epoch. Synchronous."""

    def __init__(self, pendings: PendingFolder[W], records: Records, now: Callable[[], float]) -> None:
        self.pendings = pendings
        self._records = records
        self._now = now

    @abstractmethod
    def _carry_out(self, write: W, who: str) -> Made | Kept[W]:
        """Change what the write is about, exactly as it was shown; or say why it waits on."""

    @abstractmethod
    def _carried_out(self, name: str) -> str | None:
        """The id of the change that an approval of this write made, if it did, once what a dead process left half
        done is settled: the journal tells. Raises FileTrouble."""

    @abstractmethod
    def _change_of(self, outcome: Made) -> str:
        """The id under which the journal has it; empty when nothing had to change."""

    def approve(
        self, name: str, who: str, shown: str = ""
    ) -> Approved[W, Made] | Rejected[W] | Kept[W] | Decided | Unknown:
        """Carry it out as it was shown, or say why it waits on. `shown` is the mark (`PendingFolder.mark`) of what
        the person saw: what is something else by now waits on."""
        return self._decide(name, lambda: self._approve(name, who, shown))

    def reject(self, name: str, who: str, shown: str = "") -> Rejected[W] | Kept[W] | Decided | Unknown:
        return self._decide(name, lambda: self._reject(name, who, shown))

    def became(self, name: str) -> Decided | Unknown:
        """What became of a write that does not wait. Raises FileTrouble."""
        receipt = self._records.receipt(name)
        return Decided(receipt) if receipt is not None else Unknown(name)

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

    def _decide(self, name: str, step: Callable[[], R | None]) -> R | Kept[W] | Decided | Unknown:
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

    def _halted(self, name: str, error: FileTrouble) -> Kept[W] | Decided:
        """Whatever was half done is looked into as if the process had died."""
        self.mend()
        with suppress(FileTrouble):
            if (receipt := self._records.receipt(name)) is not None:
                return Decided(receipt)
        return Kept(name, str(error))

    def _approve(self, name: str, who: str, shown: str) -> Approved[W, Made] | Kept[W] | Decided | None:
        with self.pendings.claimed(name, "approve", who) as claim:
            if claim is None or (before := self._decided_before(claim)) is not None:
                return None if claim is None else before
            if isinstance(claim.write, Broken):
                return self._kept(claim, f"it can never be carried out: {claim.write.why}. Reject it.")
            if self._differs(claim.write, shown):
                return self._kept(claim, LOOK_AGAIN)
            outcome = self._carry_out(claim.write, claim.who)
            if isinstance(outcome, Kept):
                return self._kept(claim, outcome.why)
            change = self._change_of(outcome)
            try:
                self._settle(claim, "approved", change)
            except FileTrouble:
                if not change:
                    raise
                # It is done, and the journal says whose: the receipt can be made up for.
            return Approved(claim.write, outcome)

    def _reject(self, name: str, who: str, shown: str) -> Rejected[W] | Kept[W] | Decided | None:
        with self.pendings.claimed(name, "reject", who) as claim:
            if claim is None or (before := self._decided_before(claim)) is not None:
                return None if claim is None else before
            if isinstance(claim.write, Broken):
                self.pendings.close(claim)  # there is nothing in it to lose
                self._records.record(Receipt(name, "rejected", who, self._now()))
                return Rejected(name, None)
            if self._differs(claim.write, shown):
                return self._kept(claim, LOOK_AGAIN)
            self._settle(claim, "rejected")
            return Rejected(name, claim.write)

    def _differs(self, write: W, shown: str) -> bool:
        return bool(shown) and self.pendings.mark(write) != shown

    def _decided_before(self, claim: Claim[W]) -> Decided | None:
        """For a file that somebody put back after it was decided. An id may come again: an older receipt is
        another write's."""
        receipt = self._records.receipt(claim.id)
        if receipt is None or isinstance(claim.write, Broken) or receipt.time < claim.write.created_at:
            return None
        self.pendings.close(claim)
        return Decided(receipt)

    def _kept(self, claim: Claim[W], why: str) -> Kept[W]:
        self.pendings.give_back(claim)
        return Kept(claim.id, why, None if isinstance(claim.write, Broken) else claim.write)

    def _settle(self, claim: Claim[W], result: str, detail: str = "") -> None:
        self._records.record(Receipt(claim.id, result, claim.who, self._now(), detail))
        self.pendings.close(claim)

    def _mend(self, claim: Claim[W]) -> str:
        """What became of a claim whose process died: the receipt tells, or else the journal."""
        name = claim.id
        if self._records.receipt(name) is not None:
            self.pendings.close(claim)
            return f"{name} was decided; its file is gone now"
        change = self._carried_out(name) if claim.decision == "approve" else None
        if change is not None:
            self._settle(claim, "approved", change)
            return f"{name} was approved by {claim.who} and is in place; the receipt was made up for"
        if claim.heir and self._took_its_place(claim.heir):
            self._settle(claim, "edited", claim.heir)
            return f"{name} was edited by {claim.who}, into {claim.heir}; the receipt was made up for"
        self.pendings.give_back(claim)
        return f"{name} was claimed by {claim.who} and not decided; it waits again"

    def _took_its_place(self, heir: str) -> bool:
        """Whether the new text of an edit was kept: it waits, is being decided, or was."""
        seen = self.pendings.there(heir) or self._records.receipt(heir) is not None
        return seen or self.pendings.there(heir)  # once more, since a rename can hide it
