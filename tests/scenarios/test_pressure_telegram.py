"""What the person reads on Telegram when an answer is hard to deliver: a unit too long, cut off, edited in vain."""

from __future__ import annotations

import asyncio
import random
import re
from pathlib import Path

import pytest

from gateway.engine.notices import CUT_SHORT
from platforms.chunking import length
from tests.fakes.scripted_model import Turn
from tests.fakes.telegram import Fault, Person, Refusal
from tests.fakes.telegram.faults import bad
from tests.platforms.telegram.inn import inn

FACES = "".join(map(chr, range(0x1F600, 0x1F640)))


def mixed(signs: str, count: int) -> str:
    """So many of these signs, in no order: a model that repeats itself would be cut off."""
    return "".join(random.Random(count).choices(signs, k=count))


PARTS = "\n".join(f"({number}) " + mixed("abcdefgh", 3_900) for number in range(1, 5))
"""Four messages."""

FAMILY = "👨‍👩‍👧"


def numbers(ada: Person) -> list[str]:
    """The numbers of the parts that the chat shows, in order."""
    return [match[1] for text in ada.texts() if (match := re.match(r"\((\d)\)", text))]


@pytest.mark.parametrize(
    "text",
    [
        mixed(FACES, 2049),
        mixed(FACES, 5000),
        mixed("abcdefgh", 4095) + FAMILY,
        mixed("abcdefgh", 4095) + "e\u0301",
        mixed("abcdefgh", 4096),
        " ".join(mixed("abcdefgh", 3000)),
    ],
    ids=["one over", "no end of lines", "family", "accent", "to the unit", "words"],
)
async def test_a_text_of_any_length_streamed_and_stored(tmp_path: Path, text: str) -> None:
    gate = asyncio.Event()
    async with inn(tmp_path, [Turn([text[: len(text) - 3], gate, text[len(text) - 3 :]])]) as (_, server, ada):
        ada.says("tell me")
        await server.until(lambda: bool(ada.texts()))
        gate.set()
        await server.until(lambda: "".join("".join(ada.texts()).split()) == "".join(text.split()))
        assert all(0 < length(each, "utf16") <= 4096 for each in ada.texts())
        assert not any(each.startswith(("\u200d", "\u0301")) for each in ada.texts())


@pytest.mark.parametrize("fault", [Fault.ACCEPT_AND_RESET, Fault.CUT, Fault.ACCEPT_AND_BAD_GATEWAY], ids=str)
async def test_the_second_of_four_arrives_and_is_not_confirmed(tmp_path: Path, fault: Fault) -> None:
    async with inn(tmp_path, [PARTS]) as (_, server, ada):
        server.misbehave("sendMessage", fault, after=1)
        ada.says("all of it")
        await server.until(lambda: CUT_SHORT in ada.texts())
        assert numbers(ada) == ["1", "2", "3", "4"]


async def test_the_second_of_four_is_lost_and_nobody_pretends_otherwise(tmp_path: Path) -> None:
    async with inn(tmp_path, [PARTS]) as (_, server, ada):
        server.misbehave("sendMessage", Fault.BAD_GATEWAY, after=1)
        ada.says("all of it")
        await server.until(lambda: CUT_SHORT in ada.texts())
        assert numbers(ada) == ["1", "3", "4"]


async def test_a_final_text_that_stands_there_already(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with inn(tmp_path, [Turn(["Good evening.", gate]), "And good night."]) as (_, server, ada):
        ada.says("hello")
        await server.until(lambda: ada.texts() == ["Good evening."])
        gate.set()
        await server.until(lambda: bool(server.called("editMessageText")))
        ada.says("and?")
        await server.until(lambda: ada.texts()[-1] == "And good night.")
        assert [each for each in ada.texts() if "⏳" not in each] == ["Good evening.", "And good night."]
        assert ada.seen()[0].edits == 0


@pytest.mark.parametrize(
    "fault",
    [Fault.RESET, Fault.ACCEPT_AND_RESET, Refusal(500, "Internal Server Error"), bad("message can't be edited")],
    ids=["torn", "done and torn", "error", "refused"],
)
async def test_the_last_edit_fails(tmp_path: Path, fault: Fault | Refusal) -> None:
    gate = asyncio.Event()
    whole = "Once upon a time."
    async with inn(tmp_path, [Turn(["Once upon", gate, " a time."])]) as (_, server, ada):
        ada.says("a story")
        await server.until(lambda: ada.texts() == ["Once upon"])
        server.misbehave("editMessageText", fault)
        gate.set()
        await server.until(lambda: whole in ada.texts() and not server.queued("editMessageText"))
        await asyncio.sleep(0.05)
        assert ada.texts().count(whole) == 1
        if not (isinstance(fault, Refusal) and fault.code == 400):
            assert ada.texts() == [whole]


async def test_the_person_deletes_the_first_of_several_messages_while_they_are_written(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with inn(tmp_path, [Turn([PARTS[:9000], gate, PARTS[9000:]])]) as (_, server, ada):
        ada.says("all of it")
        await server.until(lambda: len(ada.seen()) == 3)
        ada.chat.remove(ada.seen()[0].message_id)
        gate.set()
        await server.until(lambda: numbers(ada) == ["1", "2", "3", "4"])
        await asyncio.sleep(0.05)
        assert "".join("".join(ada.texts()).split()) == "".join(PARTS.split())
