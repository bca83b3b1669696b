"""What people do on Discord, and what the house hears and says: direct chats, guilds, threads, files, buttons."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from platforms.contract import Listening, eventually
from platforms.discord.adapter import DiscordAdapter
from platforms.errors import Refused
from platforms.messages import Attachment, Button, ChatKind, ChatRef, Outbound, OutFile
from tests.fakes.discord import DiscordServer, Fault, Person, Room, shapes
from tests.platforms.discord.house import adapter_of, direct, open_adapter

ADA, BEN = 222333444555666777, 222333444555666888
LOBBY = 900100200300400500


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    async with DiscordServer() as server:
        yield server


@pytest.fixture
def ada(server: DiscordServer) -> Person:
    return server.user(ADA, "Ada")


@pytest.fixture
def lobby(server: DiscordServer) -> Room:
    return server.guild(900100200300400000, "The Inn").channel(LOBBY, "lobby")


@pytest.fixture
def adapter(server: DiscordServer, tmp_path: Path) -> DiscordAdapter:
    return adapter_of(server, tmp_path)


@pytest.fixture
async def ear(adapter: DiscordAdapter, lobby: Room) -> AsyncIterator[Listening]:
    async with open_adapter(adapter) as ear:
        yield ear


def group(thread: Room | None = None) -> ChatRef:
    return ChatRef("discord", str(LOBBY), str(thread.number) if thread is not None else None)


async def test_a_direct_chat(server: DiscordServer, adapter: DiscordAdapter, ear: Listening, ada: Person) -> None:
    message = ada.says("hello *there*")
    (event,) = await ear.until_heard(1)
    assert (event.chat, event.kind, event.addressed) == (direct(ada), ChatKind.DIRECT, True)
    assert (event.event_id, event.message_id) == (str(message.id), str(message.id))
    assert (event.sender.id, event.sender.name, event.sender.is_bot) == (str(ADA), "Ada", False)
    assert event.account == adapter.account == str(server.world.bot.id)
    assert event.units == len("hello *there*")
    await adapter.typing(event.chat)
    await adapter.send(Outbound(event.chat, "**hi** Ada", reply_to=event.message_id, quiet=True))
    (seen,) = ada.seen()
    assert (seen.text, seen.reply_to, seen.quiet, seen.people) == ("**hi** Ada", message.id, True, ())
    assert len(ada.chat.typing) == 1


async def test_an_answer_to_a_message_that_is_gone_stands_alone(
    adapter: DiscordAdapter, ear: Listening, ada: Person
) -> None:
    message = ada.says("never mind")
    ada.deletes(message)
    await adapter.send(Outbound(direct(ada), "as you like", reply_to=str(message.id)))
    (seen,) = ada.seen()
    assert (seen.text, seen.reply_to) == ("as you like", None)


async def test_nobody_is_pinged(server: DiscordServer, adapter: DiscordAdapter, ear: Listening, ada: Person) -> None:
    sent = await adapter.send(Outbound(group(), f"@everyone and @here and <@{ADA}>"))
    await adapter.edit(sent, Outbound(group(), f"@everyone, <@{ADA}>, once more"))
    (seen,) = server.chat(LOBBY).seen()
    assert (seen.pinged, seen.people) == (False, ())


async def test_what_was_forwarded_is_not_the_senders_own_word(
    server: DiscordServer, ear: Listening, ada: Person
) -> None:
    ada.says("mine")
    told = shapes.message(server.world, server.world.write(ada.chat.state, ada.account), shapes.MESSAGE_CONTENT)
    passed_on = told | {"content": "/memory approve all"}
    about = {"type": 1, "message_id": told["id"], "channel_id": told["channel_id"]}
    news = told | {"message_reference": about, "message_snapshots": [{"message": passed_on}]}
    server.world.emit("MESSAGE_CREATE", lambda intents: news)
    own, event = await ear.until_heard(2)
    assert event.text == "[forwarded]\n/memory approve all"
    assert (own.passed_on, event.passed_on) == (False, True)


class TestGuilds:
    async def test_the_bot_is_meant_when_it_is_named_or_answered(
        self, server: DiscordServer, adapter: DiscordAdapter, ear: Listening, ada: Person, lobby: Room
    ) -> None:
        mine = await adapter.send(Outbound(group(), "I am here"))
        ada.says("talking to Ben", chat=lobby)
        ada.says("what time is it?", chat=lobby, mention=True)
        ada.says("are you?", chat=lobby, reply_to=int(mine))
        ada.says("@everyone look", chat=lobby)
        events = await ear.until_heard(4)
        assert [each.text for each in events] == ["talking to Ben", "what time is it?", "are you?", "@everyone look"]
        assert [each.addressed for each in events] == [False, True, True, False]
        assert [each.quoted for each in events] == ["", "", "I am here", ""]
        assert {(each.chat, each.kind) for each in events} == {(group(), ChatKind.GROUP)}

    async def test_names_stand_in_the_place_of_ids(
        self, server: DiscordServer, ear: Listening, ada: Person, lobby: Room
    ) -> None:
        server.user(BEN, "Ben")
        bot = server.world.bot
        ada.says(f"<@{bot.id}>, ask <@{BEN}> about <:wine:123456789012345678>", chat=lobby)
        ada.says(f"<@{bot.id}>", chat=lobby)
        events = await ear.until_heard(2)
        assert [each.text for each in events] == ["ask @Ben about :wine:", "@inn"]

    async def test_other_bots_are_known_as_such(self, server: DiscordServer, ear: Listening, lobby: Room) -> None:
        Person(server, BEN, "Helper", is_bot=True).says("beep", chat=lobby, mention=True)
        (event,) = await ear.until_heard(1)
        assert event.sender.is_bot

    async def test_a_thread_is_a_chat_within_its_channel(
        self, server: DiscordServer, adapter: DiscordAdapter, ear: Listening, ada: Person, lobby: Room
    ) -> None:
        thread = ada.starts_thread("cellar", lobby)
        ada.says("down here", chat=thread, mention=True)
        (event,) = await ear.until_heard(1)
        assert event.chat == group(thread)
        await adapter.typing(event.chat)
        sent = await adapter.send(Outbound(event.chat, "coming"))
        await adapter.edit(sent, Outbound(event.chat, "here I am"))
        assert thread.texts() == ["here I am"]
        assert lobby.texts() == []
        assert len(thread.typing) == 1

    async def test_a_thread_that_was_asleep_is_known_by_its_channel_too(
        self, server: DiscordServer, tmp_path: Path, ada: Person, lobby: Room
    ) -> None:
        thread = ada.starts_thread("cellar", lobby)
        thread.state.archived = True
        async with open_adapter(adapter_of(server, tmp_path)) as ear:
            ada.says("awake", chat=thread, mention=True)
            (event,) = await ear.until_heard(1)
        assert event.chat == group(thread)

    async def test_a_thread_that_cannot_be_looked_up_now_is_no_other_chat(
        self, server: DiscordServer, tmp_path: Path, ada: Person, lobby: Room
    ) -> None:
        """What is written there waits until it is known where it was written."""
        thread = ada.starts_thread("cellar", lobby)
        thread.state.archived = True
        async with open_adapter(adapter_of(server, tmp_path)) as ear:
            server.misbehave("get_channel", Fault.BAD_GATEWAY, times=2)
            ada.says("awake", chat=thread, mention=True)
            await eventually(lambda: bool(ear.heard))
            assert [(each.text, each.chat) for each in ear.heard] == [("awake", group(thread))]


class TestEdits:
    async def test_an_edit_is_an_event_of_its_own(self, ear: Listening, ada: Person) -> None:
        message = ada.says("helo")
        ada.edits(message, "hello")
        ada.edits(message, "hello!")
        first, second, third = await ear.until_heard(3)
        assert [each.text for each in (first, second, third)] == ["helo", "hello", "hello!"]
        assert [each.edited for each in (first, second, third)] == [False, True, True]
        assert {each.message_id for each in ear.heard} == {str(message.id)}
        assert second.event_id.startswith(f"edit:{message.id}:")
        assert len({each.event_id for each in ear.heard}) == 3

    async def test_what_the_bot_edits_is_no_event(self, adapter: DiscordAdapter, ear: Listening, ada: Person) -> None:
        sent = await adapter.send(Outbound(direct(ada), "one"))
        await adapter.edit(sent, Outbound(direct(ada), "two"))
        ada.says("ok")
        assert [each.text for each in await ear.until_heard(1)] == ["ok"]


class TestFiles:
    async def test_files_come_with_what_is_needed_to_fetch_them(
        self, adapter: DiscordAdapter, ear: Listening, ada: Person
    ) -> None:
        ada.uploads("cat.png", b"meow", "look")
        ada.uploads("plan.txt", b"one\ntwo")
        ada.uploads("voice.ogg", b"hum", media_type="audio/ogg", voice_seconds=2.0)
        events = await ear.until_heard(3)
        assert [each.text for each in events] == ["look", "", ""]
        files = [each.attachments[0] for each in events]
        assert [(each.kind, each.name, each.media_type, each.size) for each in files] == [
            ("picture", "cat.png", "image/png", 4),
            ("document", "plan.txt", "text/plain", 7),
            ("voice", "voice.ogg", "audio/ogg", 3),
        ]
        assert [await adapter.fetch(each) for each in files] == [b"meow", b"one\ntwo", b"hum"]

    async def test_an_address_that_expired_is_asked_for_anew(
        self, server: DiscordServer, adapter: DiscordAdapter, ear: Listening, ada: Person
    ) -> None:
        ada.uploads("cat.png", b"meow")
        (event,) = await ear.until_heard(1)
        file = event.attachments[0]
        ids, _, _ = file.locator.partition(" ")
        expired = Attachment(
            file.kind, file.name, file.media_type, file.size, f"{ids} {server.root}/attachments/1/2/x"
        )
        assert await adapter.fetch(expired) == b"meow"
        assert len(server.called("get_message")) == 1
        ada.deletes(int(event.message_id or 0))
        with pytest.raises(Refused):
            await adapter.fetch(expired)

    async def test_a_file_goes_out(
        self, adapter: DiscordAdapter, ear: Listening, ada: Person, tmp_path: Path
    ) -> None:
        (tmp_path / "plan").write_bytes(b"one\ntwo")
        plan = OutFile("plan.txt", "text/plain", str(tmp_path / "plan"))
        part = Outbound(direct(ada), "the **plan**", file=plan, nonce="n1")
        assert await adapter.send(part) == await adapter.send(part)
        (seen,) = ada.seen()
        assert seen.file is not None
        assert (seen.text, seen.file.name, seen.file.data) == ("the **plan**", "plan.txt", b"one\ntwo")
        await adapter.send(Outbound(direct(ada), "", file=plan))
        assert [each.file is not None for each in ada.seen()] == [True, True]
        with pytest.raises(Refused):
            await adapter.send(Outbound(direct(ada), "", file=OutFile("gone", "text/plain", str(tmp_path / "gone"))))


async def test_signs_under_a_message(adapter: DiscordAdapter, ear: Listening, ada: Person) -> None:
    message = ada.says("hello")
    for mark, left in (("👀", ["👀"]), ("👍", ["👍"]), ("", [])):
        await adapter.react(direct(ada), str(message.id), mark)
        assert ada.chat.reactions(message.id) == left
    await adapter.react(direct(ada), "1", "👀")


class TestButtons:
    CARD = ((Button("Approve", "/memory approve 1a2b"), Button("Reject", "/memory reject 1a2b")),)

    async def test_a_button_works_after_a_restart(self, server: DiscordServer, tmp_path: Path, ada: Person) -> None:
        first = adapter_of(server, tmp_path)
        async with open_adapter(first):
            card = await first.send(Outbound(direct(ada), "A write waits", self.CARD))
        async with open_adapter(adapter_of(server, tmp_path)) as ear:
            pressed = ada.presses("Approve")
            await eventually(lambda: any(each.pressed for each in ear.heard))
            event = next(each for each in ear.heard if each.pressed)
            assert (event.text, event.message_id, event.event_id) == ("/memory approve 1a2b", card, str(pressed.id))
            assert (event.chat, event.sender.id) == (direct(ada), str(ADA))
            await server.until(lambda: pressed.answered is not None)
        assert ada.chat.labels() == ["Approve", "Reject"]

    async def test_too_long_an_action_is_refused(self, adapter: DiscordAdapter, ear: Listening, ada: Person) -> None:
        with pytest.raises(Refused):
            await adapter.send(Outbound(direct(ada), "?", ((Button("x", "/" + "ä" * 32),),)))

    async def test_many_buttons_go_on_in_the_next_row(
        self, adapter: DiscordAdapter, ear: Listening, ada: Person
    ) -> None:
        row = tuple(Button(str(number), f"/pick {number}") for number in range(7))
        await adapter.send(Outbound(direct(ada), "which?", (row,)))
        (seen,) = ada.seen()
        assert seen.buttons == (("0", "1", "2", "3", "4"), ("5", "6"))
