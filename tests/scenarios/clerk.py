"""Jobs at work in a house of the tests: the scheduler runs beside the engine and is woken by hand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal
from zoneinfo import ZoneInfo

from gateway.models.client import ModelClient
from gateway.models.idleness import HostState, Sight
from gateway.schedule.jobs import JobBook, Wish
from gateway.schedule.maintenance import MaintenanceJob
from gateway.scheduling import scheduling
from gateway.state.job_records import Job, JobRun
from gateway.state.store import SqliteStore
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse
from tests.schedule.house import HandWound

CHAT = "inprocess:c1"
PROMPT = "What is new?"
ENDED = ("done", "silent", "failed", "skipped")


class Near:
    """A host on this machine, which is idle or not."""

    def __init__(self) -> None:
        self.idle = True

    async def look(self, client: ModelClient) -> Sight:
        return Sight(HostState.IDLE if self.idle else HostState.BUSY, "")

    def pause(self, client: ModelClient) -> float:
        return 0.0

    def defers(self, client: ModelClient, setting: Literal["auto", "never", "always"]) -> bool:
        return True

    async def wanted(self, client: ModelClient) -> None:
        await asyncio.Event().wait()


@dataclass
class Clerk:
    """Makes jobs and has them run."""

    house: Guesthouse
    near: Near
    wake: Callable[[], None]

    async def add(self, name: str = "digest", when: str = "daily at 7:00", **wish: object) -> Job:
        words = {"prompt": PROMPT, "chat_key": CHAT} | wish
        clock = self.house.house.clock
        book = JobBook(self.house.store.jobs, clock, lambda: ZoneInfo("Europe/Berlin"))
        planned = await book.add(Wish(name=name, when=when, **words), "person", "inprocess:ada")  # type: ignore[arg-type]
        return planned.job

    async def fire(self, job: Job) -> JobRun:
        """Somebody asks for a run now, and it is on its way."""
        run = await self.house.store.job_runs.ask(job.id, "ada", self.house.house.clock.now())
        assert run is not None
        self.wake()
        return run

    async def run(self, job: Job) -> JobRun:
        """The same, to its end."""
        return await self.ended(await self.fire(job))

    async def ended(self, run: JobRun) -> JobRun:
        """How a run ends."""
        return await ended(self.house.store, run.id)


async def ended(store: SqliteStore, run_id: int) -> JobRun:
    async with asyncio.timeout(30):
        while True:
            run = await store.job_runs.get(run_id)
            assert run is not None
            if run.state in ENDED:
                return run
            await asyncio.sleep(0.01)


@asynccontextmanager
async def clerk(house: Guesthouse, tasks: Mapping[str, MaintenanceJob] | None = None) -> AsyncIterator[Clerk]:
    """Jobs run in this house from now on."""
    clock, near = house.house.clock, Near()
    assert isinstance(clock, FakeClock), "nothing is to run by the machine's clock"
    made = scheduling(house.engine, near, tasks, HandWound(clock))
    working = asyncio.ensure_future(made.scheduler.run())
    try:
        yield Clerk(house, near, made.scheduler.wake)
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
