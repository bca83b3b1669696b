"""Tells the service manager how the house is: ready, alive, stopping.

A sign of life is sent only after the store has answered, by a task of the event loop: if either hangs, none is sent,
and the manager starts the process again.
"""

from __future__ import annotations

from gateway.clock import Clock
from gateway.hosting.health import Pulse
from gateway.hosting.notify import Notifier

READY_PATIENCE = 30.0
"""Seconds that platforms get to connect before the start counts as over without them: one network that is away must
not keep the others from serving. A manager gives a start 90 seconds."""

LOOK = 0.5
"""Seconds between two looks while platforms connect."""
SLOW_LOOK = 10.0
"""Seconds between two looks afterwards, when no manager waits for signs of life."""


class Watchdog:
    """`interval` are the seconds after which the manager misses a sign of life; None when it waits for none. Two are
    sent in that time, as its manual advises."""

    def __init__(self, notifier: Notifier, pulse: Pulse, clock: Clock, interval: float | None) -> None:
        self._notifier = notifier
        self._pulse = pulse
        self._clock = clock
        self._interval = interval
        self._told = ""

    async def run(self) -> None:
        """Until it is cancelled."""
        await self._until_ready()
        pause = SLOW_LOOK if self._interval is None else self._interval / 2
        while True:
            await self._look()
            await self._clock.sleep(pause)

    def stopping(self, seconds: float) -> None:
        """An orderly end has begun, and may take so many seconds."""
        self._notifier.stopping(seconds)

    async def _until_ready(self) -> None:
        late = self._clock.monotonic() + READY_PATIENCE
        pause = LOOK if self._interval is None else min(LOOK, self._interval / 2)
        while True:
            health = await self._look()
            if health == "ok" or (health != "silent" and self._clock.monotonic() >= late):
                self._notifier.ready(self._told)
                return
            await self._clock.sleep(pause)

    async def _look(self) -> str:
        """Send what there is to say; `silent`, or the house's status."""
        health = await self._pulse.feel()
        text = f"running; {health.why}" if health.why else "running"
        if text != self._told:
            self._told = text
            self._notifier.status(text)
        if health.queue is None:
            return "silent"
        self._notifier.alive()
        return health.status
