"""What people do on Telegram, as the house hears it: who, where, what, and whether the bot was meant."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from gateway.config.schema import Settings
from gateway.engine.arrival.session_key import may_talk, session_key
from platforms.contract import Listening, eventually
from platforms.errors import Refused
from platforms.messages import ChatKind, ChatRef, Inbound, Outbound, OutFile
from platforms.telegram.adapter import TelegramAdapter
from platforms.telegram.settings import TelegramSettings
from tests.fakes.telegram import BotApi, Person, Room
from tests.platforms.telegram.house import adapter_of, direct, open_adapter

GROUP = -1001234567890


@pytest.fixture
async def server() -> AsyncIterator[BotApi]:
    async with BotApi() as server:
        yield server


@pytest.fixture
def adapter(server: BotApi, tmp_path: Path) -> TelegramAdapter:
    return adapter_of(server, tmp_path)


@pytest.fixture
async def ear(adapter: TelegramAdapter) -> AsyncIterator[Listening]:
    async with open_adapter(adapter) as ear:
        yield ear


@pytest.fixture
def ada(server: BotApi) -> Person:
    return server.user(4294967500, "Ada")


@pytest.fixture
def group(server: BotApi) -> Room:
    return server.group(GROUP, "Guests")


async def heard(ear: Listening) -> Inbound:
    """The event that was heard last, once one was."""
    await ear.until_heard(1)
    return ear.heard.pop()


async def test_a_message_in_a_private_chat(ear: Listening, ada: Person) -> None:
    update = ada.says("hello 😀")
    event = await heard(ear)
    assert update is not None
    assert event.chat == ChatRef("telegram", "4294967500")
    assert (event.kind, event.addressed, event.pressed) == (ChatKind.DIRECT, True, False)
    assert (event.sender.id, event.sender.name, event.sender.is_bot) == ("4294967500", "Ada", False)
    assert (event.text, event.units, event.event_id) == ("hello 😀", 8, str(update["update_id"]))
    assert event.message_id == str(update["message"]["message_id"])
    assert event.sent_at == update["message"]["date"]


@pytest.mark.parametrize(
    ("said", "text", "addressed"),
    [
        ("hello all", "hello all", False),
        ("@inn_bot hello", "hello", True),
        ("@Inn_Bot, what is 2*3?", "what is 2*3?", True),
        ("what do you think, @inn_bot?", "what do you think, @inn_bot?", True),
        ("@other_bot hello", "@other_bot hello", False),
        ("/status@inn_bot now", "/status now", True),
        ("😀 /status@Inn_bot", "😀 /status", True),
        ("/status", "/status", False),
        ("@inn_bot", "@inn_bot", True),
    ],
)
async def test_whether_the_bot_is_meant_in_a_group(
    ear: Listening, ada: Person, group: Room, said: str, text: str, addressed: bool
) -> None:
    ada.says(said, chat=group)
    event = await heard(ear)
    assert (event.text, event.addressed, event.kind) == (text, addressed, ChatKind.GROUP)


async def test_a_command_for_another_bot_is_not_heard(ear: Listening, ada: Person, group: Room) -> None:
    ada.says("/new@other_bot", chat=group)
    ada.says("/new", chat=group)
    assert (await heard(ear)).text == "/new"
    assert ear.heard == []


async def test_a_reply_to_the_bot_is_meant_for_it(
    adapter: TelegramAdapter, ear: Listening, ada: Person, group: Room, server: BotApi
) -> None:
    mine = await adapter.send(Outbound(ChatRef("telegram", str(GROUP)), "Room 4 is free."))
    ada.says("thanks", chat=group, reply_to=int(mine))
    assert (await heard(ear)).addressed
    hers = server.world.delivered[-1]["message"]["message_id"]
    ada.says("I mean it", chat=group, reply_to=hers)
    assert not (await heard(ear)).addressed


async def test_a_name_that_is_only_marked_counts_as_a_mention(
    ear: Listening, ada: Person, group: Room, server: BotApi
) -> None:
    mention = {"type": "text_mention", "offset": 0, "length": 3, "user": server.me}
    ada.says("Inn, hello", chat=group, entities=[mention])
    assert (await heard(ear)).addressed


class TestTopics:
    """Topics are chats of their own, and every call goes back into the topic."""

    async def test_a_topic_of_a_forum(
        self, adapter: TelegramAdapter, ear: Listening, ada: Person, server: BotApi
    ) -> None:
        forum = server.group(GROUP, "Forum", forum=True).topic(42)
        ada.says("in the topic", chat=forum, thread=42)
        event = await heard(ear)
        assert event.chat.key == f"telegram:{GROUP}:42"
        await self._answers_in(adapter, event.chat)
        assert [each.thread for each in forum.seen()] == [42, 42]
        assert forum.actions == [("typing", 42)]

    async def test_the_general_topic_of_a_forum(
        self, adapter: TelegramAdapter, ear: Listening, ada: Person, server: BotApi
    ) -> None:
        forum = server.group(GROUP, "Forum", forum=True)
        ada.says("in general", chat=forum)
        event = await heard(ear)
        assert event.chat.key == f"telegram:{GROUP}"
        ada.says("a row of replies in general", chat=forum, thread=7, topic=False)
        assert (await heard(ear)).chat.key == f"telegram:{GROUP}"
        await self._answers_in(adapter, event.chat)
        await adapter.send(Outbound(ChatRef("telegram", str(GROUP), "1"), "to the topic by its number in links"))
        assert [each.thread for each in forum.seen()] == [None, None, None]

    async def test_a_row_of_replies_in_a_plain_group_is_no_topic(
        self, adapter: TelegramAdapter, ear: Listening, ada: Person, group: Room
    ) -> None:
        ada.says("an answer", chat=group, thread=7, topic=False)
        event = await heard(ear)
        assert event.chat.key == f"telegram:{GROUP}"
        await self._answers_in(adapter, event.chat)
        assert group.actions == [("typing", None)]

    async def test_a_topic_of_a_private_chat(self, adapter: TelegramAdapter, ear: Listening, ada: Person) -> None:
        ada.chat.topic(3)
        ada.says("about the garden", thread=3)
        event = await heard(ear)
        assert event.chat.key == "telegram:4294967500:3"
        await self._answers_in(adapter, event.chat)
        await adapter.progress(event.chat, "reading 10 %")
        assert [each.thread for each in ada.seen()] == [3, 3]
        assert ada.chat.drafts == ["reading 10 %"]

    async def test_a_press_comes_from_its_topic(
        self, adapter: TelegramAdapter, ear: Listening, ada: Person, server: BotApi
    ) -> None:
        from platforms.messages import Button

        forum = server.group(GROUP, "Forum", forum=True).topic(42)
        chat = ChatRef("telegram", str(GROUP), "42")
        card = await adapter.send(Outbound(chat, "A write waits", ((Button("Approve", "/memory approve 1a"),),)))
        query = ada.presses("Approve", chat=forum)
        event = await heard(ear)
        assert (event.chat, event.text, event.message_id, event.pressed) == (chat, "/memory approve 1a", card, True)
        assert event.sender.id == "4294967500"
        await eventually(lambda: server.world.queries[query].answered)

    async def _answers_in(self, adapter: TelegramAdapter, chat: ChatRef) -> None:
        await adapter.typing(chat)
        await adapter.send(Outbound(chat, "an answer"))
        await adapter.send(Outbound(chat, "", file=OutFile("notes.txt", "text/plain", __file__)))


async def test_the_topics_first_message_is_nobodys_reply_to_the_bot(
    ear: Listening, ada: Person, server: BotApi
) -> None:
    forum = server.group(GROUP, "Forum", forum=True).topic(42)
    opened = {"message_id": 42, "date": 1, "chat": forum.state.raw, "from": server.me}
    opened["forum_topic_created"] = {"name": "Garden", "icon_color": 1}
    ada.says("hello", chat=forum, thread=42, reply_to_message=opened)
    assert not (await heard(ear)).addressed


class TestFiles:
    @pytest.mark.parametrize(
        ("sent", "kind", "media_type"),
        [
            ("photo", "picture", "image/jpeg"),
            ("document", "document", "application/octet-stream"),
            ("voice", "voice", "audio/ogg"),
            ("video", "video", "video/mp4"),
            ("audio", "document", "audio/mpeg"),
        ],
    )
    async def test_a_file_is_heard_and_fetched(
        self, adapter: TelegramAdapter, ear: Listening, ada: Person, sent: str, kind: str, media_type: str
    ) -> None:
        ada.sends(sent, "x.bin", b"\x00\xffbytes", caption="what is this?")
        event = await heard(ear)
        (file,) = event.attachments
        assert (event.text, file.kind, file.media_type, file.size) == ("what is this?", kind, media_type, 7)
        assert await adapter.fetch(file) == b"\x00\xffbytes"

    async def test_a_bot_api_server_of_ones_own_keeps_files_where_they_can_be_read(
        self, adapter: TelegramAdapter, ear: Listening, ada: Person, server: BotApi, tmp_path: Path
    ) -> None:
        ada.sends("document", "x.bin", b"\x00\xffbytes")
        (file,) = (await heard(ear)).attachments
        server.local = tmp_path / "elsewhere"
        with pytest.raises(Refused, match="cannot be read from here"):
            await adapter.fetch(file)
        server.local.mkdir()
        assert await adapter.fetch(file) == b"\x00\xffbytes"

    async def test_a_file_that_is_too_large_is_not_fetched(
        self, adapter: TelegramAdapter, ear: Listening, ada: Person, server: BotApi, tmp_path: Path
    ) -> None:
        server.local = tmp_path
        ada.sends("document", "film.mkv", bytes(adapter.capabilities.takes_files + 1))
        (file,) = (await heard(ear)).attachments
        with pytest.raises(Refused, match="are not fetched"):
            await adapter.fetch(file)

    async def test_an_album_has_one_group(self, ear: Listening, ada: Person) -> None:
        ada.sends_album(["a", "b", "c"], caption="our holiday")
        events = await ear.until_heard(3)
        assert {event.media_group for event in events} == {events[0].media_group}
        assert events[0].media_group
        assert [event.text for event in events] == ["our holiday", "", ""]

    async def test_a_file_goes_out(
        self, adapter: TelegramAdapter, ear: Listening, ada: Person, tmp_path: Path
    ) -> None:
        (tmp_path / "plan").write_bytes(b"one\ntwo")
        plan = OutFile("plan.txt", "text/plain", str(tmp_path / "plan"))
        await adapter.send(Outbound(direct(ada.number), "the *plan*", file=plan))
        (seen,) = ada.seen()
        assert seen.file is not None
        assert (seen.text, seen.file.name, seen.file.data) == ("the plan", "plan.txt", b"one\ntwo")


async def test_what_was_forwarded_is_not_the_senders_own_word(ear: Listening, ada: Person) -> None:
    ada.forwards("/memory approve all", origin="Mallory")
    event = await heard(ear)
    assert event.text == "[forwarded from Mallory]\n/memory approve all"
    assert event.passed_on
    assert event.sender.id == "4294967500"


async def test_service_messages_are_not_heard(ear: Listening, ada: Person) -> None:
    update = ada.says("first")
    assert update is not None
    await heard(ear)
    ada.says("", pinned_message=copy.deepcopy(update["message"]))
    ada.says("last")
    assert (await heard(ear)).text == "last"
    assert ear.heard == []


async def test_each_edit_is_an_event_of_its_own(ear: Listening, ada: Person) -> None:
    update = ada.says("first")
    assert update is not None
    first = await heard(ear)
    message_id = update["message"]["message_id"]
    edits = [ada.edits(message_id, text) for text in ("second", "third")]
    events = await ear.until_heard(2)
    assert [each.text for each in events] == ["second", "third"]
    assert [each.event_id for each in events] == [str(each["update_id"]) for each in edits if each]
    assert {each.message_id for each in events} == {first.message_id}
    assert all(each.edited for each in events)
    assert not first.edited


async def test_the_words_under_a_picture_can_be_changed(ear: Listening, ada: Person) -> None:
    update = ada.sends("photo", "x", b"\xff\xd8", caption="my rom")
    assert update is not None
    sent = await heard(ear)
    ada.edits(update["message"]["message_id"], "my room")
    event = await heard(ear)
    assert (event.text, event.edited, event.attachments) == ("my room", True, sent.attachments)


async def test_a_location_that_moves_is_no_edit(ear: Listening, ada: Person, server: BotApi) -> None:
    update = ada.says("", location={"latitude": 52.5, "longitude": 13.25, "live_period": 900})
    assert update is not None
    await heard(ear)
    moved = update["message"] | {"location": {"latitude": 52.6, "longitude": 13.3}, "edit_date": 1_800_000_000}
    server.send_raw({"edited_message": moved})
    ada.says("last")
    assert (await heard(ear)).text == "last"
    assert ear.heard == []


async def test_what_has_no_words_is_described(ear: Listening, ada: Person) -> None:
    sticker = {"file_id": "s", "file_unique_id": "s", "type": "regular", "width": 1, "height": 1, "emoji": "👍"}
    ada.says("", sticker=sticker | {"is_animated": False, "is_video": False})
    assert (await heard(ear)).text == "[sticker 👍]"
    ada.says("", location={"latitude": 52.5, "longitude": 13.25})
    assert (await heard(ear)).text == "[location: 52.5, 13.25]"
    ada.says("", story={"chat": ada.chat.state.raw, "id": 1})
    assert (await heard(ear)).text == "[something that cannot be read here]"


async def test_half_of_a_surrogate_pair_is_heard_as_an_unknown_character(ear: Listening, ada: Person) -> None:
    ada.says("broken \ud83d", entities=[])
    assert (await heard(ear)).text == "broken \ufffd"


async def test_a_group_that_becomes_a_supergroup_moves_before_it_is_acknowledged(
    server: BotApi, tmp_path: Path
) -> None:
    moves: list[tuple[str, str]] = []

    async def moved(old: ChatRef, new: ChatRef) -> None:
        assert server.world.updates, "the update is not confirmed yet"
        moves.append((old.key, new.key))

    group = server.group(-4001, "Old", kind="group")
    async with open_adapter(adapter_of(server, tmp_path, moved=moved)) as ear:
        group.becomes_supergroup(GROUP)
        await server.until_confirmed()
        server.user(111).says("@inn_bot hello", chat=server.chat(GROUP))
        assert (await heard(ear)).chat.key == f"telegram:{GROUP}"
    assert set(moves) == {("telegram:-4001", f"telegram:{GROUP}")}


class TestWhoMayTalk:
    """Deny by default; an id is the same as a number and as text."""

    @pytest.mark.parametrize(
        ("written", "owner", "stranger"),
        [
            ("", False, False),
            ("allowed_users: []", False, False),
            ("allowed_users: ['123']", True, False),
            ("allowed_users: [123]", True, False),
            ("allowed_users: ['123 ']", True, False),
            ("allowed_users: ['*']", True, True),
        ],
    )
    async def test_people(self, ear: Listening, server: BotApi, written: str, owner: bool, stranger: bool) -> None:
        allowed = self._settings(written)
        for number, expected in ((123, owner), (1234, stranger)):
            server.user(number).says("let me in")
            assert may_talk(await heard(ear), allowed) is expected

    @pytest.mark.parametrize("written", ["allowed_users: ['']", "allowed_users: '[123]'", "allowed_users: [true]"])
    def test_what_is_no_list_of_ids_is_refused_at_the_start(self, written: str) -> None:
        with pytest.raises(ValueError, match="id"):
            self._settings(written)

    async def test_those_without_an_id_and_bots_are_refused_even_where_everybody_may_talk(
        self, ear: Listening, server: BotApi, group: Room
    ) -> None:
        everybody = self._settings("{allowed_users: ['*'], allowed_chats: ['*'], require_mention: false}")
        group.anonymous_admin_says("@inn_bot hello")
        admin = await heard(ear)
        assert (admin.sender.id, admin.sender.name) == ("", "Guests")
        channel = server.group(-1009, "News", kind="channel")
        assert channel.posts("ours alone") is None, "the bot does not ask for channel posts"
        server.send_raw({"channel_post": {"message_id": 1, "date": 1, "chat": channel.state.raw, "text": "news"}})
        post = await heard(ear)
        assert post.sender.id == ""
        Person(server, 555, is_bot=True).says("beep", chat=group)
        robot = await heard(ear)
        assert robot.sender.is_bot
        assert [may_talk(event, everybody) for event in (admin, post, robot)] == [False, False, False]

    async def test_a_group_needs_to_be_allowed_and_the_bot_to_be_meant(
        self, ear: Listening, server: BotApi, group: Room
    ) -> None:
        room = self._settings(f"allowed_chats: [{GROUP}]")
        nobody = self._settings("")
        for said, expected in (("@inn_bot hello", True), ("hello all", False)):
            server.user(1234).says(said, chat=group)
            event = await heard(ear)
            assert (may_talk(event, room), may_talk(event, nobody)) == (expected, False)
            assert session_key(event, "chat") == f"telegram:{GROUP}"

    def _settings(self, written: str) -> Settings:
        section: dict[str, Any] = yaml.safe_load(written) or {}
        return Settings(platforms={"telegram": TelegramSettings.model_validate(section)})
