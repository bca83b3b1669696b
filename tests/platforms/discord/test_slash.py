"""Orders out of Discord's menu: registered once, acknowledged at once, answered in the channel."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from platforms.contract import Listening, eventually
from platforms.discord.hearing import LOST
from platforms.discord.slash import line, registration
from platforms.errors import Refused, RetryAfter
from platforms.manifest import MenuCommand, MenuOption
from platforms.messages import Button, ChatRef, Inbound, Outbound, TurnSummary
from tests.fakes.clock import FakeClock
from tests.fakes.discord import DiscordServer, Fault, Person, Room, rate_limited
from tests.fakes.discord.faults import missing_permissions
from tests.platforms.discord.house import adapter_of, direct, open_adapter

ADA = 222333444555666777
LATER = 5

ID = MenuOption("id", "its id", required=True)
MENU = (
    MenuCommand("new", "start a fresh session", (MenuOption("title", "its title"),)),
    MenuCommand(
        "memory",
        "what is remembered",
        actions=(
            MenuCommand("show", "both files"),
            MenuCommand("approve", "carry out what waits", (ID,)),
            MenuCommand("edit", "another text", (MenuOption("text", "the new text", required=True), ID)),
        ),
    ),
    MenuCommand("backlog", "what came in", (MenuOption("choice", "what to do", True, ("answer", "drop")),)),
)


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


def summary(event: Inbound, outcome: str = "command") -> TurnSummary:
    return TurnSummary((event.event_id,), "s1", "", outcome=outcome)


async def until_registered(server: DiscordServer) -> None:
    await server.until(lambda: bool(server.commands.everywhere))


class Slow(Listening):
    """Stores only when the gate is open, as on a disk that hangs."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()

    async def __call__(self, event: Inbound) -> None:
        await self.gate.wait()
        await super().__call__(event)


class Broken(Listening):
    """Stores nothing."""

    async def __call__(self, event: Inbound) -> None:
        raise OSError("disk full")


class TestTheMenu:
    async def test_it_is_registered_once_and_again_only_when_it_changed(
        self, server: DiscordServer, tmp_path: Path, ada: Person
    ) -> None:
        for menu, times in ((MENU, 1), (MENU, 1), (MENU[:1], 2)):
            adapter = adapter_of(server, tmp_path, menu=menu)
            async with open_adapter(adapter) as ear:
                server.gateway.forget_sessions()
                await server.until(lambda: not server.gateway.connected)
                await server.until_connected()
                ada.says("there?")
                await eventually(lambda ear=ear: bool(ear.heard))
                await server.until(lambda times=times: len(server.called("put_commands")) == times)
        assert [each["name"] for each in server.commands.everywhere] == ["new"]

    async def test_a_failure_leaves_the_bot_working_by_text(
        self, server: DiscordServer, tmp_path: Path, ada: Person
    ) -> None:
        server.misbehave("put_commands", rate_limited(200))
        async with open_adapter(adapter_of(server, tmp_path, menu=MENU)) as ear:
            await server.until(lambda: bool(server.called("put_commands")))
            ada.says("/new")
            assert [each.text for each in await ear.until_heard(1)] == ["/new"]
        async with open_adapter(adapter_of(server, tmp_path, menu=MENU)):
            await until_registered(server)

    def test_what_discord_would_refuse_is_left_out_or_cut(self) -> None:
        many = tuple(MenuCommand(f"c{number}", "x" * 300) for number in range(140))
        listed = registration((MenuCommand("Bad Name", "?"), *many, many[0]))
        assert len(listed) == 100
        assert len({each["name"] for each in listed}) == 100
        assert {len(each["description"]) for each in listed} == {100}
        (edit,) = (each for each in registration(MENU)[1]["options"] if each["name"] == "edit")
        assert [each["name"] for each in edit["options"]] == ["text", "id"]
        optional_first = MenuCommand("c", "c", (MenuOption("a", "a"), MenuOption("b", "b", required=True)))
        (command,) = registration((optional_first,))
        assert [each["name"] for each in command["options"]] == ["b", "a"]

    def test_what_was_chosen_reads_as_a_command_line(self) -> None:
        given = [{"name": "id", "type": 3, "value": "1a2b"}, {"name": "text", "type": 3, "value": " two words "}]
        data = {"name": "memory", "options": [{"name": "edit", "type": 1, "options": given}]}
        assert line(data, MENU) == "/memory edit two words 1a2b"
        assert line(data, ()) == "/memory edit 1a2b two words"
        assert line({"name": "new"}, MENU) == "/new"


