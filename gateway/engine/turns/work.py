"""The kinds of work that a session does, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from commands.parse import Order
from gateway.state.records import InboxItem, Row, Turn


@dataclass(frozen=True, slots=True)
class Said:
    """Messages to answer in one turn: usually one, more when a client split it or a backlog is answered."""

    items: tuple[InboxItem, ...]
    whole: bool = False
    """Nothing more belongs to it: no second part is waited for."""
    again: tuple[Row, ...] = ()
    """The rows that say it, when that is not for the events to tell: what `/retry` says once more."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """A turn that a dead process left running."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Ordered:
    """A command that may not run beside a turn."""

    item: InboxItem
    order: Order


@dataclass(frozen=True, slots=True, eq=False)
class Fired:
    """A job's run, by its number. `end` takes why it came to no turn, or nothing, when there is no more to be done
    about it; called again, it changes nothing."""

    run: int
    end: Callable[[str], None]


Work = Said | Resumed | Ordered | Fired


def of_job(work: Work) -> bool:
    """Whether a job asked for it: it waits for its session as all work does, and what people say waits for it."""
    return isinstance(work, Fired) or (isinstance(work, Resumed) and work.turn.run is not None)


def events(work: Work) -> tuple[InboxItem, ...]:
    """The stored events of a piece of work that no turn has taken yet."""
    match work:
        case Ordered(item, _):
            return (item,)
        case Said(items):
            return items
        case Resumed() | Fired():
            return ()
        case _:
            assert_never(work)


def first_event(work: Work) -> int:
    """The number of the event with which it began; what a dead process left came before everything."""
    return min((each.id for each in events(work)), default=0)
