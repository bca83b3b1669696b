"""What commands that search the archive need of the house, as protocols. Times are seconds since the epoch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from commands.ports import SessionView


class SearchTrouble(Exception):
    """The archive cannot be searched now; the text says why. That is no "nothing found"."""


@dataclass(frozen=True, slots=True)
class SaidView:
    """A message of a person or of the assistant, whole."""

    id: int
    role: Literal["user", "assistant"]
    text: str
    time: float


@dataclass(frozen=True, slots=True)
class HitView:
    """The best message of a session. `snippet` is a part of it, with `**` around what was found; `matches` counts the
    messages of the session that fit."""

    session: SessionView
    message: SaidView
    snippet: str
    matches: int


@dataclass(frozen=True, slots=True)
class FoundView:
    """Hits, best first. `more` asks for what follows, None when that is nothing; `bounded`: older messages were not
    looked at; `note` says what was wrong with the question, or what is still to be indexed."""

    hits: tuple[HitView, ...]
    bounded: bool
    more: str | None
    note: str


@dataclass(frozen=True, slots=True)
class StretchView:
    """Messages of a session that follow each other; whether there are earlier and later ones."""

    messages: tuple[SaidView, ...]
    earlier: bool
    later: bool


class Finder(Protocol):
    """Searches what was said. `keys` limits what is seen to these session keys; None is everything. Raises
    SearchTrouble."""

    async def find(
        self, query: str, keys: tuple[str, ...] | None, *, limit: int, more: str | None = None
    ) -> FoundView: ...

    async def around(
        self, session_id: str, message_id: int, window: int, keys: tuple[str, ...] | None
    ) -> StretchView | None:
        """A message and its neighbours; None when it is not there to be seen."""

    async def asked(self, item_id: int, key: str | None) -> str:
        """An earlier order in this chat, by its stored event; empty when there is none."""
