"""Old sessions leave at night by themselves, and nobody who talks meanwhile waits for it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from gateway.config.schema import Settings
from gateway.engine.retention import DAY
from gateway.engine.session_care import NightlyRetention
from gateway.models.client import Request
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.past import Talk, had
from tests.fakes.scripted_model import Turn

NOON = 1_800_014_400.0
"""2027-01-15, 12:00 UTC."""

HOUR = 3600.0


def rules(days: int | None = 90, **gateway: object) -> Settings:
    return settings(sessions={"retention_days": days}, gateway={"timezone": "UTC", **gateway})


def echo(request: Request) -> str:
    return "Yes."


async def ids(house: Guesthouse) -> list[str]:
    return [each.session.id for each in await house.store.sessions.recent(100)]


def nightly(house: Guesthouse) -> NightlyRetention:
    return NightlyRetention(house.house, house.engine.retention, lambda: len(house.engine.workers.running))


async def hours(house: Guesthouse, clock: FakeClock, count: int) -> list[int]:
    """Look once an hour; the hours of the day after which sessions were gone."""
    work, seen = nightly(house), []
    for _ in range(count):
        before = await ids(house)
        await work.once()
        if await ids(house) != before:
            seen.append(int(clock.now() // HOUR) % 24)
        await clock.advance(HOUR)
    return seen


async def test_they_leave_at_night(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    async with guesthouse(tmp_path, echo, clock=clock, with_settings=rules()) as house:
        await had(house.store, Talk("old", 100), Talk("soon", 89.9), Talk("live"), now=clock.now())
        assert await hours(house, clock, 48) == [3], "the first night comes too soon after the first look"
        assert await ids(house) == ["live"]


async def test_quiet_hours_are_kept_where_somebody_set_them(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    with_settings = rules(quiet_hours="22:30-07:00")
    async with guesthouse(tmp_path, echo, clock=clock, with_settings=with_settings) as house:
        await had(house.store, Talk("old", 100), now=clock.now())
        assert await hours(house, clock, 48) == [23]


async def test_a_machine_that_is_off_at_night_does_it_by_day(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    async with guesthouse(tmp_path, echo, clock=clock, with_settings=rules()) as house:
        await had(house.store, Talk("old", 100), now=clock.now())
        await nightly(house).once()
        await clock.advance(47 * HOUR)
        await nightly(house).once()
        assert await ids(house) == []


async def test_without_a_setting_every_session_stays(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    async with guesthouse(tmp_path, echo, clock=clock, with_settings=rules(None)) as house:
        await had(house.store, Talk("old", 5000), now=clock.now())
        assert await hours(house, clock, 50) == []
        known = await house.store.database.read(lambda db: db.execute("SELECT count(*) FROM inbox").fetchone()[0])
        assert known == 0, "events that are settled for a week are forgotten all the same"


async def test_nothing_leaves_while_somebody_is_answered(tmp_path: Path) -> None:
    clock, gate = FakeClock(NOON), asyncio.Event()
    async with guesthouse(tmp_path, [Turn(["Once", gate])], clock=clock, with_settings=rules()) as house:
        await had(house.store, Talk("old", 100), now=clock.now())
        await nightly(house).once()
        await clock.advance(47 * HOUR)
        event = await house.adapter.say("a story")
        await house.model.arrived(1)
        await nightly(house).once()
        assert "old" in await ids(house)
        gate.set()
        await house.adapter.until(lambda: any(event.event_id in one.event_ids for one in house.adapter.summaries()))
        await nightly(house).once()
        assert "old" not in await ids(house)


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
