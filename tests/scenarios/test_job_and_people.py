"""A job between what people say: what they press and correct afterwards is about their own words."""

from __future__ import annotations

import asyncio
from pathlib import Path

from gateway.models.errors import HostDown
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import guesthouse
from tests.fakes.scripted_model import Script, Turn
from tests.scenarios.clerk import clerk
from tests.scenarios.test_edits import BUTTON, edit
from tests.scenarios.test_jobs import DIGEST, heard, talk


async def test_who_tries_again_after_a_digest_is_answered_and_not_given_the_digest(tmp_path: Path) -> None:
    script: Script = [HostDown("no route"), DIGEST, "Room 12 is free."]
    async with guesthouse(tmp_path, script, clock=FakeClock()) as house, clerk(house) as jobs:
        await talk(house, "is room 12 free?")
        assert (await jobs.run(await jobs.add())).delivery == "delivered"
        assert await talk(house, "/retry") == "Room 12 is free."
        assert heard(house)[-1] == "is room 12 free?"
        assert house.adapter.texts().count(DIGEST) == 1


async def test_a_digest_that_was_cut_is_sent_again(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["Hello.", DIGEST], clock=FakeClock()) as house, clerk(house) as jobs:
        await talk(house, "hi")
        await jobs.run(await jobs.add())
        assert await talk(house, "/retry") == DIGEST
        assert len(house.model.requests) == 2


async def test_what_is_corrected_after_a_digest_is_still_offered_to_be_answered(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["Room 12.", DIGEST], clock=FakeClock()) as house, clerk(house) as jobs:
        asked = await house.adapter.say("room 12?")
        await house.adapter.until_text("Room 12.")
        await jobs.run(await jobs.add())
        await house.adapter.redeliver(edit(asked, "room 13?"))
        told = await house.adapter.until_text("You changed a message")
        assert [each.label for row in told.buttons for each in row] == [BUTTON]


async def test_two_jobs_of_one_moment_in_one_chat_are_answered_in_turn(tmp_path: Path) -> None:
    gate = asyncio.Event()
    script: Script = [Turn(["First ", gate, "done."]), "Second done."]
    async with guesthouse(tmp_path, script, clock=FakeClock()) as house, clerk(house) as jobs:
        made = [await jobs.add(f"number {each}") for each in range(2)]
        runs = [await jobs.fire(each) for each in made]
        await house.model.arrived(1)
        await asyncio.sleep(0.1)
        assert len(house.model.requests) == 1
        gate.set()
        assert [(await jobs.ended(each)).delivery for each in runs] == ["delivered"] * 2
        assert house.adapter.texts() == ["First done.", "Second done."]
        assert house.model.most_active == 1


async def test_a_new_day_begins_with_what_people_say_and_not_with_a_digest(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, lambda request: "Fine.", clock=clock) as house, clerk(house) as jobs:
        for number in range(5):
            await talk(house, f"message {number}")
        await clock.advance(20 * 3600)
        assert (await jobs.run(await jobs.add(when="on 2030-01-01 at 7:00"))).delivery == "delivered"
        await talk(house, "good morning")
        await house.adapter.until_text("A new day.")
