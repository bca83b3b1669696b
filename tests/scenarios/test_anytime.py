"""While an answer is being written: what never waits for it. Gates prove the order, not seconds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gateway.models.client import Request
from platforms.messages import ChatKind, ChatRef
from tests.fakes.guesthouse import Guesthouse, guesthouse
from tests.fakes.scripted_model import Turn


@asynccontextmanager
async def telling(folder: Path, gate: asyncio.Event) -> AsyncIterator[Guesthouse]:
    """A house in the middle of a long answer in c1; anything else is answered at once."""

    def answers(request: Request) -> Turn | str:
        if request.messages[-1].content.endswith("a story"):
            return Turn(["Once upon a time", gate, " there was a king."])
        return "Here I am."

    async with guesthouse(folder, answers) as house:
        await house.adapter.say("tell me a story")
        await house.adapter.until_text("Once upon a time")
        yield house


@pytest.mark.parametrize(
    ("command", "answer"), [("/stop", "Stopped"), ("/status", "state"), ("/new", "fresh session"), ("/help", "/new")]
)
async def test_a_command_is_answered_before_the_next_piece(tmp_path: Path, command: str, answer: str) -> None:
    gate = asyncio.Event()
    async with telling(tmp_path, gate) as house:
        assert answer in await house.adapter.reply_to(command)
        assert not any("king" in text for text in house.adapter.texts())
        assert not gate.is_set()
        gate.set()


async def test_status_leaves_the_answer_alone(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with telling(tmp_path, gate) as house:
        await house.adapter.reply_to("/status")
        gate.set()
        await house.adapter.until_text("Once upon a time there was a king.")
        assert house.model.abandoned == 0


async def test_another_chat_is_answered_before_the_end(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with telling(tmp_path, gate) as house:
        assert await house.adapter.reply_to("hello", chat="c2", sender="bob") == "Here I am."
        assert house.adapter.texts() == ["Once upon a time"]
        gate.set()
        await house.adapter.until_text("king")


async def test_a_topic_of_the_same_group_is_a_chat_of_its_own(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with telling(tmp_path, gate) as house:
        for topic in ("7", "8"):
            place = ChatRef("inprocess", "g1", topic)
            await house.adapter.say("hello", chat=place, kind=ChatKind.GROUP)
            await house.adapter.until_text("Here I am.", chat=place)
        keys = {each.session.session_key for each in await house.store.sessions.recent(10)}
        assert keys == {"inprocess:c1", "inprocess:g1:7", "inprocess:g1:8"}
        gate.set()


async def test_the_button_of_an_old_card_never_waits(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with telling(tmp_path, gate) as house:
        await house.adapter.press_action("c1", "/new", "m0")
        await house.adapter.until_text("fresh session")
        assert not any("king" in text for text in house.adapter.texts())
        gate.set()
