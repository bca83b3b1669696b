"""What commands about reviews need of the house, as a protocol. Times are seconds since the epoch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class ReviewedView:
    """The conversation that a review looks back at; a title that is empty means that it is gone."""

    session: str
    chat: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class QueuedView:
    """A review that waits or runs, and why. `kinds` are `memory` and `skill`; `since` is when it was first asked for;
    `tries` counts how often it gave way, failed and lost its process, by that word."""

    id: int
    of: ReviewedView
    kinds: Sequence[str]
    cause: str
    since: float
    running: bool
    why: str
    tries: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Price:
    """What reviews cost: tokens, seconds, and money where it is known."""

    calls: int
    input: int
    cached: int
    output: int
    seconds: float
    cost: float | None


@dataclass(frozen=True, slots=True)
class EndedView:
    """A review that is over. `writes` counts what became of its writes: kept, waiting, rejected, undone."""

    id: int
    of: ReviewedView
    kinds: Sequence[str]
    cause: str
    outcome: str
    reason: str
    ended: float
    host: str
    model: str
    price: Price
    writes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class YieldView:
    """Price and yield of all reviews on one model. `outcomes` counts reviews, `writes` what became of theirs."""

    host: str
    model: str
    outcomes: Mapping[str, int]
    price: Price
    writes: Mapping[str, int]


Asked = Literal["starts", "follows", "nothing said", "nothing to write"]
"""What became of a wish for a review: it starts; it follows one that runs; nobody said anything yet; the conversation
has neither memory nor skills to write."""


@dataclass(frozen=True, slots=True)
class Wished:
    """A review that was asked for from outside the conversation. `id` is its number in the queue, 0 for none;
    `asleep`: nobody is there who would start it before the gateway runs."""

    asked: Asked
    of: ReviewedView
    id: int = 0
    asleep: bool = False


class Reviews(Protocol):
    """`keys` limits what is told to these session keys; None is everything."""

    async def queue(self, keys: tuple[str, ...] | None) -> list[QueuedView]:
        """What waits and runs, the longest asked for first."""

    async def ended(self, limit: int, keys: tuple[str, ...] | None) -> list[EndedView]:
        """The newest, newest first."""

    async def yields(self, days: int) -> list[YieldView]:
        """By model, the reviews that ended in the last days."""

    async def refine(self, key: str, focus: str) -> Asked:
        """Have the open conversation reviewed now, with an eye on something or on everything."""

    async def refine_stored(self, named: str, focus: str) -> Wished:
        """Have a stored conversation reviewed, by its id or the beginning of one; empty: the last one at the console.
        Raises LookupError with words for people."""

    def now(self) -> float: ...
