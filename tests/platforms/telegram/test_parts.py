"""Albums and texts that a client cut are one message, in private chats, groups and topics alike."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from gateway.engine.turns.worker import SECOND_PART
from platforms.telegram.settings import TelegramSettings
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse
from tests.platforms.telegram.inn import inn, last, settled

GROUP = -100777
ROOMS = {"telegram": TelegramSettings(allowed_users=("111",), allowed_chats=(str(GROUP),))}
CUT = 4096 - 96
"""From this length on, a text may have been cut by the client."""


async def later(clock: FakeClock, holds: Callable[[], bool]) -> None:
    """Let the house's clock run until something holds."""
    async with asyncio.timeout(30):
        while not holds():
            await clock.advance(0.25)
            await asyncio.sleep(0.005)


def asked(house: Guesthouse) -> list[str]:
    return [last(each) for each in house.model.requests]


@pytest.mark.parametrize(("first", "together"), [("x" * 4096, True), ("x" * CUT, True), ("x" * (CUT - 1), False)])
async def test_only_a_text_near_the_limit_waits_for_its_second_part(
    tmp_path: Path, first: str, together: bool
) -> None:
    clock = FakeClock()
    async with inn(tmp_path, ["Fine."] * 2, clock) as (house, server, ada):
        ada.says(first)
        await settled(server)
        assert len(house.model.requests) == (0 if together else 1)
        ada.says("the rest")
        await settled(server)
        await later(clock, lambda: len(house.model.requests) == (1 if together else 2))
        joint = "" if len(first) == 4096 else "\n"
        assert asked(house) == ([f"{first}{joint}the rest"] if together else [first, "the rest"])


async def test_units_are_counted_as_telegram_does(tmp_path: Path) -> None:
    clock = FakeClock()
    async with inn(tmp_path, ["Fine."], clock) as (house, server, ada):
        ada.says("😀" * 2048)
        ada.says("the rest")
        await server.until(lambda: ada.texts() == ["Fine."])
        assert asked(house) == ["😀" * 2048 + "the rest"]
        assert clock.monotonic() < SECOND_PART


async def test_an_album_is_one_message_and_only_its_first_picture_needs_our_name(tmp_path: Path) -> None:
    clock = FakeClock()
    async with inn(tmp_path, ["Nice."], clock, platforms=ROOMS) as (house, server, _):
        bob, group = server.user(222, "Bob"), server.group(GROUP)
        bob.sends_album(["a.jpg", "b.jpg", "c.jpg"], "@inn_bot our holiday", chat=group)
        await settled(server)
        await later(clock, lambda: group.texts() == ["Nice."])
        (said,) = asked(house)
        assert said.startswith("Bob: our holiday")
        assert said.count(" bytes]") == 3


async def test_an_album_that_was_not_meant_for_us_is_nobodys_business(tmp_path: Path) -> None:
    clock = FakeClock()
    async with inn(tmp_path, ["Yes?"], clock, platforms=ROOMS) as (house, server, ada):
        bob, group = server.user(222, "Bob"), server.group(GROUP)
        ada.says("@inn_bot hello", chat=group)
        bob.sends_album(["a.jpg", "b.jpg"], "our holiday", chat=group)
        await server.until(lambda: group.texts() == ["Yes?"])
        await settled(server)
        await clock.advance(10)
        assert len(house.model.requests) == 1


async def test_a_split_text_in_a_topic_and_what_others_say_meanwhile(tmp_path: Path) -> None:
    clock = FakeClock()
    async with inn(tmp_path, ["Long.", "More?"], clock, platforms=ROOMS) as (house, server, _):
        bob, forum = server.user(222, "Bob"), server.group(GROUP, "Forum", forum=True).topic(42)
        eve = server.user(333, "Eve")
        bob.says("@inn_bot " + "x" * 4087, chat=forum, thread=42)
        bob.says("the rest", chat=forum, thread=42)
        eve.says("what a long text", chat=forum, thread=42)
        await settled(server)
        await later(clock, lambda: [each.text for each in forum.seen(42)] == ["Long."])
        assert asked(house) == ["Bob: " + "x" * 4087 + "the rest"]
        bob.says("and now to you all", chat=forum, thread=42)
        await settled(server)
        assert len(house.model.requests) == 1, "what comes later needs our name again"
