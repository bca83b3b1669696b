"""When a host counts as quiet, how often it is asked meanwhile, and who is told that it is wanted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.models.client import Message, Request, TextDelta
from gateway.models.contract import heard
from gateway.models.host_state import REVIEW, HostState, Idleness
from gateway.models.idleness import LONGEST_PAUSE, Pace
from tests.fakes.clock import settle
from tests.fakes.openai_server import Step
from tests.fakes.scripted_model import Turn
from tests.fakes.working_host import HANG, TalkingHost, WorkingHost
from tests.models.test_host_state import Inn

IDLE, BUSY, UNKNOWN = HostState.IDLE, HostState.BUSY, HostState.UNKNOWN
REVIEWING = Request((Message("user", "What is worth keeping?"),), task=REVIEW)


@pytest.fixture
async def host() -> AsyncIterator[WorkingHost]:
    async with WorkingHost() as server:
        yield server


def shows(host: WorkingHost | TalkingHost, *, busy: bool) -> None:
    host.pages = {"/props": {"default_generation_settings": {}}, "/slots": [{"id": 0, "is_processing": busy}]}


def looks(host: WorkingHost | TalkingHost) -> int:
    return sum(path.startswith("/slots") for path in host.asked)


async def resting(inn: Inn) -> None:
    """Until whoever asked a host waits for the clock again (a real deadline of thirty seconds)."""
    async with asyncio.timeout(30):
        await settle()
        while not inn.clock.sleepers:
            await asyncio.sleep(0.005)


# --- Idleness and Pace: rules alone


def test_idle_for_long_enough() -> None:
    idleness = Idleness(15)
    assert [idleness.observe(IDLE, now) for now in (100, 107, 114.9, 115)] == [False, False, False, True]


def test_not_knowing_neither_resets_nor_completes() -> None:
    idleness = Idleness(15)
    assert [idleness.observe(state, now) for state, now in ((IDLE, 0), (IDLE, 7), (UNKNOWN, 16))] == [False] * 3
    assert idleness.since == 0
    assert idleness.observe(IDLE, 17)


def test_being_busy_starts_anew() -> None:
    idleness = Idleness(15)
    idleness.observe(IDLE, 0)
    idleness.observe(BUSY, 10)
    assert idleness.remaining(10) is None
    assert not idleness.observe(IDLE, 16)
    assert idleness.remaining(20) == 11
    assert not idleness.observe(IDLE, 30.9)
    assert idleness.observe(IDLE, 31)


def test_a_use_between_two_looks_counts() -> None:
    idleness = Idleness(15)
    idleness.observe(IDLE, 0)
    assert not idleness.observe(IDLE, 16, used_at=9)
    assert idleness.observe(IDLE, 24, used_at=9)


def test_nothing_to_wait_for() -> None:
    assert Idleness(0).observe(IDLE, 5)
    assert not Idleness(0).observe(UNKNOWN, 5)


@given(st.lists(st.tuples(st.sampled_from(HostState), st.floats(0, 20)), max_size=40), st.floats(0, 30))
def test_quiet_means_idle_then_and_now_and_not_busy_between(
    steps: list[tuple[HostState, float]], quiet: float
) -> None:
    idleness, now, seen = Idleness(quiet), 0.0, list[tuple[HostState, float]]()
    for state, pause in steps:
        now += pause
        seen.append((state, now))
        last_busy = max((index for index, each in enumerate(seen) if each[0] is BUSY), default=-1)
        begun = next((at for each, at in seen[last_busy + 1 :] if each is IDLE), None)
        expected = state is IDLE and begun is not None and now - begun >= quiet
        assert idleness.observe(state, now) is expected


@pytest.mark.parametrize("state", HostState)
def test_looks_that_say_the_same_become_rare(state: HostState) -> None:
    pace = Pace()
    pauses = [pace.after(state) for _ in range(10)]
    assert pauses[:3] == [1, 2, 4]
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE[state]
    pace.anew()
    assert pace.after(state) == 1


def test_news_makes_looks_frequent_again() -> None:
    pace = Pace()
    assert [pace.after(state) for state in (BUSY, BUSY, BUSY, IDLE, IDLE, BUSY)] == [1, 2, 4, 1, 2, 1]


# --- the watch: how often it asks


async def test_a_busy_host_is_asked_ever_more_rarely(host: WorkingHost) -> None:
    shows(host, busy=True)
    inn = Inn(model={"base_url": host.base_url})
    for _ in range(120):  # somebody who looks each second for two minutes
        assert await inn.watch.state(inn.client) is BUSY
        await inn.clock.advance(1)
    assert looks(host) == 8  # at 0, 1, 3, 7, 15, 31, 61 and 91
    await inn.close()


async def test_a_host_that_does_not_answer_is_asked_ever_more_rarely(host: WorkingHost) -> None:
    host.pages = {"*": HANG}
    inn = Inn(0.05, model={"base_url": host.base_url})
    for _ in range(100):
        assert await inn.watch.state(inn.client) is UNKNOWN
        await inn.clock.advance(1)
    assert len(host.requests) == 7
    await inn.close()


async def test_a_request_of_ours_makes_the_next_look_a_question_again() -> None:
    inn = Inn()
    for _ in range(4):
        await inn.watch.look(inn.client, fresh=True)
    assert inn.watch.pause(inn.client) == LONGEST_PAUSE[IDLE]
    await heard(inn.client)
    assert inn.watch.pause(inn.client) == 0
    await inn.watch.look(inn.client)
    assert inn.watch.pause(inn.client) == 1
    await inn.close()


async def test_an_idle_sight_is_not_believed_for_long(host: WorkingHost) -> None:
    shows(host, busy=False)
    inn = Inn(model={"base_url": host.base_url})
    seen = []
    for _ in range(6):
        seen.append((await inn.watch.look(inn.client)).state)
        await inn.clock.advance(1.5)
    assert seen == [IDLE, IDLE, UNKNOWN, IDLE, UNKNOWN, UNKNOWN]  # asked at 0, 1.5 and 4.5, then not before 8.5
    assert inn.watch.pause(inn.client) == 0
    shows(host, busy=True)
    assert (await inn.watch.look(inn.client, fresh=True)).state is BUSY
    await inn.close()


async def test_many_who_ask_at_once_are_one_question(host: WorkingHost) -> None:
    shows(host, busy=False)
    inn = Inn(model={"base_url": host.base_url})
    assert await asyncio.gather(*(inn.watch.state(inn.client) for _ in range(5))) == [IDLE] * 5
    assert looks(host) == 1
    await inn.close()


# --- the watch: waiting for quiet


async def test_quiet_is_reached_after_the_settle_window(host: WorkingHost) -> None:
    shows(host, busy=False)
    inn = Inn(model={"base_url": host.base_url})
    quiet = asyncio.create_task(inn.watch.quiet(inn.client, 15))
    for _ in range(14):
        await resting(inn)
        await inn.clock.advance(1)
    await resting(inn)
    assert not quiet.done()
    await inn.clock.advance(1)
    await quiet
    assert 3 <= looks(host) <= 7
    await inn.close()


async def test_another_ones_work_starts_the_window_anew(host: WorkingHost) -> None:
    shows(host, busy=False)
    inn = Inn(model={"base_url": host.base_url})
    quiet = asyncio.create_task(inn.watch.quiet(inn.client, 15))
    for _ in range(10):
        await resting(inn)
        await inn.clock.advance(1)
    shows(host, busy=True)
    for _ in range(10):
        await resting(inn)
        await inn.clock.advance(1)
    shows(host, busy=False)
    idle_from = inn.clock.monotonic()
    while not quiet.done() and inn.clock.monotonic() < 100:
        await inn.clock.advance(1)
        await asyncio.sleep(0.01)
    assert quiet.done()
    assert inn.clock.monotonic() >= idle_from + 15
    await inn.close()


async def test_a_host_that_never_answers_is_never_quiet(host: WorkingHost) -> None:
    host.pages = {"*": HANG}
    inn = Inn(0.02, model={"base_url": host.base_url})
    quiet = asyncio.create_task(inn.watch.quiet(inn.client, 15))
    for _ in range(30):
        await resting(inn)
        await inn.clock.advance(60)
    assert not quiet.done()
    quiet.cancel()
    await asyncio.wait({quiet})
    assert inn.clock.sleepers == 0
    await inn.close()


async def test_our_own_request_ends_the_quiet_without_a_question() -> None:
    inn = Inn()
    quiet = asyncio.create_task(inn.watch.quiet(inn.client, 15))
    await inn.clock.advance(14)
    await heard(inn.client)
    await inn.clock.advance(14.5)
    assert not quiet.done()
    await inn.clock.advance(1)
    await quiet
    await inn.close()


async def test_a_host_that_serves_our_chats_is_not_asked_between_each_two_of_them() -> None:
    async with TalkingHost(otherwise=lambda given: Step(text="Noted.")) as host:
        shows(host, busy=False)
        inn = Inn(model={"base_url": host.base_url, "model": "q"})
        quiet = asyncio.create_task(inn.watch.quiet(inn.client, 15))
        for _ in range(40):
            await heard(inn.client)
            await asyncio.sleep(0.01)
            await inn.clock.advance(0.05)
        assert looks(host) <= 4, "two seconds of chats"
        while not quiet.done() and inn.clock.monotonic() < 100:
            await inn.clock.advance(0.5)
            await asyncio.sleep(0.01)
        assert quiet.done()
        assert inn.clock.monotonic() >= 2 + 15
        await inn.close()


async def test_a_review_of_ours_does_not_end_the_quiet() -> None:
    inn = Inn()
    quiet = asyncio.create_task(inn.watch.quiet(inn.client, 15))
    await inn.clock.advance(10)
    await heard(inn.client, REVIEWING)
    await inn.clock.advance(5.5)
    assert quiet.done()
    await inn.close()


# --- the watch: who is told


async def test_a_review_learns_at_once_that_a_chat_wants_its_host() -> None:
    gate = asyncio.Event()
    inn = Inn(script=lambda request: Turn([gate, "kept"]) if request.task == REVIEW else "hello")
    review = inn.client.stream(REVIEWING)
    reading = asyncio.ensure_future(anext(review))
    await settle()
    wanted = asyncio.create_task(inn.watch.wanted(inn.client))
    await settle()
    assert not wanted.done()
    assert inn.watch.busy_with_own(inn.client) == 0
    chat = asyncio.create_task(heard(inn.client))
    await settle()
    assert wanted.done()
    assert inn.watch.busy_with_own(inn.client) == 1
    reading.cancel()
    await asyncio.wait({reading})
    assert (await chat)[0] == "hello"
    assert inn.watch.busy_with_own(inn.client) == 0
    await inn.close()


async def test_whoever_waits_for_a_change_is_woken_by_each() -> None:
    inn = Inn()
    stream = inn.client.stream(REVIEWING)
    for step in ("comes", "goes"):
        inn.watch.changed.clear()
        waiting = asyncio.create_task(inn.watch.changed.wait())
        await settle()
        assert not waiting.done()
        if step == "comes":
            assert await anext(stream) == TextDelta("hello")
        else:
            await stream.aclose()
        await settle()
        assert waiting.done()
    await inn.close()
