"""How often what nobody needs may be shown: each chat's pace, slower as its platform's patience shrinks.

Owns the pace of previews and passing lines. What must arrive is never held back here; when a chat may not be written
to at all is `lane`'s.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from gateway.clock import Clock
from platforms.messages import ChatRef

NETWORK = 0.5
"""Seconds between edits from which on a pace is a network's limit; a faster one costs nobody anything."""

STREAK, WINDOW = 20, 60.0
"""So many calls within so many seconds halve the pace; Telegram takes about 20 messages a minute in a room."""

DEEPEST = 4
"""The pace is never slower than two to this power."""

RECOVERY = 60.0
"""Seconds without pressure after which the pace doubles again, step by step."""

AT_ONCE = 20
"""Previews that one platform shows at full pace; Telegram takes about 30 calls a second from one bot."""

REMEMBERED = 1000
"""Chats whose pace is kept before those at full pace are forgotten."""


@dataclass(slots=True)
class Pace:
    """One chat's. Moments are monotonic."""

    level: int = 0
    since: float = 0.0
    calls: deque[float] = field(default_factory=deque)

    def slower(self, now: float) -> None:
        self.level, self.since = min(self.level + 1, DEEPEST), now
        self.calls.clear()

    def settle(self, now: float) -> int:
        """The level as it is now."""
        while self.level and now - self.since >= RECOVERY:
            self.level, self.since = self.level - 1, self.since + RECOVERY
        while self.calls and now - self.calls[0] > WINDOW:
            self.calls.popleft()
        return self.level


class Pacing:
    """All chats' paces, and how many previews each platform shows."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._paces: dict[str, Pace] = {}
        self._showing: Counter[str] = Counter()

    def seconds(self, chat: ChatRef, base: float) -> float:
        """How long to wait between two changes, on a platform whose own pace is `base` seconds."""
        known = self._paces.get(chat.key)
        level = known.settle(self._clock.monotonic()) if known is not None else 0
        crowd = max(1.0, self._showing[chat.platform] / AT_ONCE) if base >= NETWORK else 1.0
        return float((max(base, NETWORK) if level else base) * 2**level * crowd)

    def spent(self, chat: ChatRef, base: float) -> None:
        """A call was made in this chat."""
        if base < NETWORK:
            return
        pace, now = self._pace(chat), self._clock.monotonic()
        pace.settle(now)
        pace.calls.append(now)
        if len(pace.calls) >= STREAK:
            pace.slower(now)

    def pressed(self, chat: ChatRef) -> None:
        """The platform asked to wait, or does not keep up."""
        pace = self._pace(chat)
        pace.settle(self._clock.monotonic())
        pace.slower(self._clock.monotonic())

    @contextmanager
    def showing(self, chat: ChatRef) -> Iterator[None]:
        """A preview is shown on the chat's platform for the length of the block."""
        self._showing[chat.platform] += 1
        try:
            yield
        finally:
            self._showing[chat.platform] -= 1

    def _pace(self, chat: ChatRef) -> Pace:
        if (pace := self._paces.get(chat.key)) is None:
            now = self._clock.monotonic()
            if len(self._paces) >= REMEMBERED:
                self._paces = {key: each for key, each in self._paces.items() if each.settle(now) or each.calls}
            pace = self._paces[chat.key] = Pace()
        return pace
