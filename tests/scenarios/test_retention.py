"""Old sessions leave, and nobody who talks meanwhile waits for it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from gateway.config.schema import Settings
from gateway.engine.care.retention import DAY
from gateway.models.client import Request
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.past import Talk, had

NOON = 1_800_014_400.0
"""2027-01-15, 12:00 UTC."""


def rules(days: int | None = 90, **gateway: object) -> Settings:
    return settings(sessions={"retention_days": days}, gateway={"timezone": "UTC", **gateway})


def echo(request: Request) -> str:
    return "Yes."


async def ids(house: Guesthouse) -> list[str]:
    return [each.session.id for each in await house.store.sessions.recent(100)]


async def test_without_a_setting_every_session_stays(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    async with guesthouse(tmp_path, echo, clock=clock, with_settings=rules(None)) as house:
        await had(house.store, Talk("old", 5000), now=clock.now())
        assert await house.engine.retention.daily() is None
        assert await ids(house) == ["old"]
        known = await house.store.database.read(lambda db: db.execute("SELECT count(*) FROM inbox").fetchone()[0])
        assert known == 0, "events that are settled for a week are forgotten all the same"


async def test_chats_go_on_while_a_large_one_leaves(tmp_path: Path) -> None:
    """A step is small: messages that come in meanwhile are answered before it is over."""
    async with guesthouse(tmp_path, echo, with_settings=rules()) as house:
        await had(house.store, Talk("large", 100, turns=1200), now=house.house.clock.now())
        leaving = asyncio.ensure_future(house.engine.retention.prune(90, dry=False))
        answered = 0
        while not leaving.done():
            assert await house.adapter.reply_to("hello", chat=f"c{answered}") == "Yes."
            answered += 1
        done = await leaving
        assert (len(done.sessions), done.messages) == (1, 2400)
        assert answered >= 3
        assert "large" not in await ids(house)


async def test_what_a_dead_process_began_is_finished(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    async with guesthouse(tmp_path, echo, clock=clock, with_settings=rules()) as house:
        await had(house.store, Talk("old", 100, turns=300), Talk("live"), now=clock.now())
        assert await house.store.retention.leave("old", clock.now() - 90 * DAY)
        await house.store.retention.remove("old")
    async with guesthouse(tmp_path, echo, clock=clock, with_settings=rules()) as house:
        assert "no session" in await house.adapter.reply_to("/resume old")
        done = await house.engine.retention.prune(5000, dry=False)
        assert [each.id for each in done.sessions] == ["old"]
        left = await house.store.database.read(lambda db: db.execute("SELECT count(*) FROM messages").fetchone()[0])
        assert left == 2
