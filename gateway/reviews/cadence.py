"""When a conversation is due for a review: after so many user turns or tool calls, and before its end.

Owns that decision and what leads to it. When a review that is due may start is the queue's matter; who takes part in
turns and boundaries, and tells of them here, the engine's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gateway.clock import Clock
from gateway.state.review_protocols import Reviews
from gateway.state.review_records import QueuedReview, ReviewCause, ReviewKind, ReviewStanding

CATCH_UP_SECONDS = 86_400.0
"""How far back a process that starts looks for what a dead one did not come to ask for."""


@dataclass(frozen=True, slots=True)
class Intervals:
    """User turns between reviews of memory, tool calls between reviews for skills; 0 turns a kind off."""

    memory: int = 10
    skill: int = 10
    enabled: bool = True

    def of(self, kind: ReviewKind) -> int:
        return self.memory if kind == "memory" else self.skill

    @property
    def kinds(self) -> frozenset[ReviewKind]:
        """What is reviewed without being asked for."""
        on: list[ReviewKind] = [kind for kind in ("memory", "skill") if self.enabled and self.of(kind) > 0]
        return frozenset(on)


def due(standing: ReviewStanding, intervals: Intervals) -> frozenset[ReviewKind]:
    """Kinds that are due now that a turn has ended; none after one that was stopped, failed or said nothing."""
    if not standing.answered:
        return frozenset()
    return frozenset(kind for kind in intervals.kinds if standing.counts.get(kind, 0) >= intervals.of(kind))


def left_over(standing: ReviewStanding, intervals: Intervals) -> frozenset[ReviewKind]:
    """Kinds for which the end of a conversation, or a summary, would take away what no review has seen."""
    return standing.unseen & intervals.kinds


class Cadence:
    """Asks for reviews. A call that is made twice, or that a crash swallows, changes no count: rows are counted."""

    def __init__(self, reviews: Reviews, clock: Clock, intervals: Callable[[], Intervals]) -> None:
        self._reviews = reviews
        self._clock = clock
        self._intervals = intervals

    async def turn_ended(self, session_id: str) -> QueuedReview | None:
        """After the end of a turn is stored, whatever the end. What now waits, when something is due."""
        intervals = self._intervals()
        if not intervals.kinds:
            return None
        kinds = due(await self._reviews.standing(session_id, intervals.kinds), intervals)
        return await self._offer(session_id, kinds, "cadence")

    async def before_end(self, session_id: str) -> QueuedReview | None:
        """Before a boundary is stored, so that no crash comes between the two; once more afterwards does no harm, and
        takes in what a turn that was cut off had said. It is on a person's way: half a millisecond."""
        return await self._left_over(session_id, "boundary")

    async def before_summary(self, session_id: str) -> QueuedReview | None:
        """Before the older part of a conversation gives way to a summary."""
        return await self._left_over(session_id, "compaction")

    async def written(self, session_id: str, kind: ReviewKind) -> None:
        """The foreground wrote something of this kind: its counter begins anew."""
        await self._reviews.count_anew(session_id, kind)

    async def catch_up(self, seconds: float = CATCH_UP_SECONDS) -> int:
        """At start: ask for what was due when the process before died, as it may have asked already. The number of
        reviews that it comes to."""
        found = 0
        for session_id, closed in await self._reviews.unsettled(self._clock.now() - seconds):
            asked = await (self.before_end(session_id) if closed else self.turn_ended(session_id))
            found += asked is not None
        return found

    async def _left_over(self, session_id: str, cause: ReviewCause) -> QueuedReview | None:
        intervals = self._intervals()
        if not intervals.kinds:
            return None
        kinds = left_over(await self._reviews.standing(session_id, intervals.kinds), intervals)
        return await self._offer(session_id, kinds, cause)

    async def _offer(self, session_id: str, kinds: frozenset[ReviewKind], cause: ReviewCause) -> QueuedReview | None:
        if not kinds:
            return None
        return await self._reviews.offer(session_id, kinds, cause, self._clock.now())
