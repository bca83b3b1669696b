"""Runs reviews: hears of what is due, waits for the moment, starts them, and survives whatever goes wrong in one.

When one may start is the queue's to say, what the house does is `around`'s, and one review's course `errand`'s.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections import deque
from dataclasses import dataclass
from typing import Protocol

from gateway.clock import Clock
from gateway.errors import StaleEpoch
from gateway.events import Bus, Event, ReviewFinished, SessionClosed, TurnFinished, TurnStarted
from gateway.reviews.around import GONE, Around, Site, Watch
from gateway.reviews.cadence import Cadence
from gateway.reviews.clerk import Clerk
from gateway.reviews.errand import Errand
from gateway.reviews.ledger import Ledger, named
from gateway.reviews.preparing import Means
from gateway.reviews.queue import ReviewQueue, Waiting, waited_for
from gateway.state.review_records import QueuedReview
from gateway.transcript import Usage
from memory.files import FileTrouble
from platforms.messages import ChatRef

EVERY = 5.0
"""Seconds between two looks at the queue: another process may have asked for a review."""

SHORTEST = 0.2
"""Seconds between two looks at least, where nothing happens."""

FEW = 30
"""Reviews that wait are looked at whenever something happened; after a look at more of them there is a rest."""

REST = 0.005
"""Seconds of rest for each that was looked at, `EVERY` at most: a thousand that wait must not cost a core."""


class Report(Protocol):
    """Where faults are written down."""

    def info(self, event: str, **fields: object) -> object: ...

    def error(self, event: str, **fields: object) -> object: ...


@dataclass(slots=True, eq=False)
class _Running:
    """A review at work."""

    review: QueuedReview
    site: Site | str
    deferred: bool
    yielding: asyncio.Event
    task: asyncio.Task[None] | None = None
    chat: ChatRef | None = None
    clerk: Clerk | None = None

    @property
    def host(self) -> str:
        return self.site.host if isinstance(self.site, Site) else ""

    def stands_in_the_way_of(self, session_id: str, host: str) -> bool:
        return self.review.cause != "person" and (
            self.review.session_id == session_id or (self.deferred and self.host == host)
        )


class ReviewWorker:
    """`await run()` beside the engine. One for the house, and alone on the profile."""

    def __init__(
        self,
        means: Means,
        cadence: Cadence,
        around: Around,
        watch: Watch,
        ledger: Ledger,
        clock: Clock,
        bus: Bus,
        report: Report,
    ) -> None:
        self._means = means
        self._cadence = cadence
        self._around = around
        self._watch = watch
        self._ledger = ledger
        self._clock = clock
        self._bus = bus
        self._report = report
        self._bell = asyncio.Event()
        self._asked = asyncio.Event()
        self._ended: deque[tuple[str, bool]] = deque()
        self._running: dict[int, _Running] = {}
        self._fault: Exception | None = None
        self._queue = self._new_queue()
        bus.subscribe(around.heard)
        bus.subscribe(self._heard)

    async def run(self) -> None:
        """Until cancelled; what runs then is put back. A fault of the store ends it: begin it anew."""
        self._fault, self._queue = None, self._new_queue()
        try:
            await self._note_what_the_dead_wrote()
            await self._queue.open()
            await self._cadence.catch_up()
            while True:
                self._bell.clear()
                self._asked.clear()
                await self._ask_for_what_is_due()
                count = await self._start_what_may()
                if count > FEW:
                    await self._rung(self._asked, min(REST * count, EVERY))
                await self._pause()
        finally:
            await self._stop()

    def wake(self) -> None:
        """Somebody asked for a review."""
        self._bell.set()
        self._asked.set()

    async def waiting(self) -> list[Waiting]:
        """What waits and runs, and why."""
        return await self._queue.waiting()

    def _heard(self, event: Event) -> None:
        match event:
            case TurnFinished(session_id=session_id):
                self._ended.append((session_id, False))
                self._bell.set()
            case SessionClosed(session_id):  # a turn that was cut off may have said something since it was asked
                self._ended.append((session_id, True))
                self._bell.set()
            case TurnStarted(host=host):  # its request will come in a moment
                for each in self._running.values():
                    if each.deferred and each.host == host:
                        each.yielding.set()
            case _:
                pass

    def _new_queue(self) -> ReviewQueue:
        owner = f"{os.getpid()}-{secrets.token_hex(8)}"
        return ReviewQueue(self._means.store.reviews, self._clock, self._around, owner)

    async def _note_what_the_dead_wrote(self) -> None:
        """A process may die between a write and the note of it, and what it was busy with may go into a newer review,
        under whose name nobody would find it."""
        for dead in await self._means.store.reviews.queue():
            if not dead.running:
                continue
            try:
                await self._clerk(dead).wrote()
            except FileTrouble as fault:  # the journal cannot be read; that is no reason for no reviews at all
                self._report.error("review.fault", review=dead.id, why=str(fault))

    def _clerk(self, review: QueuedReview) -> Clerk:
        means = self._means
        return Clerk(review, means.store, self._ledger, means.settings, self._clock, self._bus)

    async def _ask_for_what_is_due(self) -> None:
        while self._ended:
            session_id, closed = self._ended[0]
            await (self._cadence.before_end if closed else self._cadence.turn_ended)(session_id)
            self._ended.popleft()

    async def _start_what_may(self) -> int:
        """How many wait or run."""
        await self._around.refresh()
        entries = await self._means.store.reviews.queue()
        self._around.forget(frozenset(each.session_id for each in entries))
        for entry in entries:
            if waited_for(entry):
                await self._make_room(entry)
        while entries and (review := await self._queue.next()) is not None:
            self._start(review)
        return len(entries)

    async def _make_room(self, entry: QueuedReview) -> None:
        """Who asked for a review does not wait for one that nobody waits for."""
        site = await self._around.site_of(entry)
        host = site.host if isinstance(site, Site) else ""
        for each in self._running.values():
            if each.stands_in_the_way_of(entry.session_id, host):
                each.yielding.set()

    def _start(self, review: QueuedReview) -> None:
        """The queue has just judged by where it runs."""
        site = self._around.known(review)
        deferred = review.cause != "person" and self._around.patience(review).deferred
        running = self._running[review.id] = _Running(review, site, deferred, asyncio.Event())
        if deferred and self._around.turns_quiet_for(review) is None:  # a turn began while it was claimed
            running.yielding.set()
        self._around.begins(running.host)
        running.task = asyncio.ensure_future(self._see_to(running))

    async def _see_to(self, running: _Running) -> None:
        """The review worker's guard: a fault here ends this review, and no other."""
        queue, review = self._queue, running.review
        reached: bool | None = None
        try:
            try:
                reached = await self._run(queue, running)
            except StaleEpoch as lost:
                self._report.info("review.lost", review=review.id, why=str(lost))
            except Exception as fault:  # noqa: BLE001 - the review worker: report, try again later, let the others live
                why = f"{type(fault).__name__}: {fault}"[:300]
                self._report.error("review.fault", review=review.id, why=why)
                await self._failed(queue, running, why)
        finally:
            del self._running[review.id]
            self._around.ends(running.host, reached=reached)
            self._bell.set()

    async def _run(self, queue: ReviewQueue, running: _Running) -> bool | None:
        """See `Errand.run`. What cannot be done at all is given up."""
        review, site, store = running.review, running.site, self._means.store
        try:
            session = await store.sessions.get(review.session_id)
        except asyncio.CancelledError:
            await queue.stopped(review, Usage())
            raise
        if session is None:
            await queue.refused(review, GONE)
            return None
        if not isinstance(site, Site):
            await queue.refused(review, site)
            self._say_dropped(review, session.chat)
            return None
        running.chat = session.chat
        clerk = self._clerk(review)
        running.clerk = clerk
        errand = Errand(
            review,
            session,
            site,
            running.deferred,
            running.yielding,
            queue,
            self._means,
            clerk,
            self._watch,
            self._bus,
        )
        return await errand.run()

    async def _failed(self, queue: ReviewQueue, running: _Running, why: str) -> None:
        """When not even that can be stored, the claim is given back by beginning anew."""
        spent = running.clerk.unkept() if running.clerk is not None else Usage()
        try:
            if await queue.failed(running.review, why, spent) is None and running.chat is not None:
                self._say_dropped(running.review, running.chat)
        except StaleEpoch:
            return
        except Exception as fault:  # noqa: BLE001 - carried to the worker's loop, and raised there
            self._fault = fault

    def _say_dropped(self, review: QueuedReview, chat: ChatRef) -> None:
        self._bus.publish(ReviewFinished(review.id, review.session_id, chat, "dropped", named(review.id)))

    async def _pause(self) -> None:
        """Until something happens or it is time to look again."""
        seconds = EVERY
        for each in (self._queue.pause, self._around.pause()):
            seconds = seconds if each is None else min(seconds, each)
        await self._rung(self._bell, max(seconds, SHORTEST))
        if self._fault is not None:
            raise self._fault

    async def _rung(self, bell: asyncio.Event, seconds: float) -> None:
        """Wait for a bell, for so long at most."""
        rung = asyncio.ensure_future(bell.wait())
        late = asyncio.ensure_future(self._clock.sleep(seconds))
        try:
            await asyncio.wait({rung, late}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            rung.cancel()
            late.cancel()

    async def _stop(self) -> None:
        tasks = [each.task for each in self._running.values() if each.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
