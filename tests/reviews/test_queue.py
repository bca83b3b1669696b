"""When a waiting review may start; giving way, failing, dying, and being given up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import StaleEpoch
from gateway.reviews.cadence import Intervals
from gateway.reviews.queue import GiveUp, Patience, Start, Wait, may_start
from gateway.state.contract import NOON
from gateway.state.review_records import QueuedReview, ReviewKind
from gateway.state.store import SqliteStore
from gateway.transcript import Usage
from tests.fakes.clock import FakeClock
from tests.reviews.house import House, Inn

MEMORY: frozenset[ReviewKind] = frozenset(("memory",))
ENTRY = QueuedReview(1, "s1", MEMORY, "cadence", 0, 9, NOON, NOON)
PATIENCE = Patience(quiet_s=15, max_age_s=1800, settle_s=2)
SPENT = Usage(100, 90, 5, 1, None, 1.0)


class Dozing(FakeClock):
    """A machine's clock, which went on while the machine slept and its processes stood still."""

    slept = 0.0

    def now(self) -> float:
        return super().now() + self.slept


def judged(
    entry: QueuedReview = ENTRY,
    idle: float | None = 60.0,
    quiet: float | None = 60.0,
    after: float = 60.0,
    patience: Patience = PATIENCE,
    up_for: float = 1e9,
) -> Start | Wait | GiveUp:
    return may_start(entry, idle, quiet, NOON + after, patience, up_for)


def test_it_starts_in_a_quiet_house_on_an_idle_host() -> None:
    assert isinstance(judged(), Start)
    for idle, quiet in ((60.0, 14.9), (1.9, 60.0), (None, 60.0), (60.0, None), (0.0, 0.0)):
        assert isinstance(judged(idle=idle, quiet=quiet), Wait)


def test_a_wait_says_when_to_look_again() -> None:
    for quiet, idle, after, seconds in (
        (5.0, 60.0, 60.0, 10.0),
        (60.0, 0.5, 60.0, 1.5),
        (60.0, None, 60.0, 1740.0),
        (5.0, 60.0, 1795.0, 5.0),
        (None, None, 60.0, None),
    ):
        verdict = judged(idle=idle, quiet=quiet, after=after)
        assert isinstance(verdict, Wait)
        assert verdict.seconds == seconds


def test_past_the_maximum_age_it_starts_on_a_busy_host() -> None:
    assert isinstance(judged(idle=None, quiet=0.1, after=1799), Wait)
    assert isinstance(judged(idle=None, quiet=0.1, after=1800), Start)
    assert isinstance(judged(idle=None, quiet=None, after=1800), Wait), "the turn that runs comes first"


def test_after_three_cancellations_it_waits_for_a_longer_pause() -> None:
    twice, thrice = replace(ENTRY, cancelled=2), replace(ENTRY, cancelled=3)
    assert isinstance(judged(twice, quiet=16), Start)
    for after in (60.0, 1800.0):
        assert isinstance(judged(thrice, quiet=16, after=after), Wait)
        assert isinstance(judged(thrice, quiet=PATIENCE.longer_s, after=after), Start)


def test_after_four_times_the_maximum_age_it_is_given_up() -> None:
    often = replace(ENTRY, cancelled=4)
    assert not isinstance(judged(often, after=7199), GiveUp)
    assert judged(often, after=7200) == GiveUp("it waited for 120 minutes without coming to an end: gave way 4 times")
    assert isinstance(judged(often, after=7200, up_for=1800), GiveUp)


def test_a_process_that_was_away_lets_it_start_first() -> None:
    assert isinstance(judged(after=86_400, up_for=5), Start)
    assert isinstance(judged(after=86_400, up_for=5, quiet=None), Wait)


def test_a_maximum_age_of_nothing_starts_at_once_and_gives_nothing_up() -> None:
    assert isinstance(judged(idle=None, quiet=0.1, after=0, patience=Patience(max_age_s=0)), Start)


def test_beside_the_chats_it_waits_for_nothing() -> None:
    for entry, patience in ((ENTRY, Patience(deferred=False)), (replace(ENTRY, cause="person"), PATIENCE)):
        assert isinstance(judged(entry, None, None, 0.0, patience), Start)
    assert isinstance(judged(replace(ENTRY, running=True)), Wait)


