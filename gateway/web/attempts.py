"""How often logins may fail before nobody is listened to for a while."""

from __future__ import annotations

from collections import deque

from gateway.clock import Clock

WINDOW = 300.0
"""Seconds."""

EACH = 10
"""Failures from one address within the window."""

ALL = 100
"""Failures from everywhere within the window; also the most addresses that are remembered."""


class Attempts:
    """Counts failures, by address and together. What is over the limit is refused unread, right or wrong."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failed: deque[tuple[float, str]] = deque(maxlen=ALL)

    def wait(self, address: str) -> float:
        """Seconds until this address is listened to again; 0 when it is now."""
        now = self._clock.monotonic()
        while self._failed and now - self._failed[0][0] >= WINDOW:
            self._failed.popleft()
        own = [at for at, whose in self._failed if whose == address]
        if len(own) >= EACH:
            return WINDOW - (now - own[-EACH])
        if len(self._failed) >= ALL:
            return WINDOW - (now - self._failed[0][0])
        return 0.0

    def failed(self, address: str) -> None:
        self._failed.append((self._clock.monotonic(), address))
