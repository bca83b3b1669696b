"""Keeps the books of one running review: progress, price, and what it wrote, each as it happens.

`review.Desk` on the store. What the steps of a review are is its own matter; when it is over, the worker's.
"""

from __future__ import annotations

from collections.abc import Callable

from gateway.agent.limits import BudgetSpent, over_budget
from gateway.clock import Clock
from gateway.config.schema import Settings
from gateway.events import Bus, ModelCalled
from gateway.models.client import Reply
from gateway.models.host_state import REVIEW
from gateway.reviews.ledger import Ledger
from gateway.state.protocols import Store
from gateway.state.review_records import QueuedReview, ReviewKind
from gateway.transcript import Usage


class Clerk:
    """One review's, from its claim to its end in this process."""

    def __init__(
        self,
        review: QueuedReview,
        store: Store,
        ledger: Ledger,
        settings: Callable[[], Settings],
        clock: Clock,
        bus: Bus,
    ) -> None:
        self._review = review
        self._store = store
        self._ledger = ledger
        self._settings = settings
        self._clock = clock
        self._bus = bus
        self._unkept = Usage()
        self.answered = ("", "")
        """Host and model of the last answer; empty before the first."""

    async def check(self) -> None:
        budgets = {str(each): bound for each, bound in self._settings().gateway.budgets.items()}
        if not budgets:
            return
        spent = await self._store.usage.tokens_today(self._clock.now())
        if (why := over_budget(budgets, spent, REVIEW)) is not None:
            raise BudgetSpent(why)

    async def spent(self, reply: Reply) -> None:
        """Book a call that was answered. It is on the bill before the review knows of the answer."""
        self.answered, self._unkept = (reply.host, reply.model), self._unkept.plus(reply.usage)
        self._bus.publish(ModelCalled(reply.host, reply.model, REVIEW, reply.usage, answered=True))
        book, session_id = self._store.usage, self._review.session_id
        await book.add(session_id, reply.host, reply.model, REVIEW, reply.usage, self._clock.now())

    async def keep(self, progress: str, spent: Usage) -> None:
        """Note how far the review is, and after a tool what it wrote by then."""
        await self._store.reviews.keep(self._review, progress, spent)
        self._unkept = Usage()
        if not spent.calls:
            await self.wrote()

    async def wrote(self) -> frozenset[ReviewKind]:
        """Enter all writes of the review into the books; the kinds of what stands there, with those of an older one
        that went into it. Raises StaleEpoch, `FileTrouble`."""
        for write in await self._ledger.writes(self._review.id):
            await self._store.reviews.wrote(self._review, write)
        return await self._store.reviews.written(self._review)

    def unkept(self) -> Usage:
        """What calls cost that no note has yet; only once."""
        usage, self._unkept = self._unkept, Usage()
        return usage
