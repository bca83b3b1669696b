"""A platform that is deaf, off or cannot send: told elsewhere once, and once when it is back; /status agrees."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from gateway.config.schema import Access, Settings
from gateway.engine.networks.watch import GRACE, LOOK, STEADY
from gateway.engine.outgoing.reach import UNSENT
from platforms.adapter import Capabilities, Sink
from platforms.errors import Absent, DeliveryError, NotSent, PlatformDown, Refused, RetryAfter
from platforms.in_process import InProcess
from platforms.messages import ChatRef, Outbound
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, OpenDoor, guesthouse, settings
from tests.scenarios.props import later, until

PULSE = 90.0


class Harbour(InProcess):
    """A network that gives signs of life, until it is silent; that takes what is sent, until it is shut."""

    def __init__(self, clock: FakeClock, name: str = "harbour") -> None:
        can = Capabilities(limit=4096, edits=False, pulse=PULSE)
        super().__init__(name, now=clock.now, capabilities=can)
        self._clock = clock
        self._silent_since: float | None = None
        self.shut: DeliveryError | None = None
        self.broken: Exception | None = None
        self.tried = 0
        """How often something was to be sent."""

    @property
    def last_heard(self) -> float | None:
        return self._silent_since or self._clock.now()

    def falls_silent(self) -> None:
        self._silent_since = self._clock.now()

    def speaks(self) -> None:
        self._silent_since = None

    async def run(self, sink: Sink) -> None:
        if self.broken is not None:
            raise self.broken
        await super().run(sink)

    async def send(self, message: Outbound) -> str:
        self.tried += 1
        if self.shut is not None:
            raise self.shut
        return await super().send(message)


class NeverHeard(Harbour):
    @property
    def last_heard(self) -> float | None:
        return None


def chosen(**access: Any) -> Settings:
    doors = {"inprocess": OpenDoor(), "harbour": OpenDoor()}
    return settings(platforms=doors, access=Access(**access))


HOME = ("inprocess:home",)


@asynccontextmanager
async def two_platforms(
    folder: Path, harbour: Harbour, clock: FakeClock, homes: tuple[str, ...] = HOME, house: InProcess | None = None
) -> AsyncIterator[Guesthouse]:
    async with guesthouse(
        folder,
        lambda request: "Good day.",
        clock=clock,
        adapter=house or InProcess(now=clock.now),
        more=[harbour],
        with_settings=chosen(home_chats=homes),
        full_status=True,
    ) as opened:
        await clock.advance(0)
        yield opened


async def wait(house: Guesthouse, clock: FakeClock, seconds: float) -> None:
    """Time passes, and the watch looks as often as it does."""
    for _ in range(round(seconds / LOOK)):
        await clock.advance(LOOK)
        await house.engine.watch.look()
        await asyncio.sleep(0.003)
    async with asyncio.timeout(30):  # what is to be told in the house's own chats needs no time of this clock
        while await unsaid(house):
            await asyncio.sleep(0.005)


async def unsaid(house: Guesthouse) -> bool:
    outbox = house.store.outbox
    return any([await outbox.queued(chat) for chat in await outbox.chats() if chat.platform == "inprocess"])


async def tried(harbour: Harbour, count: int = 1) -> None:
    """So many answers were to be sent, before the clock moves on."""
    await until(lambda: harbour.tried >= count)
    await asyncio.sleep(0.05)


async def status(house: Guesthouse) -> str:
    view = await house.engine.ports.status.view(None)
    return dict(view.lines)["Harbour"]


def told(house: Guesthouse, chat: str = "home") -> list[str]:
    return house.adapter.texts(chat)


async def test_a_deaf_platform_is_told_once_with_the_time_and_once_when_it_is_back(tmp_path: Path) -> None:
    clock = FakeClock()
    harbour = Harbour(clock)
    async with two_platforms(tmp_path, harbour, clock) as house:
        assert (await status(house)).startswith("listening")
        harbour.falls_silent()
        await wait(house, clock, PULSE - LOOK)
        assert (await status(house)).startswith("listening")
        await wait(house, clock, 2 * LOOK)
        assert await status(house) == f"deaf: last heard {PULSE + LOOK:.0f} s ago"
        assert told(house) == []
        await wait(house, clock, GRACE + 2 * LOOK)
        (line,) = told(house)
        assert line.startswith("⚠️ Harbour does not work: nothing is heard from it any more. It was last heard ")
        await wait(house, clock, 3600)
        assert len(told(house)) == 1
        harbour.speaks()
        await wait(house, clock, 3 * STEADY)
        assert len(told(house)) == 2
        assert told(house)[1].startswith("✅ Harbour works again. It did not from ")
        await wait(house, clock, 3600)
        assert len(told(house)) == 2


async def test_a_platform_that_cannot_send(tmp_path: Path) -> None:
    clock = FakeClock()
    harbour = Harbour(clock)
    async with two_platforms(tmp_path, harbour, clock) as house:
        harbour.shut = NotSent("Harbour cannot be reached")
        await harbour.say("hello")
        await tried(harbour)
        await wait(house, clock, UNSENT + 3 * LOOK)
        assert "but nothing could be sent for 2 min" in await status(house)
        assert not house.engine.platforms["harbour"].up
        await wait(house, clock, GRACE + LOOK)
        (line,) = told(house)
        assert "nothing could be sent for" in line
        assert "Harbour cannot be reached" in line
        harbour.shut = None
        await later(clock, lambda: harbour.texts() == ["Good day."])
        await wait(house, clock, 3 * STEADY)
        assert (await status(house)).startswith("listening")
        assert len(told(house)) == 2
        assert harbour.texts() == ["Good day."]


@pytest.mark.parametrize(
    "fault", [Absent("no window is open"), RetryAfter(30), Refused("blocked")], ids=["absent", "waits", "refused"]
)
async def test_what_is_no_trouble_of_the_platform(tmp_path: Path, fault: DeliveryError) -> None:
    """Nobody sits at the terminal, a short wait, one person who blocked the bot: every day's business."""
    clock = FakeClock()
    harbour = Harbour(clock)
    async with two_platforms(tmp_path, harbour, clock) as house:
        harbour.shut = fault
        await harbour.say("hello")
        await tried(harbour)
        await wait(house, clock, 900)
        assert told(house) == []
        assert (await status(house)).startswith("listening")


