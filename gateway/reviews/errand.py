"""One claimed review from its start to what the queue is told of it: done, put back, given up, or left to somebody.

Races it with whatever must end it. Which review is claimed when is the worker's matter.
"""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass
from typing import Any

from gateway.agent.limits import BudgetSpent
from gateway.errors import InnkeeperError, StaleEpoch
from gateway.events import Bus, ReviewFinished
from gateway.models.errors import ContextTooLong, HostBusy, HostDown, HostLoading, ModelError
from gateway.reviews.around import Site, Watch
from gateway.reviews.clerk import Clerk
from gateway.reviews.course import Finding, outcome_of
from gateway.reviews.ledger import named
from gateway.reviews.preparing import Means, ready
from gateway.reviews.queue import ReviewQueue
from gateway.state.records import Session
from gateway.state.review_records import QueuedReview, ReviewOutcome, ReviewResult

GRACE = 5.0
"""Seconds that a review has to end once it is told to; one that does not is left behind, and can write no more."""

UNREACHABLE = (HostDown, HostLoading, HostBusy)
"""Nothing is wrong with the review: its host cannot be had now."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Errand:
    """`run()` it once. `deferred`: it gives way to prompts; `yielding` is set when it is to give way to another
    review."""

    review: QueuedReview
    session: Session
    site: Site
    deferred: bool
    yielding: asyncio.Event
    queue: ReviewQueue
    means: Means
    clerk: Clerk
    watch: Watch
    bus: Bus

    @property
    def attended(self) -> bool:
        return self.review.cause == "person"

    async def run(self) -> bool | None:
        """Whether the host answered; None when that did not come up. Raises StaleEpoch when the review went to
        somebody else, and faults that are no model's; cancelled, the review is put back first."""
        work = asyncio.ensure_future(self._work())
        held = asyncio.ensure_future(self.queue.hold(self.review))
        ends: set[asyncio.Future[Any]] = {asyncio.ensure_future(self.yielding.wait())}
        if self.deferred:
            ends.add(asyncio.ensure_future(self.watch.wanted(self.site.client)))
        try:
            await asyncio.wait({work, held, *ends}, return_when=asyncio.FIRST_COMPLETED)
            if held.done():
                await _ended(work)
                held.result()
                raise StaleEpoch(f"review {self.review.id} went to somebody else")
            if not work.done():
                await _ended(work)
            if not work.done() or work.cancelled():
                await self.queue.gave_way(self.review, self.clerk.unkept())
                return None
            return await self._conclude(work)
        except asyncio.CancelledError:
            await _ended(work)
            await self._stop(work)
            raise
        finally:
            for each in (held, *ends):
                each.cancel()

    async def _work(self) -> tuple[Finding, str]:
        """The finding, and what is known of the host's cache."""
        made = await ready(self.means, self.review, self.session, self.site, self.clerk)
        try:
            return await made.work.run(), made.prefix
        except ContextTooLong:
            made = await ready(self.means, self.review, self.session, self.site, self.clerk, short=True)
            return await made.work.run(), made.prefix

    async def _stop(self, work: asyncio.Future[tuple[Finding, str]]) -> None:
        """The house closes. What came to its end just now is booked."""
        if work.done() and not work.cancelled() and work.exception() is None:
            await self._conclude(work)
        else:
            await self.queue.stopped(self.review, self.clerk.unkept())

    async def _conclude(self, work: asyncio.Future[tuple[Finding, str]]) -> bool | None:
        try:
            finding, prefix = work.result()
        except BudgetSpent as error:
            if self.attended:
                await self._refuse(str(error))
            else:
                await self.queue.stopped(self.review, self.clerk.unkept())
            return None
        except ModelError as error:
            return await self._failed(error)
        except StaleEpoch:
            raise
        except InnkeeperError as error:
            await self._fail(str(error))
            return None
        await self._done(finding, prefix)
        return True

    async def _failed(self, error: ModelError) -> bool:
        """A host that cannot be had is waited for; whoever asked for a review does not wait for that."""
        away = isinstance(error, UNREACHABLE)
        if away and not self.attended:
            await self.queue.gave_way(self.review, self.clerk.unkept(), reason=str(error))
        else:
            await self._fail(str(error))
        return not away

    async def _fail(self, reason: str) -> None:
        """It failed; it is tried again after a pause, or was given up."""
        if await self.queue.failed(self.review, reason, self.clerk.unkept()) is None:
            self._say("dropped")

    async def _refuse(self, reason: str) -> None:
        await self.queue.refused(self.review, reason)
        self._say("dropped")

    async def _done(self, finding: Finding, prefix: str) -> None:
        """What it wrote is in the journals; what it says of itself counts for nothing."""
        outcome = outcome_of(await self.clerk.wrote(), bad=finding.outcome == "error")
        host, model = self.clerk.answered
        result = await self.queue.done(
            self.review,
            outcome,
            host=host or self.site.client.host,
            model=model or self.site.client.model,
            spent=self.clerk.unkept(),
            reason=finding.reason,
        )
        _log.info(line(result, prefix))
        self._say(outcome)

    def _say(self, outcome: ReviewOutcome) -> None:
        review, chat = self.review, self.session.chat
        self.bus.publish(ReviewFinished(review.id, review.session_id, chat, outcome, named(review.id)))


def line(result: ReviewResult, prefix: str) -> str:
    """The log's line about a review that came to its end. The first six fields are for programs."""
    spent = result.spent
    fields: dict[str, object] = {
        "thread": "bg-review",
        "calls": spent.calls,
        "in": spent.input,
        "out": spent.output,
        "result": result.outcome,
        "cached": spent.cached,
        "seconds": f"{spent.seconds:.1f}",
        "prefix": prefix,
        "host": result.host,
        "model": result.model,
        "session": result.session_id,
        "review": result.id,
        "cause": result.cause,
    }
    if result.reason:
        fields["reason"] = json.dumps(result.reason, ensure_ascii=False)
    return "Background review complete: " + " ".join(f"{name}={value}" for name, value in fields.items())


async def _ended(work: asyncio.Future[tuple[Finding, str]]) -> None:
    """Cancel it, and wait until it is over or its grace is."""
    work.cancel()
    await asyncio.wait({work}, timeout=GRACE)
