"""Slash commands that wait for their answer: told at once that it is coming, and tidied up when it came.

The answer itself is an ordinary message in the channel, so that it is delivered as every other. Only where the bot
may not write does it go the way that the command came.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import discord
from discord.http import Route, handle_message_parameters

from platforms.discord.errors import FAULTS
from platforms.discord.render import LIMIT
from platforms.discord.transport import Transport
from platforms.messages import ChatRef

LIVES = 14 * 60.0
"""Seconds for which an interaction can be answered, with a minute to spare."""

LATER, LATER_UPDATE = 5, 6
EPHEMERAL = 64
_TRIES = 3
_PAUSE = 0.2
_DONE = "✓"
_NOBODY: dict[str, Any] = {"allowed_mentions": {"parse": []}}
_LOG = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class Order:
    """One command out of the menu. `token` lets it be answered for a while."""

    event_id: str
    application: int
    token: str
    chat: ChatRef
    deferred: asyncio.Task[bool]
    answered: bool = False


async def defer(http: Transport, interaction: discord.Interaction[Any], kind: int) -> bool:
    """Tell Discord within its three seconds that an answer will come. False when it is too late for that."""
    route = Route(
        "POST", "/interactions/{webhook_id}/{webhook_token}/callback", webhook_id=interaction.id,
        webhook_token=interaction.token,
    )  # fmt: skip
    answer: dict[str, Any] = {"type": kind} | ({"data": {"flags": EPHEMERAL}} if kind == LATER else {})
    for attempt in range(_TRIES):
        if attempt:
            await asyncio.sleep(_PAUSE)
        try:
            await http.request(route, json=answer)
            return True
        except discord.HTTPException as error:
            if error.status < 500:
                _LOG.info("a command could not be acknowledged (%s); its answer comes as a message", error.code)
                return error.code == 40060  # it was, and only the answer to that was lost
        except FAULTS:
            continue
    return False


@dataclass(slots=True)
class Waiting:
    """All orders that can still be answered."""

    http: Transport
    spawn: Callable[[Awaitable[Any]], None]
    orders: list[Order] = field(default_factory=list)

    def begin(self, interaction: discord.Interaction[Any], chat: ChatRef) -> None:
        """An order came: "thinking …" stands there from now on, for whoever gave it. One that is told of again, as
        after a resumed connection, is known."""
        if any(each.event_id == str(interaction.id) for each in self.orders):
            return
        deferred = asyncio.ensure_future(defer(self.http, interaction, LATER))
        order = Order(str(interaction.id), interaction.application_id, interaction.token, chat, deferred)
        self.orders.append(order)
        asyncio.get_running_loop().call_later(LIVES, self._expire, order)

    def live(self, chat: ChatRef) -> Order | None:
        """The newest order in a chat that can still be answered."""
        return next((each for each in reversed(self.orders) if each.chat == chat), None)

    def told(self, chat: ChatRef) -> None:
        """Something was said in the chat: nobody needs to be told there that it is coming."""
        for order in self.orders:
            if order.chat == chat and not order.answered:
                order.answered = True
                self.spawn(self._tidy(order))

    def finished(self, event_ids: tuple[str, ...], words: str = "") -> None:
        """Nothing more comes for these events; an order that nothing was said to gets these words, or a tick."""
        for order in [each for each in self.orders if each.event_id in event_ids]:
            if not order.answered:
                order.answered = True
                self.spawn(self._edit(order, words[:LIMIT] or _DONE))

    async def answer(self, order: Order, **message: Any) -> str:
        """Answer the way that the order came. The message's id. Raises as a call does."""
        await order.deferred
        route = Route("POST", "/webhooks/{webhook_id}/{webhook_token}", **_way(order))
        with handle_message_parameters(**message) as parameters:
            sent = await self.http.request(route, **_body(parameters), params={"wait": "true"})
        order.answered = True
        return str(sent["id"])

    async def change(self, order: Order, message_id: int, **message: Any) -> None:
        """Change a message that was sent by `answer`. Raises as a call does."""
        path = "/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}"
        route = Route("PATCH", path, message_id=message_id, **_way(order))
        with handle_message_parameters(**message) as parameters:
            await self.http.request(route, **_body(parameters))

    async def close(self, seconds: float) -> None:
        """The house closes: what is not answered yet comes as a message, later; nobody needs to be told till then."""
        open_orders = [each for each in self.orders if not each.answered] if self.http.open else []
        self.orders.clear()
        if not open_orders:
            return
        left = [asyncio.ensure_future(self._tidy(each)) for each in open_orders]
        await asyncio.wait(left, timeout=seconds)
        for each in left:
            each.cancel()
        for fault in await asyncio.gather(*left, return_exceptions=True):
            if isinstance(fault, Exception):
                _LOG.info("an order could not be tidied up: %s", type(fault).__name__)

    def _expire(self, order: Order) -> None:
        if order in self.orders:
            self.orders.remove(order)
            if not order.answered and self.http.open:
                self.spawn(self._tidy(order))

    async def _tidy(self, order: Order) -> None:
        if await order.deferred:
            path = "/webhooks/{webhook_id}/{webhook_token}/messages/@original"
            await self.http.request(Route("DELETE", path, **_way(order)))

    async def _edit(self, order: Order, text: str) -> None:
        if await order.deferred:
            path = "/webhooks/{webhook_id}/{webhook_token}/messages/@original"
            await self.http.request(Route("PATCH", path, **_way(order)), json={"content": text} | _NOBODY)


def _way(order: Order) -> dict[str, Any]:
    return {"webhook_id": order.application, "webhook_token": order.token}


def _body(parameters: Any) -> dict[str, Any]:
    if parameters.files:
        return {"files": parameters.files, "form": parameters.multipart}
    return {"json": parameters.payload}
