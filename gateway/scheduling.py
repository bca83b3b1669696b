"""Jobs put together with the house that carries them out: engine and schedule do not know each other.

What `gateway.app` composes of them; nothing is decided here but who is asked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from commands.authority import CONSOLE
from gateway.clock import Clock
from gateway.config.own_zone import own_zone
from gateway.engine.engine import Engine
from gateway.engine.house import House
from gateway.engine.jobs.job_turns import JobStopped, JobTurns
from gateway.errors import ConfigurationError
from gateway.maintenance.chores import Chores
from gateway.maintenance.desk import MaintenanceDesk
from gateway.models.client import ModelClient
from gateway.models.errors import ModelError
from gateway.models.idleness import HostState
from gateway.reviews.around import Watch
from gateway.schedule.clockwork import ApsClockwork, Clockwork
from gateway.schedule.desk import CronDesk
from gateway.schedule.elsewhere import Elsewhere
from gateway.schedule.maintenance import MaintenanceJob, specs
from gateway.schedule.runner import Answer, Halted, JobNotice, NotNow, Runner
from gateway.schedule.scheduler import Scheduler
from gateway.state.job_records import Job, JobRun, JobSpec
from gateway.state.protocols import Store


def runs_jobs(only: Sequence[str] | None) -> bool:
    """Whether a house with these platforms starts jobs: the gateway does, a window's own engine does not."""
    return only is None or set(only) != {CONSOLE}


async def taken_back(store: Store, clock: Clock, only: Sequence[str] | None = None) -> None:
    """Before the engine takes up what a dead process left: which of its runs go on is settled first. `only` as in
    `runs_jobs`."""
    if runs_jobs(only):
        await store.job_runs.take_back("", clock.now(), everyone=True)


@dataclass(frozen=True, slots=True)
class Scheduling:
    """`scheduler` starts runs, and is to be run beside the engine; `runner` does one here and now."""

    scheduler: Scheduler
    runner: Runner


def scheduling(
    engine: Engine,
    watch: Watch,
    tasks: Mapping[str, MaintenanceJob] | None = None,
    clockwork: Clockwork | None = None,
) -> Scheduling:
    """What runs the jobs of this engine's house. `tasks` are the house's own jobs, by name; without a `clockwork` it
    is woken by the machine's clock."""
    house, own = engine.house, dict(tasks or {})

    def seeds() -> Sequence[JobSpec]:
        now = datetime.fromtimestamp(house.clock.now(), UTC)
        return specs(own.values(), own_zone(house.settings()), now, house.report)

    async def quiet() -> bool:
        return not engine.workers.running and await host_idle(house, watch)

    prompts, herald = Prompts(engine.job_turns), Herald(engine)
    runner = Runner(house.store.job_runs, house.clock, house.report, herald, prompts, own)
    waker = clockwork or ApsClockwork(house.report)
    scheduler = Scheduler(house.store, house.clock, waker, runner, house.report, quiet, seeds)
    if isinstance(house.cron, CronDesk):
        house.cron.attend(scheduler.wake, scheduler.waits)
    return Scheduling(scheduler, runner)


async def host_idle(house: House, watch: Watch) -> bool:
    """Whether the main model's host has nothing to do, where it runs near enough for that to matter."""
    try:
        client: ModelClient = house.hosts.resolve(None)
    except (ConfigurationError, ModelError):
        return True
    if not watch.defers(client, "auto"):
        return True
    return (await watch.look(client)).state is HostState.IDLE


class Prompts:
    """`runner.PromptRunner` on the engine."""

    def __init__(self, turns: JobTurns) -> None:
        self._turns = turns

    async def answer(self, job: Job, run: JobRun) -> Answer:
        try:
            found = await self._turns.answer(run.id)
        except JobStopped as stopped:
            raise Halted(str(stopped)) from None
        return Answer(found.text, found.tokens, found.silent)

    async def deliver(self, job: Job, run: JobRun) -> None:
        await self._turns.deliver(run.id)


class Herald:
    """`runner.Herald` on the engine."""

    def __init__(self, engine: Engine) -> None:
        self._herald = engine.job_herald

    async def tell(self, notice: JobNotice) -> None:
        if self._herald.asleep(notice.run):
            raise NotNow
        await self._herald.tell(notice.job, notice.run, notice.source)


def jobs_beside(
    engine: Engine,
    watch: Watch,
    tasks: Callable[[], Mapping[str, MaintenanceJob]],
    only: Sequence[str] | None = None,
) -> dict[str, Callable[[], Awaitable[None]]]:
    """What runs beside the engine for the sake of jobs, by a name for the log. `tasks()` are the house's own, with
    the times that the settings name at this moment. `only` as in `runs_jobs`."""
    desk = engine.house.maintenance
    assert isinstance(desk, MaintenanceDesk), "the house was furnished with it"
    if isinstance(engine.house.cron, CronDesk):
        engine.house.cron.seed_by(desk.seed)
    if runs_jobs(only):
        scheduler = scheduling(engine, watch, tasks()).scheduler
        desk.attend(tasks, scheduler.wake)
        heard = Elsewhere(engine.house.store.job_runs, engine.house.clock, scheduler.wake)
        return {"jobs": scheduler.run, "times of jobs": desk.follow, "orders from elsewhere": heard.run}
    desk.attend(tasks)
    return {"chores": Chores(desk, engine.house.clock, lambda: bool(engine.workers.running)).run}
