"""Whatever happens in whatever order: no review is lost, no row is reviewed twice, and no count is wrong."""

from __future__ import annotations

import asyncio
from typing import cast

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule

from gateway.errors import StaleEpoch
from gateway.reviews.cadence import Intervals
from gateway.reviews.queue import Patience
from gateway.state.review_records import QueuedReview, ReviewKind, ReviewWrite
from gateway.state.store import SqliteStore
from gateway.transcript import Usage
from tests.fakes.clock import FakeClock
from tests.fakes.inline_database import InlineDatabase
from tests.reviews.house import House, Inn, at_once

SESSIONS = ("a", "b")
KINDS: tuple[ReviewKind, ...] = ("memory", "skill")
EVERY = {"memory": 2, "skill": 3}
CALL = Usage(10, 0, 1, 1, 0.25, 1.0)


class Reviews(RuleBasedStateMachine):
    """Turns, offers, claims, preemptions, failures, deaths and ends, beside a model that only counts."""

    claims = Bundle("claims")

    @initialize()
    def open(self) -> None:
        self.database = InlineDatabase()
        self.clock = FakeClock()
        self.house = House(how=Patience(quiet_s=1, max_age_s=1e6))
        store = SqliteStore(self.database)  # type: ignore[arg-type]
        self.inn = Inn(store, self.clock, self.house, Intervals(EVERY["memory"], EVERY["skill"]), "p0")
        self.lives = 0
        self.at: dict[tuple[str, ReviewKind], list[int]] = {(name, kind): [] for name in SESSIONS for kind in KINDS}
        """Ids of the rows that count, in order."""
        self.since = {(name, kind): 0 for name in SESSIONS for kind in KINDS}
        self.first: dict[str, float] = {}
        self.spent = 0
        self.written: set[str] = set()

    def teardown(self) -> None:
        if not hasattr(self, "inn"):
            return
        self.drain()
        for name in SESSIONS:
            standing = at_once(self.inn.store.reviews.standing(name, KINDS))
            assert standing.unseen == frozenset(), "what was said is seen by somebody in the end"
        results = at_once(self.inn.store.review_books.results(10_000))
        assert sum(each.spent.calls for each in results) == self.spent
        assert {write.ref for each in results for write in each.writes} == self.written
        at_once(self.database.close())

    def drain(self) -> None:
        """Everything ends well: the sessions are over, and the house is quiet."""
        self.die()
        for name in SESSIONS:
            at_once(self.inn.cadence.before_end(name))
        asyncio.run(self.clock.advance(1e5))
        while (review := at_once(self.inn.queue.next())) is not None:
            self.commit(review)
        assert at_once(self.inn.store.reviews.queue()) == []

    def commit(self, review: QueuedReview) -> None:
        self.spent += 1
        at_once(self.inn.queue.done(review, "none", host="h", model="m", spent=CALL))
        self.first.pop(review.session_id, None)
        for kind in review.kinds:
            key = (review.session_id, kind)
            self.since[key] = max(self.since[key], review.upto)

    @rule(name=st.sampled_from(SESSIONS), calls=st.integers(0, 3), stopped=st.booleans())
    def turn(self, name: str, calls: int, stopped: bool) -> None:
        asked = at_once(self.inn.turn(calls=calls, state="stopped" if stopped else "answered", name=name))
        rows = at_once(self.inn.store.turns.messages(name))[-2 - calls :]
        self.at[name, "memory"].append(rows[0].id)
        self.at[name, "skill"] += [row.id for row in rows if row.row.role == "tool"]
        queued = [each for each in at_once(self.inn.store.reviews.queue()) if each.session_id == name]
        due = {kind for kind in KINDS if self.count(name, kind) >= EVERY[kind]}
        assert stopped or due <= {kind for each in queued for kind in each.kinds}, "what is due waits, or runs"
        assert asked is None or not stopped

    def count(self, name: str, kind: ReviewKind) -> int:
        return sum(row > self.since[name, kind] for row in self.at[name, kind])

    @rule(name=st.sampled_from(SESSIONS), kind=st.sampled_from(KINDS))
    def write(self, name: str, kind: ReviewKind) -> None:
        at_once(self.inn.cadence.written(name, kind))
        rows = at_once(self.inn.store.turns.messages(name))
        self.since[name, kind] = max(self.since[name, kind], rows[-1].id if rows else 0)

    @rule(name=st.sampled_from(SESSIONS), summary=st.booleans())
    def end(self, name: str, summary: bool) -> None:
        at_once(self.inn.cadence.before_summary(name) if summary else self.inn.cadence.before_end(name))
        assert at_once(self.inn.store.reviews.standing(name, KINDS)).unseen <= {
            kind for each in self.of(name) for kind in each.kinds
        }

    @rule(target=claims)
    def claim(self) -> QueuedReview:
        review = at_once(self.inn.queue.next())
        return cast(QueuedReview, multiple()) if review is None else review

    @rule(review=claims, number=st.integers(0, 9))
    def work(self, review: QueuedReview, number: int) -> None:
        ref = f"{review.id}-{number}"
        if not self.runs(review):
            self.refused(review)
            return
        at_once(self.inn.store.reviews.keep(review, f"step {number}", CALL))
        self.spent += 1
        at_once(self.inn.store.reviews.wrote(review, ReviewWrite(ref, "memory", "kept")))
        self.written.add(ref)

    @rule(review=consumes(claims))
    def give_way(self, review: QueuedReview) -> None:
        if not self.runs(review):
            self.refused(review)
            return
        back = at_once(self.inn.queue.gave_way(review, CALL))
        self.spent += 1
        assert review.kinds <= back.kinds
        assert back.upto >= review.upto

    @rule(review=consumes(claims))
    def fail_once(self, review: QueuedReview) -> None:
        if not self.runs(review):
            self.refused(review)
        elif review.failed < 2:
            at_once(self.inn.queue.failed(review, "a fault", CALL))
            self.spent += 1

    @rule(review=consumes(claims))
    def commit_it(self, review: QueuedReview) -> None:
        if self.runs(review):
            self.commit(review)
        else:
            self.refused(review)

    @rule()
    def die(self) -> None:
        self.lives += 1
        owner = f"p{self.lives}"
        self.inn = Inn(self.inn.store, self.clock, self.house, self.inn.intervals, owner)
        at_once(self.inn.queue.open())
        assert not any(each.running for each in at_once(self.inn.store.reviews.queue()))

    @rule(seconds=st.sampled_from((1.0, 61.0, 1000.0)))
    def time_passes(self, seconds: float) -> None:
        asyncio.run(self.clock.advance(seconds))

    def of(self, name: str) -> list[QueuedReview]:
        return [each for each in at_once(self.inn.store.reviews.queue()) if each.session_id == name]

    def runs(self, review: QueuedReview) -> bool:
        return any(
            each.running and (each.id, each.epoch) == (review.id, review.epoch)
            for each in at_once(self.inn.store.reviews.queue())
        )

    def refused(self, review: QueuedReview) -> None:
        try:
            self.commit(review)
        except StaleEpoch:
            self.spent -= 1
            return
        raise AssertionError("a review that went to somebody else was committed")

    @invariant()
    def counts_are_right(self) -> None:
        for name in SESSIONS if hasattr(self, "inn") else ():
            queued = self.of(name)
            assert len({each.running for each in queued}) == len(queued), "one waits and one runs at most"
            begun = [each for each in queued if each.running or each.progress]
            found = at_once(self.inn.store.reviews.standing(name, KINDS)).counts
            for kind in KINDS:
                since = max([self.since[name, kind], *(each.upto for each in begun if kind in each.kinds)])
                assert found[kind] == sum(row > since for row in self.at[name, kind])

    @invariant()
    def no_row_is_reviewed_twice(self) -> None:
        results = at_once(self.inn.store.review_books.results(10_000)) if hasattr(self, "inn") else []
        for name in SESSIONS:
            for kind in KINDS:
                seen = 0
                for each in sorted(results, key=lambda result: result.upto):
                    if each.session_id == name and kind in each.kinds and each.outcome != "dropped":
                        assert each.after[kind] == seen
                        assert each.upto > seen
                        seen = each.upto

    @invariant()
    def the_first_time_stays(self) -> None:
        for name in SESSIONS if hasattr(self, "inn") else ():
            if queued := self.of(name):
                earliest = min(each.first_asked_at for each in queued)
                assert earliest <= self.first.setdefault(name, earliest)


TestReviews = Reviews.TestCase
TestReviews.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
