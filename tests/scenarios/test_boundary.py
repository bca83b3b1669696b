"""Where sessions begin and end without anybody saying /new, what a group's lines look like, and the hint."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from gateway.config.schema import Settings
from gateway.models.client import HostInfo, Usage
from platforms.messages import ChatKind, ChatRef
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.scripted_model import Script, ScriptedModel, Turn
from tests.scenarios.props import event, later

ZONE = "Europe/Berlin"
NOON = datetime(2026, 11, 30, 12, 0, tzinfo=ZoneInfo(ZONE)).timestamp()
HOUR = 3600.0


def rules(**sessions: object) -> Settings:
    return settings(sessions=sessions, gateway={"timezone": ZONE})


def hints(house: Guesthouse, chat: str = "c1") -> list[str]:
    return [text for text in house.adapter.texts(chat) if text.startswith("💡")]


async def talk(house: Guesthouse, messages: int) -> None:
    for number in range(messages):
        await house.adapter.reply_to(f"message {number}")


def calm(window: int | None = None) -> ScriptedModel:
    return ScriptedModel(lambda request: "Fine.", info=HostInfo(window=window))


async def sessions(house: Guesthouse) -> int:
    return len(await house.store.sessions.recent(20))


async def test_a_new_day_is_a_reason_once_a_day(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    async with guesthouse(tmp_path, calm(), clock=clock, with_settings=rules()) as house:
        await talk(house, 5)
        assert hints(house) == []
        await clock.advance(20 * HOUR)
        await house.adapter.reply_to("good morning")
        await house.adapter.until_text("A new day.")
        assert house.adapter.texts()[-2] == "Fine."
        assert house.adapter.transcript()[-1].labels == ("🆕 New session",)
        await clock.advance(7 * HOUR)
        await house.adapter.reply_to("hello again")
        assert len(hints(house)) == 1
        await clock.advance(24 * HOUR)
        await house.adapter.reply_to("another day")
        await house.adapter.until(lambda: len(hints(house)) == 2)


async def test_days_are_the_owners_days(tmp_path: Path) -> None:
    """Two mornings in Tokyo that share one day at Greenwich are two days."""
    zone = "Asia/Tokyo"
    clock = FakeClock(datetime(2026, 11, 29, 12, 0, tzinfo=ZoneInfo(zone)).timestamp())
    tokyo = settings(gateway={"timezone": zone})
    async with guesthouse(tmp_path, calm(), clock=clock, with_settings=tokyo) as house:
        await talk(house, 5)
        await clock.advance(22 * HOUR)
        await house.adapter.reply_to("at ten")
        await house.adapter.until(lambda: len(hints(house)) == 1)
        await clock.advance(22 * HOUR)
        await house.adapter.reply_to("at eight, the next day")
        await house.adapter.until(lambda: len(hints(house)) == 2)


async def test_six_idle_hours_are_a_reason(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    async with guesthouse(tmp_path, calm(), clock=clock, with_settings=rules()) as house:
        await talk(house, 5)
        await clock.advance(5.9 * HOUR)
        await house.adapter.reply_to("there?")
        assert hints(house) == []
        await clock.advance(6.1 * HOUR - 60)
        await house.adapter.reply_to("back")
        await house.adapter.until_text("not talked for a while")


async def test_a_full_window_is_a_reason(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    async with guesthouse(tmp_path, calm(2000), clock=clock, with_settings=rules()) as house:
        for number in range(7):
            await house.adapter.reply_to(f"{'word ' * 150}{number}")
        await house.adapter.until_text("of what the model can read")
        await talk(house, 2)
        assert len(hints(house)) == 1


async def test_a_short_session_is_left_alone(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    async with guesthouse(tmp_path, calm(), clock=clock, with_settings=rules()) as house:
        await talk(house, 2)
        await clock.advance(48 * HOUR)
        await house.adapter.reply_to("hello")
        assert hints(house) == []


async def test_no_hint_when_it_is_off(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    async with guesthouse(tmp_path, calm(), clock=clock, with_settings=rules(boundary_hint=False)) as house:
        await talk(house, 5)
        await clock.advance(48 * HOUR)
        await house.adapter.reply_to("hello")
        assert hints(house) == []


async def test_the_hints_button_works(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    async with guesthouse(tmp_path, calm(), clock=clock, with_settings=rules()) as house:
        await talk(house, 5)
        await clock.advance(20 * HOUR)
        await house.adapter.reply_to("good morning")
        await house.adapter.until_text("A new day.")
        await house.adapter.press("c1", "🆕 New session")
        await house.adapter.until_text("A fresh session.")
        await house.adapter.reply_to("hi")
        assert len(house.model.requests[-1].messages) == 2


@pytest.mark.parametrize(
    ("mode", "hours", "ended"),
    [
        ("none", 48, None),
        ("idle", 1.9, None),
        ("idle", 2.1, "idle reset"),
        ("daily", 15, None),
        ("daily", 17, "daily reset"),
        ("both", 2.1, "idle reset"),
        ("both", 1.9, None),
    ],
)
async def test_the_owners_reset_rule(tmp_path: Path, mode: str, hours: float, ended: str | None) -> None:
    """From noon on; idle after two hours, daily at four in the morning."""
    clock = FakeClock(NOON)
    rule = rules(reset={"mode": mode, "idle_minutes": 120, "at_hour": 4}, boundary_hint=False)
    async with guesthouse(tmp_path, calm(), clock=clock, with_settings=rule) as house:
        await house.adapter.reply_to("hello")
        await clock.advance(hours * HOUR)
        await house.adapter.reply_to("again")
        ends = [each.session.end_reason for each in await house.store.sessions.recent(5)]
        assert ends.count(ended) >= 1
        assert await sessions(house) == (2 if ended else 1)
        assert len(house.model.requests[1].messages) == (2 if ended else 4)


async def test_the_time_stands_at_the_start_and_after_a_gap(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    async with guesthouse(tmp_path, calm(), clock=clock, with_settings=rules()) as house:
        await house.adapter.reply_to("one")
        await clock.advance(0.9 * HOUR)
        await house.adapter.reply_to("two")
        await clock.advance(1.1 * HOUR)
        await house.adapter.reply_to("three")
        said = [each.content for each in house.model.requests[2].messages if each.role == "user"]
        assert said == ["[Monday, 2026-11-30 12:00 CET]\none", "two", "[Monday, 2026-11-30 14:00 CET]\nthree"]


async def test_a_resumed_session_knows_that_time_went_by(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    async with guesthouse(tmp_path, calm(), clock=clock, with_settings=rules(boundary_hint=False)) as house:
        await house.adapter.reply_to("one")
        said = await house.adapter.reply_to("/new")
        await clock.advance(30 * HOUR)
        await house.adapter.reply_to(said[said.index("/resume") :])
        await house.adapter.reply_to("two")
        assert "2026-12-01 18:00" in house.model.requests[1].messages[-1].content


async def test_a_group_is_one_conversation_with_names(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, calm()) as house:
        await house.adapter.reply_to("hello", chat="g1", sender="ada")
        for sender in ("ada", "bob"):
            await house.adapter.say(f"I am {sender}", chat="g2", sender=sender, kind=ChatKind.GROUP)
        await house.adapter.until(lambda: len(house.adapter.summaries("g2")) == 2)
        said = [each.content for each in house.model.requests[2].messages if each.role == "user"]
        assert said[0].endswith("Ada: I am ada")
        assert said[1] == "Bob: I am bob"
        assert not house.model.requests[0].messages[-1].content.startswith("Ada:")


async def test_a_group_with_a_session_for_each_person(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, calm(), with_settings=rules(group_scope="person")) as house:
        for sender in ("ada", "bob", "ada"):
            await house.adapter.say(f"I am {sender}", chat="g2", sender=sender, kind=ChatKind.GROUP)
        await house.adapter.until(lambda: len(house.adapter.summaries("g2")) == 3)
        assert await sessions(house) == 2
        keys = {each.session.session_key for each in await house.store.sessions.recent(5)}
        assert keys == {"inprocess:g2#ada", "inprocess:g2#bob"}
        assert max(len(request.messages) for request in house.model.requests) == 4
        assert not any(":" in each.content.split("]\n")[-1] for each in house.model.requests[0].messages[1:])


async def test_a_backlog_of_a_group_keeps_the_names(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    async with guesthouse(tmp_path, calm(), clock=clock) as house:
        for number, sender in enumerate(("ada", "ada", "bob")):
            old = event(f"word {number}", f"o{number}", ChatRef("inprocess", "g1"), at=NOON - 5 * HOUR, sender=sender)
            await house.engine.reception(replace(old, kind=ChatKind.GROUP))
        await later(clock, lambda: bool(house.adapter.texts("g1")))
        await house.adapter.press("g1", "Answer now")
        await house.adapter.until_text("Fine.", "g1")
        said = house.model.requests[0].messages[-1].content
        assert said.endswith("Ada: word 0\nword 1\n\nBob: word 2")


async def test_threads_are_chats_of_their_own(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, calm()) as house:
        one, two = ChatRef("inprocess", "g1", "1"), ChatRef("inprocess", "g1", "2")
        await house.adapter.reply_to("in one", chat=one)
        await house.adapter.reply_to("in two", chat=two)
        assert len(house.model.requests[1].messages) == 2
        assert house.adapter.texts(one) == house.adapter.texts(two) == ["Fine."]
        assert house.adapter.texts("g1") == []


async def test_a_turn_that_never_answered_is_no_reason_for_a_hint(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    said: Script = [*["Fine."] * 5, Turn("", usage=Usage())]
    async with guesthouse(tmp_path, said, clock=clock, with_settings=rules()) as house:
        await talk(house, 5)
        await clock.advance(20 * HOUR)
        await house.adapter.reply_to("good morning")
        assert hints(house) == []


async def test_a_full_window_is_a_reason_however_few_the_messages(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    async with guesthouse(tmp_path, calm(1500), clock=clock, with_settings=rules()) as house:
        await house.adapter.reply_to("word " * 780)
        await house.adapter.until_text("of what the model can read")


async def test_many_changes_of_memory_are_a_reason(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    async with guesthouse(tmp_path, calm(), clock=clock, with_settings=rules(), with_memory=True) as house:
        await house.adapter.reply_to("hello")
        for name in ("tea", "rain", "chess", "bread"):
            await house.adapter.reply_to(f"/remember Likes {name}.")
        await house.adapter.reply_to("and now?")
        assert hints(house) == []
        await house.adapter.reply_to("/remember Rides a bicycle to work.")
        await house.adapter.reply_to("and now?")
        await house.adapter.until_text("5 entries of memory changed")
        await house.adapter.reply_to("once more")
        assert len(hints(house)) == 1
