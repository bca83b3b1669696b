"""After a restart: what was not sent is sent, what may be there is not repeated, what is too old is dropped."""

from __future__ import annotations

import asyncio
from pathlib import Path

from gateway.state.records import PartDraft
from gateway.state.store import SqliteStore
from platforms.adapter import Capabilities
from platforms.errors import Gone, NotSent
from platforms.in_process import InProcess
from platforms.messages import ChatRef, Outbound
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import guesthouse
from tests.scenarios.props import CHAT, START, later

HOUR = 3600.0


async def queued(store: SqliteStore, source: str, text: str, at: float) -> int:
    await store.outbox.put(CHAT, source, [PartDraft(text)], at)
    return (await store.outbox.of_source(source))[0].id


async def outbox(folder: Path, old: int = 1) -> None:
    store = await SqliteStore.open(folder / "state.db")
    for number in range(3):
        part = await queued(store, f"old:{number}", f"sent {number}", START - 20)
        await store.outbox.mark(part, "sending", START - 20)
        await store.outbox.mark(part, "sent", START - 20, remote_id=f"r{number}")
    part = await queued(store, "old:10", "in flight", START - 15)
    await store.outbox.mark(part, "sending", START - 15)
    for number in range(old):
        await queued(store, f"old:{20 + number}", f"ancient {number}", START - 15 * HOUR)
    await queued(store, "old:30", "fresh", START - 10)
    await store.close()


async def test_only_what_is_fresh_and_never_left_is_sent(tmp_path: Path) -> None:
    await outbox(tmp_path, old=3)
    clock = FakeClock(START)
    async with guesthouse(tmp_path, [], clock=clock) as house:
        await house.adapter.until_text("fresh")
        await later(clock, lambda: len(house.adapter.texts()) == 3)
        texts = house.adapter.texts()
        assert sum("may not have arrived" in text for text in texts) == 1
        assert "3 messages of mine could not be delivered in time" in "".join(texts)
        states = {each: (await house.store.outbox.of_source(f"old:{each}"))[0].state for each in (0, 10, 20, 22, 30)}
        assert states == {0: "sent", 10: "uncertain", 20: "expired", 22: "expired", 30: "sent"}
    async with guesthouse(tmp_path, [], clock=clock) as house:
        await house.adapter.reply_to("/status")
        assert len(house.adapter.texts()) == 1


async def test_what_was_in_flight_is_looked_up_where_that_is_possible(tmp_path: Path) -> None:
    await outbox(tmp_path, old=0)
    clock = FakeClock(START)
    able = Capabilities(limit=4096, unit="utf16", finds=True, nonce_seconds=5)
    for there in (True, False):
        folder = tmp_path / str(there)
        folder.mkdir()
        await outbox(folder, old=0)
        adapter = InProcess(capabilities=able, now=clock.now)
        store = await SqliteStore.open(folder / "state.db")
        (part,) = await store.outbox.of_source("old:10")
        await store.close()
        if there:
            await adapter.send(Outbound(CHAT, "in flight", nonce=part.nonce))
        async with guesthouse(folder, [], clock=clock, adapter=adapter):
            await adapter.until_text("fresh")
            assert adapter.texts() == ["in flight", "fresh"]


async def test_a_platform_that_is_unreachable_for_a_while(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, ["One."], clock=clock) as house:
        for _ in range(4):
            house.adapter.fail_next(send=NotSent("no route"))
        await house.adapter.say("1")
        await later(clock, lambda: house.adapter.texts() == ["One."])


async def test_a_group_that_moved_keeps_its_session(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["One.", "Two.", "Three."]) as house:
        await house.adapter.reply_to("1")
        house.adapter.fail_next(send=Gone("c1-new"))
        await house.adapter.say("2")
        await house.adapter.until_text("Two.", "c1-new")
        assert await house.adapter.reply_to("3", chat="c1-new") == "Three."
        assert len(house.model.requests[2].messages) == 6
        assert await house.store.sessions.current(ChatRef("inprocess", "c1").key) is None


class Unreachable(InProcess):
    """A network that cannot be reached."""

    async def send(self, message: Outbound) -> str:
        raise NotSent("no route")


async def hours(clock: FakeClock, count: int) -> None:
    for _ in range(count):
        await clock.advance(HOUR)
        await asyncio.sleep(0.01)


async def test_a_long_absence_is_one_notice_over_any_number_of_restarts(tmp_path: Path) -> None:
    """Ten replies, an hour apart, while the platform cannot be reached for two days: nothing old is sent when it is
    back, and one line counts all of it."""
    clock = FakeClock(START)
    for day in range(4):
        async with guesthouse(tmp_path, [], clock=clock, adapter=Unreachable(now=clock.now)) as house:
            for number in range(5 if day < 2 else 0):
                await house.house.delivery.post(CHAT, f"job:{day}:{number}", f"ancient {day}.{number}")
                await hours(clock, 1)
            await hours(clock, 6)
    async with guesthouse(tmp_path, [], clock=clock) as house:
        await house.house.delivery.post(CHAT, "job:new", "fresh")
        await later(clock, lambda: len(house.adapter.texts()) == 2)
        said = "".join(house.adapter.texts())
        assert "fresh" in said
        assert "10 messages of mine could not be delivered in time" in said
    async with guesthouse(tmp_path, [], clock=clock) as house:
        await house.house.delivery.wake_all()
        await house.adapter.reply_to("/status")
        assert len(house.adapter.texts()) == 1