class TestOrders:
    async def test_an_order_is_heard_as_a_command_and_answered_in_the_channel(
        self, server: DiscordServer, tmp_path: Path, ada: Person
    ) -> None:
        adapter = adapter_of(server, tmp_path, menu=MENU)
        async with open_adapter(adapter) as ear:
            await until_registered(server)
            order = ada.orders("memory approve", id="1a2b")
            (event,) = await ear.until_heard(1)
            assert (event.text, event.event_id, event.chat) == ("/memory approve 1a2b", str(order.id), direct(ada))
            assert (event.sender.id, event.addressed, event.pressed) == (str(ADA), True, False)
            await server.until(lambda: order.answered == LATER)
            assert [each.thinking for each in ada.seen()] == [True]
            await adapter.send(Outbound(event.chat, "approved", nonce="n1"))
            await server.until(lambda: ada.texts() == ["approved"])
            await adapter.finished(event.chat, summary(event))
            await adapter.send(Outbound(event.chat, "more"))
        assert next((each.text, each.thinking, each.nonce) for each in ada.seen()) == ("approved", False, "n1")
        assert ada.texts() == ["approved", "more"]

    async def test_it_is_acknowledged_before_it_is_stored(
        self, server: DiscordServer, tmp_path: Path, ada: Person
    ) -> None:
        ear = Slow()
        async with open_adapter(adapter_of(server, tmp_path, menu=MENU), ear):
            await until_registered(server)
            order = ada.orders("new")
            await server.until(lambda: order.answered == LATER)
            assert ear.heard == []
            ear.gate.set()
            await ear.until_heard(1)

    async def test_an_order_that_nothing_is_said_to_gets_a_tick(
        self, server: DiscordServer, tmp_path: Path, ada: Person
    ) -> None:
        adapter = adapter_of(server, tmp_path, menu=MENU)
        async with open_adapter(adapter) as ear:
            await until_registered(server)
            order = ada.orders("new", title="garden")
            (event,) = await ear.until_heard(1)
            assert event.text == "/new garden"
            await adapter.finished(event.chat, summary(event))
            await server.until(lambda: order.texts == ["✓"])

    async def test_an_order_that_is_refused_says_so_to_whoever_gave_it(
        self, server: DiscordServer, tmp_path: Path, ada: Person, lobby: Room
    ) -> None:
        adapter = adapter_of(server, tmp_path, menu=MENU)
        async with open_adapter(adapter) as ear:
            await until_registered(server)
            order = ada.orders("new", lobby)
            (event,) = await ear.until_heard(1)
            refusal = TurnSummary((event.event_id,), "", f"not for <@{ADA}> and @everyone", outcome="refused")
            await adapter.finished(event.chat, refusal)
            await server.until(lambda: order.texts == [refusal.reply])
            (seen,) = lobby.seen(ada)
            assert (seen.ephemeral, seen.thinking, seen.pinged, seen.people) == (True, False, False, ())

    async def test_an_order_that_is_told_of_twice_is_acknowledged_once(
        self, server: DiscordServer, tmp_path: Path, ada: Person
    ) -> None:
        adapter = adapter_of(server, tmp_path, menu=MENU)
        async with open_adapter(adapter) as ear:
            await until_registered(server)
            order = ada.orders("new")
            await ear.until_heard(1)
            server.world.emit("INTERACTION_CREATE", lambda intents: server.interactions._told(order, intents))
            await ear.until_heard(2)
            await server.until(lambda: order.answered == LATER)
        assert len(server.called("answer_interaction")) == 1

    async def test_a_limit_for_everything_holds_up_no_acknowledgement(
        self, server: DiscordServer, tmp_path: Path, ada: Person
    ) -> None:
        """Discord does not count them against it."""
        adapter = adapter_of(server, tmp_path, menu=MENU)
        async with open_adapter(adapter) as ear:
            await until_registered(server)
            server.misbehave("create_message", rate_limited(20.0, "global"))
            with pytest.raises(RetryAfter):
                await adapter.send(Outbound(direct(ada), "x"))
            order = ada.orders("new")
            await ear.until_heard(1)
            await server.until(lambda: order.answered == LATER)
            with pytest.raises(RetryAfter):
                await adapter.send(Outbound(direct(ada), "x"))

    async def test_an_order_that_waits_when_the_house_closes_is_not_left_thinking(
        self, server: DiscordServer, tmp_path: Path, ada: Person
    ) -> None:
        """Its answer comes as a message, whenever that is; its token dies with the process."""
        async with open_adapter(adapter_of(server, tmp_path, menu=MENU)) as ear:
            await until_registered(server)
            order = ada.orders("new")
            await ear.until_heard(1)
            await server.until(lambda: order.answered == LATER)
            server.misbehave("delete_original", Fault.BAD_GATEWAY)
            ada.orders("new")
            await ear.until_heard(2)
        assert [each.thinking for each in ada.seen()] == [True], "one try each; nobody waits for more"

    async def test_an_order_that_cannot_be_stored_says_so(
        self, server: DiscordServer, tmp_path: Path, ada: Person
    ) -> None:
        buried: list[str] = []

        async def bury(event_id: str, why: str, raw: str) -> None:
            buried.append(event_id)

        async with open_adapter(adapter_of(server, tmp_path, menu=MENU, bury=bury), Broken()):
            await until_registered(server)
            order = ada.orders("new")
            await server.until(lambda: order.texts == [LOST])
            assert buried == [str(order.id)]

    async def test_an_order_that_cannot_be_acknowledged_is_carried_out_all_the_same(self, tmp_path: Path) -> None:
        clock = FakeClock()
        async with DiscordServer(now=clock.now) as server:
            ada = server.user(ADA, "Ada")
            adapter = adapter_of(server, tmp_path, menu=MENU, now=clock.now)
            async with open_adapter(adapter) as ear:
                await until_registered(server)
                server.misbehave("answer_interaction", Fault.BAD_GATEWAY, times=3)
                order = ada.orders("new")
                (event,) = await ear.until_heard(1)
                await adapter.send(Outbound(event.chat, "a fresh session"))
                await adapter.finished(event.chat, summary(event))
                await server.until(lambda: len(server.called("answer_interaction")) == 3)
            assert order.answered is None
            assert ada.texts() == ["a fresh session"]

    async def test_an_order_whose_token_is_gone_is_answered_in_the_channel(self, tmp_path: Path) -> None:
        clock = FakeClock()
        async with DiscordServer(now=clock.now) as server:
            ada = server.user(ADA, "Ada")
            adapter = adapter_of(server, tmp_path, menu=MENU, now=clock.now)
            async with open_adapter(adapter) as ear:
                await until_registered(server)
                order = ada.orders("new")
                (event,) = await ear.until_heard(1)
                await server.until(lambda: order.answered == LATER)
                await clock.advance(20 * 60)
                await adapter.send(Outbound(event.chat, "a fresh session"))
                await server.until(lambda: bool(server.called("delete_original")))
            assert ada.texts()[-1] == "a fresh session"

    async def test_where_the_bot_may_not_write_it_answers_whoever_asked(
        self, server: DiscordServer, tmp_path: Path, ada: Person, lobby: Room
    ) -> None:
        adapter = adapter_of(server, tmp_path, menu=MENU)
        async with open_adapter(adapter) as ear:
            await until_registered(server)
            lobby.bar(missing_permissions())
            order = ada.orders("new", chat=lobby)
            (event,) = await ear.until_heard(1)
            assert event.chat == ChatRef("discord", str(lobby.number))
            sent = await adapter.send(Outbound(event.chat, "a fresh session"))
            assert order.texts == ["a fresh session"]
            await adapter.edit(sent, Outbound(event.chat, "a fresh session, indeed"))
            await adapter.finished(event.chat, summary(event))
            assert order.texts == ["a fresh session, indeed"]
        again = adapter_of(server, tmp_path)
        async with open_adapter(again):
            with pytest.raises(Refused):
                await again.send(Outbound(event.chat, "nobody asked"))

    async def test_a_press_is_acknowledged_before_it_is_stored(
        self, server: DiscordServer, tmp_path: Path, ada: Person
    ) -> None:
        ear, adapter = Slow(), adapter_of(server, tmp_path)
        async with open_adapter(adapter, ear):
            await adapter.send(Outbound(direct(ada), "a card", ((Button("Go", "/go"),),)))
            press = ada.presses("Go")
            await server.until(lambda: press.answered is not None)
            assert ear.heard == []
            ear.gate.set()
            (event,) = await ear.until_heard(1)
            assert event.pressed
