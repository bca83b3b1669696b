"""What commands about stored sessions need of the house besides the archive's lists, as protocols.

Times are seconds since the epoch, sizes bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from commands.ports import SessionView


@dataclass(frozen=True, slots=True)
class CallView:
    """A tool that was called; `arguments` is JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One stored row, as it leaves the house: secrets are masked. `note` is the gateway's own text before `text`;
    `answers` is the id of the call whose result it is; `files` are names."""

    id: int
    role: Literal["user", "assistant", "tool"]
    text: str
    time: float
    note: str = ""
    calls: tuple[CallView, ...] = ()
    answers: str | None = None
    model: str | None = None
    untrusted: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pruned:
    """What left the archive, or would: sessions, and what hung on them. `kept` would have been old enough, and why
    they stay. `size` and `free` are the database's: its file, and the part of it that holds nothing any longer."""

    sessions: tuple[SessionView, ...]
    kept: tuple[tuple[SessionView, str], ...]
    messages: int
    bytes: int
    files: int
    size: int
    free: int


class Retention(Protocol):
    """Old sessions leave."""

    @property
    def days(self) -> int | None:
        """`sessions.retention_days` as it is in force."""

    async def prune(self, days: int, *, dry: bool, progress: Callable[[str, int, int | None], None]) -> Pruned:
        """Delete the sessions that ended more than `days` days ago, with everything that hangs on them; `dry` only
        says which. Chats go on meanwhile."""
