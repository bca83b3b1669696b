"""Keeps each adapter running, and says how each platform really is: a fault in one platform never stops another, and
never the process.

An adapter that believes to be well is not believed: a platform counts as up while it is heard and takes what is sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from gateway.engine.arrival.accept import Reception
from gateway.engine.house import House
from gateway.engine.networks.owner_chats import OwnerChats
from gateway.engine.notices import spell
from gateway.engine.outgoing.reach import Unsent
from platforms.adapter import Adapter
from platforms.errors import PlatformDown
from platforms.messages import Inbound

LONGEST_PAUSE = 60.0


@dataclass(frozen=True, slots=True)
class PlatformState:
    """How a platform is doing: `up` while it is heard and takes what is sent. `words` say it whole; `why` is the
    trouble alone, empty when there is none yet. `final` is a trouble that does not pass by itself."""

    up: bool
    words: str
    why: str = ""
    final: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """What the supervisor knows of an adapter: since when it runs (seconds since the epoch; None while it does not),
    and what became of it."""

    since: float | None
    words: str = "starting"
    why: str = ""
    final: bool = False


def heard(run: Run, last: float | None, pulse: float, unsent: Unsent | None, now: float) -> PlatformState:
    """The state as it is now. `last` and `pulse` are the adapter's `last_heard` and `Capabilities.pulse`."""
    ago = f"last heard {int(now - last)} s ago" if last is not None else ""
    if run.since is None:
        return PlatformState(False, ", ".join(each for each in (run.words, ago) if each), run.why, run.final)
    silence = now - (last if last is not None else run.since)
    if pulse and silence > pulse:
        words = f"deaf: {ago or f'not heard since the start {int(silence)} s ago'}"
        return PlatformState(False, words, "nothing is heard from it any more")
    if pulse and last is None:
        return PlatformState(False, "connecting: nothing was heard yet")
    words = ", ".join(each for each in ("listening", ago) if each)
    if unsent is None:
        return PlatformState(True, words)
    why = f"nothing could be sent for {spell(now - unsent.since)}: {unsent.why}"
    return PlatformState(False, f"{words}, but {why}", why)


class Supervisor:
    """Runs adapters, each in a task of its own. `absent` are platforms that should be here and could not be built,
    and why."""

    def __init__(self, house: House, reception: Reception, owner_chats: OwnerChats) -> None:
        self._house = house
        self._reception = reception
        self._owner_chats = owner_chats
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._runs: dict[str, Run] = {}

    def start(self, adapter: Adapter) -> None:
        """Begin to listen."""
        self._runs[adapter.name] = Run(None)
        self._tasks[adapter.name] = asyncio.ensure_future(self._keep(adapter))

    def miss(self, absent: Mapping[str, str]) -> None:
        """Platforms that are wanted and could not be built: name and reason."""
        self._runs |= {
            name: Run(None, f"off: {why}", f"it is off ({why})", final=True) for name, why in absent.items()
        }

    @property
    def states(self) -> dict[str, PlatformState]:
        """How each platform is now."""
        return {name: self._state(name, run) for name, run in self._runs.items()}

    async def stop_listening(self) -> None:
        """No event is taken any more; what was taken is stored. Sending goes on."""
        for task in self._tasks.values():
            task.cancel()
        if self._tasks:
            await asyncio.wait(list(self._tasks.values()))

    def _state(self, name: str, run: Run) -> PlatformState:
        adapter, house = self._house.adapters.get(name), self._house
        last, pulse = (adapter.last_heard, adapter.capabilities.pulse) if adapter is not None else (None, 0.0)
        return heard(run, last, pulse, house.delivery.reach.unsent(name), house.clock.now())

    async def _take(self, event: Inbound) -> None:
        await self._reception(event)
        self._owner_chats.note(event, self._house.settings(), self._house.clock.now())

    async def _keep(self, adapter: Adapter) -> None:
        pause, name, clock = 1.0, adapter.name, self._house.clock
        while True:
            began = clock.monotonic()
            self._runs[name] = Run(clock.now())
            try:
                await self._house.delivery.wake_all(name)
                await adapter.run(self._take)
                self._runs[name] = Run(None, "ended", "it ended", final=True)
                return
            except PlatformDown as error:
                self._runs[name] = Run(None, f"off: {error}", f"it is off ({error})", final=True)
                self._house.report.error("platform.down", platform=name, why=str(error))
                return
            except Exception as fault:  # noqa: BLE001 - the adapter supervisor: report, pause, begin again
                kind = type(fault).__name__
                self._runs[name] = Run(None, f"restarting after {kind}", f"it cannot run ({kind})")
                self._house.report.error("platform.fault", platform=name, why=f"{kind}: {fault}")
            if clock.monotonic() - began > LONGEST_PAUSE:
                pause = 1.0
            await clock.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
