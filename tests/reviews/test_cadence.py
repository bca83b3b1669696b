"""Reviews are asked for when they are due, across restarts and stopped turns, and before a conversation ends."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.reviews.cadence import Intervals
from gateway.state.review_records import QueuedReview
from gateway.state.store import SqliteStore
from gateway.transcript import Usage
from tests.fakes.clock import FakeClock
from tests.reviews.house import House, Inn


@pytest.fixture
async def inn(tmp_path: Path) -> AsyncIterator[Inn]:
    store = await SqliteStore.open(tmp_path / "state.db")
    yield Inn(store, FakeClock(), House(), Intervals(memory=3, skill=4))
    await store.close()


async def reviewed(inn: Inn) -> QueuedReview | None:
    """The next review, done at once."""
    review = await inn.queue.next()
    if review is not None:
        await inn.queue.done(review, "none", host="h", model="m", spent=Usage(calls=1))
    return review


async def test_three_messages_across_two_restarts_are_one_review(inn: Inn) -> None:
    assert await inn.turn() is None
    inn = await inn.restarted("second")
    assert await inn.turn() is None
    inn = await inn.restarted("third")
    asked = await inn.turn()
    assert asked is not None
    assert (asked.kinds, asked.cause, asked.after) == ({"memory"}, "cadence", 0)
    assert [each.id for each in await inn.store.reviews.queue()] == [asked.id]


async def test_a_stopped_turn_asks_for_nothing_and_the_next_one_does(inn: Inn) -> None:
    for state in ("answered", "answered", "stopped"):
        assert await inn.turn(state=state) is None
    assert await inn.turn() is not None


async def test_two_turns_before_the_house_is_quiet_are_one_review(inn: Inn) -> None:
    for _ in range(3):
        first = await inn.turn()
    await inn.clock.advance(60)
    second = await inn.turn()
    assert first is not None
    assert second is not None
    assert (second.id, second.first_asked_at) == (first.id, first.first_asked_at)
    assert second.upto > first.upto
    review = await reviewed(inn)
    assert review is not None
    assert (review.after, review.upto) == (0, second.upto)
    assert await reviewed(inn) is None
    assert [await inn.turn() is not None for _ in range(3)] == [False, False, True]


async def test_both_kinds_merge_into_one(inn: Inn) -> None:
    asked = await inn.turn(calls=4)
    assert asked is not None
    assert asked.kinds == {"skill"}
    for _ in range(2):
        asked = await inn.turn()
    assert asked is not None
    assert asked.kinds == {"memory", "skill"}
    assert await reviewed(inn) is not None
    assert await inn.store.reviews.queue() == []


async def test_a_foreground_write_of_that_kind_begins_its_count_anew(inn: Inn) -> None:
    for _ in range(2):
        await inn.turn(calls=1)
    await inn.cadence.written("s1", "memory")
    assert await inn.turn(calls=1) is None
    asked = await inn.turn(calls=1)
    assert asked is not None
    assert asked.kinds == {"skill"}


async def test_what_nobody_saw_is_offered_before_the_end(inn: Inn) -> None:
    await inn.turn()
    await inn.cadence.written("s1", "memory")
    asked = await inn.cadence.before_end("s1")
    assert asked is not None
    assert (asked.cause, asked.kinds) == ("boundary", {"memory"})
    await inn.store.sessions.close("s1", "new", inn.clock.now())
    assert (await inn.cadence.before_end("s1")) is not None
    assert len(await inn.store.reviews.queue()) == 1
    assert await reviewed(inn) is not None
    assert await inn.cadence.before_end("s1") is None


async def test_a_summary_is_no_end(inn: Inn) -> None:
    await inn.turn(calls=1)
    asked = await inn.cadence.before_summary("s1")
    assert asked is not None
    assert (asked.cause, asked.kinds) == ("compaction", {"memory", "skill"})
    await reviewed(inn)
    assert [await inn.turn() is not None for _ in range(3)] == [False, False, True]


@pytest.mark.parametrize(
    ("intervals", "kinds"),
    [
        (Intervals(0, 1), {"skill"}),
        (Intervals(1, 0), {"memory"}),
        (Intervals(0, 0), None),
        (Intervals(1, 1, enabled=False), None),
    ],
)
async def test_what_is_off_is_asked_for_by_nobody(inn: Inn, intervals: Intervals, kinds: set[str] | None) -> None:
    inn.intervals = intervals
    asked = await inn.turn(calls=1)
    left = await inn.cadence.before_end("s1")
    assert (asked and asked.kinds) == kinds
    assert (left and left.kinds) == kinds


async def test_what_was_due_when_the_process_died_is_asked_for_at_start(inn: Inn) -> None:
    for name in ("open", "closed", "young"):
        inn.intervals = Intervals(100, 100)
        for _ in range(1 if name == "young" else 3):
            await inn.turn(name=name)
    await inn.store.sessions.close("closed", "new", inn.clock.now())
    inn.intervals = Intervals(3, 3)
    inn = await inn.restarted("second")
    queue = await inn.store.reviews.queue()
    assert {(each.session_id, each.cause) for each in queue} == {("open", "cadence"), ("closed", "boundary")}
    inn = await inn.restarted("third")
    assert await inn.store.reviews.queue() == queue


async def test_no_row_is_reviewed_twice_while_a_review_runs(inn: Inn) -> None:
    for _ in range(3):
        await inn.turn()
    running = await inn.queue.next()
    assert running is not None
    assert [await inn.turn() is not None for _ in range(3)] == [False, False, True], "three more are due, not before"
    await inn.queue.done(running, "none", host="h", model="m", spent=Usage())
    following = await reviewed(inn)
    assert following is not None
    assert following.after == running.upto
