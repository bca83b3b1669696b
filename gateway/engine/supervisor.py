"""Keeps each adapter running: a fault in one platform never stops another, and never the process."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from gateway.engine.accept import Reception
from gateway.engine.house import House
from platforms.adapter import Adapter
from platforms.errors import PlatformDown

LONGEST_PAUSE = 60.0


DEAF = 90.0
"""Seconds of silence after which a platform that answers all the time counts as deaf."""


@dataclass(slots=True)
class PlatformState:
    """How a platform is doing, in words; `up` while its adapter runs."""

    up: bool = False
    words: str = "starting"


def heard(state: PlatformState, last: float | None, now: float) -> PlatformState:
    """The state as it is now: a platform that was not heard for long is not up, whatever its adapter believes."""
    if not state.up or last is None:
        return state
    ago = int(now - last)
    words = f"deaf: last heard {ago} s ago" if ago > DEAF else f"{state.words}, last heard {ago} s ago"
    return PlatformState(ago <= DEAF, words)


class Supervisor:
    """Runs adapters, each in a task of its own."""

    def __init__(self, house: House, reception: Reception) -> None:
        self._house = house
        self._reception = reception
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.states: dict[str, PlatformState] = {}

    def start(self, adapter: Adapter) -> None:
        """Begin to listen."""
        self.states[adapter.name] = PlatformState()
        self._tasks[adapter.name] = asyncio.ensure_future(self._keep(adapter))

    async def stop_listening(self) -> None:
        """No event is taken any more; what was taken is stored. Sending goes on."""
        for task in self._tasks.values():
            task.cancel()
        if self._tasks:
            await asyncio.wait(list(self._tasks.values()))

    async def _keep(self, adapter: Adapter) -> None:
        pause, state = 1.0, self.states[adapter.name]
        while True:
            began = self._house.clock.monotonic()
            state.up, state.words = True, "listening"
            try:
                await self._house.delivery.wake_all(adapter.name)
                await adapter.run(self._reception)
                state.up, state.words = False, "ended"
                return
            except PlatformDown as error:
                state.up, state.words = False, f"off: {error}"
                self._house.report.error("platform.down", platform=adapter.name, why=str(error))
                return
            except Exception as fault:  # noqa: BLE001 - the adapter supervisor: report, pause, begin again
                state.up, state.words = False, f"restarting after {type(fault).__name__}"
                self._house.report.error(
                    "platform.fault", platform=adapter.name, why=f"{type(fault).__name__}: {fault}"
                )
            if self._house.clock.monotonic() - began > LONGEST_PAUSE:
                pause = 1.0
            await self._house.clock.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
