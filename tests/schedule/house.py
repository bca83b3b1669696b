"""A scheduler over a database in memory, on a clock that the test moves; models, chats and the owner are scripted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from gateway.schedule.jobs import JobBook, Wish
from gateway.schedule.maintenance import JobReport, MaintenanceJob, specs
from gateway.schedule.runner import Answer, JobNotice, NotNow, Runner
from gateway.schedule.scheduler import Scheduler
from gateway.state.job_records import Job, JobRun
from gateway.state.records import PartDraft
from gateway.state.store import SqliteStore
from platforms.messages import ChatRef
from tests.fakes.clock import FakeClock, settle
from tests.fakes.inline_database import InlineDatabase

BERLIN = "Europe/Berlin"
CHAT = ChatRef("telegram", "-100", "7")
HOME = ChatRef("telegram", "7")
Course = Callable[[Job, JobRun], Awaitable[Answer]]


def at(words: str, zone: str = BERLIN) -> float:
    """`2026-03-29 02:50` on the clocks of a zone."""
    return datetime.fromisoformat(words).replace(tzinfo=ZoneInfo(zone)).timestamp()


class HandWound:
    """`gateway.schedule.clockwork.Clockwork` on the fake clock; between its moments it looks at nothing."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self._ringing: asyncio.Task[None] | None = None
        self.moment: float | None = None

    def start(self, wake: Callable[[], None]) -> None:
        self._wake = wake

    def wake_at(self, moment: float | None) -> None:
        if self._ringing is not None:
            self._ringing.cancel()
        self.moment = moment
        self._ringing = None if moment is None else asyncio.ensure_future(self._ring(moment))

    async def _ring(self, moment: float) -> None:
        await self._clock.sleep(moment - self._clock.now())
        self._wake()

    async def stop(self) -> None:
        self.wake_at(None)


class Scripted:
    """Models and chats: what jobs are asked is noted, and answered by their `courses`; the rest say `fine`."""

    def __init__(self, store: SqliteStore, clock: FakeClock) -> None:
        self._store = store
        self._clock = clock
        self.courses: dict[str, Course] = {}
        self.asked: list[tuple[str, float, float]] = []
        self.lost_deliveries = 0
        self.unreachable: Exception | None = None

    async def answer(self, job: Job, run: JobRun) -> Answer:
        self.asked.append((job.name, run.scheduled_at, self._clock.now()))
        course = self.courses.get(job.name)
        return await course(job, run) if course else Answer("fine", 10)

    async def deliver(self, job: Job, run: JobRun) -> None:
        if self.unreachable is not None:
            raise self.unreachable
        chat = ChatRef.parse(job.spec.chat_key or HOME.key)
        await self._store.outbox.put(chat, run.source, [PartDraft(run.answer)], self._clock.now())

    async def said(self) -> list[str]:
        """What went to the chat, in order."""
        return [part.text for part in await self._store.outbox.queued(CHAT)]


class Owner:
    """Hears notices."""

    def __init__(self) -> None:
        self.notices: list[JobNotice] = []
        self.deaf = False
        self.sleeps = False

    async def tell(self, notice: JobNotice) -> None:
        if self.sleeps:
            raise NotNow
        if self.deaf:
            raise ConnectionError("no way to the owner")
        self.notices.append(notice)

    @property
    def heard(self) -> list[str]:
        return [f"{each.job.name}: {each.run.state} {each.run.error or each.run.answer}" for each in self.notices]


class Lines:
    """What was reported."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, dict[str, object]]] = []

    def info(self, event: str, **fields: object) -> None:
        self.lines.append((event, fields))

    error = info

    def of(self, event: str) -> list[dict[str, object]]:
        return [fields for name, fields in self.lines if name == event]


class Desk:
    """Everything that a test about jobs needs. `async with desk.open():` is a process that runs meanwhile."""

    def __init__(self, start: float, tasks: Sequence[MaintenanceJob] = ()) -> None:
        self.clock = FakeClock(start)
        self.database = InlineDatabase()
        self.database.connection.set_trace_callback(None)
        self.store = SqliteStore(self.database)  # type: ignore[arg-type]
        self.runs = self.store.job_runs
        self.book = JobBook(self.store.jobs, self.clock, lambda: ZoneInfo(BERLIN))
        self.scripted = Scripted(self.store, self.clock)
        self.owner = Owner()
        self.report = Lines()
        self.tasks = list(tasks)
        self.idle = True
        self.scheduler: Scheduler
        self.clockwork: HandWound

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """A process from its start to its orderly end."""
        running = self.boot()
        await self.settled()
        try:
            yield
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    def boot(self) -> asyncio.Task[None]:
        """Start a process; it ends when the task is cancelled."""
        self.clockwork = HandWound(self.clock)
        runner = self.runner()
        self.scheduler = Scheduler(
            self.store, self.clock, self.clockwork, runner, self.report, self.quiet, self.seeds
        )
        return asyncio.ensure_future(self.scheduler.run())

    def runner(self) -> Runner:
        known = {each.name: each for each in self.tasks}
        return Runner(self.runs, self.clock, self.report, self.owner, self.scripted, known)

    async def quiet(self) -> bool:
        return self.idle

    def seeds(self) -> list:  # type: ignore[type-arg]
        return specs(self.tasks, ZoneInfo(BERLIN), datetime.fromtimestamp(self.clock.now(), UTC), self.report)

    async def add(self, name: str, when: str, **wish: object) -> Job:
        """A prompt job whose answer goes to the chat."""
        words = {"prompt": f"do {name}", "zone": BERLIN, "chat_key": CHAT.key} | wish
        planned = await self.book.add(Wish(name=name, when=when, **words), "person", "telegram:7")  # type: ignore[arg-type]
        return planned.job

    async def settled(self) -> None:
        """Everything that can be done at this moment is done."""
        for _ in range(200):
            await settle()
            standing = await self.runs.standing()
            waiting = [each for each in standing.runs if each.id not in self.scheduler.waits()]
            rings = self.clockwork.moment is not None and self.clockwork.moment <= self.clock.now()
            if not rings and all(each.state == "claimed" and self.hangs for each in waiting):
                return
        raise AssertionError("it does not come to rest")

    hangs = False
    """Whether a job that never ends is part of the test."""

    async def until(self, moment: float) -> None:
        """Move on to a moment, stopping wherever the scheduler wants to be woken."""
        while True:
            step = min(self.clockwork.moment or moment, moment) - self.clock.now()
            await self.clock.advance(max(step, 0.0))
            await self.settled()
            if self.clock.now() >= moment:
                return

    async def states(self, name: str = "digest") -> list[str]:
        """How the runs of a job ended."""
        return [each.state for each in await self.history(name)]

    async def history(self, name: str) -> list[JobRun]:
        """The runs of a job, the oldest first."""
        job = await self.book.find(name)
        assert job is not None
        return (await self.runs.history(1000, job.id))[::-1]


def held(gate: asyncio.Event) -> Course:
    """Waits for a gate, then says `late`."""

    async def course(job: Job, run: JobRun) -> Answer:
        await gate.wait()
        return Answer("late")

    return course


def counted(name: str, schedule: str, calls: list[bool], **kind: bool) -> MaintenanceJob:
    """Maintenance that notes each call."""

    async def run(dry: bool) -> JobReport:
        calls.append(dry)
        return JobReport(f"{name} done", {"calls": len(calls)})

    return MaintenanceJob(name, schedule, run, **kind)
