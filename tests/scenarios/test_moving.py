"""A group gets a new id while it is talked to: what waits goes along, in order, and the owner's list follows."""

from __future__ import annotations

import asyncio
from pathlib import Path

from commands.registry import built_in
from gateway.config.paths import Profile
from gateway.engine.networks.doors import Porter
from platforms.errors import Gone
from platforms.messages import ChatRef
from tests.fakes.guesthouse import Guesthouse, guesthouse
from tests.fakes.scripted_model import Script, Turn

OLD, NEW = ChatRef("inprocess", "c1"), ChatRef("inprocess", "c9")


def porter(house: Guesthouse, folder: Path, moves: list[tuple[ChatRef, ChatRef]]) -> Porter:
    """What adapters are given, with an ear on the settings."""

    async def tell(source: str, text: str) -> None:
        raise AssertionError(text)

    async def follow(old: ChatRef, new: ChatRef) -> None:
        moves.append((old, new))

    inner, profile = house.house, Profile("default", folder, folder)
    return Porter(profile, inner.store, inner.clock, inner.delivery, built_in(), tell, follow, house.engine.move)


async def test_what_waits_in_a_chat_that_moves_is_answered_there(tmp_path: Path) -> None:
    gate = asyncio.Event()
    script: Script = [Turn(["One", gate, "."]), "Two.", "Three."]
    async with guesthouse(tmp_path, script) as house:
        await house.adapter.say("1")
        await house.adapter.until_text("One")
        await house.adapter.say("2")
        await house.engine.move(OLD, NEW)
        await house.adapter.say("3", chat="c9")
        gate.set()
        await house.adapter.until_text("Three.", "c9")
        assert [text for text in house.adapter.texts("c9") if "⏳" not in text] == ["One.", "Two.", "Three."]
        assert [each.role for each in house.model.requests[2].messages].count("assistant") == 2
        assert len(await house.store.sessions.recent(9)) == 1
        assert house.model.most_active == 1


async def test_a_move_that_a_send_reveals_is_a_move_like_any_other(tmp_path: Path) -> None:
    moves: list[tuple[ChatRef, ChatRef]] = []
    async with guesthouse(tmp_path, ["Hello.", "Again."]) as house:
        porter(house, tmp_path, moves)
        house.adapter.fail_next(send=Gone("c9"))
        await house.adapter.say("hi")
        await house.adapter.until_text("Hello.", "c9")
        assert moves == [(OLD, NEW)]
        assert await house.adapter.reply_to("hi again", chat="c9") == "Again."
        assert len(house.model.requests[1].messages) == 4
