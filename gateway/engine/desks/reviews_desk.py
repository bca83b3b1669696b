"""What commands ask about reviews: the queue and why each waits, price and yield from the books, a review right now.

Why a review waits is known to whoever starts them, and asked there; without one, at the shell, the store tells what
it knows.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from commands.review_ports import Asked, EndedView, Price, QueuedView, ReviewedView, Wished, YieldView
from gateway.clock import Clock
from gateway.engine.sessions.archive import seen
from gateway.state.protocols import Store
from gateway.state.records import Session, SessionLine
from gateway.state.review_records import QueuedReview, ReviewKind, ReviewLine
from gateway.tools.skill_guidance import MANAGE
from gateway.tools.toolset import load_schemas
from gateway.transcript import Usage

WRITING: Mapping[str, ReviewKind] = {"memory": "memory", MANAGE: "skill"}
"""The tools by which a review writes, and the kind of review that each is for."""

CONSOLE = "console:"
"""How the keys of sessions at the console begin."""

LOOKED_THROUGH = 500
"""Results among which those are looked for that a chat may see."""


class Standing(Protocol):
    """A review in the list, and why it waits."""

    @property
    def review(self) -> QueuedReview: ...
    @property
    def why(self) -> str: ...


Settle = Callable[[], Awaitable[None]]
Queue = Callable[[], Awaitable[Sequence[Standing]]]


class ReviewsDesk:
    """`commands.review_ports.Reviews` on the store. `settle` are steps that bring the books up to date."""

    def __init__(self, store: Store, clock: Clock, settle: Sequence[Settle] = (), *, asleep: bool = False) -> None:
        """`asleep`: no gateway runs that would start reviews."""
        self._store = store
        self._clock = clock
        self._settle = settle
        self._asleep = asleep
        self._standing: Queue | None = None
        self._wake: Callable[[], object] = lambda: None

    def attend(self, standing: Queue, wake: Callable[[], object]) -> None:
        """Whoever starts reviews is there: it says why each waits, and is woken for one that was asked for."""
        self._standing = standing
        self._wake = wake

    async def queue(self, keys: tuple[str, ...] | None) -> list[QueuedView]:
        if self._standing is not None:
            found = [(each.review, each.why) for each in await self._standing()]
        else:
            found = [(each, _why(each, self._asleep)) for each in await self._store.reviews.queue()]
        views = []
        for review, why in found:
            line = await self._store.sessions.line(review.session_id)
            if line is not None and _within(line, keys):
                views.append(_queued(review, why, _of(review.session_id, line)))
        return views

    async def ended(self, limit: int, keys: tuple[str, ...] | None) -> list[EndedView]:
        await self._settled()
        views: list[EndedView] = []
        for each in await self._store.review_books.results(limit if keys is None else LOOKED_THROUGH):
            line = await self._store.sessions.line(each.session_id)
            if not _within(line, keys):
                continue
            fates = [write.fate for write in each.writes]
            views.append(
                EndedView(
                    id=each.id,
                    of=_of(each.session_id, line),
                    kinds=sorted(each.kinds),
                    cause=each.cause,
                    outcome=each.outcome,
                    reason=each.reason,
                    ended=each.ended_at,
                    host=each.host,
                    model=each.model,
                    price=_price(each.spent),
                    writes={fate: fates.count(fate) for fate in dict.fromkeys(fates)},
                )
            )
        return views[:limit]

    async def yields(self, days: int) -> list[YieldView]:
        await self._settled()
        lines = await self._store.review_books.lines(self._clock.now() - days * 86_400)
        return [_yield(each) for each in lines]

    async def refine(self, key: str, focus: str) -> Asked:
        session = await self._store.sessions.current(key)
        return "nothing said" if session is None else (await self._ask(session, focus))[0]

    async def refine_stored(self, named: str, focus: str) -> Wished:
        line = await self._named(named)
        asked, number = await self._ask(line.session, focus)
        asleep = self._asleep and self._standing is None
        return Wished(asked, _of(line.session.id, line), number, asleep)

    def now(self) -> float:
        return self._clock.now()

    async def _ask(self, session: Session, focus: str) -> tuple[Asked, int]:
        """What becomes of the wish, and the review's number in the queue."""
        reviews, kinds = self._store.reviews, kinds_of(session)
        if not kinds:
            return "nothing to write", 0
        review = await reviews.offer(session.id, kinds, "person", self._clock.now(), focus=focus)
        if review is None:
            return "nothing said", 0
        runs = any(each.running and each.session_id == session.id for each in await reviews.queue())
        self._wake()
        return "follows" if runs else "starts", review.id

    async def _named(self, named: str) -> SessionLine:
        """The session of this id, or the last one at the console. Raises LookupError."""
        sessions = self._store.sessions
        if not named:
            keys = tuple(each for each in await sessions.keys() if each.startswith(CONSOLE))
            found = await sessions.recent(1, keys) if keys else []
            if not found:
                raise LookupError(
                    "Nothing was said at the console yet. Name a session: `--session ID`, see /sessions list"
                )
            return found[0]
        found = await sessions.matching(named)
        if not found:
            raise LookupError(f"There is no session {named!r}: see /sessions list")
        exact = [each for each in found if each.session.id == named] or found
        if len(exact) > 1:
            several = ", ".join(each.session.id for each in exact[:5])
            raise LookupError(f"{named!r} could be several: {several}. Write more of its id.")
        return exact[0]

    async def _settled(self) -> None:
        for step in self._settle:
            await step()


def kinds_of(session: Session) -> frozenset[ReviewKind]:
    """What a review of this conversation could write: by the tools that it was opened with."""
    names = {each.name for each in load_schemas(session.tools or "[]")}
    return frozenset(kind for name, kind in WRITING.items() if name in names)


def _within(line: SessionLine | None, keys: tuple[str, ...] | None) -> bool:
    return keys is None or (line is not None and line.session.session_key in keys)


def _of(session_id: str, line: SessionLine | None) -> ReviewedView:
    view = seen(line) if line is not None else None
    return ReviewedView(session_id, view.chat, view.title) if view is not None else ReviewedView(session_id)


def _queued(review: QueuedReview, why: str, of: ReviewedView) -> QueuedView:
    return QueuedView(
        id=review.id,
        of=of,
        kinds=sorted(review.kinds),
        cause=review.cause,
        since=review.first_asked_at,
        running=review.running,
        why=why,
        tries={"gave way": review.cancelled, "failed": review.failed, "was cut off": review.died},
    )


def _why(review: QueuedReview, asleep: bool) -> str:
    """What the store alone tells."""
    if review.running:
        return "it runs"
    if asleep:
        return "the gateway is not running"
    if review.reason:
        return f"it comes back: {review.reason}"
    return "the gateway starts it in a quiet moment; /reviews in a chat says more"


def _yield(line: ReviewLine) -> YieldView:
    outcomes: dict[str, int] = dict(line.outcomes.items())
    writes: dict[str, int] = dict(line.writes.items())
    return YieldView(line.host, line.model, outcomes, _price(line.spent), writes)


def _price(spent: Usage) -> Price:
    return Price(spent.calls, spent.input, spent.cached, spent.output, spent.seconds, spent.cost)
