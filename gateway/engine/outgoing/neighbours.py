"""What other processes of the profile put into the outbox, sent by the one that has the platforms.

A command at the shell can only store what a chat shall hear; here it is found and handed to delivery.
"""

from __future__ import annotations

from collections.abc import Collection

from gateway.clock import Clock
from gateway.engine.outgoing.delivery import Delivery
from gateway.state.connection import DatabaseFault
from gateway.state.protocols import Outbox

LOOK = 2.0
"""Seconds between two looks."""


class Neighbours:
    """`run()` beside the engine. `platforms` are those that listen here."""

    def __init__(self, outbox: Outbox, delivery: Delivery, clock: Clock, platforms: Collection[str]) -> None:
        self._outbox = outbox
        self._delivery = delivery
        self._clock = clock
        self._platforms = platforms

    async def run(self) -> None:
        """Until cancelled. Chats that delivery is busy with are left to it, and to its pauses."""
        while True:
            await self._clock.sleep(LOOK)
            try:
                chats = await self._outbox.chats()
            except DatabaseFault:  # delivery meets and reports the same fault
                continue
            for chat in chats:
                if chat.platform in self._platforms and not self._delivery.busy(chat):
                    self._delivery.wake(chat)
