"""The part of the suite that every store passes which is about reviews: what is due, the queue, and the books."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from gateway.state.contract import CHAT, HALF, NOON, begun, event, refused, session
from gateway.state.protocols import Store
from gateway.state.records import Row, TurnState
from gateway.state.review_records import (
    QueuedReview,
    ReviewKind,
    ReviewOutcome,
    ReviewStanding,
    ReviewWrite,
    WriteFate,
)
from gateway.transcript import Usage

BOTH: tuple[ReviewKind, ...] = ("memory", "skill")
MEMORY: frozenset[ReviewKind] = frozenset(("memory",))
ALL: frozenset[ReviewKind] = frozenset(BOTH)
LEASE = NOON + 10_000
COST = Usage(1000, 900, 10, 1, 0.5, 2.0)


async def talked(
    store: Store, number: int, *, calls: int = 0, state: TurnState = "answered", said: str = "hi", name: str = "s1"
) -> int:
    """A turn with so many tool calls; the id of its last row."""
    turn = await begun(store, number, name, said)
    await store.turns.add(turn, [Row("tool", "ok", tool_call_id=f"c{each}") for each in range(calls)], NOON)
    await store.turns.finish(turn, state, NOON + number, rows=[Row("assistant", f"answer {number}")])
    return (await store.turns.messages(name))[-1].id


async def counts(store: Store, name: str = "s1") -> tuple[int, int]:
    standing = await store.reviews.standing(name, BOTH)
    return standing.counts["memory"], standing.counts["skill"]


async def claimed(store: Store, name: str = "s1", at: float = NOON) -> QueuedReview:
    """A review of both kinds that runs."""
    offered = await store.reviews.offer(name, BOTH, "cadence", at)
    assert offered is not None
    review = await store.reviews.claim(offered.id, "me", LEASE)
    assert review is not None
    return review


class ReviewCountsContract:
    """What is due."""

    async def test_user_turns_and_tool_calls_are_counted(self, store: Store) -> None:
        await talked(store, 1)
        await talked(store, 2, calls=3)
        turn = await begun(store, 3)
        await store.turns.add(turn, [Row("user", "and more"), Row("tool", "ok", tool_call_id="c")], NOON)
        assert await counts(store) == (2, 3), "what runs is not counted"
        await store.turns.finish(turn, "stopped", NOON)
        assert await counts(store) == (3, 4)
        assert not (await store.reviews.standing("s1", BOTH)).answered
        await talked(store, 4, state="answered")
        standing = await store.reviews.standing("s1", MEMORY)
        assert standing == ReviewStanding({"memory": 4}, MEMORY, answered=True)
        nobody = await store.reviews.standing("unknown", BOTH)
        assert nobody == ReviewStanding({"memory": 0, "skill": 0}, frozenset(), answered=False)

    async def test_an_empty_answer_is_none_and_a_job_is_nobodys_turn(self, store: Store) -> None:
        turn = await begun(store)
        await store.turns.finish(turn, "answered", NOON, rows=[Row("assistant", "")])
        assert not (await store.reviews.standing("s1", BOTH)).answered
        turn = await store.turns.begin("s1", CHAT, [], [Row("user", "[job x] do", untrusted="job")], NOON)
        await store.turns.finish(turn, "answered", NOON, rows=[Row("tool", "ok"), Row("assistant", "done")])
        assert await counts(store) == (1, 1)

    async def test_a_write_of_the_foreground_begins_its_count_anew(self, store: Store) -> None:
        await talked(store, 1, calls=2)
        turn = await begun(store, 2)
        await store.turns.add(turn, [Row("tool", "ok", tool_call_id="a")], NOON)
        await store.reviews.count_anew("s1", "memory")
        await store.turns.add(turn, [Row("tool", "ok", tool_call_id="b")], NOON)
        await store.turns.finish(turn, "answered", NOON, rows=[Row("assistant", "saved")])
        assert await counts(store) == (0, 4)
        assert (await store.reviews.standing("s1", BOTH)).unseen == {"memory", "skill"}, (
            "nothing was reviewed by that"
        )
        await store.reviews.count_anew("unknown", "memory")

    async def test_counters_are_consumed_when_a_review_is_committed(self, store: Store) -> None:
        await talked(store, 1, calls=2)
        review = await claimed(store)
        assert (review.after, review.kinds) == (0, ALL)
        assert await counts(store) == (0, 0), "what runs covers them"
        await store.reviews.put_back(review, "cancelled", NOON)
        assert await counts(store) == (1, 2)
        again = await store.reviews.claim(review.id, "me", LEASE)
        assert again is not None
        await talked(store, 2, calls=1)
        result = await store.reviews.done(again, "none", NOON, host="h", model="m", spent=COST)
        assert (result.after, result.upto) == ({"memory": 0, "skill": 0}, review.upto)
        assert await counts(store) == (1, 1)
        assert await store.reviews.offer("s1", MEMORY, "cadence", NOON) is not None

    async def test_marks_never_go_back(self, store: Store) -> None:
        await talked(store, 1)
        review = await claimed(store)
        await talked(store, 2)
        await store.reviews.count_anew("s1", "memory")
        await store.reviews.done(review, "none", NOON, host="h", model="m", spent=COST)
        assert await counts(store) == (0, 0)
        later = await claimed(store)
        assert later.after == review.upto

    async def test_what_was_seen_is_not_offered_again_but_to_a_person(self, store: Store) -> None:
        await talked(store, 1)
        await store.reviews.done(await claimed(store), "none", NOON, host="h", model="m", spent=COST)
        assert await store.reviews.offer("s1", BOTH, "boundary", NOON) is None
        assert await store.reviews.offer("unknown", BOTH, "person", NOON) is None
        asked = await store.reviews.offer("s1", BOTH, "person", NOON, focus=HALF)
        assert asked is not None
        assert asked.focus.startswith("half")
        assert await store.reviews.claim(asked.id, "me", LEASE) is not None

    async def test_a_kind_without_anything_to_see_is_left_out(self, store: Store) -> None:
        await talked(store, 1)
        offered = await store.reviews.offer("s1", BOTH, "boundary", NOON)
        assert offered is not None
        assert offered.kinds == {"memory"}

    async def test_sessions_for_which_nobody_may_have_asked(self, store: Store) -> None:
        await talked(store, 1)
        assert await store.reviews.unsettled(NOON) == [("s1", False)]
        assert await store.reviews.unsettled(NOON + 5) == []
        review = await claimed(store)
        await store.sessions.close("s1", "new", NOON + 9)
        await store.reviews.done(review, "none", NOON + 8, host="h", model="m", spent=COST)
        assert await store.reviews.unsettled(NOON) == [("s1", True)]
        last = await store.reviews.offer("s1", BOTH, "person", NOON)
        assert last is not None
        await store.reviews.drop(last, "why", NOON + 10, count_anew=False)
        assert await store.reviews.unsettled(NOON) == []


class ReviewQueueContract:
    """What waits and runs."""

    async def test_a_newer_request_takes_the_place_and_the_first_time_stays(self, store: Store) -> None:
        await talked(store, 1, calls=1)
        first = await store.reviews.offer("s1", MEMORY, "boundary", NOON)
        end = await talked(store, 2)
        second = await store.reviews.offer("s1", ["skill"], "cadence", NOON + 60)
        assert first is not None
        assert second == replace(first, kinds=ALL, upto=end, asked_at=NOON + 60)
        assert await store.reviews.queue() == [second]

    async def test_a_claim_reaches_to_the_newest_row_and_goes_to_one(self, store: Store) -> None:
        await talked(store, 1)
        offered = await store.reviews.offer("s1", MEMORY, "cadence", NOON)
        assert offered is not None
        end = await talked(store, 2)
        await begun(store, 3)
        tries = await asyncio.gather(*(store.reviews.claim(offered.id, f"p{each}", LEASE) for each in range(10)))
        (review,) = [each for each in tries if each is not None]
        assert (review.upto, review.running, review.lease_until) == (end, True, LEASE)
        assert await store.reviews.claim(review.id + 1, "me", LEASE) is None

    async def test_one_runs_a_session_while_the_next_waits(self, store: Store) -> None:
        await talked(store, 1)
        review = await claimed(store)
        assert await store.reviews.offer("s1", MEMORY, "boundary", NOON) is None, "it is covered"
        await talked(store, 2)
        later = await store.reviews.offer("s1", MEMORY, "boundary", NOON)
        assert later is not None
        assert await store.reviews.claim(later.id, "me", LEASE) is None
        await store.reviews.done(review, "none", NOON, host="h", model="m", spent=COST)
        following = await store.reviews.claim(later.id, "me", LEASE)
        assert following is not None
        assert following.after == review.upto

    async def test_put_back_it_goes_on_with_what_it_had(self, store: Store) -> None:
        await talked(store, 1)
        review = await claimed(store)
        await store.reviews.keep(review, HALF, COST)
        await talked(store, 2)
        back = await store.reviews.put_back(review, "cancelled", NOON + 7, reason="a prompt", spent=COST)
        assert (back.cancelled, back.failed, back.died, back.back_at, back.reason) == (1, 0, 0, NOON + 7, "a prompt")
        assert (back.spent.calls, back.spent.cost, back.running) == (2, 1.0, False)
        assert await counts(store) == (1, 0), "its rows are covered"
        again = await store.reviews.claim(back.id, "me", LEASE)
        assert again is not None
        assert (again.upto, again.epoch, again.progress) == (review.upto, review.epoch + 1, back.progress)
        stopped = await store.reviews.put_back(again, "stopped", NOON + 9)
        assert (stopped.cancelled, stopped.back_at) == (1, NOON + 7)
        await talked(store, 3)
        replaced = await store.reviews.offer("s1", MEMORY, "cadence", NOON + 9)
        assert replaced is not None
        assert (replaced.progress, replaced.cancelled, replaced.first_asked_at) == ("", 1, NOON)

    async def test_put_back_below_a_newer_one_it_goes_into_that(self, store: Store) -> None:
        await talked(store, 1, calls=1)
        review = await claimed(store)
        await store.reviews.keep(review, "half", COST)
        await store.reviews.wrote(review, ReviewWrite("w1", "memory", "kept"))
        await talked(store, 2)
        newer = await store.reviews.offer("s1", MEMORY, "boundary", NOON + 60)
        assert newer is not None
        back = await store.reviews.put_back(review, "failed", NOON + 61, reason="a fault", spent=COST)
        assert (back.id, back.upto, back.asked_at) == (newer.id, newer.upto, newer.asked_at)
        assert (back.first_asked_at, back.kinds, back.cause) == (NOON, ALL, "boundary")
        assert (back.progress, back.failed, back.reason, back.spent.calls) == ("", 1, "a fault", 2)
        assert await store.reviews.queue() == [back]
        last = await store.reviews.claim(back.id, "me", LEASE)
        assert last is not None
        result = await store.reviews.done(last, "memory", NOON, host="h", model="m", spent=Usage())
        assert result.writes == (ReviewWrite("w1", "memory", "kept"),)

    async def test_who_lost_a_review_changes_nothing(self, store: Store) -> None:
        await talked(store, 1)
        lost = await claimed(store)
        assert await store.reviews.renew(lost, LEASE + 1)
        await store.reviews.take_back("me", NOON, everyone=True)
        assert (await store.reviews.queue())[0].running, "a process takes nothing from itself"
        assert await store.reviews.take_back("another", LEASE) == [], "it is held still"
        (back,) = await store.reviews.take_back("another", LEASE + 1)
        assert (back.died, back.running, bool(back.reason)) == (1, False, True)
        review = await store.reviews.claim(back.id, "another", LEASE)
        assert review is not None
        assert not await store.reviews.renew(lost, LEASE)
        for stale in (lost, back):
            with refused():
                await store.reviews.done(stale, "memory", NOON, host="h", model="m", spent=COST)
            with refused():
                await store.reviews.put_back(stale, "cancelled", NOON)
            with refused():
                await store.reviews.keep(stale, "x", COST)
            with refused():
                await store.reviews.wrote(stale, ReviewWrite("w", "memory", "kept"))
            with refused():
                await store.reviews.drop(stale, "x", NOON, count_anew=True)
        assert await store.reviews.queue() == [review]
        await store.reviews.done(review, "none", NOON, host="h", model="m", spent=COST)
        with refused():
            await store.reviews.done(review, "none", NOON, host="h", model="m", spent=COST)
        assert [each.id for each in await store.review_books.results(9)] == [review.id]

    async def test_at_start_everything_is_taken_back(self, store: Store) -> None:
        await talked(store, 1)
        review = await claimed(store)
        assert [each.id for each in await store.reviews.take_back("new", NOON, everyone=True)] == [review.id]

    async def test_given_up_nothing_is_seen(self, store: Store) -> None:
        await talked(store, 1)
        offered = await store.reviews.offer("s1", MEMORY, "cadence", NOON)
        assert offered is not None
        await store.reviews.drop(offered, "too old", NOON + 1, count_anew=False)
        assert await counts(store) == (1, 0)
        await store.reviews.drop(await claimed(store), "failed", NOON + 2, count_anew=True)
        standing = await store.reviews.standing("s1", MEMORY)
        assert standing == ReviewStanding({"memory": 0}, MEMORY, answered=True)
        assert await store.reviews.queue() == []
        told = [(each.outcome, each.reason) for each in await store.review_books.results(9)]
        assert told == [("dropped", "failed"), ("dropped", "too old")]


class ReviewBooksContract:
    """Price and yield."""

    async def test_what_reviews_cost_and_brought(self, store: Store) -> None:
        outcomes: tuple[ReviewOutcome, ...] = ("memory", "none", "memory")
        for number, outcome in enumerate(outcomes, 1):
            await talked(store, number)
            review = await claimed(store, at=NOON + number)
            await store.reviews.keep(review, "", COST)
            await store.reviews.wrote(review, ReviewWrite(f"a{number}", "memory", "waiting"))
            await store.reviews.wrote(review, ReviewWrite(f"b{number}", "skill", "kept"))
            model = "m" if number < 3 else "n"
            await store.reviews.done(review, outcome, NOON + 10 * number, host="h", model=model, spent=COST)
        assert await store.review_books.became("a1", "kept", now_called="change1")
        assert await store.review_books.became("change1", "undone")
        assert await store.review_books.became("a2", "rejected")
        assert not await store.review_books.became("unknown", "kept")
        first, second = await store.review_books.lines(NOON)
        assert (first.host, first.model, first.outcomes) == ("h", "m", {"memory": 1, "none": 1})
        assert (first.spent, first.writes) == (
            Usage(4000, 3600, 40, 4, 2.0, 8.0),
            {"kept": 2, "rejected": 1, "undone": 1},
        )
        assert (second.model, second.writes) == ("n", {"kept": 1, "waiting": 1})
        assert [each.model for each in await store.review_books.lines(NOON + 30)] == ["n"]
        newest, _ = await store.review_books.results(2)
        assert (newest.model, newest.first_asked_at, newest.ended_at) == ("n", NOON + 3, NOON + 30)
        assert newest.writes == (ReviewWrite("a3", "memory", "waiting"), ReviewWrite("b3", "skill", "kept"))

    async def test_sessions_are_booked_apart(self, store: Store) -> None:
        await store.sessions.open(session("s2", "k2"))
        for name, number in (("s1", 1), ("s2", 2)):
            item = await store.inbox.accept(event(number), CHAT.key, NOON)
            assert item is not None
            await store.sessions.open(session(name))
            turn = await store.turns.begin(name, CHAT, [item.id], [Row("user", "hi")], NOON)
            await store.turns.finish(turn, "answered", NOON)
        one, two = await claimed(store, "s1"), await claimed(store, "s2")
        await store.reviews.done(two, "none", NOON, host="h", model="m", spent=Usage())
        await store.reviews.done(one, "error", NOON, host="h", model="m", spent=Usage())
        assert [each.session_id for each in await store.review_books.results(9)] == ["s2", "s1"]

    async def test_writes_are_found_by_their_fate(self, store: Store) -> None:
        await talked(store, 1)
        review = await claimed(store)
        for write in (ReviewWrite("a", "memory", "waiting"), ReviewWrite("b", "memory", "kept")):
            await store.reviews.wrote(review, write)
        await store.reviews.wrote(review, ReviewWrite("c", "skill", "kept"))
        books = store.review_books
        kept: tuple[WriteFate, ...] = ("kept",)
        assert await books.writes("memory", kept) == [ReviewWrite("b", "memory", "kept")], "while it runs"
        await store.reviews.done(review, "memory", NOON, host="h", model="m", spent=Usage())
        assert [each.ref for each in await books.writes("memory", ("kept", "waiting"))] == ["a", "b"]
        assert [each.ref for each in await books.writes("skill", ("kept", "waiting", "undone"))] == ["c"]
        assert await books.writes("skill", frozenset({"rejected"})) == []