async def test_an_answer_ends_the_trouble_even_if_it_is_a_no(tmp_path: Path) -> None:
    """The network was away; when it is back, this one person has blocked the bot, and nobody else is written to."""
    clock = FakeClock()
    harbour = Harbour(clock)
    async with two_platforms(tmp_path, harbour, clock) as house:
        harbour.shut = NotSent("Harbour cannot be reached")
        await harbour.say("hello")
        await tried(harbour)
        await wait(house, clock, UNSENT + 3 * LOOK)
        assert not house.engine.platforms["harbour"].up
        harbour.shut = Refused("blocked")
        await wait(house, clock, UNSENT)
        assert (await status(house)).startswith("listening")
        assert house.engine.platforms["harbour"].up


async def test_everybody_refuses(tmp_path: Path) -> None:
    clock = FakeClock()
    harbour = Harbour(clock)
    async with two_platforms(tmp_path, harbour, clock) as house:
        harbour.shut = Refused("the bot may not write")
        for chat in ("c1", "c2", "c3"):
            await harbour.say("hello", chat=chat)
        await tried(harbour, 3)
        await wait(house, clock, UNSENT + GRACE + 6 * LOOK)
        assert "the bot may not write" in told(house)[0]


@pytest.mark.parametrize("broken", [PlatformDown("the token is refused"), OSError("no network")], ids=["off", "away"])
async def test_a_platform_that_is_down_from_the_start(tmp_path: Path, broken: Exception) -> None:
    clock = FakeClock()
    harbour = NeverHeard(clock)
    harbour.broken = broken
    async with two_platforms(tmp_path, harbour, clock) as house:
        while (await status(house)).startswith("connecting"):  # its adapter has not come to its first try yet
            await asyncio.sleep(0.01)
        assert not house.engine.platforms["harbour"].up
        await wait(house, clock, GRACE + 3 * LOOK)
        (line,) = told(house)
        # What it says in between depends on whether a further try has just begun.
        assert line.startswith(("⚠️ Harbour does not work: it ", "⚠️ Harbour does not work: connecting: "))
        assert "It was never heard." in line
        assert not (await status(house)).startswith(("listening", "connected"))


async def test_a_platform_that_never_answers_is_not_called_listening(tmp_path: Path) -> None:
    clock = FakeClock()
    harbour = NeverHeard(clock)
    async with two_platforms(tmp_path, harbour, clock) as house:
        assert await status(house) == "connecting: nothing was heard yet"
        await wait(house, clock, PULSE + LOOK)
        assert (await status(house)).startswith("deaf: not heard since the start")
        await wait(house, clock, GRACE)
        assert len(told(house)) == 1


