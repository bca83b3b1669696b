"""What becomes of a message on its way out: by the meaning of each failure, and never tried twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from platforms.contract import failure_of
from platforms.errors import DeliveryError, Gone, NotSent, Refused, RetryAfter, Uncertain
from platforms.messages import Button, ChatRef, Outbound
from platforms.telegram.adapter import TelegramAdapter
from platforms.telegram.errors import translated
from tests.fakes.telegram import BotApi, Fault, Person, Refusal
from tests.fakes.telegram.faults import bad, flood
from tests.platforms.telegram.house import adapter_of, direct, quick


@pytest.fixture
async def server() -> AsyncIterator[BotApi]:
    async with BotApi() as server:
        yield server


@pytest.fixture
async def adapter(server: BotApi, tmp_path: Path) -> AsyncIterator[TelegramAdapter]:
    """Not running: sending needs no poller."""
    adapter = adapter_of(server, tmp_path, quick(answer=0.2, connect=0.5))
    yield adapter
    await adapter.close()


@pytest.fixture
async def patient(server: BotApi, tmp_path: Path) -> AsyncIterator[TelegramAdapter]:
    """Not running: sending needs no poller."""
    adapter = adapter_of(server, tmp_path, quick(answer=20, connect=20))
    yield adapter
    await adapter.close()


@pytest.fixture
def ada(server: BotApi) -> Person:
    return server.user(111, "Ada")


HELLO = Outbound(direct(), "hello")


@pytest.mark.parametrize(
    ("fault", "meaning", "arrived"),
    [
        (Fault.ACCEPT_AND_HANG, Uncertain, True),
        (Fault.ACCEPT_AND_RESET, Uncertain, True),
        (Fault.ACCEPT_AND_BAD_GATEWAY, Uncertain, True),
        (Fault.CUT, Uncertain, True),
        (Fault.HANG, Uncertain, False),
        (Fault.RESET, Uncertain, False),
        (Fault.BAD_GATEWAY, Uncertain, False),
        (Refusal(500, "Internal Server Error"), Uncertain, False),
        (flood(149), RetryAfter, False),
        (bad("chat not found"), Refused, False),
        (Refusal(403, "Forbidden: bot was blocked by the user"), Refused, False),
        (Refusal(401, "Unauthorized"), NotSent, False),
    ],
    ids=str,
)
async def test_each_failure_has_its_meaning(
    server: BotApi,
    adapter: TelegramAdapter,
    ada: Person,
    fault: Fault | Refusal,
    meaning: type[DeliveryError],
    arrived: bool,
) -> None:
    server.misbehave("sendMessage", fault)
    error = await failure_of(adapter.send(HELLO))
    assert type(error) is meaning
    assert server.token.partition(":")[2] not in f"{error}{error.__cause__}"
    assert ada.texts() == (["hello"] if arrived else [])
    assert len(server.called("sendMessage")) == 1, "the adapter tries nothing again"


async def test_the_time_to_wait_is_the_platforms_own(server: BotApi, adapter: TelegramAdapter, ada: Person) -> None:
    server.misbehave("editMessageText", flood(35))
    sent = await adapter.send(HELLO)
    error = await failure_of(adapter.edit(sent, Outbound(direct(), "changed")))
    assert isinstance(error, RetryAfter)
    assert error.seconds == 35
    assert ada.texts() == ["hello"]


async def test_nothing_was_sent_when_nobody_listens(server: BotApi, adapter: TelegramAdapter, ada: Person) -> None:
    await server.close()
    assert type(await failure_of(adapter.send(HELLO))) is NotSent
    await server.open()
    await adapter.send(HELLO)
    assert ada.texts() == ["hello"]


async def test_nothing_was_sent_when_the_connection_is_not_made_in_time(adapter: TelegramAdapter) -> None:
    import httpx
    from telegram.error import TimedOut

    for cause, meaning in ((httpx.ConnectTimeout("late"), NotSent), (httpx.ReadTimeout("late"), Uncertain)):
        error = TimedOut()
        error.__cause__ = cause
        assert type(translated(error)) is meaning


async def test_a_moved_group_says_where_it_went(server: BotApi, adapter: TelegramAdapter) -> None:
    server.group(-4001, "Guests", kind="group").becomes_supergroup(-1001234567890)
    error = await failure_of(adapter.send(Outbound(ChatRef("telegram", "-4001"), "hello")))
    assert isinstance(error, Gone)
    assert error.new_chat_id == "-1001234567890"


async def test_people_who_block_the_bot_and_topics_that_are_gone(
    server: BotApi, adapter: TelegramAdapter, ada: Person
) -> None:
    ada.blocks()
    assert "blocked" in str(await failure_of(adapter.send(HELLO)))
    ada.unblocks()
    error = await failure_of(adapter.send(Outbound(ChatRef("telegram", "111", "9"), "hello")))
    assert isinstance(error, Refused)
    assert "thread not found" in str(error)


@pytest.mark.parametrize(
    "chat", [ChatRef("telegram", "nowhere"), ChatRef("telegram", "111", "garden"), ChatRef("telegram", "")]
)
async def test_what_is_no_id_is_refused(adapter: TelegramAdapter, chat: ChatRef) -> None:
    assert type(await failure_of(adapter.send(Outbound(chat, "hello")))) is Refused
    await adapter.typing(chat)
    await adapter.progress(chat, "passing")


class TestFormatting:
    @pytest.mark.parametrize(
        "markdown",
        [
            "**old_table_name**",
            "a_b_c https://x.y/__z__",
            "*   **要点**：…",
            "<div> & <b>unclosed",
            "1 < 2",
            "`",
            "[x](y",
        ],
    )
    async def test_any_markup_is_delivered_once(
        self, server: BotApi, adapter: TelegramAdapter, ada: Person, markdown: str
    ) -> None:
        await adapter.send(Outbound(direct(), markdown))
        (text,) = ada.texts()
        assert text
        assert "\\" not in text
        assert len(server.called("sendMessage")) == 1

    async def test_refused_entities_are_left_out_and_the_text_goes_as_it_was_written(
        self, server: BotApi, adapter: TelegramAdapter, ada: Person
    ) -> None:
        server.misbehave("sendMessage", bad("can't parse entities: entity 1 is wrong"))
        sent = await adapter.send(Outbound(direct(), "see **this**"))
        assert ada.texts() == ["see **this**"]
        assert len(server.called("sendMessage")) == 2
        server.misbehave("editMessageText", bad("ENTITY_BOUNDS_INVALID"))
        await adapter.edit(sent, Outbound(direct(), "see **that**"))
        assert ada.texts() == ["see **that**"]

    async def test_no_other_refusal_makes_it_send_again(
        self, server: BotApi, adapter: TelegramAdapter, ada: Person
    ) -> None:
        server.misbehave("sendMessage", bad("message is too long"))
        assert type(await failure_of(adapter.send(Outbound(direct(), "**bold**")))) is Refused
        server.misbehave("sendMessage", bad("can't parse entities: no"))
        assert type(await failure_of(adapter.send(Outbound(direct(), "nothing to leave out")))) is Refused
        assert len(server.called("sendMessage")) == 2

    async def test_formats_and_buttons_arrive(self, server: BotApi, adapter: TelegramAdapter, ada: Person) -> None:
        buttons = (
            (Button("Approve", "/memory approve 1a"), Button("Reject", "/memory reject 1a")),
            (Button("Why", "/why"),),
        )
        await adapter.send(Outbound(direct(), "# Room\n**bold 😀** and `code`", buttons, quiet=True))
        (seen,) = ada.seen()
        assert seen.formatted("bold") == ["Room", "bold 😀"]
        assert seen.formatted("code") == ["code"]
        assert seen.buttons == (("Approve", "Reject"), ("Why",))
        assert seen.quiet

    async def test_an_action_of_64_bytes_fits_and_a_longer_one_is_refused_unsent(
        self, server: BotApi, adapter: TelegramAdapter, ada: Person
    ) -> None:
        await adapter.send(Outbound(direct(), "fits", ((Button("ok", "/" + "é" * 31 + "x"),),)))
        error = await failure_of(adapter.send(Outbound(direct(), "does not", ((Button("ok", "/" + "é" * 32),),))))
        assert isinstance(error, Refused)
        assert ada.texts() == ["fits"]
        assert len(server.called("sendMessage")) == 1

    async def test_it_answers_a_message_that_may_be_gone_by_now(
        self, server: BotApi, adapter: TelegramAdapter, ada: Person
    ) -> None:
        update = ada.says("question")
        assert update is not None
        number = update["message"]["message_id"]
        await adapter.send(Outbound(direct(), "one", reply_to=str(number)))
        ada.chat.remove(number)
        await adapter.send(Outbound(direct(), "two", reply_to=str(number)))
        assert [each.reply_to for each in ada.seen()] == [number, None]


class TestEdits:
    async def test_the_same_text_again_is_success(
        self, server: BotApi, adapter: TelegramAdapter, ada: Person
    ) -> None:
        sent = await adapter.send(HELLO)
        await adapter.edit(sent, Outbound(direct(), "**hello**"))
        await adapter.edit(sent, Outbound(direct(), "**hello**"))
        (seen,) = ada.seen()
        assert (seen.text, seen.edits, len(server.called("editMessageText"))) == ("hello", 1, 2)

    async def test_an_edit_whose_answer_was_lost_can_be_repeated(
        self, server: BotApi, adapter: TelegramAdapter, ada: Person
    ) -> None:
        sent = await adapter.send(HELLO)
        server.misbehave("editMessageText", Fault.ACCEPT_AND_RESET)
        changed = Outbound(direct(), "changed")
        assert type(await failure_of(adapter.edit(sent, changed))) is Uncertain
        await adapter.edit(sent, changed)
        assert ada.texts() == ["changed"]

    async def test_a_message_that_somebody_deleted_cannot_be_edited(
        self, server: BotApi, adapter: TelegramAdapter, ada: Person
    ) -> None:
        sent = await adapter.send(HELLO)
        ada.chat.remove(int(sent))
        assert type(await failure_of(adapter.edit(sent, Outbound(direct(), "changed")))) is Refused
        await adapter.delete(direct(), sent)


async def test_a_passing_line_is_a_draft_in_a_private_chat_and_nothing_elsewhere(
    server: BotApi, adapter: TelegramAdapter, ada: Person
) -> None:
    group = server.group(-1001234567890)
    await adapter.progress(direct(), "reading 10 %")
    await adapter.progress(ChatRef("telegram", str(group.number)), "reading 10 %")
    assert (ada.chat.drafts, group.drafts, ada.texts()) == (["reading 10 %"], [], [])
    server.misbehave("sendMessageDraft", Refusal(404, "Not Found"))
    for _ in range(3):
        await adapter.progress(direct(), "reading 20 %")
    assert len(server.called("sendMessageDraft")) == 2, "a server without drafts is not asked again"


async def test_many_chats_are_served_at_one_time(server: BotApi, patient: TelegramAdapter) -> None:
    people = [server.user(number) for number in range(1, 101)]
    await asyncio.gather(*(patient.send(Outbound(direct(each.number), f"to {each.number}")) for each in people))
    assert [each.texts() for each in people] == [[f"to {each.number}"] for each in people]
