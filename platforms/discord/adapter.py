"""Discord as a platform: one bot, its login, its connection, and their end.

Owns the order of start, rebuilding and stop. The gateway is `link`'s, what it tells `hearing`'s, what is written
`calls`' matter; pacing and repeated sends belong to the engine.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import re
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import discord

from platforms.adapter import Capabilities, Sink
from platforms.discord.allowance import Allowance
from platforms.discord.calls import TAKES, Calls
from platforms.discord.client import Client
from platforms.discord.errors import FAULTS, DiscordUnreachable
from platforms.discord.hearing import Hearing
from platforms.discord.link import Link
from platforms.discord.patience import Patience
from platforms.discord.places import PLATFORM
from platforms.discord.render import LIMIT
from platforms.discord.seen import Seen
from platforms.discord.sent import Sent
from platforms.discord.slash import publish
from platforms.discord.waiting import Waiting
from platforms.errors import DeliveryError, NotSent, PlatformDown
from platforms.manifest import AdapterContext
from platforms.messages import Attachment, ChatRef, Outbound, TurnSummary
from platforms.token_lock import TokenLock, usual_folder

ADDRESS = "https://discord.com/api/v10"

SENDS = 10 * 1024 * 1024
"""Bytes of a file that a bot may send where nobody paid for more; from Discord's documentation."""

NONCE_SECONDS = 120.0
"""Discord remembers nonces for "a few minutes"; this is the part of that which is sure."""

_TOKEN = re.compile(r"[\w-]+\.[\w-]+\.[\w-]+")
_VERSION = re.compile(r"/v\d+\Z")
_LOG = logging.getLogger(__name__)


