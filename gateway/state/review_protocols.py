"""What reviews ask of the store: the queue that survives everything, and the books of what they cost and brought.

As in `protocols`: `at` is the moment of the call, and every change is one transaction that runs to its end.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from gateway.state.review_records import (
    BackBecause,
    QueuedReview,
    ReviewCause,
    ReviewKind,
    ReviewLine,
    ReviewOutcome,
    ReviewResult,
    ReviewStanding,
    ReviewWrite,
    WriteFate,
)
from gateway.transcript import Usage


class Reviews(Protocol):
    """At most one review waits, and one runs, a session. A kind's rows are covered by one finished review, unless a
    person asks for more. What takes a claimed review raises StaleEpoch when it went to somebody else meanwhile."""

    async def standing(self, session_id: str, kinds: Collection[ReviewKind]) -> ReviewStanding:
        """How far reviews of these kinds are behind."""

    async def count_anew(self, session_id: str, kind: ReviewKind) -> None:
        """The counter of this kind begins at zero: the foreground has just written. What is unseen stays so."""

    async def offer(
        self, session_id: str, kinds: Collection[ReviewKind], cause: ReviewCause, at: float, *, focus: str = ""
    ) -> QueuedReview | None:
        """Ask for a review up to the last row that is no running turn's. One that waits is replaced: kinds merge, the
        first time stays, what it had begun is begun again. None when there is no such session, or nothing in it that
        no review saw; a person may ask for what was seen."""

    async def queue(self) -> list[QueuedReview]:
        """What waits and what runs, the longest asked for first."""

    async def claim(self, review_id: int, owner: str, lease_until: float) -> QueuedReview | None:
        """Take a waiting review, which then reaches up to the newest row unless it goes on with what it had begun.
        None when it is gone, was taken, has nothing left to see, or another one of its session runs."""

    async def renew(self, review: QueuedReview, lease_until: float) -> bool:
        """Hold it longer; False when it went to somebody else: stop at once."""

    async def keep(self, review: QueuedReview, progress: str, spent: Usage) -> None:
        """Note what finished calls came to, and what they cost since the last such note."""

    async def wrote(self, review: QueuedReview, write: ReviewWrite) -> None:
        """Note a write of a running review; the same ref again changes its fate."""

    async def written(self, review: QueuedReview) -> frozenset[ReviewKind]:
        """Kinds of what is noted as its writes, with those of an older one that went into it."""

    async def put_back(
        self, review: QueuedReview, because: BackBecause, at: float, *, reason: str = "", spent: Usage | None = None
    ) -> QueuedReview:
        """A claimed review waits again, with its progress; below a newer one it goes into that one, which then has
        the older one's first time, kinds, price and writes. What now waits."""

    async def take_back(self, owner: str, at: float, *, everyone: bool = False) -> list[QueuedReview]:
        """Put back what others than `owner` claimed and hold no longer, or (`everyone`, for a process that starts
        and is alone) hold at all; each such review is counted as `died`."""

    async def done(
        self,
        review: QueuedReview,
        outcome: ReviewOutcome,
        at: float,
        *,
        host: str,
        model: str,
        spent: Usage,
        reason: str = "",
    ) -> ReviewResult:
        """Commit a claimed review: its rows count as seen, the counters of its kinds are consumed, the result is
        booked and it leaves the queue, at once."""

    async def drop(self, review: QueuedReview, reason: str, at: float, *, count_anew: bool) -> None:
        """Give a review up, waiting or claimed, and book that with its reason. Nothing counts as seen; `count_anew`
        begins the counters of its kinds at its last row, so that the next turn does not ask again."""

    async def unsettled(self, since: float) -> list[tuple[str, bool]]:
        """Sessions that were active since then, with whether they are closed; closed ones only when no review of
        theirs ended afterwards. For some of them nobody may have asked for what is due."""


class ReviewBooks(Protocol):
    """What reviews cost and brought."""

    async def results(self, limit: int) -> list[ReviewResult]:
        """The newest, newest first, with their writes."""

    async def lines(self, since: float) -> list[ReviewLine]:
        """Price and yield of the reviews that ended since a moment, by host and model."""

    async def became(self, ref: str, fate: WriteFate, *, now_called: str | None = None) -> bool:
        """What became of a review's write, which may get another ref with that; False when no review wrote it."""

    async def writes(self, kind: ReviewKind, fates: Collection[WriteFate]) -> list[ReviewWrite]:
        """The writes of one kind with one of these fates, of reviews that are over and of those that are not."""
