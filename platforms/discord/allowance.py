"""How many new sessions may still be asked for: Discord resets the token of a bot that asks for a thousand a day.

Owns the count, over restarts of the connection; waiting is `link`'s matter.
"""

from __future__ import annotations


class Allowance:
    """`most` at once, and one more every `seconds`. Moments are monotonic."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._left = float(most)
        self._at = 0.0

    def rest(self, now: float) -> float:
        """Seconds until one may be asked for."""
        self._grow(now)
        return max(0.0, (1 - self._left) * self._seconds)

    def take(self, now: float) -> None:
        """One was asked for."""
        self._grow(now)
        self._left -= 1

    def _grow(self, now: float) -> None:
        grown = (now - self._at) / self._seconds if self._seconds else float(self._most)
        self._left, self._at = min(float(self._most), self._left + grown), now
