"""What a search hands out: frozen rows in the words of whoever asked. Times are seconds since the epoch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gateway.errors import InnkeeperError


class SearchFault(InnkeeperError):
    """The index cannot be read now. That is no "nothing found": what is wrong and what becomes of it is said."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message, whole. `untrusted` says where its text came from when nobody vouches for it."""

    id: int
    role: Literal["user", "assistant"]
    text: str
    at: float
    untrusted: str = ""


@dataclass(frozen=True, slots=True)
class FoundSession:
    """The session that something was found in. `ended_at` is None while it is open."""

    id: str
    session_key: str
    chat: str
    title: str | None
    started_at: float
    active_at: float
    ended_at: float | None


@dataclass(frozen=True, slots=True)
class Hit:
    """The best message of one session, what was said around it, and how the session begins and ends.

    `snippet` alone is partial; what was found stands between `**` in it. `matches` counts those of the session's
    messages that were looked at and fit. `before`, `after`, `first` and `last` are in the order of saying.
    """

    session: FoundSession
    message: Said
    snippet: str
    matches: int
    score: float
    before: tuple[Said, ...]
    after: tuple[Said, ...]
    first: tuple[Said, ...]
    last: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came to, best first, one hit a session.

    `more` asks for what follows, None when that is nothing. `bounded`: older messages were not looked at, since
    enough or too much fits, or since there was no time; `more` goes on there. Without hits it is then no "nothing
    found". `note` says what was wrong with the question, or what is still to be indexed.
    """

    hits: tuple[Hit, ...] = ()
    bounded: bool = False
    more: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Messages of one session that follow each other; whether there are earlier and later ones."""

    session: FoundSession
    messages: tuple[Said, ...]
    earlier: bool
    later: bool


@dataclass(frozen=True, slots=True)
class RecentSession:
    """A session in a list, with how it begins and ends."""

    session: FoundSession
    first: tuple[Said, ...]
    last: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class IndexState:
    """How the index is doing: `waiting` messages are not in it yet, `failed` ones could not be taken in; `building`
    says why another one is being built, and is empty when none is."""

    waiting: int
    failed: int
    building: str
    damaged: bool
