"""Telegram as a platform: one bot, and its poller or webhook.

Owns the order of start, rebuilding and stop. What updates mean is `inbound`'s, the calls that write are `writing`'s
matter.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import httpx
from telegram import Bot, Update
from telegram.error import InvalidToken, TelegramError

from platforms.adapter import Capabilities, Sink
from platforms.errors import PlatformDown
from platforms.manifest import AdapterContext
from platforms.messages import Attachment, ChatRef, Inbound, Outbound, TurnSummary
from platforms.telegram.errors import Flood, TelegramUnreachable
from platforms.telegram.inbound import PLATFORM, Moved, read
from platforms.telegram.menu import publish
from platforms.telegram.patience import Patience
from platforms.telegram.polling import Intake, Poller
from platforms.telegram.transport import PollTransport, Transport
from platforms.telegram.watchdog import Pulse
from platforms.telegram.writing import LIMIT, SENDS, TAKES, Writing
from platforms.token_lock import TokenLock, usual_folder

ADDRESS = "https://api.telegram.org"

_TOKEN = re.compile(r"(\d+):\S+")
_LOG = logging.getLogger(__name__)


class TelegramAdapter:
    """The adapter. `locks` is the folder of token locks, the user's cache folder unless given."""

    def __init__(
        self,
        context: AdapterContext,
        *,
        patience: Patience | None = None,
        locks: Path | None = None,
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
        self._capabilities = Capabilities(
            LIMIT,
            "utf16",
            edit_seconds=self._patience.edit,
            group_edit_seconds=3 * self._patience.edit,
            sends_files=SENDS,
            takes_files=TAKES,
            reactions=True,
            pulse=0.0 if settings.get("mode") == "webhook" else self._patience.deaf,
        )
        self._tls = httpx.create_ssl_context()
        self._transport = Transport(self._patience, self._tls)
        self._bot = self._new_bot(self._transport)
        self._writing = Writing(self._bot)
        self._pulse = Pulse(self._patience, self._house.now)
        self._lock: TokenLock | None = None
        self._profile = context.profile
        self._tasks: set[asyncio.Task[None]] = set()
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
            self._lock = TokenLock(PLATFORM, self._locks or usual_folder(), self._token, self._address, self._profile)
        self._lock.acquire()
        in_vain = 0
        while in_vain <= self._patience.rebuilds:
            await self._receive(sink)
            in_vain = 1 if self._pulse.heard_since_start else in_vain + 1
            _LOG.warning("nothing was heard from Telegram for %g s: a new poller starts", self._patience.deaf)
        raise TelegramUnreachable(f"nothing was heard from Telegram with {in_vain} pollers in a row")

    async def send(self, message: Outbound) -> str:
        return await self._writing.send(message)

    async def edit(self, message_id: str, message: Outbound) -> None:
        await self._writing.edit(message_id, message)

    async def delete(self, chat: ChatRef, message_id: str) -> None:
        await self._writing.delete(chat, message_id)

    async def typing(self, chat: ChatRef) -> None:
        await self._writing.typing(chat)

    async def progress(self, chat: ChatRef, text: str) -> None:
        await self._writing.progress(chat, text)

    async def react(self, chat: ChatRef, message_id: str, mark: str) -> None:
        await self._writing.react(chat, message_id, mark)

    async def fetch(self, attachment: Attachment) -> bytes:
        return await self._writing.fetch(attachment)

    async def find(self, chat: ChatRef, nonce: str) -> str | None:
        """Bots cannot look into a chat's history."""
        return None

    async def finished(self, chat: ChatRef, summary: TurnSummary) -> None:
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
                host, _, port = str(self._settings["webhook_listen"]).rpartition(":")
                await poller.start_webhook(address, secret, (host.strip("[]"), int(port)))
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
