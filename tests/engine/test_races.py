"""Moments in which two things meet: whatever comes first, nothing is lost and nothing is answered twice."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from gateway.events import Event, SessionClosed
from gateway.models.client import Request
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse
from tests.fakes.scripted_model import Script, Turn
from tests.scenarios.props import counter, event, gateway, later, stubborn, until

HOUR = 3600.0


def done(house: Guesthouse) -> list[str]:
    """The events of which the platform heard that they are over, each as often as it heard it."""
    return [each for summary in house.adapter.summaries() for each in summary.event_ids]


@pytest.mark.parametrize("mode", ["queue", "interrupt", "steer"])
@pytest.mark.parametrize("seed", range(6))
async def test_everything_is_over_once_whatever_meets(tmp_path: Path, mode: str, seed: int) -> None:
    """Texts and commands in one breath and in many: each event ends once, no turn stays, nothing waits."""
    dice = random.Random(seed)

    def answers(request: Request) -> Turn | str:
        if request.messages[-1].role == "user" and dice.random() < 0.4:
            return Turn("I count.", calls=[("count", {"word": "a"})])
        return Turn(["Some ", "words ", "here."])

    async with guesthouse(tmp_path, answers, tools=[counter([])], with_settings=gateway(busy=mode)) as house:
        said = []
        for number in range(30):
            word = dice.choice([f"text {number}", f"text {number}", "/stop", "/new", "/title T", "/retry", "/status"])
            said.append(asyncio.ensure_future(house.adapter.say(word)))
            for _ in range(dice.choice([0, 0, 1, 5, 40])):
                await asyncio.sleep(0)
        events = [each.event_id for each in await asyncio.gather(*said)]
        await until(lambda: not house.engine.workers.running and set(done(house)) == set(events))
        assert sorted(done(house)) == sorted(events)
        assert await house.store.inbox.open_items() == []
        assert await house.store.turns.running() == []
        assert house.model.active == 0
        assert house.model.most_active <= 1
        assert house.notes.named("turn.fault") == []
        assert house.notes.named("work.put_aside") == []
    async with guesthouse(tmp_path, []) as house:
        await house.adapter.reply_to("/status")
        assert house.model.requests == []


async def test_an_answer_that_ends_in_the_moment_of_stop_is_there_once(tmp_path: Path) -> None:
    for ticks in range(0, 60, 3):
        folder = tmp_path / str(ticks)
        async with guesthouse(folder, ["The answer.", "Next."]) as house:
            await house.adapter.say("1")
            for _ in range(ticks):
                await asyncio.sleep(0)
            stop = await house.adapter.say("/stop")
            await until(lambda house=house, stop=stop: stop.event_id in done(house) and len(done(house)) == 2)  # type: ignore[misc]
            assert house.adapter.texts().count("The answer.") <= 1
            assert await house.store.turns.running() == []
            assert await house.store.inbox.open_items() == []
            session = await house.store.sessions.current("inprocess:c1")
            stored = [each.row.role for each in await house.store.turns.messages(session.id)] if session else []
            assert stored in ([], ["user", "assistant"])


class Held:
    """Facts of which one is not told before somebody lets go of it."""

    def __init__(self, facts: Any, name: str) -> None:
        self._facts, self._name = facts, name
        self.asked, self.go_on = asyncio.Event(), asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._facts, name)

    async def get(self, key: str, name: str) -> Any:
        if name == self._name:
            self.asked.set()
            await self.go_on.wait()
        return await self._facts.get(key, name)


async def test_what_is_stopped_after_its_answer_is_over_once(tmp_path: Path) -> None:
    """The answer is stored and on its way; the gateway thinks about a fresh start when the order comes."""
    async with guesthouse(tmp_path, ["The answer."]) as house:
        held = house.store.facts = Held(house.store.facts, "hint_day")  # type: ignore[assignment]
        await house.adapter.say("1")
        await held.asked.wait()
        stop = await house.adapter.say("/stop")
        await until(lambda: stop.event_id in done(house))
        await house.adapter.reply_to("/status")
        assert sorted(done(house))[:2] == ["e1", stop.event_id]
        assert house.adapter.texts().count("The answer.") == 1


async def test_an_answer_that_ends_in_the_moment_of_new(tmp_path: Path) -> None:
    for ticks in range(0, 60, 3):
        folder = tmp_path / str(ticks)
        async with guesthouse(folder, lambda request: "The answer.") as house:
            await house.adapter.say("1")
            for _ in range(ticks):
                await asyncio.sleep(0)
            await house.adapter.say("/new")
            await until(lambda house=house: len(done(house)) == 2)  # type: ignore[misc]
            assert house.adapter.texts().count("The answer.") <= 1
            assert await house.store.turns.running() == []
            lines = await house.store.sessions.recent(5)
            assert sum(each.session.ended_at is None for each in lines) <= 1


async def test_work_that_was_let_go_does_not_shut_out_the_next_turn(tmp_path: Path) -> None:
    """Interrupted, it will not end: the next message is answered, and the late one changes nothing."""
    clock, started = FakeClock(), asyncio.Event()
    script: Script = [Turn(calls=[("count", {"word": "a"})]), "Four."]
    tools = [stubborn(clock, started, 5)]
    rules = gateway(busy="interrupt")
    async with guesthouse(tmp_path, script, clock=clock, tools=tools, with_settings=rules) as house:
        first = await house.adapter.say("count a")
        await started.wait()
        second = await house.adapter.say("2 + 2?")
        await later(clock, lambda: "Four." in house.adapter.texts(), 0.2)
        await clock.advance(30)
        await until(lambda: sorted(done(house)) == sorted([first.event_id, second.event_id]))
        assert len(house.model.requests) == 2
        assert [each.role for each in house.model.requests[1].messages][-2:] == ["tool", "user"]
        assert await house.store.turns.running() == []


async def test_the_backlog_is_answered_once_when_both_hands_press(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, lambda request: "An answer.", clock=clock) as house:
        now = clock.now()
        for number in range(3):
            await house.engine.reception(event(f"old {number}", f"o{number}", at=now - 5 * HOUR))
        await later(clock, lambda: bool(house.adapter.texts()))
        await asyncio.gather(house.adapter.press("c1", "Answer now"), house.adapter.press("c1", "Answer now"))
        await house.adapter.until_text("An answer.")
        await house.adapter.reply_to("/title done")
        assert house.adapter.texts().count("An answer.") == 1
        assert len(house.model.requests) == 1


async def test_a_message_during_the_closing_of_a_session(tmp_path: Path) -> None:
    """/new and a message from many sides at once: one open session, every message answered."""
    async with guesthouse(tmp_path, lambda request: "Fine.") as house:
        said = [house.adapter.say(text) for text in ("1", "/new", "2", "/new", "3", "/new", "4")]
        events = [each.event_id for each in await asyncio.gather(*said)]
        await until(lambda: sorted(done(house)) == sorted(events))
        lines = await house.store.sessions.recent(9)
        assert sum(each.session.ended_at is None for each in lines) <= 1
        assert await house.store.turns.running() == []


async def test_the_same_event_from_two_connections(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["Fine."]) as house:
        same = event("hello", "x1", at=house.house.clock.now())
        await asyncio.gather(*(house.engine.reception(same) for _ in range(5)))
        await house.adapter.until_text("Fine.")
        await house.adapter.reply_to("/status")
        assert len(house.model.requests) == 1


async def test_a_hundred_chats_at_once(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, lambda request: f"To {request.messages[-1].content[-4:]}.") as house:
        chats = [f"c{number:03}" for number in range(100)]
        await asyncio.gather(*(house.adapter.say(f"I am {chat}", chat=chat, sender=chat) for chat in chats))
        await house.adapter.until(lambda: all(house.adapter.summaries(chat) for chat in chats))
        assert [house.adapter.texts(chat) for chat in chats] == [[f"To {chat}."] for chat in chats]


async def test_a_boundary_keeps_its_mailbox_in_a_crowd(tmp_path: Path) -> None:
    """Mailboxes without work are dropped when there are many; not the one in which a boundary is being drawn."""
    async with guesthouse(tmp_path, ["Hello."]) as house:
        await house.adapter.reply_to("hello")
        workers, kept = house.engine.workers, []
        before = workers.box("inprocess:c1")

        def crowd(happened: Event) -> None:
            if isinstance(happened, SessionClosed):
                for number in range(300):
                    workers.box(f"inprocess:x{number}")
                kept.append(workers.box("inprocess:c1") is before)

        house.house.bus.subscribe(crowd)
        await house.adapter.reply_to("/new")
        assert kept == [True]
