"""Where an owner last spoke, platform by platform: that is where news for them go when no home chat will do."""

from __future__ import annotations

from typing import Any

from commands.authority import role_of
from commands.spec import Role
from gateway.config.schema import Settings
from gateway.engine.arrival.session_key import access_rules
from gateway.state.protocols import Facts
from platforms.messages import ChatKind, ChatRef, Inbound

_SCOPE, _NAME = "owner", "chats"

STALE = 3600.0
"""Seconds after which the moment of a chat that did not change is written again."""


class OwnerChats:
    """The last direct chat of an owner on each platform, with its moment; kept over restarts."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._chats: dict[str, tuple[str, float]] = {}
        self._kept: dict[str, Any] | None = None

    def note(self, event: Inbound, settings: Settings, now: float) -> None:
        """Somebody said something; it counts when it was an owner, alone with the assistant."""
        platform = event.chat.platform
        if event.kind is not ChatKind.DIRECT or event.sender.is_bot:
            return
        if role_of(platform, event.sender.id, access_rules(settings)) is Role.OWNER:
            self._chats[platform] = (event.chat.key, now)

    async def save(self) -> None:
        """Write down what is new. Raises DatabaseFault."""
        kept = await self._load()
        fresh = {
            platform: [key, at]
            for platform, (key, at) in self._chats.items()
            if platform not in kept or kept[platform][0] != key or at - kept[platform][1] >= STALE
        }
        if fresh:
            self._kept = kept | fresh
            await self._facts.put(_SCOPE, _NAME, self._kept)

    async def latest(self) -> list[ChatRef]:
        """The chats, the one in which an owner spoke last first."""
        spoke = {key: float(at) for key, at in (await self._load()).values()}
        spoke |= dict(self._chats.values())
        return [ChatRef.parse(key) for key in sorted(spoke, key=lambda key: -spoke[key])]

    async def _load(self) -> dict[str, Any]:
        if self._kept is None:
            self._kept = dict(await self._facts.get(_SCOPE, _NAME) or {})
        return self._kept
