"""A host that says nothing of itself for a while: the turn has begun all the same, and can be seen and stopped."""

from __future__ import annotations

import asyncio
from pathlib import Path

from gateway.models.client import HostInfo
from tests.fakes.guesthouse import guesthouse
from tests.fakes.scripted_model import Script, ScriptedModel
from tests.scenarios.props import gateway


class Loading(ScriptedModel):
    """A model that is asked what it is before it is there."""

    def __init__(self, script: Script) -> None:
        super().__init__(script)
        self.loaded = asyncio.Event()

    async def info(self) -> HostInfo:
        await self.loaded.wait()
        return await super().info()


async def test_a_turn_begins_before_its_host_has_spoken(tmp_path: Path) -> None:
    model = Loading(["Hello."])
    async with guesthouse(tmp_path, model) as house:
        await house.adapter.say("hi")
        await house.adapter.until(lambda: house.adapter.typed() > 0)
        await house.adapter.until(lambda: "waiting for the model host" in house.adapter.progressed())
        assert len(await house.store.turns.running()) == 1
        assert "⏹ Stopped." in await house.adapter.reply_to("/stop")
        model.loaded.set()
        assert await house.adapter.reply_to("hello") == "Hello."


async def test_what_waits_for_its_host_can_be_interrupted(tmp_path: Path) -> None:
    model = Loading(["Both."])
    async with guesthouse(tmp_path, model, with_settings=gateway(busy="interrupt")) as house:
        await house.adapter.say("one")
        await house.adapter.until(lambda: house.adapter.typed() > 0)
        await house.adapter.say("two")
        await house.adapter.until_text("the current answer ends here")
        model.loaded.set()
        await house.adapter.until_text("Both.")
        assert len(house.model.requests) == 1
