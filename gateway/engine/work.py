"""The kinds of work that a session does, one after the other."""

from __future__ import annotations

from dataclasses import dataclass

from commands.parse import Order
from gateway.state.records import InboxItem, Turn


@dataclass(frozen=True, slots=True)
class Said:
    """Messages to answer in one turn: usually one, more when a client split it or a backlog is answered."""

    items: tuple[InboxItem, ...]
    whole: bool = False
    """Nothing more belongs to it: no second part is waited for."""


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
