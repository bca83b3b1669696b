"""What was missed while the bot was away is heard afterwards: once, in order, and no more than that."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from platforms.contract import eventually
from platforms.discord.seen import MOST, Seen
from tests.fakes.clock import FakeClock
from tests.fakes.discord import DiscordServer, Fault, Person, Room
from tests.fakes.discord.faults import missing_access
from tests.platforms.discord.house import adapter_of, open_adapter, until_heard

ADA = 222333444555666777


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    async with DiscordServer() as server:
        yield server


@pytest.fixture
def ada(server: DiscordServer) -> Person:
    return server.user(ADA, "Ada")


@pytest.fixture
def lobby(server: DiscordServer) -> Room:
    return server.guild(900100200300400000).channel(900100200300400500)


async def test_after_a_restart_everything_is_heard_once_and_in_order(
    server: DiscordServer, tmp_path: Path, ada: Person, lobby: Room
) -> None:
    async with open_adapter(adapter_of(server, tmp_path)) as ear:
        ada.says("one")
        await until_heard(ear, "one")
    thread = ada.starts_thread("cellar", lobby)
    for number in range(130):
        ada.says(f"{number}")
    ada.says("in the lobby", chat=lobby, mention=True)
    ada.says("in the cellar", chat=thread, mention=True)
    server.user(ADA + 1, "Eve").says("a stranger", chat=lobby)
    async with open_adapter(adapter_of(server, tmp_path)) as ear:
        await eventually(lambda: len(ear.heard) == 133)
        ada.says("now")
        await eventually(lambda: len(ear.heard) == 134)
        assert [each.text for each in ear.heard if each.kind == "direct"] == [*map(str, range(130)), "now"]
        inside = {each.text: (each.chat.thread_id, each.addressed) for each in ear.heard if each.kind == "group"}
        assert inside == {
            "in the lobby": (None, True),
            "in the cellar": (str(thread.number), True),
            "a stranger": (None, False),
        }
    async with open_adapter(adapter_of(server, tmp_path)) as ear:
        ada.says("only this")
        await until_heard(ear, "only this")


async def test_the_first_start_fetches_nothing(
    server: DiscordServer, tmp_path: Path, ada: Person, lobby: Room
) -> None:
    ada.says("long ago", chat=lobby, mention=True)
    async with open_adapter(adapter_of(server, tmp_path)) as ear:
        ada.says("now", chat=lobby, mention=True)
        await until_heard(ear, "now")
    assert not server.called("get_messages")


async def test_a_chat_that_was_never_heard_is_looked_into_when_somebody_writes(tmp_path: Path) -> None:
    clock = FakeClock()
    async with DiscordServer(now=clock.now) as server:
        ada = server.user(ADA, "Ada")
        assert ada.chat.number
        await clock.advance(100)
        async with open_adapter(adapter_of(server, tmp_path, now=clock.now)):
            pass
        await clock.advance(100)
        ada.says("anybody there?")
        await clock.advance(100)
        async with open_adapter(adapter_of(server, tmp_path, now=clock.now)) as ear:
            ada.says("hello?")
            await until_heard(ear, "anybody there?", "hello?")


async def test_a_first_message_that_was_missed_is_found_however_late_the_next_one_comes(tmp_path: Path) -> None:
    clock = FakeClock()
    async with DiscordServer(now=clock.now) as server:
        ada = server.user(ADA, "Ada")
        ada.says("before the bot was ever there")
        await clock.advance(100)
        async with open_adapter(adapter_of(server, tmp_path, now=clock.now)):
            pass
        await clock.advance(100)
        ada.says("anybody there?")
        await clock.advance(100)
        note = tmp_path / "cache" / "discord-seen.json"
        before = note.read_text()
        async with open_adapter(adapter_of(server, tmp_path, now=clock.now)) as ear:
            await eventually(lambda: note.read_text() != before)  # it was written down that all is heard so far
            await clock.advance(1000)
            ada.says("hello?")
            await until_heard(ear, "anybody there?", "hello?")


async def test_a_look_that_fails_is_made_again(server: DiscordServer, tmp_path: Path, ada: Person) -> None:
    async with open_adapter(adapter_of(server, tmp_path)) as ear:
        ada.says("one")
        await until_heard(ear, "one")
    ada.says("two")
    server.misbehave("get_messages", Fault.BAD_GATEWAY)
    server.misbehave("get_messages", Fault.HTML)
    async with open_adapter(adapter_of(server, tmp_path)) as ear:
        await until_heard(ear, "two")


async def test_what_the_bot_may_not_read_is_left(
    server: DiscordServer, tmp_path: Path, ada: Person, lobby: Room
) -> None:
    async with open_adapter(adapter_of(server, tmp_path)) as ear:
        ada.says("one", chat=lobby)
        await until_heard(ear, "one")
    ada.says("two", chat=lobby)
    server.misbehave("get_messages", missing_access())
    async with open_adapter(adapter_of(server, tmp_path)) as ear:
        await server.until(lambda: len(server.called("get_messages")) == 1)
        ada.says("three")
        await until_heard(ear, "three")


async def test_a_killed_process_knows_the_chat_of_a_message_that_it_never_stored(
    server: DiscordServer, tmp_path: Path, ada: Person
) -> None:
    seen = Seen(tmp_path / "cache" / "discord-seen.json", 5.0)
    seen.heard(server.world.now() - 3600)
    seen.save(now=True)
    message = ada.says("lost?")
    seen.meet(ada.chat.number, message.id, direct=True)  # and then the process was killed
    async with open_adapter(adapter_of(server, tmp_path)) as ear:
        await until_heard(ear, "lost?")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"channels": 7}', '{"floor": "x", "channels": {}, "direct": []}'])
def test_notes_that_cannot_be_read_are_no_notes(tmp_path: Path, text: str) -> None:
    (tmp_path / "seen.json").write_text(text)
    assert Seen(tmp_path / "seen.json", 0.0).floor is None


def test_the_notes_stay_small(tmp_path: Path) -> None:
    seen = Seen(tmp_path / "seen.json", 0.0)
    for number in range(MOST + 100):
        seen.stored(number, 5)
    seen.stored(0, 6)
    seen.save(now=True)
    again = Seen(tmp_path / "seen.json", 0.0)
    assert (again.after(0), again.after(1), again.after(MOST)) == (6, None, 5)
