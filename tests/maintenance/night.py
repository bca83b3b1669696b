"""A house whose own jobs run by a scheduler, on a clock that goes from one of their moments to the next."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal, cast

from gateway.config.own_zone import own_zone
from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.config.sections import Gateway
from gateway.engine.care.skill_care import SkillCare
from gateway.maintaining import maintenance_jobs
from gateway.maintenance.desk import MaintenanceDesk
from gateway.models.client import ModelClient
from gateway.models.idleness import HostState
from gateway.reviews.around import Watch
from gateway.schedule.maintenance import MaintenanceJob
from gateway.schedule.scheduler import WAITS_FOR_IDLE, Scheduler
from gateway.scheduling import scheduling
from gateway.state.job_records import JobRun
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.schedule.house import HandWound

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
NOON = 1_800_014_400.0
"""2027-01-15, 12:00 UTC."""


@dataclass
class Host:
    """The model's host, which is idle or not."""

    state: HostState = HostState.IDLE

    def defers(self, client: ModelClient, setting: Literal["auto", "never", "always"]) -> bool:
        return True

    async def look(self, client: ModelClient) -> Host:
        return self


@dataclass
class Night:
    """`tasks` are the house's own jobs; `host` can be busy."""

    guests: Guesthouse
    clock: FakeClock
    tasks: Mapping[str, MaintenanceJob]
    scheduler: Scheduler
    desk: MaintenanceDesk
    host: Host
    wound: HandWound
    running: Sequence[asyncio.Future[None]]

    async def stop(self) -> None:
        """No scheduler any more."""
        for each in self.running:
            each.cancel()
        await asyncio.wait(self.running)

    async def go(self, seconds: float) -> None:
        """Time passes, and whatever falls due is done at its moment."""
        target = self.clock.now() + seconds
        await self.still()
        while self.wound.moment is not None and self.wound.moment <= target:
            await self.clock.advance(max(0.0, self.wound.moment - self.clock.now()))
            await self.still()
        await self.clock.advance(target - self.clock.now())
        await self.still()

    async def still(self) -> None:
        """Wait until nothing is done that threads do, and nothing is due that may be done."""
        quiet = 0
        while quiet < 3:
            await asyncio.sleep(0.002)
            open_runs, waits = (await self.guests.store.job_runs.standing()).runs, self.scheduler.waits()
            ahead = self.wound.moment is None or self.wound.moment > self.clock.now()
            quiet = quiet + 1 if ahead and all(waits.get(each.id) == WAITS_FOR_IDLE for each in open_runs) else 0

    async def runs(self, name: str) -> list[JobRun]:
        """Of one job, the oldest first."""
        job = await self.guests.store.jobs.named(name)
        assert job is not None, name
        return (await self.guests.store.job_runs.history(500, job.id))[::-1]

    async def hours(self, name: str) -> list[str]:
        """When it ran, by the clock in UTC."""
        return [f"{datetime.fromtimestamp(run.started_at, UTC):%H:%M}" for run in await self.runs(name)]


def rules(**changes: Any) -> Settings:
    gateway = {"timezone": "UTC", "drain_seconds": 0, **changes.pop("gateway", {})}
    return settings(gateway=Gateway.model_validate(gateway), **changes)


@asynccontextmanager
async def night(
    folder: Path, script: Any = (), *, start: float = NOON, clock: FakeClock | None = None, **changes: Any
) -> AsyncIterator[Night]:
    clock = clock or FakeClock(start)
    async with guesthouse(
        folder, script, clock=clock, with_settings=rules(**changes), with_memory=True, full_status=True
    ) as guests:
        engine = guests.engine
        assert guests.house.skills is not None
        care = SkillCare(
            guests.house, guests.house.skills, lambda: len(engine.workers.running), engine.workers.tell_owner
        )
        make = partial(maintenance_jobs, engine, Profile("default", folder, folder), care)
        host, wound = Host(), HandWound(clock)
        made = scheduling(engine, cast(Watch, host), make(), wound)
        desk = MaintenanceDesk(guests.store, clock, lambda: own_zone(guests.house.settings()))
        desk.attend(make, made.scheduler.wake)
        running = [asyncio.ensure_future(made.scheduler.run()), asyncio.ensure_future(desk.follow())]
        at = Night(guests, clock, make(), made.scheduler, desk, host, wound, running)
        try:
            yield at
        finally:
            await at.stop()