class DiscordAdapter:
    """The adapter. `locks` is the folder of token locks, the user's cache folder unless given."""

    def __init__(
        self, context: AdapterContext, *, patience: Patience | None = None, locks: Path | None = None
    ) -> None:
        settings = context.settings
        token = str(settings.get("token") or "").removeprefix("Bot ")
        if not _TOKEN.fullmatch(token):
            raise PlatformDown("the token does not look like one from the Discord developer portal")
        self._token = token
        self._account = _account(token)
        address = str(settings.get("api_url") or ADDRESS).rstrip("/")
        self._address = address if _VERSION.search(address) else f"{address}/v10"
        self._gateway = settings.get("gateway_url")
        self._house = context.house
        self._patience = patience or Patience()
        self._lock = TokenLock(PLATFORM, locks or usual_folder(), token, self._address, context.profile)
        cache = Path(context.folder) / "cache"
        self._seen = Seen(cache / "discord-seen.json", self._patience.save)
        self._sent = Sent(cache / "discord-sent.jsonl")
        self._menu_note = cache / "discord-menu.txt"
        self._menu_tried = False
        self._allowance = Allowance(self._patience.sessions, self._patience.rare)
        self._capabilities = Capabilities(
            LIMIT,
            "codepoint",
            edit_seconds=self._patience.edit,
            nonce_seconds=NONCE_SECONDS,
            finds=True,
            sends_files=SENDS,
            takes_files=TAKES,
            reactions=True,
            pulse=self._patience.deaf,
        )
        self._client: Client | None = None
        self._calls: Calls | None = None
        self._waiting: Waiting | None = None
        self._link: Link | None = None
        self._logged_in = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def name(self) -> str:
        return PLATFORM

    @property
    def account(self) -> str:
        user = self._client.user if self._client is not None else None
        return str(user.id) if user is not None else self._account

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    @property
    def last_heard(self) -> float | None:
        """When the gateway last showed a sign of life, in seconds since the epoch; None before the first."""
        return self._link.last_heard if self._link is not None else None

    @property
    def listening(self) -> bool:
        """Whether events arrive."""
        return self._link is not None and self._link.up.is_set()

    def attended(self, chat: ChatRef) -> bool:
        return False

    async def run(self, sink: Sink) -> None:
        """Receive until cancelled. Raises PlatformDown, or DiscordUnreachable when trying anew may help."""
        self._lock.acquire()
        client, waiting = await self._login()
        hearing = Hearing(
            client,
            sink,
            house=self._house,
            patience=self._patience,
            seen=self._seen,
            sent=self._sent,
            waiting=waiting,
            opened=self._opened,
            spawn=self._spawn,
        )
        link = Link(client, self._patience, self._gateway, self._house.now, hearing.unreadable, self._allowance)
        link.last_heard = self.last_heard
        self._link, client.handlers = link, hearing.handlers
        notes = asyncio.ensure_future(hearing.keep_notes(lambda: link.last_heard if link.up.is_set() else None))
        try:
            await link.keep()
        finally:
            client.handlers = {}
            notes.cancel()
            await hearing.stop()

    def _opened(self) -> None:
        assert self._link is not None
        self._link.opened()
        if not self._menu_tried and self._client is not None:
            self._menu_tried = True
            self._spawn(publish(self._client, self.account, self._house.menu, self._menu_note))

    async def _login(self) -> tuple[Client, Waiting]:
        """The client, logged in; once for the adapter's whole life. Raises PlatformDown or DiscordUnreachable."""
        if self._client is not None and self._waiting is not None:
            return self._client, self._waiting
        client = Client(self._patience, self._address)
        try:
            async with asyncio.timeout(self._patience.start):
                await client.login(self._token)
        except discord.LoginFailure:
            await client.close()
            raise PlatformDown("Discord does not accept the bot's token") from None
        except FAULTS as error:
            await client.close()
            if isinstance(error, discord.RateLimited):
                await asyncio.sleep(min(error.retry_after, self._patience.longest))
            raise DiscordUnreachable(f"Discord cannot be reached ({type(error).__name__})") from None
        except asyncio.CancelledError:
            await client.close()
            raise
        self._client, self._waiting = client, Waiting(client.http, self._spawn)
        self._calls = Calls(client, self._waiting, self._sent, self._house.now)
        self._logged_in.set()
        return self._client, self._waiting

    async def _online(self) -> Calls:
        """The calls; waits a little for the login. Raises NotSent."""
        if self._calls is None:
            try:
                async with asyncio.timeout(self._patience.connect):
                    await self._logged_in.wait()
            except TimeoutError:
                pass
        if self._calls is None:
            raise NotSent("the bot is not logged in at Discord yet")
        return self._calls

    async def send(self, message: Outbound) -> str:
        return await (await self._online()).send(message)

    async def edit(self, message_id: str, message: Outbound) -> None:
        await (await self._online()).edit(message_id, message)

    async def delete(self, chat: ChatRef, message_id: str) -> None:
        await (await self._online()).delete(chat, message_id)

    async def fetch(self, attachment: Attachment) -> bytes:
        return await (await self._online()).fetch(attachment)

    async def find(self, chat: ChatRef, nonce: str) -> str | None:
        return await (await self._online()).find(chat, nonce)

    async def react(self, chat: ChatRef, message_id: str, mark: str) -> None:
        if self._calls is not None:
            await self._calls.react(chat, message_id, mark)

    async def typing(self, chat: ChatRef) -> None:
        if self._calls is not None:
            await self._calls.typing(chat)

    async def progress(self, chat: ChatRef, text: str) -> None:
        """The typing sign must do."""

    async def finished(self, chat: ChatRef, summary: TurnSummary) -> None:
        if self._waiting is not None:
            self._waiting.finished(summary.event_ids, summary.reply if summary.outcome == "refused" else "")

    async def close(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._waiting is not None:
            await self._waiting.close(self._patience.stop)
        if self._client is not None:
            await self._client.close()
        self._lock.release()

    def _spawn(self, step: Awaitable[Any]) -> None:
        """Run beside everything else; what is refused here is worth a line in the log and no more."""

        async def quietly() -> None:
            try:
                await step
            except (*FAULTS, DeliveryError) as error:
                _LOG.info("a call beside the conversation failed: %s", type(error).__name__)

        task = asyncio.ensure_future(quietly())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def build(context: AdapterContext) -> DiscordAdapter:
    """The adapter, for the register. Raises PlatformDown for something that is no token."""
    return DiscordAdapter(context)


def _account(token: str) -> str:
    """The bot's id, which stands in the token's first part; empty when it does not."""
    head = token.partition(".")[0]
    try:
        text = base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)).decode("ascii")
    except ValueError:
        return ""
    return text if text.isdigit() else ""
