"""What the queue learns of the house: where a review would run, how quiet it is there, what has to be over first."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from gateway.errors import ConfigurationError
from gateway.events import SessionClosed, TurnFinished, TurnStarted
from gateway.models.client import ModelClient
from gateway.models.idleness import Sight, busy, idle, unknown
from gateway.reviews.around import OFF, TAKEN, Around, Site, idle_effort
from gateway.reviews.queue import Patience, ReviewQueue, Start, Wait, may_start
from gateway.state.contract import CHAT, NOON, session
from gateway.state.records import Row
from gateway.state.review_records import QueuedReview
from gateway.state.store import SqliteStore
from gateway.transcript import Usage
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import settings
from tests.fakes.scripted_model import ScriptedModel

REVIEW = QueuedReview(1, "s1", frozenset(("memory",)), "cadence", 0, 9, NOON, NOON)


class Hosts:
    """The main model, another one on its host, and one elsewhere."""

    def __init__(self) -> None:
        names = ("near/small", "near/big", "far/large")
        self.clients = {
            name: ScriptedModel(host=name.partition("/")[0], model=name.partition("/")[2]) for name in names
        }

    def resolve(self, name: str | None = None, *, fallbacks: bool = True) -> ModelClient:
        assert not fallbacks, "a review costs what was expected"
        if (found := self.clients.get(name or "near/small")) is None:
            raise ConfigurationError([f"there is no {name}"])
        return found


class Watch:
    """Sights as a test wants them; counts who asks."""

    def __init__(self) -> None:
        self.sight: Sight = idle("nothing to do")
        self.looks = 0

    async def look(self, client: ModelClient) -> Sight:
        self.looks += 1
        return self.sight

    def pause(self, client: ModelClient) -> float:
        return 1.0

    def defers(self, client: ModelClient, setting: Literal["auto", "never", "always"]) -> bool:
        return setting == "always" or (setting == "auto" and client.host == "near")

    async def wanted(self, client: ModelClient) -> None:
        raise AssertionError("that is the worker's")


class Room:
    """An `Around` with everything that it is about."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store
        self.clock = FakeClock(NOON)
        self.watch = Watch()
        self.hosts = Hosts()
        self.chosen: dict[str, Any] = {}
        self.more: dict[str, Any] = {}
        self.around = Around(store, self.hosts, self.watch, lambda: self.rules, self.clock)

    @property
    def rules(self) -> Any:
        return settings(auxiliary={"background_review": self.chosen}, **self.more)

    async def site(self) -> str:
        found = await self.around.site_of(REVIEW)
        assert isinstance(found, Site), found
        return f"{found.client.host}/{found.client.model} {'same' if found.same else 'other'}"


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    store = await SqliteStore.open(tmp_path / "state.db")
    await store.sessions.open(session("s1", "s1", at=NOON))
    yield Room(store)
    await store.close()


async def test_it_runs_on_the_conversations_own_model(room: Room) -> None:
    assert await room.site() == "near/small same"
    await room.store.facts.put(CHAT.key, "model", "far/large")
    assert await room.site() == "far/large same"


async def test_or_on_the_one_that_is_configured(room: Room) -> None:
    for chosen in ({"provider": "near", "model": "big"}, {"model": "near/big"}):
        room.chosen = chosen
        assert await room.site() == "near/big other"


async def test_the_main_model_by_name_means_the_same(room: Room) -> None:
    room.chosen = {"provider": "near", "model": "small"}
    assert await room.site() == "near/small same"
    await room.store.facts.put(CHAT.key, "model", "far/large")
    assert await room.site() == "far/large same"


async def test_what_cannot_be_had_is_a_reason(room: Room) -> None:
    room.chosen = {"model": "nowhere/at-all"}
    assert "there is no nowhere/at-all" in str(await room.around.site_of(REVIEW))
    assert room.around.patience(REVIEW).behind == "its model cannot be had: there is no nowhere/at-all"
    gone = replace(REVIEW, session_id="s9")
    assert await room.around.site_of(gone) == "its conversation is gone"


async def test_a_host_is_idle_from_when_it_was_first_seen_so(room: Room) -> None:
    await room.clock.advance(60)
    assert await room.around.host_idle_for(REVIEW) == 0.0
    await room.clock.advance(3)
    room.watch.sight = unknown("no answer")
    assert await room.around.host_idle_for(REVIEW) is None
    room.watch.sight = idle("nothing to do")
    assert await room.around.host_idle_for(REVIEW) == 3.0
    room.watch.sight = busy("1 of 1 slots at work")
    assert await room.around.host_idle_for(REVIEW) is None
    room.watch.sight = idle("nothing to do")
    assert await room.around.host_idle_for(REVIEW) == 0.0


async def test_nobody_is_asked_before_it_matters(room: Room) -> None:
    await room.clock.advance(5)
    assert await room.around.host_idle_for(REVIEW) is None
    assert (room.watch.looks, room.around.pause()) == (0, None)
    await room.clock.advance(8)
    assert await room.around.host_idle_for(REVIEW) == 0.0
    assert (room.watch.looks, room.around.pause()) == (1, 1.0)
    room.around.forget(frozenset())
    assert room.around.pause() is None
    room.chosen = {"defer": "never"}
    assert await room.around.host_idle_for(REVIEW) is None
    assert room.watch.looks == 1


