"""Telegram as a platform: one bot, its poller or webhook, and the calls that write.

Owns the order of start, rebuilding and stop. What updates mean is `inbound`'s, what errors mean `errors`', how text
is formatted `render`'s matter; pacing and repeated sends belong to the engine.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import httpx
from telegram import Bot, LinkPreviewOptions, MessageEntity, ReplyParameters, Update
from telegram.constants import ChatAction
from telegram.error import InvalidToken, TelegramError

from platforms.adapter import Capabilities, Sink
from platforms.errors import PLUGIN_FAULTS, PlatformDown, Refused, Uncertain
from platforms.manifest import AdapterContext
from platforms.messages import Attachment, ChatRef, Inbound, Outbound, OutFile, TurnSummary
from platforms.telegram.buttons import keyboard
from platforms.telegram.errors import Flood, TelegramUnreachable, absent, translated, unchanged, unformattable
from platforms.telegram.inbound import PLATFORM, Moved, read
from platforms.telegram.menu import publish
from platforms.telegram.patience import Patience
from platforms.telegram.polling import Intake, Poller
from platforms.telegram.render import Rendered, clean, plain, render
from platforms.telegram.token_lock import TokenLock, usual_folder
from platforms.telegram.transport import PollTransport, Transport
from platforms.telegram.watchdog import Pulse

LIMIT = 4096
"""UTF-16 units of one message, after its entities are parsed; from the Bot API's documentation."""

ADDRESS = "https://api.telegram.org"
CAPTION = 1024
"""UTF-16 units of the words under a file; from the Bot API's documentation."""

SENDS = 50_000_000
TAKES = 20_000_000
"""Bytes of a file that a bot may send and fetch; from the Bot API's documentation."""

GENERAL = 1
DRAFT = 1
"""The id of the passing line in a private chat; it must not be zero, and there is one at a time."""

_TOKEN = re.compile(r"(\d+):\S+")
_LOG = logging.getLogger(__name__)

T = TypeVar("T")


