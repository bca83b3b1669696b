"""A process that died between a review's write and the note of it: it is in the books, and told, all the same."""

from __future__ import annotations

import asyncio
from pathlib import Path

from memory.model import Action, Author, Operation, Origin, Target
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse
from tests.scenarios.keeping import kept
from tests.scenarios.looking_back import Thinker, ended, every, open_house, queue, settled

TOLD = "💾 Memory updated"


async def died_writing(house: Guesthouse, clock: FakeClock) -> None:
    """A review is claimed and writes; nothing of that is noted when its process ends."""
    await house.adapter.reply_to("/reviews")  # this process has looked through the queue by then
    (entry,) = await queue(house)
    review = await house.store.reviews.claim(entry.id, "somebody who died", clock.now() + 1e6)
    assert review is not None
    author = Author(Origin.REVIEW, review.session_id, f"review:{review.id}", chat="inprocess:c1")
    assert house.house.memories is not None
    own = house.house.memories.shelf.own
    keep = Operation(Action.ADD, content="Ada drinks tea.")
    await asyncio.to_thread(own.apply, Target.USER, [keep], author)


async def test_a_newer_review_knows_what_the_one_that_died_wrote(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker()
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("I drink tea")
        await settled(clock, lambda: _waits(house), 0.0)
    async with open_house(tmp_path, thinker, clock, every(1, enabled=False)) as house:
        await died_writing(house, clock)
        await house.adapter.reply_to("every day")
        (running,) = await queue(house)
        await house.store.reviews.offer(running.session_id, ["memory"], "cadence", clock.now())
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        (result,) = await ended(house, clock)
        assert (result.outcome, result.died) == ("memory", 1)
        assert [write.fate for write in result.writes] == ["kept"]
        assert kept(tmp_path).count("Ada drinks tea.") == 1
        await house.adapter.until_text(TOLD)
        assert sum(TOLD in each for each in house.adapter.texts()) == 1


async def test_one_that_is_given_up_afterwards_is_told_of_as_well(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker()
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("I drink tea")
        await settled(clock, lambda: _waits(house), 0.0)
    async with open_house(tmp_path, thinker, clock, every(1, enabled=False)) as house:
        await died_writing(house, clock)
    async with open_house(tmp_path, thinker, clock, every(1, enabled=False)) as house:
        (result,) = await ended(house, clock, step=600.0)
        assert (result.outcome, [write.fate for write in result.writes]) == ("dropped", ["kept"])


async def _waits(house: Guesthouse) -> bool:
    return bool(await queue(house))
