"""A send whose end is unknown stays in doubt until the platform itself has cleared it up, whatever else fails."""

from __future__ import annotations

import asyncio
from pathlib import Path

from platforms.adapter import Capabilities
from platforms.errors import NotSent, RetryAfter
from platforms.in_process import Fault, InProcess
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import guesthouse
from tests.fakes.scripted_model import ScriptedModel, Turn


async def test_a_try_that_never_left_does_not_clear_up_the_one_before(tmp_path: Path) -> None:
    clock = FakeClock()
    can = Capabilities(limit=4096, edits=False, nonce_seconds=1.5, finds=True)
    adapter = InProcess(capabilities=can, now=clock.now)
    async with guesthouse(tmp_path, ["It is done."], adapter=adapter, clock=clock) as house:
        adapter.fail_next(send=Fault.LOST_ANSWER)
        adapter.fail_next(send=NotSent("the line is down"))
        adapter.fail_next(send=RetryAfter(2.0))
        await adapter.say("Do it.")
        await adapter.until_text("It is done.")
        while not [each for each in await house.store.outbox.of_source("turn:1") if each.state == "sent"]:
            await clock.advance(0.5)
            await asyncio.sleep(0.01)
        assert adapter.texts() == ["It is done."]


async def test_a_preview_that_was_found_and_cannot_be_edited_yet_is_edited_later(tmp_path: Path) -> None:
    shown = asyncio.Event()
    model = ScriptedModel([Turn(["It is ", shown, "done."])])
    adapter = InProcess(capabilities=Capabilities(limit=4096, edit_seconds=0.05, finds=True))
    async with guesthouse(tmp_path, model, adapter=adapter):
        adapter.fail_next(send=Fault.LOST_ANSWER, edit=NotSent("the line is down"))
        await adapter.say("Do it.")
        await adapter.until_text("It is")
        shown.set()
        await adapter.until_text("It is done.")
        assert adapter.texts() == ["It is done."]
