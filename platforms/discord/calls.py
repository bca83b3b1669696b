"""The calls that write to Discord and read from it, for one bot that is logged in; every failure by its meaning.

Owns what a message looks like on the wire, and its nonce. When and how often it is sent is the engine's matter.
"""

from __future__ import annotations

import asyncio
import io
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import discord
from discord.http import handle_message_parameters

from platforms.chunking import length
from platforms.discord.buttons import rows
from platforms.discord.client import Client
from platforms.discord.errors import FAULTS, absent, barred, translated
from platforms.discord.places import channel_of, number
from platforms.discord.render import LIMIT, render
from platforms.discord.sent import Sent, mark_of
from platforms.discord.waiting import Order, Waiting
from platforms.errors import PLUGIN_FAULTS, DeliveryError, Refused, Uncertain
from platforms.messages import Attachment, ChatRef, Outbound, OutFile

TAKES = 25_000_000
"""Bytes of a file that is fetched at most."""

HISTORY = 100
"""Messages among which a part is looked for; Discord gives no more at a time."""

_KEPT_MARKS = 500

T = TypeVar("T")


class Calls:
    """`now` gives seconds since the epoch. All but `react` and `typing` raise a DeliveryError and nothing else."""

    def __init__(self, client: Client, waiting: Waiting, sent: Sent, now: Callable[[], float]) -> None:
        self._client = client
        self._http = client.http
        self._waiting = waiting
        self._sent = sent
        self._now = now
        self._marks: dict[str, str] = {}
        self._ways: dict[str, Order] = {}

    async def send(self, message: Outbound) -> str:
        channel, words = channel_of(message.chat), _words(message)
        about: dict[str, Any] = {"content": words or None, "allowed_mentions": discord.AllowedMentions.none()}
        about["flags"] = discord.MessageFlags(suppress_embeds=True, suppress_notifications=message.quiet)
        sizes = []
        if (view := rows(message.buttons)) is not None:
            about["view"] = view
        if message.file is not None:
            data = await _bytes(message.file)
            about["files"] = [discord.File(io.BytesIO(data), filename=_sendable(message.file.name))]
            sizes = [len(data)]
        nonce = message.nonce or secrets.token_hex(12)
        self._sent.begin(nonce, channel, mark_of(words, sizes), self._now())
        sent = await _meaning(self._post(message, channel, about, nonce))
        self._sent.ended(nonce, int(sent))
        self._waiting.told(message.chat)
        return sent

    async def _post(self, message: Outbound, channel: int, about: dict[str, Any], nonce: str) -> str:
        more: dict[str, Any] = {"nonce": nonce}
        if message.reply_to is not None:
            more["message_reference"] = {"message_id": number(message.reply_to), "fail_if_not_exists": False}
        try:
            with handle_message_parameters(**about, **more) as parameters:
                sent = await self._http.send_message(channel, params=parameters)
            return str(sent["id"])
        except discord.Forbidden as error:
            order = self._waiting.live(message.chat) if barred(error) else None
            if order is None:
                raise
            # The bot may not write here, but it may answer whoever asked it here.
            message_id = await self._waiting.answer(order, **about)
            self._ways = {known: way for known, way in self._ways.items() if way in self._waiting.orders}
            self._ways[message_id] = order
            return message_id

    async def edit(self, message_id: str, message: Outbound) -> None:
        channel, own = channel_of(message.chat), number(message_id)
        about: dict[str, Any] = {"content": _words(message), "view": rows(message.buttons)}
        about["allowed_mentions"] = discord.AllowedMentions.none()

        async def change() -> None:
            order = self._ways.get(message_id)
            if order is not None and order in self._waiting.orders:
                await self._waiting.change(order, own, **about)
                return
            with handle_message_parameters(**about) as parameters:
                await self._http.edit_message(channel, own, params=parameters)

        await _meaning(change())

    async def delete(self, chat: ChatRef, message_id: str) -> None:
        channel, own = channel_of(chat), number(message_id)

        async def take_back() -> None:
            try:
                await self._http.delete_message(channel, own)
            except discord.NotFound as error:
                if not absent(error):
                    raise

        await _meaning(take_back())

    async def fetch(self, attachment: Attachment) -> bytes:
        """Addresses of files expire after a day: then the message is asked for a new one."""
        ids, _, address = attachment.locator.partition(" ")
        channel, message, own = (number(each) for each in ids.split("/"))

        async def load() -> bytes:
            try:
                return await self._http.download(address, TAKES)
            except (discord.Forbidden, discord.NotFound):
                told = await self._http.get_message(channel, message)
            fresh = [each["url"] for each in told["attachments"] if int(each["id"]) == own]
            if not fresh:
                raise Refused("the file is no longer there")
            return await self._http.download(fresh[0], TAKES)

        return await _meaning(load())

    async def find(self, chat: ChatRef, nonce: str) -> str | None:
        """The part is known by what the gateway told of it, else by what it reads, among the channel's newest."""
        channel, known = channel_of(chat), self._sent.message(nonce)
        if known is not None:
            return str(known)

        async def look() -> str | None:
            history = await self._http.logs_from(channel, HISTORY)
            user = self._client.user
            found = self._sent.sought(nonce, history, user.id if user is not None else 0)
            if found is None:
                return None
            self._sent.ended(nonce, found)
            return str(found)

        return await _meaning(look())

    async def react(self, chat: ChatRef, message_id: str, mark: str) -> None:
        """Put a sign on a message in the place of the one before; none takes that away. Failures are swallowed."""
        try:
            channel, own = channel_of(chat), number(message_id)
            old = self._marks.pop(message_id, "")
            if mark and mark != old:
                await self._http.add_reaction(channel, own, mark)
            if old and old != mark:
                await self._http.remove_own_reaction(channel, own, old)
        except (*FAULTS, DeliveryError):
            return
        if mark:
            self._marks[message_id] = mark
            while len(self._marks) > _KEPT_MARKS:
                del self._marks[next(iter(self._marks))]

    async def typing(self, chat: ChatRef) -> None:
        """Failures are swallowed."""
        try:
            await self._http.send_typing(channel_of(chat))
        except (*FAULTS, DeliveryError):
            return


def _words(message: Outbound) -> str:
    """The text as Discord shall show it. Raises Refused for one that it does not take."""
    if length(message.text, "codepoint") > LIMIT:
        raise Refused(f"the message is longer than {LIMIT} characters")
    words = render(message.text, LIMIT) if message.text.strip() else ""
    if not words.strip() and message.file is None:
        raise Refused("a message needs text")
    return words


async def _bytes(file: OutFile) -> bytes:
    try:
        return await asyncio.to_thread(Path(file.path).read_bytes)
    except OSError as error:
        raise Refused(f"the file {file.name} is no longer there ({error.strerror})") from None


def _sendable(name: str) -> str:
    """A file's name without what would end the header in which it is sent."""
    return "".join(each if each.isprintable() and each not in '"\\/' else "_" for each in name)


async def _meaning(call: Awaitable[T]) -> T:
    """The call's answer, or its failure as a DeliveryError."""
    try:
        return await call
    except FAULTS as error:
        raise translated(error) from None
    except PLUGIN_FAULTS as error:
        raise Uncertain(f"Discord's answer cannot be understood ({type(error).__name__})") from None
