"""Files that are late, large or lost: the turn goes on, and the row says what is missing."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from gateway.attachments.intake import AT_A_TIME, DEADLINE, KEPT
from gateway.config.sections import Attachments
from gateway.models.client import Request
from gateway.state.records import InboxItem
from gateway.state.store import SqliteStore
from platforms.errors import DeliveryError, NotSent, RetryAfter
from platforms.in_process import InProcess
from platforms.messages import Attachment, ChatKind, ChatRef
from tests.fakes.clock import FakeClock, settle
from tests.fakes.files import given, png
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.scripted_model import Script, Turn
from tests.scenarios.props import CHAT, START, event, gateway, later, until


class Network(InProcess):
    """A platform whose files come when a test lets them, or not at all."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(now=clock.now)
        self.gate: asyncio.Event | None = None
        self.troubles: list[DeliveryError | Exception] = []
        self.fetching = 0
        self.most = 0
        self.fetched = 0

    async def fetch(self, attachment: Attachment) -> bytes:
        self.fetching += 1
        self.fetched += 1
        self.most = max(self.most, self.fetching)
        try:
            if self.gate is not None:
                await self.gate.wait()
            if self.troubles:
                raise self.troubles.pop(0)
            return await super().fetch(attachment)
        finally:
            self.fetching -= 1


class Hasty(Network):
    """A platform that asks to wait when it is shown a sign."""

    signs = 0

    async def typing(self, chat: ChatRef) -> None:
        self.signs += 1
        raise RetryAfter(30.0)


def item(number: int, file: Attachment) -> InboxItem:
    said = replace(event("", f"e{number}"), attachments=(file,))
    return InboxItem(number, CHAT.key, said, START)


def fine(request: Request) -> str:
    return "Fine."


def read(house: Guesthouse, request: int = -1) -> str:
    return [each.content for each in house.model.requests[request].messages if each.role == "user"][-1]


async def gives(adapter: InProcess, text: str = "", name: str = "holiday.png", size: int | None = None) -> None:
    await adapter.say(text, attachments=(given(adapter, name, png(), "picture", size),))


async def test_the_sink_never_waits_for_a_file(tmp_path: Path) -> None:
    clock = FakeClock()
    network = Network(clock)
    network.gate = asyncio.Event()
    async with guesthouse(tmp_path, fine, clock=clock, adapter=network) as house:
        await asyncio.wait_for(gives(network, "look"), 30)
        await until(lambda: network.fetching == 1)
        assert house.model.requests == []
        await clock.advance(5)
        assert network.progressed() == ["fetching what you sent"] * 2
        network.gate.set()
        await network.until_text("Fine.")
        assert "look\n[picture: holiday.png, 4x3" in read(house)


async def test_a_platform_that_asks_to_wait_while_a_file_is_fetched_is_left_alone(tmp_path: Path) -> None:
    clock = FakeClock()
    network = Hasty(clock)
    network.gate = asyncio.Event()
    async with guesthouse(tmp_path, fine, clock=clock, adapter=network) as house:
        await gives(network, "look")
        await until(lambda: network.fetching == 1)
        await later(clock, lambda: network.signs == 1)
        assert house.house.delivery.quiet(CHAT)
        await clock.advance(25)
        await settle()
        assert network.signs == 1
        await clock.advance(10)
        await settle()
        assert network.signs >= 2
        network.gate.set()
        await later(clock, lambda: bool(network.texts()))


async def test_files_of_a_crowd_that_were_forgotten_are_fetched_again(tmp_path: Path) -> None:
    """An album of which one file was slow, behind more events with files than are remembered."""
    clock = FakeClock()
    network = Network(clock)
    async with guesthouse(tmp_path, fine, clock=clock, adapter=network) as house:
        intake = house.house.intake
        assert intake is not None
        album = [item(number, given(network, f"{number}.png", png(), "picture")) for number in range(4)]
        network.gate = asyncio.Event()
        intake.begin(album[1])
        await until(lambda: network.fetching == 1)
        slow, network.gate = network.gate, None
        crowd = [item(9 + number, given(network, "x.png", png(), "picture")) for number in range(KEPT)]
        for each in (album[0], album[2], *crowd):
            intake.begin(each)
            await until(partial(intake.ready, [each]))
        slow.set()
        await until(lambda: intake.ready([album[1]]))
        came = await intake.brought(album)
        assert [f"{number}.png" in came[f"e{number}"][0].line for number in range(4)] == [True] * 4


async def test_a_fetch_that_hangs_ends_in_words(tmp_path: Path) -> None:
    clock = FakeClock()
    network = Network(clock)
    network.gate = asyncio.Event()
    async with guesthouse(tmp_path, fine, clock=clock, adapter=network) as house:
        await gives(network, "look")
        await until(lambda: network.fetching == 1)
        await later(clock, lambda: bool(house.model.requests), step=20)
        assert f"look\n[picture holiday.png could not be fetched: no end after {DEADLINE:.0f} s]" in read(house)
        assert network.fetching == 0


@pytest.mark.parametrize("told", [25_000_000, 0])
async def test_too_large_is_said_with_both_figures(tmp_path: Path, told: int) -> None:
    """Whether the platform tells the size before, or only the bytes do."""
    bound = 20_000_000 if told else 50
    small = settings(attachments=Attachments(max_bytes=bound))
    async with guesthouse(tmp_path, fine, with_settings=small) as house:
        await gives(house.adapter, "look", size=told)
        await house.adapter.until_text("Fine.")
        figures = "25 MB, at most 20 MB" if told else f"{len(png())} bytes, at most 50 bytes"
        assert f"[picture holiday.png could not be fetched: too large ({figures})]" in read(house)