async def test_turns_count_where_they_run(room: Room) -> None:
    await room.around.site_of(REVIEW)
    await room.clock.advance(100)
    assert room.around.turns_quiet_for(REVIEW) == 100
    room.around.heard(TurnStarted(1, "s2", CHAT, False, "far"))
    assert room.around.turns_quiet_for(REVIEW) == 100
    room.around.heard(TurnStarted(2, "s3", CHAT, False, "near"))
    assert room.around.turns_quiet_for(REVIEW) is None
    room.around.heard(TurnFinished(1, "s2", CHAT, "answered", Usage(), 1.0))
    assert room.around.turns_quiet_for(REVIEW) is None
    room.around.heard(TurnFinished(2, "s3", CHAT, "answered", Usage(), 1.0))
    await room.clock.advance(7)
    assert room.around.turns_quiet_for(REVIEW) == 7
    room.around.heard(TurnStarted(3, "s3", CHAT, False, "near"))
    room.around.heard(SessionClosed("s3", "s3", "new"))
    assert room.around.turns_quiet_for(REVIEW) == 0


async def test_what_has_to_be_over_first(room: Room) -> None:
    await room.around.site_of(REVIEW)
    assert room.around.patience(REVIEW).behind == ""
    room.around.begins("near")
    assert room.around.patience(REVIEW).behind == TAKEN
    room.around.ends("near", reached=None)
    assert room.around.patience(REVIEW).behind == ""
    room.chosen = {"enabled": False}
    assert room.around.patience(REVIEW).behind == OFF


async def test_a_host_that_did_not_answer_is_left_alone_for_longer_each_time(room: Room) -> None:
    await room.around.site_of(REVIEW)
    for pause in (30.0, 120.0, 600.0, 600.0):
        room.around.begins("near")
        room.around.ends("near", reached=False)
        await room.clock.advance(pause - 1)
        assert room.around.patience(REVIEW).behind == "its model host did not answer"
        await room.clock.advance(1)
        assert room.around.patience(REVIEW).behind == ""
    room.around.begins("near")
    room.around.ends("near", reached=True)
    room.around.begins("near")
    room.around.ends("near", reached=False)
    await room.clock.advance(30)
    assert room.around.patience(REVIEW).behind == ""


async def test_the_budget_of_the_day(room: Room) -> None:
    await room.around.site_of(REVIEW)
    room.more = {"gateway": {"budgets": {"background_review": 10}}}
    await room.around.refresh()
    assert room.around.patience(REVIEW).behind == ""
    await room.store.usage.add("s1", "near", "small", "background_review", Usage(9, 0, 1, 1), NOON)
    await room.around.refresh()
    assert "budget for background_review is used up" in room.around.patience(REVIEW).behind
    await room.clock.advance(86_400)
    await room.around.refresh()
    assert room.around.patience(REVIEW).behind == ""


def test_who_asked_waits_for_nothing_that_others_are_behind() -> None:
    behind = Patience(behind="something else")
    assert may_start(REVIEW, 60, 60, NOON + 60, behind) == Wait("something else")
    assert may_start(REVIEW, 60, 60, NOON + 3600, behind) == Wait("something else")
    assert isinstance(may_start(replace(REVIEW, cause="person"), 60, 60, NOON + 60, behind), Start)


async def test_the_queue_says_when_to_look_again_and_gives_up_what_cannot_be_done(room: Room) -> None:
    queue = ReviewQueue(room.store.reviews, room.clock, room.around, "this")
    turn = await room.store.turns.begin("s1", CHAT, [], [Row("user", "hi")], NOON)
    await room.store.turns.finish(turn, "answered", NOON, rows=[Row("assistant", "Noted.")])
    await room.store.reviews.offer("s1", ["memory"], "cadence", NOON)
    assert await queue.next() is None
    assert queue.pause == 15.0
    await room.clock.advance(13)
    assert await queue.next() is None
    await room.clock.advance(3)
    review = await queue.next()
    assert review is not None
    await queue.refused(review, "its model cannot be had")
    (result,) = await room.store.review_books.results(1)
    assert (result.outcome, result.reason) == ("dropped", "its model cannot be had")
    assert (await room.store.reviews.standing("s1", ["memory"])).unseen == {"memory"}


def test_an_effort_that_does_nothing_is_said_once() -> None:
    hosts = Hosts()

    def said(**chosen: str) -> str | None:
        return idle_effort(settings(auxiliary={"background_review": chosen}), hosts)

    assert said() is None
    assert "auxiliary.background_review.reasoning_effort is set" in str(said(reasoning_effort="high"))
    assert said(reasoning_effort="high", provider="near", model="small") is not None
    assert said(reasoning_effort="high", provider="near", model="big") is None
    assert said(reasoning_effort="high", model="nowhere/at-all") is None
