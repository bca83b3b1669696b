"""The calls that write into Telegram's chats, and those that fetch what people sent.

Each goes into its own topic. What a failure means is `errors`', how text is formatted `render`'s matter; pacing and
repeated sends belong to the engine.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from telegram import Bot, LinkPreviewOptions, MessageEntity, ReplyParameters
from telegram.constants import ChatAction
from telegram.error import InvalidToken, TelegramError

from platforms.errors import PLUGIN_FAULTS, Refused, Uncertain
from platforms.messages import Attachment, ChatRef, Outbound, OutFile
from platforms.telegram.buttons import keyboard
from platforms.telegram.errors import Flood, absent, no_photo, translated, unchanged, unformattable
from platforms.telegram.render import Rendered, clean, plain, render

LIMIT = 4096
"""UTF-16 units of one message, after its entities are parsed; from the Bot API's documentation."""

CAPTION = 1024
"""UTF-16 units of the words under a file; from the Bot API's documentation."""

PHOTO = 10_000_000
SENDS = 50_000_000
TAKES = 20_000_000
"""Bytes of a picture and of a file that a bot may send, and of one that it may fetch; from the Bot API's
documentation."""

GENERAL = 1
DRAFT = 1
"""The id of the passing line in a private chat; it must not be zero, and there is one at a time."""

T = TypeVar("T")


class Writing:
    """What `platforms.adapter.Adapter` says of sending and fetching, with one bot."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._drafts = True

    async def send(self, message: Outbound) -> str:
        if message.file is not None:
            return await self._send_file(message, message.file)
        chat_id, thread = _place(message.chat)
        markup = keyboard(message.buttons)
        reply = _reply(message.reply_to)

        async def post(rendered: Rendered) -> str:
            sent = await self._bot.send_message(
                chat_id,
                rendered.text,
                entities=_entities(rendered),
                message_thread_id=thread,
                reply_markup=markup,
                reply_parameters=reply,
                disable_notification=message.quiet or None,
                link_preview_options=LinkPreviewOptions(is_disabled=True),
            )
            return str(sent.message_id)

        return await _meaning(_formatted(message.text, post))

    async def _send_file(self, message: Outbound, file: OutFile) -> str:
        """A picture as a picture, unless Telegram will not show it as one; anything else as a document. The words
        under it are formatted where they fit."""
        chat_id, thread = _place(message.chat)
        words = render(message.text, CAPTION) if message.text.strip() else plain("")
        try:
            data = await asyncio.to_thread(Path(file.path).read_bytes)
        except OSError as error:
            raise Refused(f"the file {file.name} is no longer there ({error.strerror})") from None

        async def post(as_photo: bool) -> str:
            sent = await (self._bot.send_photo if as_photo else self._bot.send_document)(
                chat_id,
                data,
                caption=words.text or None,
                caption_entities=_entities(words),
                filename=file.name,
                message_thread_id=thread,
                reply_markup=keyboard(message.buttons),
                reply_parameters=_reply(message.reply_to),
            )
            return str(sent.message_id)

        async def shown() -> str:
            try:
                return await post(file.picture and len(data) <= PHOTO)
            except TelegramError as error:
                if not (file.picture and no_photo(error)):
                    raise
            return await post(False)

        return await _meaning(shown())

    async def edit(self, message_id: str, message: Outbound) -> None:
        chat_id, _ = _place(message.chat)
        number, markup = _number(message_id), keyboard(message.buttons)

        async def change(rendered: Rendered) -> None:
            try:
                await self._bot.edit_message_text(
                    rendered.text,
                    chat_id,
                    number,
                    entities=_entities(rendered),
                    reply_markup=markup,
                    link_preview_options=LinkPreviewOptions(is_disabled=True),
                )
            except TelegramError as error:
                if not unchanged(error):
                    raise

        await _meaning(_formatted(message.text, change))

    async def delete(self, chat: ChatRef, message_id: str) -> None:
        chat_id, _ = _place(chat)

        async def take_back() -> None:
            try:
                await self._bot.delete_message(chat_id, _number(message_id))
            except TelegramError as error:
                if not absent(error):
                    raise

        await _meaning(take_back())

    async def typing(self, chat: ChatRef) -> None:
        try:
            chat_id, thread = _place(chat)
            await self._bot.send_chat_action(chat_id, ChatAction.TYPING, message_thread_id=thread)
        except Flood as flood:
            raise translated(flood) from None
        except (TelegramError, Refused):
            return

    async def progress(self, chat: ChatRef, text: str) -> None:
        """In private chats as a draft, which goes away by itself; elsewhere the typing sign must do."""
        try:
            chat_id, thread = _place(chat)
            if chat_id > 0 and self._drafts:
                await self._bot.send_message_draft(chat_id, DRAFT, clean(text)[:LIMIT], message_thread_id=thread)
        except Flood as flood:
            raise translated(flood) from None
        except TelegramError as error:
            # A server that knows no drafts is not asked for them again.
            self._drafts = not isinstance(error, InvalidToken)
        except Refused:
            return

    async def fetch(self, attachment: Attachment) -> bytes:
        async def load() -> bytes:
            file = await self._bot.get_file(attachment.locator)
            if (file.file_size or 0) > TAKES:  # a Bot API server of one's own knows no limit
                raise Refused(f"the file has {file.file_size:,} bytes; more than {TAKES:,} are not fetched")
            if "//" in urlsplit(file.file_path or "").path:  # a path of that server's, and no file of this machine
                raise Refused("the Bot API server keeps its files where they cannot be read from here")
            return bytes(await file.download_as_bytearray())

        return await _meaning(load())

    async def react(self, chat: ChatRef, message_id: str, mark: str) -> None:
        try:
            chat_id, _ = _place(chat)
            await self._bot.set_message_reaction(chat_id, _number(message_id), mark or None)
        except (TelegramError, Refused):
            return


async def _meaning(call: Awaitable[T]) -> T:
    """The call's answer, or its failure as a DeliveryError."""
    try:
        return await call
    except TelegramError as error:
        raise translated(error) from None
    except PLUGIN_FAULTS as error:
        raise Uncertain(f"Telegram's answer cannot be understood ({type(error).__name__})") from None


async def _formatted(markdown: str, call: Callable[[Rendered], Awaitable[T]]) -> T:
    """Make a call with the text formatted; when Telegram refuses the formatting, once more with it as written."""
    rendered = render(markdown, LIMIT)
    try:
        return await call(rendered)
    except TelegramError as error:
        if not (rendered.ranges and unformattable(error)):
            raise
    return await call(plain(markdown))


def _entities(rendered: Rendered) -> list[MessageEntity]:
    return [
        MessageEntity(each.kind, each.offset, each.length, url=each.url, language=each.language)
        for each in rendered.ranges
    ]


def _place(chat: ChatRef) -> tuple[int, int | None]:
    chat_id = _number(chat.chat_id)
    thread = _number(chat.thread_id) if chat.thread_id is not None else None
    # A forum's topic General has the number 1 in links, and takes messages only without a number.
    return chat_id, None if chat_id < 0 and thread == GENERAL else thread


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise Refused(f"{text!r} is no id of Telegram") from None


def _reply(message_id: str | None) -> ReplyParameters | None:
    if message_id is None:
        return None
    return ReplyParameters(_number(message_id), allow_sending_without_reply=True)
