"""A text that the client cut, and an album, are one message; nothing else is made to wait."""

from __future__ import annotations

import asyncio
from pathlib import Path

from gateway.models.client import Request
from platforms.messages import Attachment, ChatKind
from tests.fakes.clock import FakeClock, settle
from tests.fakes.guesthouse import guesthouse
from tests.fakes.scripted_model import Turn
from tests.scenarios.props import gateway, later, until

FULL = "x" * 4096


def fine(request: Request) -> str:
    return "Fine."


def last(request: Request) -> str:
    """The newest message, without the line with the time."""
    return request.messages[-1].content.partition("]\n")[2] or request.messages[-1].content


async def test_three_parts_are_one_message(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, fine, clock=clock) as house:
        for part in (FULL, "y" * 4096, "z"):
            await house.adapter.say(part)
        await house.adapter.until(lambda: bool(house.adapter.summaries()))
        assert [last(request) for request in house.model.requests] == [FULL + "y" * 4096 + "z"]
        assert house.adapter.texts() == ["Fine."]
        assert len(house.adapter.summaries()[0].event_ids) == 3


async def test_a_part_that_was_cut_at_a_line(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, fine, clock=clock) as house:
        await house.adapter.say("x" * 4010)
        await house.adapter.say("the rest")
        await house.adapter.until_text("Fine.")
        assert [last(request) for request in house.model.requests] == ["x" * 4010 + "\nthe rest"]


async def test_a_part_without_a_second_waits_two_seconds(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, fine, clock=clock) as house:
        await house.adapter.say(FULL)
        await clock.advance(1.9)
        await settle()
        assert house.model.requests == []
        await later(clock, lambda: len(house.model.requests) == 1)
        assert clock.monotonic() >= 2


async def test_a_short_text_does_not_wait(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, fine, clock=clock) as house:
        await house.adapter.say("x" * 3999)
        await house.adapter.until_text("Fine.")
        assert clock.monotonic() == 0


async def test_parts_of_another_speaker_do_not_mix(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, fine, clock=clock) as house:
        await house.adapter.say(FULL, chat="g1", sender="ada", kind=ChatKind.GROUP)
        await house.adapter.say("no", chat="g1", sender="bob", kind=ChatKind.GROUP)
        await later(clock, lambda: len(house.model.requests) == 2)
        assert last(house.model.requests[0]) == f"Ada: {FULL}"
        assert last(house.model.requests[1]) == "Bob: no"


async def test_a_command_ends_the_wait(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, fine, clock=clock) as house:
        await house.adapter.say(FULL)
        await house.adapter.say("/title Long")
        await house.adapter.until_text("now called «Long»")
        assert last(house.model.requests[0]) == FULL
        assert clock.monotonic() == 0


async def test_an_album_is_one_message(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, fine, clock=clock) as house:
        for number, caption in enumerate(("look at this", "", "")):
            picture = Attachment("picture", f"{number}.jpg", "image/jpeg", 10, f"file{number}")
            await house.adapter.say(caption, attachments=(picture,), media_group="album")
        await later(clock, lambda: len(house.model.requests) == 1)
        said = last(house.model.requests[0])
        assert said.startswith("look at this")
        assert all(f"{number}.jpg" in said for number in range(3))
        await clock.advance(10)
        assert len(house.model.requests) == 1


async def test_two_albums_in_a_room_that_come_between_each_other_are_two_messages(tmp_path: Path) -> None:
    """Only the first picture of each bears the bot's name."""
    clock = FakeClock()
    async with guesthouse(tmp_path, fine, clock=clock) as house:
        for number in range(3):
            for who in ("ada", "bob"):
                await house.adapter.say(
                    "look" if number == 0 else "",
                    chat="g1",
                    sender=who,
                    kind=ChatKind.GROUP,
                    addressed=number == 0,
                    attachments=(Attachment("picture", f"{who}{number}.jpg", "image/jpeg", 10, f"{who}{number}"),),
                    media_group=f"album of {who}",
                )
        await later(clock, lambda: len(house.model.requests) == 2)
        for request, who, other in zip(house.model.requests, ("ada", "bob"), ("bob", "ada"), strict=True):
            said = request.messages[-1].content
            assert all(f"{who}{number}.jpg" in said for number in range(3))
            assert f"{other}0.jpg" not in said


async def test_others_who_talk_on_do_not_hold_up_what_may_have_a_second_part(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, fine, clock=clock) as house:
        await house.adapter.say(FULL, chat="g1", sender="ada", kind=ChatKind.GROUP)
        for _ in range(5):
            await house.adapter.say("and me", chat="g1", sender="bob", kind=ChatKind.GROUP)
            await clock.advance(0.5)
            await settle()
        await until(lambda: bool(house.model.requests))
        assert last(house.model.requests[0]) == f"Ada: {FULL}"


async def test_an_album_and_a_text_behind_it_are_two_messages(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, fine, clock=clock) as house:
        for number in range(2):
            picture = Attachment("picture", f"{number}.jpg", "image/jpeg", 10, f"file{number}")
            await house.adapter.say("", attachments=(picture,), media_group="album")
        await house.adapter.say("what is it?")
        await until(lambda: len(house.model.requests) == 2)
        assert house.model.requests[1].messages[-1].content == "what is it?"


async def test_parts_that_arrive_in_one_breath_get_no_receipt(tmp_path: Path) -> None:
    """Whatever the owner's rule: the second part neither interrupts nor steers the first."""
    for mode in ("queue", "interrupt", "steer"):
        clock, folder = FakeClock(), tmp_path / mode
        async with guesthouse(folder, fine, clock=clock, with_settings=gateway(busy=mode)) as house:
            await asyncio.gather(house.adapter.say(FULL), house.adapter.say("y"))
            await house.adapter.until_text("Fine.")
            assert [last(request) for request in house.model.requests] == [FULL + "y"], mode
            assert house.adapter.texts() == ["Fine."], mode


async def test_parts_that_wait_behind_a_turn_are_one_message(tmp_path: Path) -> None:
    clock, gate = FakeClock(), asyncio.Event()
    async with guesthouse(tmp_path, [Turn(["One", gate]), "Fine."], clock=clock) as house:
        await house.adapter.say("1")
        await house.adapter.until_text("One")
        await house.adapter.say(FULL)
        await house.adapter.say("y")
        gate.set()
        await house.adapter.until_text("Fine.")
        assert last(house.model.requests[1]) == FULL + "y"


async def test_parts_survive_a_restart_as_one_message(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, [], clock=clock, with_settings=gateway(drain_seconds=0)) as house:
        await house.adapter.say(FULL)
        await house.adapter.say("y" * 4096)
    async with guesthouse(tmp_path, fine, clock=clock) as house:
        await later(clock, lambda: len(house.model.requests) == 1)
        assert last(house.model.requests[0]) == FULL + "y" * 4096