async def test_a_bad_connection_is_tried_again_and_a_refusal_is_not(tmp_path: Path) -> None:
    clock = FakeClock()
    network = Network(clock)
    network.troubles = [NotSent("the network is away"), NotSent("the network is away")]
    async with guesthouse(tmp_path, fine, clock=clock, adapter=network) as house:
        await gives(network)
        await later(clock, lambda: bool(house.model.requests), step=1)
        assert "[picture: holiday.png" in read(house)
        assert network.fetched == 3
        gone = given(network, "gone.png", png(), "picture")
        network.files.clear()
        await network.say("", attachments=(gone,))
        await until(lambda: len(house.model.requests) == 2)
        assert "gone.png could not be fetched: the file is not there" in read(house)
        assert network.fetched == 4


async def test_an_adapter_that_breaks_breaks_no_turn(tmp_path: Path) -> None:
    clock = FakeClock()
    network = Network(clock)
    network.troubles = [KeyError("file_path")]
    async with guesthouse(tmp_path, fine, clock=clock, adapter=network) as house:
        await gives(network)
        await network.until_text("Fine.")
        assert "could not be fetched: KeyError]" in read(house)


async def test_only_so_many_files_at_a_time(tmp_path: Path) -> None:
    clock = FakeClock()
    network = Network(clock)
    network.gate = asyncio.Event()
    async with guesthouse(tmp_path, fine, clock=clock, adapter=network) as house:
        for number in range(AT_A_TIME + 3):
            picture = given(network, f"{number}.png", png(), "picture")
            await network.say("", chat=f"c{number}", attachments=(picture,))
        await until(lambda: network.fetching == AT_A_TIME)
        await settle()
        assert network.fetched == AT_A_TIME
        network.gate.set()
        await until(lambda: len(house.model.requests) == AT_A_TIME + 3)
        assert network.most == AT_A_TIME


async def test_stop_does_not_wait_for_a_file(tmp_path: Path) -> None:
    clock = FakeClock()
    network = Network(clock)
    network.gate = asyncio.Event()
    async with guesthouse(tmp_path, fine, clock=clock, adapter=network) as house:
        await gives(network, "look")
        await until(lambda: network.fetching == 1)
        await network.reply_to("/stop")
        network.gate.set()
        await network.reply_to("hello")
        assert [read(house).partition("]\n")[2]] == ["hello"]


async def test_a_file_that_was_being_fetched_when_the_process_died(tmp_path: Path) -> None:
    """The event is stored, and nothing else: the next process fetches the file."""
    store = await SqliteStore.open(tmp_path / "state.db")
    adapter = InProcess()
    picture = given(adapter, "holiday.png", png(), "picture")
    stored = replace(event("look", "e1", at=adapter._now()), attachments=(picture,))
    await store.inbox.accept(stored, CHAT.key, adapter._now())
    await store.close()
    async with guesthouse(tmp_path, fine, adapter=adapter) as house:
        await adapter.until_text("Fine.")
        assert "look\n[picture: holiday.png, 4x3" in read(house)


async def test_a_turn_that_is_resumed_has_its_files_already(tmp_path: Path) -> None:
    """The rows of a turn hold what came with it; its files are not fetched twice."""
    clock = FakeClock()
    network, stop = Network(clock), gateway(drain_seconds=0)
    hangs = Turn([asyncio.Event()])
    async with guesthouse(tmp_path, [hangs], clock=clock, adapter=network, with_settings=stop) as house:
        await gives(network, "look")
        await until(lambda: len(house.model.requests) == 1)
    again = Network(clock)
    async with guesthouse(tmp_path, fine, clock=clock, adapter=again) as house:
        await again.until_text("Fine.")
        assert "look\n[picture: holiday.png, 4x3" in read(house)
        assert house.model.requests[0].messages[-1].pictures != ()
        assert again.fetched == 0


async def test_a_message_with_a_file_does_not_steer(tmp_path: Path) -> None:
    gate = asyncio.Event()
    script: Script = [Turn(["One", gate]), "Two."]
    async with guesthouse(tmp_path, script, with_settings=gateway(busy="steer")) as house:
        await house.adapter.say("1")
        await house.adapter.until_text("One")
        await gives(house.adapter, "2")
        await house.adapter.until_text("Noted, after the current answer")
        gate.set()
        await house.adapter.until_text("Two.")
        assert "2\n[picture: holiday.png" in read(house)


async def test_an_album_in_a_room_is_heard_whole_when_its_caption_calls(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, fine, clock=clock) as house:
        for number in range(3):
            picture = given(house.adapter, f"{number}.png", png(), "picture")
            await house.adapter.say(
                "@house look" if number == 0 else "",
                chat="g1",
                kind=ChatKind.GROUP,
                addressed=number == 0,
                attachments=(picture,),
                media_group="album",
            )
        await later(clock, lambda: bool(house.model.requests))
        assert all(f"{number}.png" in read(house) for number in range(3))


async def test_files_lie_private_and_under_no_name_of_theirs(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, fine) as house:
        await gives(house.adapter, "", "../../evil.png")
        await house.adapter.until_text("Fine.")
        (file,) = [each for each in (tmp_path / "cache").rglob("*") if each.is_file()]
        assert file.read_bytes() == png()
        assert "evil" not in str(file)
        assert file.stat().st_mode & 0o777 == 0o600
        assert all(each.stat().st_mode & 0o777 == 0o700 for each in list(file.parents)[:2])


async def test_a_disk_that_is_full_loses_the_file_and_not_the_message(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, fine) as house:
        (tmp_path / "cache").write_text("in the way")
        await gives(house.adapter, "look")
        await house.adapter.until_text("Fine.")
        assert "look\n[picture holiday.png could not be fetched: it cannot be kept on this machine" in read(house)
