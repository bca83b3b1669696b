"""The Bot API server of these tests is as strict as the real one, seen through the real client library."""

from __future__ import annotations

import asyncio
import json
import sys
import urllib.request
from collections.abc import AsyncIterator
from typing import Any

import pytest
from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup, MessageEntity
from telegram.error import BadRequest, Conflict, Forbidden, InvalidToken

from tests.fakes.telegram import BotApi


@pytest.fixture
async def server() -> AsyncIterator[BotApi]:
    async with BotApi() as server:
        yield server


@pytest.fixture
async def bot(server: BotApi) -> AsyncIterator[Bot]:
    async with Bot(server.token, base_url=f"{server.root}/bot", base_file_url=f"{server.root}/file/bot") as bot:
        yield bot


async def test_polls_wait_confirm_and_respect_limit_and_kinds(server: BotApi, bot: Bot) -> None:
    assert await bot.get_updates(timeout=0, allowed_updates=["message"]) == ()
    ada = server.user(4294967500)
    waiting = asyncio.create_task(bot.get_updates(timeout=30))
    await server.until(lambda: len(server.called("getUpdates")) == 2)
    first = ada.says("one")
    assert first is not None
    assert [update.update_id for update in await waiting] == [first["update_id"]]
    ada.edits(1, "changed")
    ada.says("two")
    ada.says("three")
    assert len(await bot.get_updates(limit=2)) == 2, "unconfirmed ones come again"
    rest = await bot.get_updates(offset=first["update_id"] + 1)
    assert [update.message.text for update in rest if update.message] == ["two", "three"]
    assert await bot.get_updates(offset=rest[-1].update_id + 1) == ()
    assert rest[0].update_id > 2**31
    assert rest[0].effective_chat is not None
    assert rest[0].effective_chat.id > 2**31


async def test_the_second_of_two_polls_ends_the_first(server: BotApi, bot: Bot) -> None:
    first = asyncio.create_task(bot.get_updates(timeout=30))
    await server.until(lambda: len(server.called("getUpdates")) == 1)
    async with Bot(server.token, base_url=f"{server.root}/bot") as other:
        second = asyncio.create_task(other.get_updates(timeout=30))
        with pytest.raises(Conflict):
            await first
        server.user(111).says("hello")
        assert len(await second) == 1


async def test_a_webhook_excludes_polls(server: BotApi, bot: Bot) -> None:
    await bot.set_webhook("http://127.0.0.1:9/nobody", secret_token="s")
    with pytest.raises(Conflict, match="webhook"):
        await bot.get_updates()
    await bot.delete_webhook()
    assert await bot.get_updates() == ()


@pytest.mark.parametrize(
    ("text", "given", "words"),
    [
        ("", {}, "text is empty"),
        (" \n ", {}, "text is empty"),
        ("😀" * 2049, {}, "too long"),
        ("abc", {"entities": [MessageEntity("bold", 1, 3)]}, "incorrect length"),
        ("abc", {"entities": [MessageEntity("bold", 9, 1)]}, "incorrect offset"),
        ("😀", {"entities": [MessageEntity("bold", 0, 1)]}, "(?i)middle of a UTF-16 symbol"),
        ("hi", {"message_thread_id": 5}, "thread not found"),
    ],
)
async def test_what_cannot_be_sent(server: BotApi, bot: Bot, text: str, given: dict[str, Any], words: str) -> None:
    server.user(111)
    with pytest.raises(BadRequest, match=words):
        await bot.send_message(111, text, **given)
    assert server.user(111).texts() == []


async def test_what_fits_exactly_is_sent_and_trimmed(server: BotApi, bot: Bot) -> None:
    ada = server.user(111)
    await bot.send_message(111, "😀" * 2048)
    await bot.send_message(111, "\n\n  bold ", entities=[MessageEntity("bold", 0, 9)])
    assert [len(text) for text in ada.texts()] == [2048, 4]
    assert ada.seen()[1].formatted("bold") == ["bold"]


async def test_buttons_edits_and_deletions(server: BotApi, bot: Bot) -> None:
    ada = server.user(111)
    long = InlineKeyboardMarkup([[InlineKeyboardButton("x", callback_data="é" * 33)]])
    with pytest.raises(BadRequest, match=r"(?i)button_data_invalid"):
        await bot.send_message(111, "card", reply_markup=long)
    keys = InlineKeyboardMarkup([[InlineKeyboardButton("Yes", callback_data="é" * 32)]])
    card = await bot.send_message(111, "card", reply_markup=keys)
    query = ada.presses("Yes")
    assert await bot.answer_callback_query(query)
    with pytest.raises(BadRequest, match="too old"):
        await bot.answer_callback_query(query)
    with pytest.raises(BadRequest, match="not modified"):
        await bot.edit_message_text("card", 111, card.message_id, reply_markup=keys)
    await bot.edit_message_text("card", 111, card.message_id)
    assert ada.chat.labels() == []
    await bot.delete_message(111, card.message_id)
    with pytest.raises(BadRequest, match="to edit not found"):
        await bot.edit_message_text("card 2", 111, card.message_id)
    with pytest.raises(BadRequest, match="to delete not found"):
        await bot.delete_message(111, card.message_id)
    hers = ada.says("mine")
    assert hers is not None
    with pytest.raises(BadRequest, match="can't be edited"):
        await bot.edit_message_text("yours", 111, hers["message"]["message_id"])


async def test_who_is_not_there(server: BotApi, bot: Bot) -> None:
    with pytest.raises(BadRequest, match="Chat not found"):
        await bot.send_message(4294967999, "hi")
    server.user(111).blocks()
    with pytest.raises(Forbidden, match="blocked"):
        await bot.send_message(111, "hi")
    with pytest.raises(InvalidToken):
        async with Bot("5:wrong", base_url=f"{server.root}/bot"):
            pass


async def test_files_come_back_as_they_went(server: BotApi, bot: Bot) -> None:
    ada = server.user(111)
    sent = await bot.send_photo(111, b"\xff\xd8\x00picture\r\n--", caption="look")
    file = await bot.get_file(sent.photo[-1].file_id)
    assert bytes(await file.download_as_bytearray()) == b"\xff\xd8\x00picture\r\n--"
    assert ada.texts() == ["look"]
    with pytest.raises(BadRequest, match="file_id"):
        await bot.get_file("nothing")


async def test_as_a_process_it_is_told_what_to_do_over_http() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.fakes.telegram", "--port", "0", stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        where = json.loads(await process.stdout.readline())

        def order(**what: object) -> Any:
            request = urllib.request.Request(where["control"], json.dumps(what).encode())
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)["result"]

        await asyncio.to_thread(order, do="says", user=111, text="hello")
        async with Bot(where["token"], base_url=where["base_url"] + "/bot") as bot:
            (update,) = await bot.get_updates(timeout=30)
            assert update.message is not None
            await bot.send_message(update.message.chat.id, "hello to you")
        (seen,) = await asyncio.to_thread(order, do="seen", chat=111)
        assert seen["text"] == "hello to you"
    finally:
        process.terminate()
        await process.wait()
