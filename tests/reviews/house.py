"""What the tests of reviews share: a house that can be made quiet or loud, turns by the dozen, and a store to ask."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from gateway.reviews.cadence import Cadence, Intervals
from gateway.reviews.queue import Patience, ReviewQueue
from gateway.state.contract import CHAT, NOON, session
from gateway.state.records import Row, TurnState
from gateway.state.review_records import QueuedReview
from gateway.state.store import SqliteStore
from tests.fakes.clock import FakeClock

T = TypeVar("T")


@dataclass
class House:
    """Surroundings as a test wants them."""

    idle_for: float | None = 3600.0
    quiet_for: float | None = 3600.0
    how: Patience = field(default_factory=Patience)

    def patience(self, review: QueuedReview) -> Patience:
        return self.how

    async def host_idle_for(self, review: QueuedReview) -> float | None:
        return self.idle_for

    def turns_quiet_for(self, review: QueuedReview) -> float | None:
        return self.quiet_for


@dataclass
class Inn:
    """One process: its cadence and its queue on a store."""

    store: SqliteStore
    clock: FakeClock
    house: House
    intervals: Intervals
    owner: str = "first"

    def __post_init__(self) -> None:
        self.cadence = Cadence(self.store.reviews, self.clock, lambda: self.intervals)
        self.queue = ReviewQueue(self.store.reviews, self.clock, self.house, self.owner)

    async def restarted(self, owner: str) -> Inn:
        """The next process on the same store, after this one died."""
        following = Inn(self.store, self.clock, self.house, self.intervals, owner)
        await following.queue.open()
        await following.cadence.catch_up()
        return following

    async def turn(
        self, text: str = "hi", *, calls: int = 0, state: TurnState = "answered", name: str = "s1"
    ) -> QueuedReview | None:
        """A turn with so many tool calls, and what is asked for at its end."""
        await self.store.sessions.open(session(name, name, at=self.clock.now()))
        turn = await self.store.turns.begin(name, CHAT, [], [Row("user", text)], self.clock.now())
        await self.store.turns.add(turn, [Row("tool", "ok", tool_call_id=f"c{each}") for each in range(calls)], NOON)
        await self.store.turns.finish(turn, state, self.clock.now(), rows=[Row("assistant", "Noted.")])
        return await self.cadence.turn_ended(name)


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never waits, as those of a store without threads."""
    try:
        work.send(None)
    except StopIteration as ended:
        result: T = ended.value
        return result
    raise AssertionError("it waits")
