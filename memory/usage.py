"""The one count of a store's characters. The header in the prompt, tool answers, commands and checks all use it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memory.entries import serialise


@dataclass(frozen=True, slots=True)
class Usage:
    """`chars` and `limit` in code points of the joined text, separators included; `percent` rounded down, at most
    100."""

    chars: int
    limit: int
    percent: int

    @property
    def over(self) -> int:
        """How many characters have to go before the store fits; 0 when it does."""
        return max(0, self.chars - self.limit)

    @property
    def fraction(self) -> str:
        """`2,100/2,200`"""
        return f"{self.chars:,}/{self.limit:,}"

    def __str__(self) -> str:
        """`67% — 1,474/2,200 chars`"""
        return f"{self.percent}% — {self.fraction} chars"


def usage(entries: Iterable[str], limit: int) -> Usage:
    """How full a store with these entries is. A limit of 0 or less is always used up."""
    chars = len(serialise(entries))
    percent = min(100, chars * 100 // limit) if limit > 0 else 100
    return Usage(chars, limit, percent)
