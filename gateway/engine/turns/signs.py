"""A sign on the message that is being answered, where the owner wants it and the platform has reactions.

Cosmetic: it is put on and taken off beside everything else, and left out while the platform wants to be left alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from gateway.engine.house import House
from gateway.events import Event, TurnFinished, TurnStarted
from gateway.state.connection import DatabaseFault
from platforms.messages import ChatRef

READING = "👀"
MOST = 1000
"""Turns whose end is awaited, at most; of those beyond, the oldest keep their sign."""


Run = Callable[[Coroutine[Any, Any, None]], object]


class Signs:
    """Listens to turns. `spawn` runs a step beside everything else, `tell` one that follows an answer."""

    def __init__(self, house: House, spawn: Run, tell: Run) -> None:
        self._house = house
        self._spawn = spawn
        self._tell = tell
        self._marked: dict[int, asyncio.Future[str | None]] = {}

    def __call__(self, event: Event) -> None:
        match event:
            case TurnStarted(turn_id, _, chat) if self._wanted(chat):
                while len(self._marked) >= MOST:
                    del self._marked[next(iter(self._marked))]
                marked = self._marked[turn_id] = asyncio.get_running_loop().create_future()
                self._spawn(self._put(turn_id, chat, marked))
            case TurnFinished(turn_id, _, chat) if (marks := self._marked.pop(turn_id, None)) is not None:
                self._tell(self._take(chat, marks))
            case _:
                return

    def _wanted(self, chat: ChatRef) -> bool:
        adapter = self._house.adapters.get(chat.platform)
        if adapter is None or not adapter.capabilities.reactions or self._house.delivery.quiet(chat):
            return False
        return self._house.settings().display.reacts_on(chat.platform)

    async def _put(self, turn_id: int, chat: ChatRef, marked: asyncio.Future[str | None]) -> None:
        """Mark the last of the messages that the turn took; of an album or a split text one is enough."""
        message_id = None
        try:
            events = [each.event for each in await self._house.store.inbox.of_turn(turn_id)]
            said = [each.message_id for each in events if each.message_id is not None and not each.pressed]
            if said:
                message_id = said[-1]
                with self._house.delivery.cosmetic(chat) as adapter:
                    if adapter is not None:
                        await adapter.react(chat, message_id, READING)
        except DatabaseFault as fault:
            self._house.report.info("sign.left_out", why=str(fault))
        finally:
            marked.set_result(message_id)

    async def _take(self, chat: ChatRef, marks: asyncio.Future[str | None]) -> None:
        """Once the answer was handed over, and the platform may be called again."""
        message_id, delivery = await marks, self._house.delivery
        if message_id is not None:
            await delivery.flushed(chat)
            await self._house.clock.sleep(delivery.quiet_for(chat))
            with delivery.cosmetic(chat) as adapter:
                if adapter is not None:
                    await adapter.react(chat, message_id, "")
