"""What Discord tells becomes events of the house: in each channel's order, stored or put aside, never dropped.

Owns the way from an event of the library to the sink. What was missed is `catchup`'s, what an event says `inbound`'s.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import discord

from platforms.adapter import Sink
from platforms.discord.catchup import Catchup
from platforms.discord.client import Client, Handlers
from platforms.discord.inbound import interaction_event, message_event, wordless
from platforms.discord.lanes import Lanes
from platforms.discord.link import UNREADABLE
from platforms.discord.patience import Patience
from platforms.discord.places import Places
from platforms.discord.seen import Seen
from platforms.discord.sent import Sent
from platforms.discord.slash import complete, line, typed
from platforms.discord.transport import Transport
from platforms.discord.waiting import LATER_UPDATE, Waiting, defer
from platforms.manifest import HouseServices
from platforms.messages import ChatKind, Inbound

LOST = "⚠️ This could not be taken: nothing was done. Please try again later."
"""For who gave an order that could not be stored."""

_LOG = logging.getLogger(__name__)


class Hearing:
    """One run of the adapter. `opened()` is called when Discord took the connection in."""

    def __init__(
        self,
        client: Client,
        sink: Sink,
        *,
        house: HouseServices,
        patience: Patience,
        seen: Seen,
        sent: Sent,
        waiting: Waiting,
        opened: Callable[[], None],
        spawn: Callable[[Awaitable[Any]], None],
    ) -> None:
        self._client = client
        self._http: Transport = client.http
        self._sink = sink
        self._house = house
        self._patience = patience
        self._seen = seen
        self._sent = sent
        self._waiting = waiting
        self._opened = opened
        self._spawn = spawn
        self._lanes = Lanes()
        self._places = Places(client)
        self._catchup = Catchup(client, seen, self._lanes, patience, house.now)
        self._catchup.hand = self._hand
        self._hinted = False

    @property
    def handlers(self) -> Handlers:
        """What is done at which event of the library."""
        return {
            "connect": self._on_connect,
            "resumed": self._opened,
            "ready": self._on_ready,
            "guild_available": self._catchup.guild,
            "guild_join": self._catchup.guild,
            "message": self._on_message,
            "raw_message_edit": self._on_edit,
            "interaction": self._on_interaction,
            "press": self._on_press,
        }

    async def keep_notes(self, heard: Callable[[], float | None]) -> None:
        """Write down now and then how far everything was heard; `heard` says when last, None while nothing is."""
        while True:
            await asyncio.sleep(self._patience.save)
            moment = heard()
            if moment is not None and self._catchup.done:
                self._seen.heard(moment)
            self._seen.save()

    async def stop(self) -> None:
        """What is being stored is stored to its end, or given up in time."""
        await self._lanes.settle(self._patience.stop)
        self._seen.save(now=True)

    def unreadable(self, event_id: str, why: str, raw: str) -> None:
        """Something came that the library cannot parse."""
        self._spawn(self._house.bury(event_id, why, raw))

    def _on_connect(self) -> None:
        self._opened()
        self._catchup.ready()

    def _on_ready(self) -> None:
        """The guilds that were told of right after the greeting, of which nothing else says that they are there."""
        for guild in self._client.guilds:
            if not guild.unavailable:
                self._catchup.guild(guild)

    def _on_message(self, message: discord.Message) -> None:
        async def step() -> None:
            channel = message.channel.id
            if message.id in await self._catchup.fill(channel):
                return
            if await self._hand(message):
                self._catchup.stored(channel, message.id)
            else:
                self._catchup.failed(channel)

        if message.author.id == self._me and message.nonce is not None:
            self._sent.ended(str(message.nonce), message.id)
        self._lanes.put(message.channel.id, step)

    def _on_edit(self, change: discord.RawMessageUpdateEvent) -> None:
        async def step() -> None:
            for attempt in range(self._patience.tries):
                await asyncio.sleep(self._patience.retry * attempt)
                if (place := await self._places.of(change.message.channel)) is not None:
                    break
            else:
                _LOG.warning("a change of a message on Discord is left out: its channel cannot be looked up")
                return
            event = message_event(change.message, self._me, place, edited=True)
            if event is not None:
                await self._store(event)

        if change.message.author.id != self._me:
            self._lanes.put(change.message.channel.id, step)

    def _on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """An order out of the menu, or one that is being typed. Presses come as `press`."""
        if interaction.type is discord.InteractionType.autocomplete:
            self._spawn(self._complete(interaction))
            return
        if interaction.type is not discord.InteractionType.application_command or interaction.channel is None:
            return
        place = self._places.known(interaction.channel)
        if place is None:
            return
        self._waiting.begin(interaction, place.chat)
        text = line(interaction.data or {}, self._house.menu)
        event = interaction_event(interaction, self._me, place, text)
        self._lanes.put(interaction.channel.id, lambda: self._store_order(event))

    async def _complete(self, interaction: discord.Interaction[Any]) -> None:
        """Names for what somebody is typing. Discord asks at every sign, and takes silence for an answer."""
        text = typed(interaction.data or {}, self._house.menu)
        place = self._places.known(interaction.channel) if interaction.channel is not None else None
        if text is not None and place is not None:
            event = interaction_event(interaction, self._me, place, text)
            await complete(self._http, interaction, await self._house.suggest(event))

    def _on_press(self, interaction: discord.Interaction[Any], action: str) -> None:
        self._spawn(defer(self._http, interaction, LATER_UPDATE))
        place = self._places.known(interaction.channel)
        if place is None or interaction.message is None or interaction.channel is None:
            return
        event = interaction_event(interaction, self._me, place, action, card=interaction.message.id)
        self._lanes.put(interaction.channel.id, lambda: self._store_order(event))

    async def _store_order(self, event: Inbound) -> None:
        await self._store(event)

    async def _hand(self, message: discord.Message) -> bool:
        """One message to the house; whether it is stored, or nobody's business."""
        place = await self._places.of(message.channel)
        if place is None:
            return False  # in the wrong chat it would be answered in the wrong session
        self._seen.meet(message.channel.id, message.id, direct=place.kind is ChatKind.DIRECT)
        if not self._hinted and message.author.id != self._me and wordless(message, place):
            self._hinted = True
            _LOG.warning(
                "a message on Discord came without its words: the bot may not read them (Message Content Intent in"
                " the developer portal)"
            )
        try:
            event = message_event(message, self._me, place)
        except UNREADABLE as fault:
            return await self._bury(str(message.id), f"cannot be read: {fault!r}", message.content)
        return event is None or await self._store(event)

    async def _store(self, event: Inbound) -> bool:
        """Whether the event is stored, or put aside where it can be looked at."""
        why = ""
        for attempt in range(self._patience.tries):
            if attempt:
                await asyncio.sleep(self._patience.retry * 2 ** (attempt - 1))
            try:
                await self._sink(event)
                return True
            except Exception as fault:  # noqa: BLE001 - the poller's sink: one event failed, listening must go on
                why = f"{type(fault).__name__}: {fault}"
        return await self._bury(event.event_id, why, event.text)

    async def _bury(self, event_id: str, why: str, text: str) -> bool:
        self._waiting.finished((event_id,), LOST)
        try:
            await self._house.bury(event_id, why, json.dumps({"text": text}))
            return True
        except Exception as fault:  # noqa: BLE001 - nothing can be stored now: the channel's history keeps it for us
            _LOG.error("an event of Discord's could not be stored: %s (%s)", why, type(fault).__name__)
            return False

    @property
    def _me(self) -> int:
        user = self._client.user
        return user.id if user is not None else 0
