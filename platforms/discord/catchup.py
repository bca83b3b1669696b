"""What was missed: fetched from the channels' history after a start, and after a connection that was not resumed.

Owns which channels may have a gap. Messages are handed on in their channel's order; the inbox knows them by their
ids, so what is fetched once too often does no harm.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

import discord

from platforms.discord.client import Client
from platforms.discord.errors import FAULTS
from platforms.discord.lanes import Lanes
from platforms.discord.link import UNREADABLE
from platforms.discord.patience import Patience
from platforms.discord.seen import MARGIN, Seen, snowflake
from platforms.discord.transport import patiently

OLDEST = 24 * 3600.0
"""Seconds; what is older is not fetched any more."""

PAGE, PAGES = 100, 5
"""Messages that are fetched at a time, and how often for one channel."""

DIRECT = 200
"""Direct chats that are looked into after a start; in the others a gap is found when somebody writes there."""

AT_ONCE = 4
_LONGEST_PAUSE = 5.0
_LOG = logging.getLogger(__name__)

Hand = Callable[[discord.Message], Awaitable[bool]]
"""Gives one message to the house; whether it is stored, or nobody's business."""


class Catchup:
    """The gaps of one adapter. `now` gives seconds since the epoch."""

    def __init__(
        self, client: Client, seen: Seen, lanes: Lanes, patience: Patience, now: Callable[[], float]
    ) -> None:
        self._client = client
        self._seen = seen
        self._lanes = lanes
        self._patience = patience
        self._now = now
        self._levelled: set[int] = set()
        self._owed: set[int] = set()
        self._since = 0
        self._nothing_missed = False
        self._gate = asyncio.Semaphore(AT_ONCE)
        self.hand: Hand = _nobody

    def ready(self) -> None:
        """A new session begins: whatever came before it may have been missed."""
        moment = self._now()
        self._levelled.clear()
        self._owed.clear()
        self._since = snowflake(moment)
        self._nothing_missed = self._seen.floor is None
        if self._nothing_missed:
            self._seen.heard(moment + MARGIN)
            self._seen.save(now=True)
        for channel in self._seen.direct(DIRECT):
            self._owe(channel)

    def guild(self, guild: discord.Guild) -> None:
        """A guild's channels are known, with the newest message of each."""
        written: list[Any] = [*guild.text_channels, *guild.voice_channels, *guild.stage_channels, *guild.threads]
        for channel in written:
            newest, after = channel.last_message_id or 0, self._seen.after(channel.id) or 0
            if newest <= max(after, self._earliest()):
                self._levelled.add(channel.id)
            else:
                self._owe(channel.id)

    @property
    def done(self) -> bool:
        """Whether everything that could be missing was fetched."""
        return not self._owed

    def level(self, channel: int) -> bool:
        """Whether nothing before the newest message of a channel is missing. A channel younger than the session was
        heard from its beginning."""
        return self._nothing_missed or channel in self._levelled or channel >= self._since

    def stored(self, channel: int, message: int) -> None:
        """A message that came by itself is dealt with."""
        if self.level(channel):
            self._seen.stored(channel, message)

    def failed(self, channel: int) -> None:
        """A message could be neither stored nor put aside: it is fetched again later."""
        self._nothing_missed = False
        self._levelled.discard(channel)
        self._since = max(self._since, channel + 1)
        self._later(channel)

    async def fill(self, channel: int) -> set[int]:
        """Hand on what is missing in a channel; the ids of that. Runs in the channel's lane, so what came since waits
        until this is done, or has failed for a while: then it goes first, and the gap is filled later. While nothing
        can be fetched nothing could be answered either."""
        handed: set[int] = set()
        pause, until = self._patience.retry, time.monotonic() + self._patience.again
        while not self.level(channel) and await self._fill(channel, handed):
            if time.monotonic() + pause > until:
                break
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        else:
            return handed
        _LOG.warning("what was missed on Discord cannot be fetched now")
        self._later(channel)
        return handed

    async def _fill(self, channel: int, handed: set[int]) -> bool:
        """One try; whether another may help at once."""
        direct = self._client.get_channel(channel) is None  # those of guilds are known
        after = max(self._seen.after(channel, direct=direct) or 0, self._earliest())
        try:
            for _ in range(PAGES):
                page = await self._page(channel, after)
                for told in sorted(page, key=lambda each: int(each["id"])):
                    after = int(told["id"])
                    handed.add(after)
                    if not await self._hand(channel, told):
                        self._later(channel)
                        return False
                    self._seen.stored(channel, after)
                if len(page) < PAGE:
                    break
            else:
                _LOG.warning("more than %d messages were missed in a channel; the rest is left", PAGE * PAGES)
        except (discord.Forbidden, discord.NotFound):
            pass  # what the bot may not read it has not missed
        except FAULTS as error:
            _LOG.info("what was missed on Discord could not be fetched: %s", type(error).__name__)
            return True
        self._levelled.add(channel)
        self._owed.discard(channel)
        return False

    async def _page(self, channel: int, after: int) -> list[Any]:
        async with self._gate:
            return await patiently(lambda: self._client.http.logs_from(channel, PAGE, after=after))

    async def _hand(self, channel: int, told: Any) -> bool:
        try:
            message = discord.Message(state=self._client.state, channel=self._channel(channel), data=told)
        except UNREADABLE as fault:
            _LOG.warning("a missed message of Discord's cannot be parsed (%s)", type(fault).__name__)
            return True
        return await self.hand(message)

    def _channel(self, channel: int) -> Any:
        known = self._client.get_channel(channel)
        if known is None and self._seen.is_direct(channel):
            return discord.DMChannel._from_message(self._client.state, channel)
        return known or self._client.get_partial_messageable(channel)

    def _owe(self, channel: int) -> None:
        async def step() -> None:
            await self.fill(channel)

        self._owed.add(channel)
        self._lanes.put(channel, step)

    def _later(self, channel: int) -> None:
        self._owed.add(channel)
        asyncio.get_running_loop().call_later(self._patience.again, self._owe, channel)

    def _earliest(self) -> int:
        return snowflake(self._now() - OLDEST)


async def _nobody(message: discord.Message) -> bool:
    return False
