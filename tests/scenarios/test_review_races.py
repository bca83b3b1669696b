"""Reviews and what happens beside them: turns that begin in the same moment, texts that are to be gone, hosts that
come and go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from gateway.events import TurnStarted
from gateway.models.errors import HostDown
from gateway.state.review_queue import SqliteReviews
from gateway.state.review_records import QueuedReview
from gateway.state.store import SqliteStore
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import guesthouse
from tests.fakes.scripted_model import Turn
from tests.scenarios.keeping import adds, kept
from tests.scenarios.looking_back import Thinker, ended, every, open_house, queue, results, settled
from tests.scenarios.places import ALONE, BOTH, GROUP_OF_ADA, said
from tests.scenarios.props import CHAT, later


class Watched(SqliteReviews):
    """The queue of a store; somebody hears of each claim while it is being made."""

    claims: Callable[[QueuedReview], None] = staticmethod(lambda claimed: None)

    async def claim(self, review_id: int, owner: str, lease_until: float) -> QueuedReview | None:
        claimed = await super().claim(review_id, owner, lease_until)
        if claimed is not None:
            self.claims(claimed)
        return claimed


async def test_a_turn_that_begins_while_a_review_is_claimed_has_the_host_to_itself(tmp_path: Path) -> None:
    clock, thinker = FakeClock(), Thinker()
    store = await SqliteStore.open(tmp_path / "state.db")
    store.reviews = watched = Watched(store.database)
    async with guesthouse(
        tmp_path, thinker, clock=clock, with_settings=every(1), with_reviews=True, store=store
    ) as house:
        await house.adapter.reply_to("one")
        begun: list[QueuedReview] = []

        def begins(claimed: QueuedReview) -> None:
            if not begun:
                house.house.bus.publish(TurnStarted(99, "elsewhere", CHAT, False, "local"))
            begun.append(claimed)

        watched.claims = begins
        await later(clock, lambda: bool(begun), 1.0)

        async def back() -> bool:
            return [each.running for each in await queue(house)] == [False]

        await settled(clock, back, 0.0)
        assert thinker.asked == []


async def test_a_text_that_is_to_be_gone_is_not_kept_by_a_review_that_has_read_it(tmp_path: Path) -> None:
    clock, hold = FakeClock(), asyncio.Event()
    keeps = Turn(["Let me see.", hold], calls=adds("The code of Ada's door is 7391.").calls)
    thinker = Thinker(keeps)
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("the code of my door is 7391")
        await later(clock, lambda: len(thinker.asked) == 1, 1.0)
        await house.adapter.reply_to("/forget --everywhere 7391")
        await house.adapter.press("c1", "Erase it")
        await house.adapter.until_text("🗑 Erased")
        hold.set()
        (result,) = await ended(house, clock)
        assert "7391" not in kept(tmp_path)
        assert result.outcome == "none"
        assert "7391" not in "".join(each.content for each in thinker.asked[-1].messages)


async def test_a_host_elsewhere_that_is_down_for_an_hour_costs_no_review(tmp_path: Path) -> None:
    clock = FakeClock()
    thinker = Thinker(*[HostDown("nobody answers at local")] * 20, adds("Ada drinks tea."))
    async with open_house(tmp_path, thinker, clock, every(1, defer="never")) as house:
        await house.adapter.reply_to("I drink tea")
        (result,) = await ended(house, clock, step=30.0)
        assert (result.outcome, result.failed) == ("memory", 0)
        assert result.cancelled > 3


async def test_what_a_review_wrote_that_went_into_a_newer_one_is_that_ones(tmp_path: Path) -> None:
    clock, hold = FakeClock(), asyncio.Event()
    thinker = Thinker(adds("Ada drinks tea."), Turn(["I kept", hold]))
    async with open_house(tmp_path, thinker, clock, every(1)) as house:
        await house.adapter.reply_to("I drink tea")
        await later(clock, lambda: len(thinker.asked) == 2, 1.0)
        await house.adapter.reply_to("/refine")
        (result,) = await ended(house, clock, step=0.0)
        assert [write.fate for write in result.writes] == ["kept"]
        assert result.outcome == "memory"
        assert await results(house) == [result]


async def test_others_who_come_to_be_heard_during_a_review_get_nothing_of_what_was_said_before(
    tmp_path: Path,
) -> None:
    clock, hold = FakeClock(), asyncio.Event()
    thinker = Thinker(Turn(["Let me see.", hold], calls=adds("The safe is behind the clock.", "memory").calls))
    before = {"memory": {"scope": "room"}, "access": {"owners": ["inprocess:ada"]}}
    async with open_house(
        tmp_path, thinker, clock, every(1, more={**before, "platforms": {"inprocess": ALONE}})
    ) as house:
        await said(house, "the safe is behind the clock", GROUP_OF_ADA)
        await later(clock, lambda: len(thinker.asked) == 1, 1.0)
        house.change(every(1, more={**before, "platforms": {"inprocess": BOTH}}))
        hold.set()
        (result,) = await ended(house, clock)
        assert result.outcome == "memory"
        assert kept(tmp_path, "rooms/inprocess-g1.md") == ""
        assert kept(tmp_path, "MEMORY.md").strip() == "The safe is behind the clock."
