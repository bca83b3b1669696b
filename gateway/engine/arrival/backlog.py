"""Messages that waited too long while the process was down: one question instead of many turns."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from gateway.engine import notices
from gateway.engine.house import House
from gateway.engine.sessions.boundary import zone
from gateway.engine.turns.steps import patiently
from gateway.state.records import InboxItem
from platforms.messages import Button, Inbound

SETTLE = 1.5
"""Seconds after the last old message before the question is asked, so that one question covers them all."""


class Backlog:
    """Holds old messages and asks about them, once for each session key."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._latest: dict[str, int] = {}

    def is_old(self, event: Inbound) -> bool:
        """Whether an event was sent before this process started, longer ago than the owner's bound."""
        bound = self._house.settings().gateway.backlog_minutes * 60
        return event.sent_at < self._house.started_at and self._house.clock.now() - event.sent_at > bound

    async def hold(self, item: InboxItem) -> None:
        """Set one event aside, and ask when no further one came for a moment."""
        await patiently(partial(self._house.store.inbox.hold, [item.id]), self._house)
        self._latest[item.session_key] = item.id
        await self._house.clock.sleep(SETTLE)
        if self._latest.get(item.session_key) == item.id:
            del self._latest[item.session_key]
            await patiently(partial(self.ask, item.session_key), self._house)

    async def ask(self, key: str) -> None:
        """Ask about what is held for a key; the same question is never asked twice."""
        held = await self._house.store.inbox.held(key)
        if not held:
            return
        first, last = held[0], held[-1]
        when = datetime.fromtimestamp(first.event.sent_at, zone(self._house.settings()))
        text = notices.backlog([each.event.text for each in held], f"on {when:%Y-%m-%d at %H:%M}")
        buttons = ((Button("Answer now", "/backlog answer"), Button("Leave it", "/backlog drop")),)
        await self._house.delivery.post(last.event.chat, f"backlog:{last.id}", text, buttons=buttons)