def test_it_comes_back_after_a_pause_that_grows() -> None:
    for failed, died, pause in ((1, 0, 60), (2, 0, 600), (0, 1, 0), (0, 2, 60), (0, 3, 120), (0, 99, 960)):
        entry = replace(ENTRY, failed=failed, died=died, back_at=NOON + 100)
        assert isinstance(judged(entry, after=100 + pause), Start)
        if pause:
            verdict = judged(entry, after=100 + pause - 1)
            assert isinstance(verdict, Wait)
            assert verdict.seconds == pytest.approx(1)


def test_a_clock_that_is_set_back_makes_nobody_wait_for_years() -> None:
    entry = replace(ENTRY, first_asked_at=NOON + 1e8, back_at=NOON + 1e8, failed=1)
    assert isinstance(judged(entry), Start)


@given(
    idle=st.none() | st.floats(0, 1e5),
    quiet=st.none() | st.floats(0, 1e5),
    after=st.integers(-10_000, 100_000),
    counts=st.tuples(*[st.integers(0, 9)] * 3),
    patience=st.builds(Patience, st.booleans(), st.integers(0, 1000), st.integers(0, 10_000), st.integers(0, 10)),
)
def test_it_never_starts_inside_a_turn_and_never_waits_for_ever(
    idle: float | None, quiet: float | None, after: float, counts: tuple[int, int, int], patience: Patience
) -> None:
    cancelled, failed, died = counts
    entry = replace(ENTRY, cancelled=cancelled, failed=failed, died=died, back_at=NOON)
    verdict = judged(entry, idle, quiet, after, patience)
    if patience.deferred and quiet is None:
        assert not isinstance(verdict, Start)
    if isinstance(verdict, Start) and patience.deferred and max(after, 0) < patience.max_age_s:
        assert idle is not None
        assert quiet is not None
        assert idle >= patience.settle_s
        assert quiet >= patience.quiet_s
    if after >= patience.give_up_s:
        assert isinstance(verdict, GiveUp)
    if isinstance(verdict, Wait) and verdict.seconds is not None:
        assert verdict.seconds > 0


@pytest.fixture
async def inn(tmp_path: Path) -> AsyncIterator[Inn]:
    store = await SqliteStore.open(tmp_path / "state.db")
    inn = Inn(store, FakeClock(), House(how=PATIENCE), Intervals(memory=1, skill=0))
    await inn.turn()
    yield inn
    await store.close()


async def test_it_waits_with_a_reason_until_the_house_is_quiet(inn: Inn) -> None:
    inn.house.quiet_for = 2.0
    assert await inn.queue.next() is None
    (waiting,) = await inn.queue.waiting()
    assert "busy" in waiting.why
    inn.house.quiet_for = 15.0
    review = await inn.queue.next()
    assert review is not None
    assert [each.why for each in await inn.queue.waiting()] == ["it runs"]
    assert await inn.queue.next() is None


async def test_giving_way_again_and_again_it_is_given_up_with_a_reason(inn: Inn) -> None:
    for _ in range(3):
        review = await inn.queue.next()
        assert review is not None
        await inn.queue.gave_way(review, SPENT)
        inn.house.quiet_for = 20.0
    assert await inn.queue.next() is None
    await inn.clock.advance(PATIENCE.give_up_s)
    assert await inn.queue.next() is None
    assert await inn.store.reviews.queue() == []
    (result,) = await inn.store.review_books.results(9)
    assert (result.outcome, result.cancelled, result.spent.calls) == ("dropped", 3, 3)
    assert "gave way 3 times" in result.reason
    assert await inn.turn() is not None, "nothing was consumed"


async def test_after_three_failures_it_is_given_up_and_the_count_begins_anew(inn: Inn) -> None:
    for pause in (60, 600, 0):
        review = await inn.queue.next()
        assert review is not None
        back = await inn.queue.failed(review, "the host said 500", SPENT)
        if pause:
            assert await inn.queue.next() is None
            await inn.clock.advance(pause)
    assert back is None
    (result,) = await inn.store.review_books.results(9)
    assert (result.outcome, result.spent.calls) == ("dropped", 3)
    assert result.reason == "it failed 3 times, the last time so: the host said 500"
    assert await inn.cadence.turn_ended("s1") is None
    asked = await inn.turn()
    assert asked is not None
    assert asked.after == 0, "what was not seen is in the next one"


