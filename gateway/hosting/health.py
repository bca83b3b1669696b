"""How the house is, in a few facts that anybody on this machine may know: the platforms, the store, what waits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from gateway.state.connection import DatabaseFault

PATIENCE = 5.0
"""Seconds in which the store must answer."""


class Platform(Protocol):
    """One platform's state."""

    @property
    def up(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Queue:
    """`messages` wait for an answer, `parts` of answers for delivery."""

    messages: int
    parts: int


@dataclass(frozen=True, slots=True)
class Health:
    """`platforms` says which are up. `queue` is None when the store did not answer."""

    platforms: Mapping[str, bool]
    queue: Queue | None

    @property
    def status(self) -> Literal["ok", "degraded", "down"]:
        """down: the store is silent, or no platform is up. degraded: some platform is not."""
        if self.queue is None or (self.platforms and not any(self.platforms.values())):
            return "down"
        return "ok" if all(self.platforms.values()) else "degraded"

    @property
    def why(self) -> str:
        """What is wrong, in a line; empty when nothing is."""
        deaf = [name for name, up in self.platforms.items() if not up]
        told = ["the database does not answer"] if self.queue is None else []
        told += [f"not connected: {', '.join(sorted(deaf))}"] if deaf else []
        return "; ".join(told)

    def fields(self) -> dict[str, Any]:
        """The same as plain data."""
        queue = None if self.queue is None else {"messages": self.queue.messages, "parts": self.queue.parts}
        states = {name: "up" if up else "down" for name, up in sorted(self.platforms.items())}
        store = "ok" if self.queue is not None else "silent"
        return {"status": self.status, "platforms": states, "store": store, "queue": queue}


class Pulse:
    """Asks how things are. `counts` asks the store; a DatabaseFault, or no answer in time, is silence."""

    def __init__(
        self,
        platforms: Callable[[], Mapping[str, Platform]],
        counts: Callable[[], Awaitable[Queue]],
        patience: float = PATIENCE,
    ) -> None:
        self._platforms = platforms
        self._counts = counts
        self._patience = patience

    async def feel(self) -> Health:
        """How the house is now. Never waits longer than its patience."""
        states = {name: each.up for name, each in self._platforms().items()}
        try:
            queue: Queue | None = await asyncio.wait_for(self._counts(), self._patience)
        except (TimeoutError, DatabaseFault):
            queue = None
        return Health(states, queue)
