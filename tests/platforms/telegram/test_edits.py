"""People change what they wrote: what waits reads as it does now, what was read is answered anew only when asked."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest

from gateway.engine.arrival.edits import RECENT
from gateway.engine.notices import CHANGED, EDIT_IS_NO_COMMAND
from platforms.telegram.settings import TelegramSettings
from tests.fakes.clock import FakeClock
from tests.fakes.scripted_model import Turn
from tests.fakes.telegram import Person
from tests.platforms.telegram.inn import inn, last, number, settled

NOW_READS = "[This was changed after it was sent, and now reads:]\n"
ANSWER = "Answer the new text"


def reads_last(ada: Person, text: str) -> bool:
    return ada.texts()[-1:] == [text]


async def test_a_message_that_waits_is_answered_as_it_reads_now(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with inn(tmp_path, [Turn(["One", gate, "."]), "Two."]) as (house, server, ada):
        ada.says("first")
        await house.model.arrived(1)
        second = number(ada.says("how many romes?"))
        await server.until(lambda: any("Noted" in each for each in ada.texts()))
        ada.edits(second, "how many rooms?")
        await settled(server)
        ada.edits(second, "how many rooms are free?")
        await settled(server)
        gate.set()
        await server.until(lambda: "Two." in ada.texts())
        assert last(house.model.requests[1]) == "how many rooms are free?"
        assert CHANGED not in ada.texts()


async def test_a_part_of_a_split_text_may_be_changed_while_the_next_is_awaited(tmp_path: Path) -> None:
    clock = FakeClock()
    async with inn(tmp_path, ["Fine."], clock) as (house, server, ada):
        first = number(ada.says("x" * 4096))
        await settled(server)
        ada.edits(first, "y" * 4096)
        await settled(server)
        ada.says("z")
        await server.until(lambda: ada.texts() == ["Fine."])
        assert last(house.model.requests[0]) == "y" * 4096 + "z"


class TestWhatWasRead:
    async def test_a_new_answer_is_offered_while_the_old_one_is_written(self, tmp_path: Path) -> None:
        gate = asyncio.Event()
        async with inn(tmp_path, [Turn(["Seven rooms", gate, "."]), "Nine beds."]) as (house, server, ada):
            asked = number(ada.says("How many rooms?"))
            await server.until(lambda: ada.texts() == ["Seven rooms"])
            ada.edits(asked, "How many beds?")
            await server.until(lambda: CHANGED in ada.texts())
            assert len(house.model.requests) == 1, "nobody is answered anew unasked"
            ada.presses(ANSWER)
            await server.until(lambda: "Nine beds." in ada.texts())
            assert last(house.model.requests[1]) == NOW_READS + "How many beds?"
            assert ada.texts() == ["Seven rooms", CHANGED, "Nine beds."]
            assert house.model.most_active == 1

    async def test_one_line_however_often_it_is_changed_and_one_answer_however_often_it_is_pressed(
        self, tmp_path: Path
    ) -> None:
        async with inn(tmp_path, ["Seven rooms.", "Nine beds."]) as (house, server, ada):
            asked = number(ada.says("How many rooms?"))
            await server.until(lambda: ada.texts() == ["Seven rooms."])
            for text in ("How many bed?", "How many beds?"):
                ada.edits(asked, text)
                await settled(server)
            assert ada.texts() == ["Seven rooms.", CHANGED]
            for _ in range(3):
                ada.presses(ANSWER)
            await server.until(lambda: sum("answered already" in each for each in ada.texts()) == 2)
            await server.until(lambda: "Nine beds." in ada.texts())
            assert len(house.model.requests) == 2
            assert last(house.model.requests[1]) == NOW_READS + "How many beds?"

    async def test_the_new_text_can_be_changed_in_its_turn(self, tmp_path: Path) -> None:
        async with inn(tmp_path, ["Seven rooms.", "Nine beds.", "Five tables."]) as (house, server, ada):
            asked = number(ada.says("How many rooms?"))
            for text, answer in (("How many beds?", "Nine beds."), ("How many tables?", "Five tables.")):
                await server.until(lambda: bool(ada.texts()))
                ada.edits(asked, text)
                await server.until(lambda: ada.texts()[-1] == CHANGED)
                ada.presses(ANSWER)
                await server.until(partial(reads_last, ada, answer))
            assert [last(each) for each in house.model.requests[1:]] == [
                NOW_READS + "How many beds?",
                NOW_READS + "How many tables?",
            ]

    @pytest.mark.parametrize("text", ["How many rooms?", "/new", "/status now"])
    async def test_an_edit_that_changes_no_word_or_makes_a_command_changes_nothing(
        self, tmp_path: Path, text: str
    ) -> None:
        async with inn(tmp_path, ["Seven rooms."]) as (house, server, ada):
            asked = number(ada.says("How many rooms?"))
            await server.until(lambda: ada.texts() == ["Seven rooms."])
            ada.edits(asked, text)
            await settled(server)
            said = [EDIT_IS_NO_COMMAND] if text.startswith("/") else []
            await server.until(lambda: ada.texts() == ["Seven rooms.", *said])
            assert len(await house.store.sessions.recent(9)) == 1

    async def test_what_became_a_command_at_last_is_answered_as_it_read_before_that(self, tmp_path: Path) -> None:
        async with inn(tmp_path, ["Seven rooms.", "Nine beds."]) as (house, server, ada):
            asked = number(ada.says("How many rooms?"))
            await server.until(lambda: ada.texts() == ["Seven rooms."])
            for text in ("How many beds?", "/new"):
                ada.edits(asked, text)
                await settled(server)
            await server.until(lambda: ada.texts()[1:] == [CHANGED, EDIT_IS_NO_COMMAND])
            ada.presses(ANSWER)
            await server.until(lambda: ada.texts()[-1] == "Nine beds.")
            assert last(house.model.requests[1]) == NOW_READS + "How many beds?"

    async def test_a_command_that_is_changed_does_not_run_again(self, tmp_path: Path) -> None:
        async with inn(tmp_path, []) as (house, server, ada):
            ordered = number(ada.says("/memroy"))
            await server.until(lambda: len(ada.texts()) == 1)
            ada.edits(ordered, "/status")
            await settled(server)
            assert len(ada.texts()) == 1
            assert house.model.requests == []

    async def test_older_messages_are_left_alone(self, tmp_path: Path) -> None:
        clock = FakeClock()
        async with inn(tmp_path, ["One.", "Two."], clock) as (house, server, ada):
            first = number(ada.says("1"))
            await server.until(lambda: ada.texts() == ["One."])
            second = number(ada.says("2"))
            await server.until(lambda: ada.texts() == ["One.", "Two."])
            ada.edits(first, "one")
            await settled(server)
            await clock.advance(RECENT + 1)
            ada.edits(second, "two")
            await settled(server)
            assert ada.texts() == ["One.", "Two."]
            assert await house.store.inbox.open_items() == []


class TestInAGroup:
    async def test_a_message_that_is_changed_so_that_the_bot_is_meant_is_heard_then(self, tmp_path: Path) -> None:
        async with inn(tmp_path, ["Seven."]) as (house, server, ada):
            group = server.group(-100777)
            said = number(ada.says("how many rooms?", chat=group))
            await settled(server)
            ada.edits(said, "@inn_bot how many rooms?", group)
            await server.until(lambda: group.texts() == ["Seven."])
            assert last(house.model.requests[0]) == "Ada: how many rooms?"
            ada.edits(said, "@inn_bot how many beds?", group)
            await server.until(lambda: group.texts() == ["Seven.", CHANGED])

    async def test_a_strangers_edit_is_nobodys_business(self, tmp_path: Path) -> None:
        platforms = {"telegram": TelegramSettings()}
        async with inn(tmp_path, [], platforms=platforms) as (_, server, ada):
            said = number(ada.says("let me in"))
            await server.until(lambda: len(ada.texts()) == 1)
            ada.edits(said, "please let me in")
            await settled(server)
            assert len(ada.texts()) == 1, "the pairing code is not spoken of again"