async def test_a_good_end_of_the_process_counts_as_nothing(inn: Inn) -> None:
    review = await inn.queue.next()
    assert review is not None
    back = await inn.queue.stopped(review, SPENT)
    assert (back.cancelled, back.failed, back.died, back.spent) == (0, 0, 0, SPENT)
    again = await (await inn.restarted("second")).queue.next()
    assert again is not None
    assert again.id == review.id


async def test_a_dead_process_leaves_it_to_the_next_one(inn: Inn) -> None:
    lost = await inn.queue.next()
    assert lost is not None
    after = await inn.restarted("second")
    review = await after.queue.next()
    assert review is not None
    assert (review.id, review.died) == (lost.id, 1)
    with pytest.raises(StaleEpoch):
        await inn.queue.done(lost, "memory", host="h", model="m", spent=SPENT)
    await after.queue.done(review, "none", host="h", model="m", spent=SPENT)
    assert [each.outcome for each in await inn.store.review_books.results(9)] == ["none"]


async def test_a_claim_is_held_while_it_runs_and_lost_when_it_is_not(inn: Inn) -> None:
    other = Inn(inn.store, inn.clock, inn.house, inn.intervals, "other")
    review = await inn.queue.next()
    assert review is not None
    holding = asyncio.ensure_future(inn.queue.hold(review))
    while not inn.clock.sleepers:
        await asyncio.sleep(0.001)
    assert await other.queue.next() is None
    holding.cancel()
    await inn.clock.advance(121)
    taken = await other.queue.next()
    assert taken is not None
    await inn.queue.hold(review)  # comes back at once: it was lost
    assert not await inn.store.reviews.renew(review, 0)


async def test_somebody_asks_and_it_starts_in_the_loudest_house(inn: Inn) -> None:
    inn.house.quiet_for = inn.house.idle_for = None
    asked = await inn.store.reviews.offer("s1", ["memory"], "person", inn.clock.now(), focus="the garden")
    assert asked is not None
    review = await inn.queue.claim(asked)
    assert review is not None
    assert (review.focus, review.cause) == ("the garden", "person")
    assert await inn.queue.claim(asked) is None


async def test_what_somebody_waits_for_is_begun_first(inn: Inn) -> None:
    await inn.turn(name="s2")
    asked = await inn.store.reviews.offer("s2", ["memory"], "person", inn.clock.now())
    assert asked is not None
    first, second = await inn.queue.next(), await inn.queue.next()
    assert first is not None
    assert second is not None
    assert (first.id, second.session_id) == (asked.id, "s1")


async def test_a_machine_that_slept_gives_what_waited_the_time_that_a_start_gives_it(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "state.db")
    clock = Dozing()
    inn = Inn(store, clock, House(quiet_for=None, how=PATIENCE), Intervals(memory=1, skill=0))
    await inn.turn()
    await clock.advance(PATIENCE.max_age_s)
    assert await inn.queue.next() is None
    clock.slept += 9 * 3600.0
    assert await inn.queue.next() is None
    assert len(await store.reviews.queue()) == 1
    await clock.advance(PATIENCE.max_age_s)
    assert await inn.queue.next() is None
    (result,) = await store.review_books.results(9)
    assert result.outcome == "dropped"
    await store.close()


async def test_what_a_person_wanted_gone_is_gone_from_the_queue(inn: Inn) -> None:
    review = await inn.queue.next()
    assert review is not None
    await inn.store.reviews.keep(review, '{"found": ["a secret"]}', SPENT)
    await inn.queue.failed(review, "no sense in: a secret", SPENT)
    assert (await inn.store.traces.erase(["a secret"])).sessions == {"s1"}
    (entry,) = await inn.store.reviews.queue()
    assert (entry.reason, entry.progress) == ("no sense in: [erased]", '{"found": ["[erased]"]}')
    await inn.store.reviews.offer("s1", ["memory"], "person", inn.clock.now(), focus="a secret")
    await inn.store.traces.erase(["a secret"])
    assert [each.focus for each in await inn.store.reviews.queue()] == ["[erased]"]
