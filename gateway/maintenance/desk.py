"""What commands ask about the house's own jobs, answered: which there are, and doing one now.

Where a scheduler runs in this process, it does them; elsewhere they are done here, under the same claim in the store,
so that nothing is done twice at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never
from zoneinfo import ZoneInfo

from commands.maintenance_ports import Task, TaskRun
from gateway.clock import Clock
from gateway.state.job_records import Job, JobRun, JobSpec
from gateway.state.protocols import Store

if TYPE_CHECKING:
    from gateway.schedule.maintenance import JobReport, MaintenanceJob
    from gateway.schedule.runner import JobNotice, Runner

LOOK = 0.25
"""Seconds between two looks at whether a run has ended."""

FOLLOW = 60.0
"""Seconds between two looks at whether settings name other times."""

PATIENCE = 900.0
"""Seconds for which the end of a run is waited for."""

CHORES = "chores"
"""Whose claims those of a house without a scheduler are."""

Jobs = Callable[[], "Mapping[str, MaintenanceJob]"]
"""Made when they are asked for: most commands ask nothing of the kind, and loading them takes time."""


class MaintenanceDesk:
    """`commands.maintenance_ports.Maintenance`."""

    def __init__(self, store: Store, clock: Clock, zone: Callable[[], ZoneInfo], jobs: Jobs = dict) -> None:
        self._store = store
        self._clock = clock
        self._zone = zone
        self._jobs = jobs
        self._wake: Callable[[], object] | None = None

    def attend(self, jobs: Jobs, wake: Callable[[], object] | None = None) -> None:
        """These are the jobs; with `wake`, whoever starts them is in this process, and does what is asked for."""
        self._jobs, self._wake = jobs, wake

    async def follow(self) -> None:
        """Until cancelled: the usual times follow the settings, which may change. Raises DatabaseFault."""
        before = None
        while True:
            found = self._specs()
            if before is not None and found != before:
                await self._store.jobs.seed(found, self._clock.now())
                if self._wake is not None:
                    self._wake()
            before = found
            await self._clock.sleep(FOLLOW)

    async def tasks(self) -> list[Task]:
        await self.seed()
        return [await self._task(each) for each in self._jobs().values()]

    async def run(self, name: str, who: str, *, dry: bool) -> tuple[str, TaskRun]:
        task = self._named(name)
        await self.seed()
        job = await self._store.jobs.named(task.name)
        if job is None or job.spec.kind != "maintenance" or not job.enabled:
            return task.name, await self._beside(task, dry=dry)
        if self._wake is not None:
            return task.name, await self._asked(job, who, dry=dry)
        return task.name, await self._by_hand(task, job, who, dry=dry)

    async def due(self) -> list[str]:
        """The jobs that nobody did at their time, in the order of a night: for a house without a scheduler."""
        from gateway.schedule.timetable import Timetable

        await self.seed()
        jobs = {each.name: each for each in await self._store.jobs.all() if each.spec.kind == "maintenance"}
        now, times = self._clock.now(), Timetable()
        return [name for name in self._jobs() if name in jobs and times.due(jobs[name], now) is not None]

    async def catch_up(self, name: str) -> None:
        """Do one of those once, for all its times that went by. What comes of it is in its history."""
        from gateway.schedule.runner import LEASE_SECONDS
        from gateway.schedule.timetable import Timetable

        job, now = await self._store.jobs.named(name), self._clock.now()
        moment = Timetable().due(job, now) if job is not None else None
        run = await self._store.job_runs.due(job, moment, now) if job is not None and moment is not None else None
        if job is None or run is None:
            return
        claimed = await self._store.job_runs.claim(run.id, CHORES, now + LEASE_SECONDS, now)
        if claimed is not None:
            await self._runner(self._jobs()[name]).see_to(job, claimed)

    async def seed(self) -> None:
        """As a start of the gateway would: a profile whose gateway never ran has its jobs too."""
        await self._store.jobs.seed(self._specs(), self._clock.now())

    def now(self) -> float:
        return self._clock.now()

    def _named(self, name: str) -> MaintenanceJob:
        """By its name, or by the only one that begins so. Raises LookupError."""
        jobs, wanted = self._jobs(), name.strip().casefold()
        found = [each for each in jobs.values() if each.name.startswith(wanted)] if wanted else []
        exact = jobs.get(wanted)
        if exact is None and len(found) != 1:
            raise LookupError(f"There is no task {name.strip()!r}. There are {', '.join(jobs)}.")
        return exact or found[0]

    def _specs(self) -> list[JobSpec]:
        from datetime import UTC, datetime

        from gateway.schedule.maintenance import specs

        zone = self._zone()
        now = datetime.fromtimestamp(self._clock.now(), UTC).astimezone(zone)
        return specs(self._jobs().values(), zone, now, _Unheard())

    async def _task(self, task: MaintenanceJob) -> Task:
        from gateway.schedule.jobs import JobBook

        job = await self._store.jobs.named(task.name)
        shown = Task(task.name, task.what, task.schedule, None, task.heavy, task.deletes)
        if job is None or job.spec.kind != "maintenance":
            return replace(shown, standing="removed" if job is None else "taken")
        planned = JobBook(self._store.jobs, self._clock, self._zone).planned(job)
        return replace(
            shown,
            when=planned.when or planned.problem,
            next_run=planned.next_runs[0] if planned.next_runs else None,
            standing="paused" if job.paused_until > self._clock.now() else "on",
            last=next((_run(each) for each in await self._store.job_runs.history(1, job.id)), None),
        )

    async def _asked(self, job: Job, who: str, *, dry: bool) -> TaskRun:
        """The scheduler does it; its end is waited for."""
        asked = await self._store.job_runs.ask(job.id, who, self._clock.now(), dry=dry)
        if asked is None:
            raise LookupError(f"{job.name} was removed a moment ago; ask again.")
        assert self._wake is not None, "somebody attends"
        self._wake()
        return await self._ended(asked.id)

    async def _by_hand(self, task: MaintenanceJob, job: Job, who: str, *, dry: bool) -> TaskRun:
        figures: dict[str, int] = {}

        async def work(dry: bool) -> JobReport:
            report = await task.run(dry)
            figures.update(report.figures)
            return report

        run = await self._runner(replace(task, run=work)).by_hand(job, who, dry=dry)
        if run is not None:
            return replace(_run(run), figures=figures)
        # Another process does it already, or took this very run.
        (latest,) = await self._store.job_runs.history(1, job.id)
        return await self._ended(latest.id)

    def _runner(self, task: MaintenanceJob) -> Runner:
        from gateway.schedule.runner import Runner

        return Runner(self._store.job_runs, self._clock, _Unheard(), _Unheard(), maintenance={task.name: task})

    async def _beside(self, task: MaintenanceJob, *, dry: bool) -> TaskRun:
        """A task that is no job any more, done without a line in any history."""
        from gateway.errors import InnkeeperError
        from memory.files import FileTrouble

        try:
            report = await task.run(dry)
        except (InnkeeperError, FileTrouble, OSError) as error:
            return TaskRun("failed", str(error), dry, self._clock.now())
        return TaskRun("done", report.summary, dry, self._clock.now(), report.figures)

    async def _ended(self, run_id: int) -> TaskRun:
        until = self._clock.monotonic() + PATIENCE
        while True:
            run = await self._store.job_runs.get(run_id)
            if run is None:
                raise LookupError("The run was forgotten meanwhile.")
            if run.ended_at or self._clock.monotonic() >= until:
                return _run(run)
            await self._clock.sleep(LOOK)


class _Unheard:
    """At the shell nobody reads a log, and whoever ordered the run reads its end."""

    def info(self, event: str, **fields: object) -> None:
        pass

    error = info

    async def tell(self, notice: JobNotice) -> None:
        pass


def _run(run: JobRun) -> TaskRun:
    said = run.error or run.answer
    match run.state:
        case "done" | "silent":
            return TaskRun("done", said, run.dry, run.ended_at)
        case "failed" | "skipped":
            return TaskRun(run.state, said, run.dry, run.ended_at)
        case "waiting" | "claimed":
            return TaskRun("running", said or "it goes on; /cron history shows its end", run.dry)
        case _:
            assert_never(run.state)
