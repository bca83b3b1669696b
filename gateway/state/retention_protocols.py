"""What retention asks of the store: which sessions may go, and taking one out step by step."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from gateway.state.records import SessionLine


@dataclass(frozen=True, slots=True)
class Bulk:
    """Rows of messages, and bytes of text in them and around them."""

    messages: int = 0
    bytes: int = 0

    def plus(self, other: Bulk) -> Bulk:
        return Bulk(self.messages + other.messages, self.bytes + other.bytes)


@dataclass(frozen=True, slots=True)
class Removed:
    """One step: what went, the paths of the files that it named, and whether the session is gone with it."""

    bulk: Bulk
    files: frozenset[str]
    gone: bool


@dataclass(frozen=True, slots=True)
class Space:
    """The size of the database in bytes, and how much of it holds nothing any longer."""

    size: int
    free: int


class Retention(Protocol):
    """Sessions leave: ended before a moment, not pinned, with no review that waits and no reply on its way. Each step
    is one small transaction. What models cost stays, summed over all that left; so do results of reviews."""

    async def due(self, before: float) -> list[SessionLine]:
        """Those that may go, the oldest first, and first of all those of which a part went already."""

    async def of_turns(self, turns: Collection[int]) -> frozenset[str]:
        """The sessions that these turns belong to."""

    async def of_events(self, items: Collection[int]) -> frozenset[str]:
        """The sessions whose turns took these events."""

    async def bulk(self, session_id: str) -> Bulk:
        """How much hangs on a session."""

    async def leave(self, session_id: str, before: float) -> bool:
        """From now on it is in no list and cannot be resumed. False when it may not go (any longer)."""

    async def remove(self, session_id: str) -> Removed:
        """The next step out, for a session that leaves."""

    async def unnamed(self, paths: Collection[str]) -> frozenset[str]:
        """Those of these files that no message and no part names any longer."""

    async def space(self) -> Space: ...
