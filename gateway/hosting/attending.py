"""What a running house does for whoever watches over its process: signs of life, and the door for probes.

Both run beside the engine; which of them there are, the environment and the settings say.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from gateway.clock import Clock
from gateway.config.supervised import Supervised
from gateway.hosting.health import Platform, Pulse, Queue
from gateway.hosting.notify import Notifier
from gateway.hosting.probe import Probe
from gateway.hosting.watchdog import Watchdog
from gateway.state.database import Database
from gateway.state.pulse import waiting

NO_NETWORK = "console"
"""The platform that is always up, and says nothing of how the house is reached."""

CLOSING_SECONDS = 15.0
"""What closing takes beside the answers that get their time."""


@dataclass(frozen=True, slots=True)
class Attendance:
    """`work` runs beside the engine, by a name for the log; `watchdog` is None when no manager waits."""

    work: Mapping[str, Callable[[], Awaitable[None]]]
    watchdog: Watchdog | None

    def stopping(self, drain_seconds: float) -> None:
        """The house is about to close; running answers get so many seconds."""
        if self.watchdog is not None:
            self.watchdog.stopping(drain_seconds + CLOSING_SECONDS)


def attending(
    manager: Supervised | None,
    port: int | None,
    platforms: Callable[[], Mapping[str, Platform]],
    database: Database,
    clock: Clock,
) -> Attendance:
    """What there is to do. `port` is where probes ask; None opens no door."""

    async def counts() -> Queue:
        return Queue(*await waiting(database))

    def networks() -> Mapping[str, Platform]:
        return {name: each for name, each in platforms().items() if name != NO_NETWORK}

    work: dict[str, Callable[[], Awaitable[None]]] = {}
    watchdog = None
    pulse = Pulse(networks, counts)
    if manager is not None:
        watchdog = Watchdog(Notifier(manager.socket), pulse, clock, manager.watchdog)
        work["watchdog"] = watchdog.run
    if port is not None:
        door = Probe(pulse, clock)

        async def probes() -> None:
            async with door.opened(port):
                await asyncio.Event().wait()

        work["probes"] = probes
    return Attendance(work, watchdog)
