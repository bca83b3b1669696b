"""Sees one claimed run to its end: does the job, keeps the answer, delivers it, and survives whatever goes wrong.

When a run is due, and who may claim it, is the scheduler's matter; asking a model and delivering are behind
`PromptRunner`, telling the owner behind `Herald`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from gateway.clock import Clock
from gateway.errors import InnkeeperError, StaleEpoch
from gateway.schedule.clockwork import Report
from gateway.schedule.maintenance import MaintenanceJob
from gateway.state.connection import DatabaseFault
from gateway.state.job_protocols import JobRuns
from gateway.state.job_records import BY_HAND, Job, JobKind, JobRun, RunState

T = TypeVar("T")

LEASE_SECONDS = 120.0
"""How long a claim holds without a sign of life."""

BEAT_SECONDS = 30.0
LONGEST: Mapping[JobKind, float] = {"prompt": 1800.0, "maintenance": 7200.0}
"""Seconds after which a run is stopped, and has failed."""

GRACE_SECONDS = 10.0
"""How long stopped work may take to end."""


class TookTooLong(InnkeeperError):
    """The run was stopped."""


class NoAnswer(InnkeeperError):
    """The model said nothing."""


class Halted(InnkeeperError):
    """Somebody stopped the run: it was not done, and is not to be done again."""


class NotNow(InnkeeperError):
    """The owner is not to be told at this hour; it stays owed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a prompt came to. `silent`: there is nothing to say, by the job's own condition."""

    text: str
    tokens: int = 0
    silent: bool = False


class PromptRunner(Protocol):
    """Asks models, and delivers what they say. What it raises is why the run, or its delivery, failed."""

    async def answer(self, job: Job, run: JobRun) -> Answer:
        """Carry out the job's prompt within its budget. May be called once more for a run whose process ended: what
        was said for the run by then is the answer. Raises Halted."""

    async def deliver(self, job: Job, run: JobRun) -> None:
        """See the answer to the job's chat, where a job without one has the house's own. Calling this again for the
        same run shows nothing twice. Returns once it is with the platform."""


@dataclass(frozen=True, slots=True)
class JobNotice:
    """A run that ended, of which the owner is told: it failed, was not delivered, or has something to say."""

    job: Job
    run: JobRun

    @property
    def source(self) -> str:
        return f"job-notice:{self.run.id}"


class Herald(Protocol):
    """Tells the owner."""

    async def tell(self, notice: JobNotice) -> None:
        """Stored under `notice.source`: told once, however often it is tried. Raises NotNow."""


