"""Deciding about calls: a yes puts the very call that was shown where it is made, once; a no is kept for its session.

Claims, receipts and repair are `memory.pending.deciding`'s; making the call is not done here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memory.pending.call_model import PendingCall
from memory.pending.call_store import PendingCalls
from memory.pending.deciding import Decider
from memory.pending.folder import Broken, Claim
from memory.pending.outcomes import Kept, Resolved
from memory.pending.receipts import Receipts


@dataclass(frozen=True, slots=True)
class Ordered:
    """The call is to be made, under this id. `asleep`: nothing runs that would make it now."""

    id: str
    asleep: bool = False


CallResolution = Resolved[PendingCall, Ordered]


class CallResolver(Decider[PendingCall, Ordered]):
    """`now()` in seconds since the epoch. Synchronous. There is no edit. `asleep`: no gateway runs that would make
    what is approved."""

    def __init__(
        self, pendings: PendingCalls, receipts: Receipts, now: Callable[[], float], *, asleep: bool = False
    ) -> None:
        super().__init__(pendings, receipts, now)
        self.calls = pendings
        self._asleep = asleep

    def _carry_out(self, write: PendingCall, who: str) -> Ordered | Kept[PendingCall]:
        self.calls.decided.approve(write, who)
        return Ordered(write.id, self._asleep)

    def _carried_out(self, name: str) -> str | None:
        return name if self.calls.decided.known(name) else None

    def _change_of(self, outcome: Ordered) -> str:
        return outcome.id

    def _settle(self, claim: Claim[PendingCall], result: str, detail: str = "") -> None:
        if result == "rejected" and not isinstance(claim.write, Broken):
            self.calls.decided.reject(claim.write, claim.who)
        super()._settle(claim, result, detail)
