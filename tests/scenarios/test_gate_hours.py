"""When people hear of what waits: after a minute, not at night, once more each day, and somewhere in any case."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gateway.config.schema import Access
from gateway.config.sections import Gateway, Memory
from gateway.engine.gates.cards import piles
from gateway.engine.gates.digest import HOMELESS, QUIET, TODAY, Digest, Digested
from memory.model import Action, Author, Operation, Origin, Staged, Target
from platforms.messages import ChatRef
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.scenarios.gate import BIKE, TEA

HOME = "inprocess:home"
MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
MORNING = datetime(2027, 1, 15, 10, 0, tzinfo=UTC).timestamp()


def digest_of(guests: Guesthouse) -> Digest:
    house, skills = guests.house, guests.house.skills
    assert house.memories is not None
    waiting = piles(house.memories.pendings, skills.pendings if skills is not None else None)
    return Digest(waiting, house.delivery.post, house.store.outbox, house.clock, house.settings)


class Inn:
    """A gated house whose time stands still."""

    def __init__(self, house: Guesthouse, clock: FakeClock) -> None:
        self.guests = house
        self.clock = clock

    async def stage(self, text: str, origin: Origin = Origin.REVIEW, chat: str | None = "inprocess:c1") -> str:
        """Something wants to keep a text; the id under which it waits."""
        memories = self.guests.house.memories
        assert memories is not None
        wish, by = [Operation(Action.ADD, text)], Author(origin, message="review:1", chat=chat)
        staged = await asyncio.to_thread(memories.shelf.own.apply, Target.USER, wish, by)
        assert isinstance(staged, Staged), staged
        return staged.pending_id

    async def later(self, seconds: float) -> None:
        """Time passes, and whoever looks at the clock has looked."""
        for each in (max(0.0, seconds - 2 * MINUTE), min(seconds, 2 * MINUTE)):
            await self._looked()
            await self.clock.advance(each)
        await self._looked()

    async def _looked(self) -> None:
        """The watch over what waits reads a folder in a thread before it sleeps on."""
        while not self.clock.sleepers:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.02)

    async def digest(self, *, dry: bool = False) -> Digested:
        """The list of what waits is sent, as each morning."""
        return await digest_of(self.guests).send(dry=dry)

    def read(self, chat: str = "home") -> list[str]:
        return self.guests.adapter.texts(chat)

    async def told(self, count: int, chat: str = "home") -> list[str]:
        """Wait for so many messages; they are all there are. A look that took its time is followed by another one a
        moment later."""
        for _ in range(20):
            await self._looked()
            if len(self.read(chat)) >= count:
                break
            await self.clock.advance(15)
        await self.guests.adapter.until(lambda: len(self.read(chat)) >= count)
        assert len(self.read(chat)) == count
        return self.read(chat)


@asynccontextmanager
async def inn(folder: Path, *, home: bool = True, start: float = MORNING, **gateway: Any) -> AsyncIterator[Inn]:
    with_settings = settings(
        memory=Memory(write_approval=True),
        access=Access(home_chats=(HOME,) if home else ()),
        gateway=Gateway(timezone="UTC", drain_seconds=0, **gateway),
    )
    clock = FakeClock(start)
    async with guesthouse(
        folder, clock=clock, with_settings=with_settings, with_memory=True, full_status=True
    ) as guests:
        yield Inn(guests, clock)


async def test_what_comes_within_a_minute_comes_on_one_card(tmp_path: Path) -> None:
    async with inn(tmp_path) as at:
        first = await at.stage(TEA)
        await at.later(30)
        second = await at.stage(BIKE, Origin.CRON)
        await at.later(20)
        assert at.read() == []
        await at.later(20)
        (card,) = await at.told(1)
        assert card.index(first) < card.index(second)
        assert f"`{first}` [auto]" in card
        assert f"`{second}` [auto]" not in card
        await at.later(10 * MINUTE)
        assert len(at.read()) == 1
        await at.stage("Ada sings.")
        await at.later(2 * MINUTE)
        assert TEA not in (await at.told(2))[-1]


async def test_many_come_on_cards_of_five(tmp_path: Path) -> None:
    async with inn(tmp_path) as at:
        for number in range(12):
            await at.stage(f"Room {number} is blue.")
        await at.later(2 * MINUTE)
        assert [text.count("New entry") for text in await at.told(3)] == [5, 5, 2]


async def test_nobody_is_told_at_night(tmp_path: Path) -> None:
    night = datetime(2027, 1, 15, 23, 0, tzinfo=UTC).timestamp()
    async with inn(tmp_path, start=night, quiet_hours="22:30-07:00") as at:
        await at.stage(TEA)
        await at.later(HOUR)
        await at.later(6 * HOUR)
        assert at.read() == []
        assert "1 write" in await at.guests.adapter.reply_to("/status")
        await at.later(HOUR + 2 * MINUTE)
        (card,) = await at.told(1)
        assert "7 h ago" in card or "8 h ago" in card
        assert TEA in card


async def test_the_list_comes_once_a_day_and_says_how_long_each_waits(tmp_path: Path) -> None:
    async with inn(tmp_path, digest_hour=9) as at:
        first = await at.stage(TEA)
        await at.later(2 * MINUTE)
        await at.later(5 * HOUR)
        second = await at.stage(BIKE, Origin.CRON)
        await at.later(2 * MINUTE)
        await at.told(2)
        await at.later(19 * HOUR)
        assert await at.digest(dry=True) == Digested(2, 1)
        assert len(at.read()) == 2
        assert await at.digest() == Digested(2, 1)
        listed = (await at.told(3))[-1]
        assert listed.splitlines()[0].startswith("🔏 2 writes to memory still wait")
        assert f"`{first}` [auto] add «{TEA}», 1 d" in listed
        assert f"`{second}` add «{BIKE}», 19 h" in listed
        assert await at.digest() == Digested(2, 0, TODAY)
        assert len(at.read()) == 3
        assert "2 writes" in await at.guests.adapter.reply_to("/status")
        await at.guests.adapter.reply_to("/memory reject all", chat="home")
        told = len(at.read())
        await at.later(DAY)
        assert await at.digest() == Digested(0)
        assert len(at.read()) == told, "nothing waits, nothing is said"


async def test_the_list_keeps_quiet_hours_and_needs_somebody_to_tell(tmp_path: Path) -> None:
    async with inn(tmp_path, quiet_hours="22:00-11:00") as at:
        await at.stage(TEA)
        assert await at.digest() == Digested(1, 0, QUIET)
        await at.clock.advance(HOUR)
        assert await at.digest() == Digested(1, 1)
    async with inn(tmp_path, home=False) as at:
        assert await at.digest() == Digested(1, 0, HOMELESS)


async def test_without_a_home_chat_the_chat_that_caused_it_gets_one_line(tmp_path: Path) -> None:
    async with inn(tmp_path, home=False) as at:
        await at.stage(TEA, Origin.CRON)
        await at.stage(BIKE, Origin.CRON)
        await at.stage("Ada likes plums.", Origin.REVIEW)  # which tells its own at its end
        await at.stage("Ada sings.", Origin.CRON, "inprocess:c2")
        await at.stage("Nobody knows where this is from.", Origin.CRON, None)
        await at.later(2 * MINUTE)
        assert await at.told(1, "c1") == [
            "🔏 2 writes to memory wait for a yes: /memory pending. /sethome picks the chat that is told."
        ]
        await at.told(1, "c2")
        await at.later(DAY)
        assert (len(at.read("c1")), len(at.read("c2"))) == (1, 1)


async def test_a_file_that_people_spoiled_stops_nobody_from_being_told(tmp_path: Path) -> None:
    async with inn(tmp_path, home=False) as at:
        name = await at.stage(TEA, Origin.CRON)
        path = tmp_path / "pending" / "memory" / f"{name}.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"chat": "nowhere"}))
        (path.parent / "0123abcd.json").write_text("{")
        await at.later(2 * MINUTE)
        await at.stage(BIKE, Origin.CRON)
        await at.later(2 * MINUTE)
        await at.told(1, "c1")
        listed = await at.guests.adapter.reply_to("/memory pending")
        assert "`0123abcd` cannot be carried out" in listed
        assert "can never be carried out" in await at.guests.adapter.reply_to("/memory approve 0123abcd")
        assert "rejected" in await at.guests.adapter.reply_to("/memory reject 0123abcd")
        assert not (path.parent / "0123abcd.json").exists()


async def test_a_card_in_a_topic_is_decided_there(tmp_path: Path) -> None:
    topic = ChatRef("inprocess", "g", "7")
    async with inn(tmp_path) as at:
        at.guests.change(at.guests.house.settings().model_copy(update={"access": Access(home_chats=(topic.key,))}))
        name = await at.stage(TEA)
        await at.later(2 * MINUTE)
        await at.clock.advance(MINUTE)
        await at.guests.adapter.until_text(TEA, topic)
        (card,) = at.guests.adapter.transcript(topic)
        await at.guests.adapter.press_action(ChatRef("inprocess", "g"), f"/memory approve {name}", card.message_id)
        await at.guests.adapter.until_text("from another chat", ChatRef("inprocess", "g"))
        await at.guests.adapter.press(topic, "✅ Approve")
        await at.guests.adapter.until_text("approved", topic)