async def test_a_restart_repeats_nothing_and_remembers_who_knows(tmp_path: Path) -> None:
    clock = FakeClock()
    adapter, harbour = InProcess(now=clock.now), Harbour(clock)
    async with two_platforms(tmp_path, harbour, clock, house=adapter) as house:
        await wait(house, clock, LOOK)
        harbour.falls_silent()
        await wait(house, clock, PULSE + GRACE + 2 * LOOK)
        assert len(told(house)) == 1
    silent = NeverHeard(clock)
    async with two_platforms(tmp_path, silent, clock, house=adapter) as house:
        await wait(house, clock, PULSE + GRACE + 10 * LOOK)
        assert len(told(house)) == 1
    async with two_platforms(tmp_path, Harbour(clock), clock, house=adapter) as house:
        await wait(house, clock, 3 * STEADY)
        assert len(told(house)) == 2
        assert "works again" in told(house)[1]


async def test_the_time_it_was_last_heard_is_known_after_a_restart(tmp_path: Path) -> None:
    clock = FakeClock()
    async with two_platforms(tmp_path, Harbour(clock), clock) as house:
        await wait(house, clock, LOOK)
    async with two_platforms(tmp_path, NeverHeard(clock), clock) as house:
        await wait(house, clock, PULSE + GRACE + 2 * LOOK)
        (line,) = told(house)
        assert "It was last heard " in line


async def test_one_that_comes_and_goes_does_not_fill_the_chat(tmp_path: Path) -> None:
    clock = FakeClock()
    harbour = Harbour(clock)
    async with two_platforms(tmp_path, harbour, clock) as house:
        for _ in range(12):  # an hour and a half, five minutes each way
            harbour.falls_silent()
            await wait(house, clock, PULSE + 240)
            harbour.speaks()
            await wait(house, clock, 180)
        assert 1 <= len(told(house)) <= 4


async def test_short_silences_are_not_worth_a_word(tmp_path: Path) -> None:
    clock = FakeClock()
    harbour = Harbour(clock)
    async with two_platforms(tmp_path, harbour, clock) as house:
        for _ in range(5):
            harbour.falls_silent()
            await wait(house, clock, PULSE + 30)
            harbour.speaks()
            await wait(house, clock, 300)
        assert told(house) == []


async def test_without_a_home_chat_the_owner_hears_it_where_they_spoke_last(tmp_path: Path) -> None:
    clock = FakeClock()
    harbour = Harbour(clock)
    async with two_platforms(tmp_path, harbour, clock, homes=()) as house:
        await house.adapter.reply_to("hello", chat="c7", sender="bob")
        await house.adapter.reply_to("hello", chat="c8", sender="ada")
        await house.adapter.reply_to("hello", chat="c9", sender="bob")
        harbour.falls_silent()
        await wait(house, clock, PULSE + GRACE + 2 * LOOK)
        assert [len(told(house, chat)) for chat in ("c7", "c8", "c9")] == [1, 2, 1]
        assert "Harbour does not work" in told(house, "c8")[1]


async def test_else_whoever_sits_at_a_terminal(tmp_path: Path) -> None:
    clock = FakeClock()
    harbour = Harbour(clock)
    async with two_platforms(tmp_path, harbour, clock, homes=()) as house:
        house.adapter.watch("desk")
        house.house.delivery.wake(ChatRef("inprocess", "desk"))
        harbour.falls_silent()
        await wait(house, clock, PULSE + GRACE + 2 * LOOK)
        assert "Harbour does not work" in told(house, "desk")[0]


async def test_when_nobody_could_be_told_its_own_home_chat_hears_it_afterwards(tmp_path: Path) -> None:
    clock = FakeClock()
    harbour = Harbour(clock)
    async with two_platforms(tmp_path, harbour, clock, homes=("harbour:h1",)) as house:
        harbour.falls_silent()
        await wait(house, clock, PULSE + 1800)
        assert [each["told"] for each in house.notes.named("platform.trouble")] == ["nobody: no other chat is known"]
        assert harbour.texts("h1") == []
        harbour.speaks()
        await wait(house, clock, 3 * STEADY)
        (line,) = harbour.texts("h1")
        assert line.startswith("✅ Harbour works again. It did not from ")


async def test_news_of_one_platform_never_go_to_another_that_is_down_too(tmp_path: Path) -> None:
    clock = FakeClock()
    harbour, port = Harbour(clock), Harbour(clock, "port")
    doors = {"inprocess": OpenDoor(), "harbour": OpenDoor(), "port": OpenDoor()}
    wanted = settings(platforms=doors, access=Access(home_chats=("harbour:h1", "port:p1")))
    async with guesthouse(
        tmp_path, [], clock=clock, more=[harbour, port], with_settings=wanted, full_status=True
    ) as house:
        harbour.falls_silent()
        port.falls_silent()
        await wait(house, clock, PULSE + 600)
        assert (harbour.texts("h1"), port.texts("p1")) == ([], [])
        port.speaks()
        await wait(house, clock, 120)
        assert [text[:22] for text in port.texts("p1")] == ["⚠️ Harbour does not wo", "✅ Port works again. It"]
