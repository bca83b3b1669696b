"""The kinds of work that a session does, one after the other."""

from __future__ import annotations

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


Work = Said | Resumed | Ordered


def events(work: Work) -> tuple[InboxItem, ...]:
    """The stored events of a piece of work that no turn has taken yet."""
    match work:
        case Ordered(item, _):
            return (item,)
        case Said(items):
            return items
        case Resumed():
            return ()
        case _:
            assert_never(work)


def first_event(work: Work) -> int:
    """The number of the event with which it began; what a dead process left came before everything."""
    return min((each.id for each in events(work)), default=0)
