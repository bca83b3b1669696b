"""What a command is doing, shown for a moment in the chat where it was given, no more often than anybody reads."""

from __future__ import annotations

import asyncio

from commands.context import in_words
from gateway.engine.house import House
from platforms.errors import DeliveryError
from platforms.messages import ChatRef

EVERY = 1.5
"""Seconds between two lines."""


class Passing:
    """A `commands.context.Context.progress`. Nothing is kept, and a platform that refuses a line is left in peace."""

    def __init__(self, house: House, chat: ChatRef) -> None:
        self._house = house
        self._chat = chat
        self._shown_at: float | None = None
        self._showing: asyncio.Task[None] | None = None

    def __call__(self, what: str, done: int, total: int | None) -> None:
        now = self._house.clock.monotonic()
        if self._showing is not None and not self._showing.done():
            return
        if self._shown_at is not None and now - self._shown_at < EVERY:
            return
        self._shown_at = now
        self._showing = asyncio.ensure_future(self._show(in_words(what, done, total)))

    async def _show(self, text: str) -> None:
        adapter = self._house.adapters.get(self._chat.platform)
        if adapter is None or self._house.delivery.quiet(self._chat):
            return
        try:
            await adapter.progress(self._chat, text)
        except DeliveryError:
            self._shown_at = float("inf")  # it is to wait: no further line
