"""The whole engine over Telegram: what the person reads at the end, whatever the network did meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from gateway.engine.notices import CUT_SHORT
from platforms.chunking import join, length
from tests.fakes.clock import FakeClock
from tests.fakes.scripted_model import Turn
from tests.fakes.telegram import Fault, Person
from tests.fakes.telegram.faults import flood
from tests.platforms.telegram.inn import inn

LONG = "\n\n".join(
    f"Page {page}: " + " ".join(f"guest {guest} has room {guest * 7}." for guest in range(page * 30, page * 30 + 30))
    for page in range(12)
)
"""About 9,000 units: three parts."""


def read(ada: Person) -> str:
    return join([each.text for each in ada.seen()])


def flat(text: str) -> str:
    """Without the white space that Telegram trims at the ends of messages."""
    return "".join(text.split())


async def test_a_question_is_answered_and_strangers_are_not(tmp_path: Path) -> None:
    async with inn(tmp_path, ["**Paris.**"]) as (house, server, ada):
        stranger = server.user(666)
        stranger.says("let me in")
        ada.says("What is the capital of France?")
        await server.until(lambda: ada.texts() == ["Paris."])
        await server.until_confirmed()
        assert stranger.texts() == []
        assert len(house.model.requests) == 1
        assert ada.seen()[0].formatted("bold") == ["Paris."]


async def test_a_streamed_reply_ends_as_the_whole_text_once(tmp_path: Path) -> None:
    cuts = [asyncio.Event() for _ in range(2)]
    third = len(LONG) // 3
    turn = Turn(text=[LONG[:third], cuts[0], LONG[third : 2 * third], cuts[1], LONG[2 * third :]])
    async with inn(tmp_path, [turn]) as (_, server, ada):
        ada.says("tell me")
        await server.until(lambda: len(ada.seen()) >= 1)
        server.misbehave("editMessageText", Fault.ACCEPT_AND_RESET)
        cuts[0].set()
        await server.until(lambda: len(server.called("editMessageText")) >= 1)
        cuts[1].set()
        await server.until(lambda: flat(read(ada)) == flat(LONG))
        await asyncio.sleep(0.2)
        assert flat(read(ada)) == flat(LONG)
        assert all(length(each.text, "utf16") <= 4096 for each in ada.seen())


async def test_a_preview_that_the_person_deletes_comes_back_as_the_answer(tmp_path: Path) -> None:
    rest = asyncio.Event()
    async with inn(tmp_path, [Turn(text=["The inn has", rest, " seven rooms."])]) as (_, server, ada):
        ada.says("how many rooms?")
        await server.until(lambda: ada.texts() == ["The inn has"])
        ada.chat.remove(ada.seen()[0].message_id)
        rest.set()
        await server.until(lambda: ada.texts() == ["The inn has seven rooms."])


async def test_a_part_whose_answer_was_lost_is_not_sent_again_and_the_person_is_told(tmp_path: Path) -> None:
    async with inn(tmp_path, [LONG]) as (_, server, ada):
        server.misbehave("sendMessage", Fault.ACCEPT_AND_RESET, after=1)
        ada.says("tell me")
        await server.until(lambda: CUT_SHORT in ada.texts())
        await server.until(lambda: flat(read(ada)).replace(flat(CUT_SHORT), "") == flat(LONG))
        parts = [text for text in ada.texts() if text != CUT_SHORT]
        assert len(parts) == len(set(parts)) == 3


async def test_flood_control_delays_the_answer_and_loses_nothing(tmp_path: Path) -> None:
    async with inn(tmp_path, ["Good evening."]) as (_, server, ada):
        server.misbehave("sendMessage", flood(0.5))
        ada.says("hello")
        await server.until(lambda: len(server.called("sendMessage")) == 1)
        await asyncio.sleep(0.2)
        assert len(server.called("sendMessage")) == 1, "left alone as long as it asked for"
        await server.until(lambda: ada.texts() == ["Good evening."])


async def pass_time(clock: FakeClock, holds: Callable[[], bool], limit: float = 60.0) -> None:
    """Let the engine's clock run, and the sockets keep up, until `holds()`."""
    end = clock.monotonic() + limit
    while not holds():
        assert clock.monotonic() < end, "the moment did not come"
        await clock.advance(0.1)
        await asyncio.sleep(0.005)


async def test_in_the_time_that_telegram_asked_for_there_is_no_call_at_all(tmp_path: Path) -> None:
    clock, gates = FakeClock(), [asyncio.Event() for _ in range(5)]
    pieces = [part for number, gate in enumerate(gates) for part in (f"Sentence {number} of the story. ", gate)]
    async with inn(tmp_path, [Turn(text=[*pieces, "The end."])], clock) as (_, server, ada):

        def calls() -> int:
            return sum(call.method != "getUpdates" for call in server.calls)

        ada.says("tell me")
        await pass_time(clock, lambda: len(ada.seen()) == 1)
        for number in range(3):
            gates[number].set()
            await pass_time(clock, lambda number=number: ada.seen()[0].edits == number + 1)
        server.misbehave("editMessageText", flood(35))
        gates[3].set()
        await pass_time(clock, lambda: not server.queued("editMessageText"))
        await asyncio.sleep(0.02)
        server.misbehave("editMessageText", flood(149))
        before = calls()
        gates[4].set()
        for window in (34, 148):
            for _ in range(window):
                await clock.advance(1)
                await asyncio.sleep(0.001)
            assert calls() == before, "no edit and no typing while Telegram wants to be left alone"
            await pass_time(clock, lambda: not server.queued("editMessageText"))
            await asyncio.sleep(0.02)
            before = calls()
        await pass_time(
            clock,
            lambda: ada.texts()[:1] == [" ".join(f"Sentence {n} of the story." for n in range(5)) + " The end."],
        )


async def test_an_unreachable_server_gets_the_answer_later(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with inn(tmp_path, [Turn(text=[gate, "Good evening."])]) as (house, server, ada):
        ada.says("hello")
        await house.model.arrived(1)
        await server.until_confirmed()
        await server.close()
        gate.set()
        await asyncio.sleep(0.1)
        await server.open()
        await server.until(lambda: ada.texts() == ["Good evening."])
