"""A disk that takes no more for a while: what was taken in is answered once there is room, without a restart."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from gateway.models.client import Request
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse
from tests.scenarios.props import later, until

LONG = f"{' '.join(map(str, range(30_000)))} The end."


def bound(pages: int) -> Callable[[sqlite3.Connection], None]:
    """The file may grow to so many pages."""

    def work(db: sqlite3.Connection) -> None:
        db.execute(f"PRAGMA max_page_count = {pages}")

    return work


async def full(house: Guesthouse) -> None:
    used = await house.store.database.write(lambda db: db.execute("PRAGMA page_count").fetchone()[0])
    await house.store.database.write(bound(used + 3))


async def test_a_message_waits_until_there_is_room(tmp_path: Path) -> None:
    clock = FakeClock()

    def answers(request: Request) -> str:
        return LONG if "story" in request.messages[-1].content else "Hello."

    async with guesthouse(tmp_path, answers, clock=clock) as house:
        assert await house.adapter.reply_to("hello") == "Hello."
        await full(house)
        await house.adapter.say("a story")
        await later(clock, lambda: len(house.notes.named("store.fault")) > 4)
        assert await house.store.inbox.dead() == []
        await house.store.database.write(bound(100_000))
        await later(clock, lambda: any("The end." in text for text in house.adapter.texts()), 5)
        await until(lambda: len(house.adapter.summaries()) == 2)
        assert await house.store.inbox.dead() == []
        assert await house.store.turns.running() == []


async def test_a_command_waits_until_there_is_room(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, [LONG], clock=clock) as house:
        await house.adapter.reply_to("a story")
        await full(house)
        await house.adapter.say("/retry")
        await later(clock, lambda: bool(house.notes.named("store.fault")))
        await house.store.database.write(bound(100_000))
        await later(clock, lambda: len(house.adapter.summaries()) == 2, 5)
        assert await house.store.inbox.dead() == []
