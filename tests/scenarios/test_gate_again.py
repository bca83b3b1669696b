"""A decision whose process died before its reply: it is answered, and nothing else is decided in its place."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gateway.config.sections import Memory
from memory.model import Action, Author, Operation, Origin, Staged, Target
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.scenarios.gate import BIKE, TEA, waiting
from tests.scenarios.props import CHAT, event

GATED = settings(memory=Memory(write_approval=True))


async def stage(house: Guesthouse, text: str) -> str:
    memories = house.house.memories
    assert memories is not None
    wish, by = [Operation(Action.ADD, text)], Author(Origin.FOREGROUND, chat=CHAT.key)
    staged = await asyncio.to_thread(memories.shelf.own.apply, Target.USER, wish, by)
    assert isinstance(staged, Staged)
    return staged.pending_id


@pytest.mark.parametrize("order", ["/memory approve", "/memory approve all", "/memory reject"])
async def test_an_order_without_an_id_means_what_it_meant_at_first(tmp_path: Path, order: str) -> None:
    async with guesthouse(tmp_path, [], with_settings=GATED, with_memory=True) as house:
        first = await stage(house, TEA)
        now, desk = house.house.clock.now(), house.house.pending
        assert desk is not None
        item = await house.store.inbox.accept(event(order, "u1", at=now), CHAT.key, now)
        assert item is not None
        await desk.meant(item.id, [first])
        decide = desk.resolver.reject if "reject" in order else desk.resolver.approve
        await asyncio.to_thread(decide, first, "inprocess:ada")
        second = await stage(house, BIKE)
    async with guesthouse(tmp_path, [], with_settings=GATED, with_memory=True) as house:
        await house.adapter.until_text(f"`{first}` was ")
        assert "already, by inprocess:ada" in house.adapter.texts()[-1]
        assert [each["id"] for each in waiting(tmp_path)] == [second]
        approved = await house.adapter.reply_to("/memory approve")
        assert f"`{second}` approved" in approved
