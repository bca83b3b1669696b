"""A review in a test's hands: it takes its place in the queue, writes by the stores, and is booked as over, as the
worker does it; what a model says has no part in it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from gateway.engine.engine import Engine
from gateway.engine.house import House
from gateway.events import ReviewFinished
from gateway.state.records import Session
from gateway.state.review_records import QueuedReview, ReviewCause, ReviewKind, ReviewOutcome, ReviewWrite
from gateway.transcript import Usage
from memory.model import Action, Applied, Author, Operation, Origin, Staged, Target
from memory.skills.model import SkillApplied, SkillOperation, SkillStaged

COST = Usage(40_000, 39_000, 300, 2, 0.01, 4.0)
KINDS: tuple[ReviewKind, ...] = ("memory", "skill")
HOST = ("scripted", "script")


class LookingBack:
    """One review of one session, which runs until `ends`."""

    def __init__(self, house: House, session: Session, review: QueuedReview) -> None:
        self._house = house
        self._session = session
        self.review = review
        self.message = f"review:{review.id}"
        self.refs: list[str] = []

    @classmethod
    async def begins(cls, house: House, cause: ReviewCause = "cadence", key: str = "inprocess:c1") -> LookingBack:
        """Claims what waits for the session that is open there; asks for it when nothing does."""
        store, now = house.store, house.clock.now()
        session = await store.sessions.current(key)
        assert session is not None, "somebody has to say something first"
        waiting = next((each for each in await store.reviews.queue() if each.session_id == session.id), None)
        waiting = waiting or await store.reviews.offer(session.id, KINDS, cause, now)
        assert waiting is not None
        review = await store.reviews.claim(waiting.id, "test", now + 1_000)
        assert review is not None
        return cls(house, session, review)

    async def keeps(self, text: str) -> str:
        return await self.remembers(Operation(Action.ADD, content=text))

    async def patches(self, old: str, new: str) -> str:
        return await self.remembers(Operation(Action.PATCH, content=new, old_text=old))

    async def remembers(self, *operations: Operation, target: Target = Target.USER) -> str:
        """The id of the change, or of what waits."""
        assert self._house.memories is not None
        outcome = await asyncio.to_thread(self._house.memories.shelf.own.apply, target, operations, self._author)
        assert isinstance(outcome, Applied | Staged), outcome
        ref = outcome.id if isinstance(outcome, Applied) else outcome.pending_id
        return await self._wrote(ReviewWrite(ref, "memory", "kept" if isinstance(outcome, Applied) else "waiting"))

    async def learns(self, *operations: SkillOperation) -> str:
        """The same for skills."""
        assert self._house.skills is not None
        outcome = await asyncio.to_thread(self._house.skills.store.apply, operations, self._author)
        assert isinstance(outcome, SkillApplied | SkillStaged), outcome
        ref = outcome.id if isinstance(outcome, SkillApplied) else outcome.pending_id
        return await self._wrote(
            ReviewWrite(ref, "skill", "kept" if isinstance(outcome, SkillApplied) else "waiting")
        )

    async def is_over(self, outcome: ReviewOutcome = "memory", spent: Usage = COST) -> None:
        """In the books, and nobody is told of it: the process died."""
        store, (host, model) = self._house.store, HOST
        await store.reviews.done(self.review, outcome, self._house.clock.now(), host=host, model=model, spent=spent)

    async def is_dropped(self, why: str) -> None:
        """Given up. Nobody says so."""
        await self._house.store.reviews.drop(self.review, why, self._house.clock.now(), count_anew=True)

    async def ends(self, outcome: ReviewOutcome = "memory", spent: Usage = COST) -> None:
        await self.is_over(outcome, spent)
        name, session = self.review.id, self._session
        self._house.bus.publish(ReviewFinished(name, session.id, session.chat, outcome, self.message))

    @property
    def _author(self) -> Author:
        return Author(Origin.REVIEW, self._session.id, self.message, chat=self._session.chat.key)

    async def _wrote(self, write: ReviewWrite) -> str:
        await self._house.store.reviews.wrote(self.review, write)
        self.refs.append(write.ref)
        return write.ref


async def looked_back(house: House, *texts: str, key: str = "inprocess:c1") -> Sequence[str]:
    """A whole review that keeps these entries; the ids of their changes, or of what waits."""
    review = await LookingBack.begins(house, key=key)
    for text in texts:
        await review.keeps(text)
    await review.ends("memory" if texts else "none")
    return review.refs


@asynccontextmanager
async def telling(engine: Engine) -> AsyncIterator[None]:
    """The notices run beside the engine, as the application has it."""
    task = asyncio.ensure_future(engine.review_notices.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
