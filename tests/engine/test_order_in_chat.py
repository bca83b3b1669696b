"""What a person reads stands in the order in which it was said, also while a platform is hard to reach."""

from __future__ import annotations

import asyncio
from pathlib import Path

from platforms.adapter import Capabilities
from platforms.errors import NotSent
from platforms.in_process import InProcess
from tests.fakes.guesthouse import guesthouse
from tests.fakes.scripted_model import ScriptedModel, Turn


async def test_a_preview_waits_until_the_answer_before_it_is_delivered(tmp_path: Path) -> None:
    told, end = asyncio.Event(), asyncio.Event()
    model = ScriptedModel(["First answer.", Turn(["Second ", told, "answer", end, "."])])
    adapter = InProcess(capabilities=Capabilities(limit=4096, edit_seconds=0.1))
    async with guesthouse(tmp_path, model, adapter=adapter) as house:
        adapter.fail_next(send=NotSent("the line is down"))  # the first answer rests for a second
        await adapter.say("one")
        await model.arrived(1)
        while house.engine.workers.running:
            await asyncio.sleep(0.01)
        await adapter.say("two")
        await model.arrived(2)
        told.set()
        await adapter.until_text("Second answer")
        end.set()
        await adapter.until_text("Second answer.")
        assert adapter.texts() == ["First answer.", "Second answer."]
