"""Receiving: one run of the library's updater, whose queue is the house's sink. Telegram is told that an update
arrived only once it is stored, because the next poll waits until `put` returns.

Owns one poller or webhook listener from its start to its end. When it has gone deaf is `watchdog`'s judgement.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from telegram import Bot, Update
from telegram.error import TelegramError
from telegram.ext import Updater

from platforms.telegram.errors import NotStored
from platforms.telegram.patience import Patience
from platforms.telegram.transport import Bury, PollTransport
from platforms.telegram.watchdog import Pulse

KINDS = ("message", "edited_message", "callback_query")
"""The kinds of update that the bot asks for."""

_LOG = logging.getLogger(__name__)

Take = Callable[[Update], Awaitable[None]]


class Intake(asyncio.Queue[object]):
    """The updater's queue: what is put here is stored when `put` returns."""

    def __init__(self, take: Take, bury: Bury, patience: Patience, pulse: Pulse) -> None:
        super().__init__()
        self._take = take
        self._bury = bury
        self._patience = patience
        self._pulse = pulse
        self._steps: set[asyncio.Task[None]] = set()

    async def put(self, item: object) -> None:
        """Returns when the update is stored, or put aside. Raises NotStored, which makes the poller ask again.

        A poller that is stopped meanwhile leaves the storing alone: it ends by itself.
        """
        assert isinstance(item, Update)
        step = asyncio.ensure_future(self._store(item))
        self._steps.add(step)
        try:
            await asyncio.shield(step)
        finally:
            if step.done():
                self._steps.discard(step)

    async def settled(self) -> None:
        """Wait until nothing is being stored, as long as a stop may take; then break off."""
        if self._steps:
            _, late = await asyncio.wait(self._steps, timeout=self._patience.stop)
            for step in late:
                step.cancel()
            await asyncio.gather(*self._steps, return_exceptions=True)
            self._steps.clear()

    async def _store(self, update: Update) -> None:
        why = ""
        with self._pulse.storing():
            for attempt in range(self._patience.tries):
                if attempt:
                    await asyncio.sleep(self._patience.pause * 2 ** (attempt - 1))
                try:
                    await self._take(update)
                    return
                except Exception as fault:  # noqa: BLE001 - the poller's sink: one update failed, polling must go on
                    why = f"{type(fault).__name__}: {fault}"
            try:
                await self._bury(str(update.update_id), why, update.to_json())
            except Exception as fault:  # nothing can be stored now: Telegram keeps the update for us
                raise NotStored(f"update {update.update_id} could not be stored: {why}; {fault}") from fault


class Poller:
    """One run of the updater. `start` it, and whatever happens, `stop` it."""

    def __init__(self, bot: Bot, transport: PollTransport, intake: Intake, patience: Patience) -> None:
        self._transport = transport
        self._intake = intake
        self._patience = patience
        self._updater = Updater(bot, intake)

    async def start_polling(self) -> None:
        """Take away a webhook, if there is one, and poll. Raises TelegramError or TimeoutError."""
        async with asyncio.timeout(self._patience.start):
            await self._updater.initialize()
            await self._updater.start_polling(
                poll_interval=self._patience.interval,
                timeout=timedelta(seconds=self._patience.poll),
                allowed_updates=KINDS,
                error_callback=_note,
            )

    async def start_webhook(self, url: str, secret: str, listen: tuple[str, int]) -> None:
        """Listen, and tell Telegram where. Raises TelegramError, TimeoutError or OSError."""
        async with asyncio.timeout(self._patience.start):
            await self._updater.initialize()
            await self._updater.start_webhook(
                listen=listen[0],
                port=listen[1],
                url_path=urlsplit(url).path,
                webhook_url=url,
                secret_token=secret,
                allowed_updates=KINDS,
                max_connections=1,  # one after the other, so that a chat's messages stay in order
            )

    async def stop(self) -> None:
        """End within a few seconds, whatever hangs. What `put` had finished is confirmed, if Telegram answers."""
        if self._updater.running:
            await self._within(self._updater.stop())
        await self._intake.settled()
        await self._within(self._transport.shutdown())

    async def _within(self, step: Awaitable[Any]) -> None:
        """Let a step end, then cancel it; the library swallows one cancellation, so more than one is offered."""
        task = asyncio.ensure_future(step)
        for seconds in (self._patience.stop, *[self._patience.stop / 10] * 3):
            await asyncio.wait({task}, timeout=seconds)
            if task.done():
                break
            task.cancel()
        if task.done() and not task.cancelled() and (fault := task.exception()) is not None:
            _LOG.debug("the end of a poller: %s", type(fault).__name__)


def _note(error: TelegramError) -> None:
    """What failed while polling; the library tries again by itself, and the watchdog looks whether that helps."""
    _LOG.warning("polling Telegram failed: %s", error if isinstance(error, NotStored) else type(error).__name__)