class Runner:
    """`await see_to(job, run)` for a claimed run. Never raises but when it is cancelled; then the run is given
    back."""

    def __init__(
        self,
        runs: JobRuns,
        clock: Clock,
        report: Report,
        herald: Herald,
        prompts: PromptRunner | None = None,
        maintenance: Mapping[str, MaintenanceJob] | None = None,
    ) -> None:
        self._runs = runs
        self._clock = clock
        self._report = report
        self._herald = herald
        self._prompts = prompts
        self._maintenance = dict(maintenance or {})

    def task_of(self, job: Job) -> MaintenanceJob | None:
        """The work of a maintenance job; None when this program has none of that name."""
        return self._maintenance.get(job.name) if job.spec.kind == "maintenance" else None

    def can(self, job: Job) -> bool:
        """Whether this program knows how to do it."""
        if job.spec.kind == "prompt":
            return self._prompts is not None
        return self.task_of(job) is not None

    async def see_to(self, job: Job, run: JobRun) -> bool:
        """Whether its end is stored; otherwise the claim runs out, and whoever takes it tries again."""
        try:
            ended = await self._done(job, run)
        except asyncio.CancelledError:
            await self._give_back(run)
            raise
        except Exception as fault:  # noqa: BLE001 - a job: its fault is stored and told, the others go on
            return await self._failed(job, run, fault)
        if ended.delivery != "failed":
            self._report.info("job.ended", job=job.name, run=run.id, state=ended.state, delivery=ended.delivery)
        return True

    async def by_hand(self, job: Job, who: str, *, dry: bool = False) -> JobRun | None:
        """Do a job here and now, where no scheduler runs; how it ended, which nobody else is told. None when it
        cannot be done here, runs already, or was removed."""
        now = self._clock.now()
        asked = await self._runs.ask(job.id, who, now, dry=dry) if self.can(job) else None
        run = await self._runs.claim(asked.id, f"{BY_HAND} {who}", now + LEASE_SECONDS, now) if asked else None
        if run is None:
            return None
        await self.see_to(job, run)
        await self._runs.told(run.id)
        return await self._runs.get(run.id)

    async def tell(self, notice: JobNotice) -> bool:
        """Tell the owner of one run; False when that did not work, and is to be tried again."""
        try:
            await self._herald.tell(notice)
            await self._runs.told(notice.run.id)
        except NotNow:
            return False
        except Exception as fault:  # noqa: BLE001 - a job's notice: it stays owed, and is tried again
            self._report.error("job.untold", job=notice.job.name, run=notice.run.id, why=_why(fault))
            return False
        return True

    async def _done(self, job: Job, run: JobRun) -> JobRun:
        task = self.task_of(job)
        if task is not None:
            told = await self._while_held(job, run, task.run(run.dry))
            state = "done" if told.tell else "silent"
            return await self._finish(run, state, answer=told.summary, say=told.tell)
        if self._prompts is None:
            raise InnkeeperError("nothing here can carry out a prompt")
        if run.delivery == "none":
            answer = await self._while_held(job, run, self._prompts.answer(job, run))
            if answer.silent:
                return await self._finish(run, "silent", answer=answer.text, tokens=answer.tokens)
            if not answer.text.strip():
                raise NoAnswer("the model gave no answer")
            run = await self._runs.answered(run, answer.text, answer.tokens)
        return await self._out(job, run, self._prompts)

    async def _out(self, job: Job, run: JobRun, prompts: PromptRunner) -> JobRun:
        """Deliver a stored answer."""
        if run.delivery == "withheld":
            return await self._finish(run, "done")
        try:
            await self._while_held(job, run, prompts.deliver(job, run))
        except StaleEpoch:  # somebody else has the run, and delivers it
            raise
        except Exception as fault:  # noqa: BLE001 - a job: it ran, only its answer did not arrive
            self._report.error("job.undelivered", job=job.name, run=run.id, why=_why(fault))
            return await self._finish(run, "done", delivery="failed", error=_why(fault))
        return await self._finish(run, "done", delivery="delivered")

    async def _failed(self, job: Job, run: JobRun, fault: Exception) -> bool:
        if isinstance(fault, StaleEpoch):
            self._report.info("job.lost", job=job.name, run=run.id, why=str(fault))
            return True
        state: RunState = "skipped" if isinstance(fault, Halted) else "failed"
        say = self._report.info if state == "skipped" else self._report.error
        say(f"job.{state}", job=job.name, run=run.id, why=_why(fault))
        try:
            await self._finish(run, state, error=_why(fault))
        except Exception as error:  # noqa: BLE001 - a job: where its end cannot be stored, its claim runs out
            self._report.error("job.unfinished", job=job.name, run=run.id, why=_why(error))
            return isinstance(error, StaleEpoch)
        return True

    async def _finish(self, run: JobRun, state: Any, **fields: Any) -> JobRun:
        return await self._runs.finish(run, state, self._clock.now(), **fields)

    async def _give_back(self, run: JobRun) -> None:
        try:
            await self._runs.release(run, self._clock.now())
        except InnkeeperError as error:
            self._report.info("job.lost", run=run.id, why=str(error))

    async def _while_held(self, job: Job, run: JobRun, work: Awaitable[T]) -> T:
        """Do some work, and hold the claim meanwhile. Raises StaleEpoch when it is lost, TookTooLong when it takes
        too long; the work is stopped then."""
        doing = asyncio.ensure_future(work)
        holding = asyncio.ensure_future(self._hold(job, run))
        try:
            await asyncio.wait((doing, holding), return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not doing.done():
                await self._let_go(job, doing)
            holding.cancel()
            (held,) = await asyncio.gather(holding, return_exceptions=True)
        if isinstance(held, Exception):
            raise held
        if doing.cancelled():
            raise InnkeeperError("it was cancelled from within")
        try:
            return doing.result()
        except StaleEpoch as error:  # the work lost something of its own; the claim is held still
            raise InnkeeperError(str(error)) from error

    async def _hold(self, job: Job, run: JobRun) -> None:
        """Renew the claim. Ends with the exception that says why it is to be stopped."""
        longest = LONGEST[job.spec.kind]
        end, until = self._clock.monotonic() + longest, run.lease_until
        while True:
            await self._clock.sleep(BEAT_SECONDS)
            now = self._clock.now()
            if self._clock.monotonic() >= end:
                raise TookTooLong(f"it was stopped after {longest / 60:.0f} minutes")
            try:
                held = await self._runs.renew(run, now + LEASE_SECONDS)
            except DatabaseFault as fault:
                self._report.error("job.unrenewed", job=job.name, run=run.id, why=str(fault))
                if now < until:
                    continue
                held = False
            if not held:
                raise StaleEpoch(f"the claim of run {run.id} was lost")
            until = now + LEASE_SECONDS

    async def _let_go(self, job: Job, doing: asyncio.Future[Any]) -> None:
        """Stop the work, and wait for its end, but not for ever."""
        doing.cancel()
        doing.add_done_callback(_unheard)
        patience = asyncio.ensure_future(self._clock.sleep(GRACE_SECONDS))
        await asyncio.wait((doing, patience), return_when=asyncio.FIRST_COMPLETED)
        patience.cancel()
        if not doing.done():
            self._report.error("job.stuck", job=job.name)


def _unheard(doing: asyncio.Future[Any]) -> None:
    """What stopped work raises is of no interest, and no warning."""
    if not doing.cancelled():
        doing.exception()


def _why(fault: BaseException) -> str:
    """A fault in a line."""
    told = str(fault) if isinstance(fault, InnkeeperError) else f"{type(fault).__name__}: {fault}"
    return " ".join(told.split())[:300]