class TelegramAdapter:
    """The adapter. `locks` is the folder of token locks, the user's cache folder unless given; `listen` is the host
    and port to listen on in webhook mode."""

    def __init__(
        self,
        context: AdapterContext,
        *,
        patience: Patience | None = None,
        locks: Path | None = None,
        listen: tuple[str, int] = ("127.0.0.1", 8443),
    ) -> None:
        settings = context.settings
        token = str(settings.get("token") or "")
        shaped = _TOKEN.fullmatch(token)
        if shaped is None:
            raise PlatformDown("the token does not look like one from @BotFather (123456:ABC…)")
        self._account = shaped[1]
        self._token = token
        self._address = str(settings.get("base_url") or ADDRESS).rstrip("/").removesuffix("/bot")
        self._settings = settings
        self._house = context.house
        self._patience = patience or Patience()
        self._locks = locks
        self._listen = listen
        self._capabilities = Capabilities(
            LIMIT,
            "utf16",
            edit_seconds=self._patience.edit,
            group_edit_seconds=3 * self._patience.edit,
            sends_files=SENDS,
            takes_files=TAKES,
            reactions=True,
        )
        self._tls = httpx.create_ssl_context()
        self._transport = Transport(self._patience, self._tls)
        self._bot = self._new_bot(self._transport)
        self._pulse = Pulse(self._patience, self._house.now)
        self._lock: TokenLock | None = None
        self._profile = context.profile
        self._tasks: set[asyncio.Task[None]] = set()
        self._drafts = True
        self._menu_set = False
        self.listening = asyncio.Event()
        """Set while updates are taken."""

    @property
    def name(self) -> str:
        return PLATFORM

    @property
    def account(self) -> str:
        return self._account

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    @property
    def last_heard(self) -> float | None:
        """When Telegram last answered a poll, in seconds since the epoch; None when never."""
        return self._pulse.last_heard

    def attended(self, chat: ChatRef) -> bool:
        return False

    async def run(self, sink: Sink) -> None:
        """Receive until cancelled. Raises PlatformDown, or TelegramUnreachable when trying anew may help."""
        if self._lock is None:
            self._lock = TokenLock(self._locks or usual_folder(), self._token, self._address, self._profile)
        self._lock.acquire()
        in_vain = 0
        while in_vain <= self._patience.rebuilds:
            await self._receive(sink)
            in_vain = 1 if self._pulse.heard_since_start else in_vain + 1
            _LOG.warning("nothing was heard from Telegram for %g s: a new poller starts", self._patience.deaf)
        raise TelegramUnreachable(f"nothing was heard from Telegram with {in_vain} pollers in a row")

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
        """A picture as a picture, anything else as a document; the words under it are formatted where they fit."""
        chat_id, thread = _place(message.chat)
        words = render(message.text, CAPTION) if message.text.strip() else plain("")
        call = self._bot.send_photo if file.picture else self._bot.send_document
        try:
            data = await asyncio.to_thread(Path(file.path).read_bytes)
        except OSError as error:
            raise Refused(f"the file {file.name} is no longer there ({error.strerror})") from None

        async def post() -> str:
            sent = await call(
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

        return await _meaning(post())

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
        except (TelegramError, Refused):
            return

    async def progress(self, chat: ChatRef, text: str) -> None:
        """In private chats as a draft, which goes away by itself; elsewhere the typing sign must do."""
        try:
            chat_id, thread = _place(chat)
            if chat_id > 0 and self._drafts:
                await self._bot.send_message_draft(chat_id, DRAFT, clean(text)[:LIMIT], message_thread_id=thread)
        except TelegramError as error:
            # A server that knows no drafts is not asked for them again.
            self._drafts = not isinstance(error, InvalidToken)
        except Refused:
            return

    async def find(self, chat: ChatRef, nonce: str) -> str | None:
        """Bots cannot look into a chat's history."""
        return None

    async def finished(self, chat: ChatRef, summary: TurnSummary) -> None:
        return

    async def fetch(self, attachment: Attachment) -> bytes:
        async def load() -> bytes:
            file = await self._bot.get_file(attachment.locator)
            return bytes(await file.download_as_bytearray())

        return await _meaning(load())

    async def react(self, chat: ChatRef, message_id: str, mark: str) -> None:
        try:
            chat_id, _ = _place(chat)
            await self._bot.set_message_reaction(chat_id, _number(message_id), mark or None)
        except (TelegramError, Refused):
            return

    async def close(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._transport.shutdown()
        if self._lock is not None:
            self._lock.release()

    def _new_bot(self, transport: Transport, polls: PollTransport | None = None) -> Bot:
        return Bot(
            self._token,
            base_url=f"{self._address}/bot",
            base_file_url=f"{self._address}/file/bot",
            request=transport,
            get_updates_request=polls or transport,
        )

    async def _receive(self, sink: Sink) -> None:
        """One poller, from its start until it has gone deaf. Raises PlatformDown or TelegramUnreachable."""
        polls = PollTransport(self._patience, self._tls, self._pulse, self._house.bury)
        bot = self._new_bot(self._transport, polls)

        async def take(update: Update) -> None:
            await self._take(update, bot, sink)

        poller = Poller(bot, polls, Intake(take, self._house.bury, self._patience, self._pulse), self._patience)
        webhook = self._settings.get("mode") == "webhook"
        self._pulse.start()
        try:
            await self._start(poller, webhook)
            self.listening.set()
            self._publish_menu()
            await self._pulse.watch(polls=not webhook)
        finally:
            self.listening.clear()
            await poller.stop()

    async def _start(self, poller: Poller, webhook: bool) -> None:
        try:
            if webhook:
                address, secret = self._settings["webhook_url"], self._settings["webhook_secret"]
                await poller.start_webhook(address, secret, self._listen)
            else:
                await poller.start_polling()
        except InvalidToken:
            raise PlatformDown("Telegram does not accept the bot's token") from None
        except Flood as flood:
            await asyncio.sleep(flood.seconds)
            raise TelegramUnreachable(str(flood)) from None
        except (TelegramError, TimeoutError) as error:
            raise TelegramUnreachable(f"Telegram cannot be reached ({type(error).__name__})") from None
        except OSError as error:
            raise PlatformDown(f"cannot listen for Telegram's calls: {error.strerror}") from None

    async def _take(self, update: Update, bot: Bot, sink: Sink) -> None:
        """One update to the house; returns when it is stored."""
        self._pulse.heard()
        match read(update, bot.bot, self._house.now()):
            case Inbound() as event:
                await sink(event)
                if update.callback_query is not None:
                    self._spawn(self._bot.answer_callback_query(update.callback_query.id))
            case Moved(old, new):
                await self._house.moved(old, new)
            case _:
                return

    def _publish_menu(self) -> None:
        if self._house.commands and not self._menu_set:
            self._menu_set = True
            self._spawn(publish(self._bot, self._house.commands))

    def _spawn(self, step: Coroutine[Any, Any, object]) -> None:
        """Run beside everything else; what is refused here is worth a line in the log and no more."""

        async def quietly() -> None:
            try:
                await step
            except TelegramError as error:
                _LOG.info("a call beside the conversation failed: %s", type(error).__name__)

        task = asyncio.ensure_future(quietly())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def build(context: AdapterContext) -> TelegramAdapter:
    """The adapter, for the register. Raises PlatformDown for something that is no token."""
    return TelegramAdapter(context)


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
