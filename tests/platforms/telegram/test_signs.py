"""A message that is being answered carries a sign, where the owner wants it; nothing ever waits for that."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

from tests.fakes.clock import FakeClock
from tests.fakes.scripted_model import Turn
from tests.fakes.telegram import Fault, Person, Refusal
from tests.fakes.telegram.faults import flood
from tests.platforms.telegram.house import direct
from tests.platforms.telegram.inn import inn, number

ON: dict[str, Any] = {"display": {"platforms": {"telegram": {"reactions": "on"}}}}


def answered(ada: Person, times: int) -> bool:
    return ada.texts() == ["Yes."] * times


async def test_the_sign_is_there_while_the_answer_is_written(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with inn(tmp_path, [Turn([gate, "Seven."])], **ON) as (_, server, ada):
        asked = number(ada.says("how many rooms?"))
        await server.until(lambda: ada.chat.marks == {asked: "👀"})
        gate.set()
        await server.until(lambda: ada.chat.marks == {})
        assert ada.texts() == ["Seven."], "it goes when the answer is there"
        assert ada.chat.state.marked == [(asked, "👀"), (asked, "")]


async def test_a_turn_that_is_stopped_leaves_no_sign(tmp_path: Path) -> None:
    async with inn(tmp_path, [Turn(["Seven", asyncio.Event()])], **ON) as (_, server, ada):
        asked = number(ada.says("how many rooms?"))
        await server.until(lambda: ada.chat.marks == {asked: "👀"})
        ada.says("/stop")
        await server.until(lambda: ada.chat.marks == {})


async def test_an_album_has_one_sign(tmp_path: Path) -> None:
    clock = FakeClock()
    async with inn(tmp_path, ["Nice."], clock, **ON) as (_, server, ada):
        ids = [number(each) for each in ada.sends_album(["a", "b"], "our holiday")]
        await server.until_confirmed()
        for _ in range(100):
            if ada.texts():
                break
            await clock.advance(0.1)
            await asyncio.sleep(0.01)
        await server.until(lambda: len(ada.chat.state.marked) == 2)
        assert ada.chat.state.marked == [(ids[-1], "👀"), (ids[-1], "")]


async def test_there_is_none_unless_it_is_wanted(tmp_path: Path) -> None:
    async with inn(tmp_path, ["Seven."]) as (_, server, ada):
        ada.says("how many rooms?")
        await server.until(lambda: ada.texts() == ["Seven."])
        await asyncio.sleep(0.05)
        assert server.called("setMessageReaction") == []


async def test_an_answer_never_waits_for_a_sign(tmp_path: Path) -> None:
    faults: tuple[Fault | Refusal, ...] = (
        Fault.HANG,
        Fault.RESET,
        flood(30),
        Refusal(400, "Bad Request: REACTION_INVALID"),
    )
    async with inn(tmp_path, ["Yes."] * len(faults), **ON) as (_, server, ada):
        for count, fault in enumerate(faults, 1):
            server.misbehave("setMessageReaction", fault)
            ada.says("are you there?")
            await server.until(partial(answered, ada, count))


async def test_while_telegram_wants_to_be_left_alone_there_is_no_sign(tmp_path: Path) -> None:
    async with inn(tmp_path, ["One.", "Two."], **ON) as (house, server, ada):
        gate = house.house.delivery
        gate.hush(direct(), 0.3)
        ada.says("1")
        await server.until(lambda: ada.texts() == ["One."])
        assert server.called("setMessageReaction") == []
        ada.says("2")
        await server.until(lambda: len(server.called("setMessageReaction")) == 1)
        gate.hush(direct(), 0.3)
        await server.until(lambda: ada.texts() == ["One.", "Two."])
        await server.until(lambda: ada.chat.marks == {})
        assert not gate.quiet(direct()), "it is taken away as soon as that is allowed"
