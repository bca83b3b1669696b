"""What commands ask about jobs, answered: the store's jobs in people's words, checked before they are kept.

Whoever starts jobs attends to it, and is woken for what was changed. Loading what reads times takes longer than most
commands do: that waits until something is asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from commands.cron_ports import Asked, ChangeView, JobView, JobWish, RunView
from gateway.clock import Clock
from gateway.errors import InnkeeperError
from gateway.schedule.admission import Admission, Premises
from gateway.state.job_protocols import JobRuns, Jobs
from gateway.state.job_records import Job, JobOrigin, JobRun, JobSpec
from gateway.state.protocols import Facts, Outbox
from gateway.state.records import PartDraft
from platforms.messages import ChatRef

if TYPE_CHECKING:
    from gateway.schedule.jobs import JobBook, Planned, Wish

FLAGS = "job_flags"
"""The scope of facts in which stands, by a job's number, what somebody who says yes has to know."""

WINDOWS = "console:"
"""How the keys of chats begin that are windows of the console."""

MOST_JOBS = 200
KEPT_SECONDS = 7 * 86_400
"""For how long a job is listed whose time is over."""

LOOKED_THROUGH = 50
"""Runs of each job among which those of one chat are looked for."""


class JobStore(Protocol):
    """The part of the store that jobs are kept in."""

    @property
    def jobs(self) -> Jobs: ...

    @property
    def job_runs(self) -> JobRuns: ...

    @property
    def facts(self) -> Facts: ...

    @property
    def outbox(self) -> Outbox: ...


class CronDesk:
    """`commands.cron_ports.Cron` on the store. `asleep`: unless somebody attends, nothing starts jobs."""

    def __init__(self, store: JobStore, clock: Clock, premises: Premises, *, asleep: bool = False) -> None:
        self._store = store
        self._clock = clock
        self._premises = premises
        self._admission = Admission(premises)
        self._asleep = asleep
        self._wake: Callable[[], object] | None = None
        self._waits: Callable[[], dict[int, str]] = dict
        self._outgoing: Callable[[ChatRef], object] | None = None
        self._kept: JobBook | None = None
        self._seed: Callable[[], Awaitable[object]] | None = None
        self._seeding = asyncio.Lock()

    def attend(self, wake: Callable[[], object], waits: Callable[[], dict[int, str]]) -> None:
        """Whoever starts jobs is there: it is woken, and says why runs wait, by the run's number."""
        self._wake = wake
        self._waits = waits

    def deliver_by(self, wake: Callable[[ChatRef], object]) -> None:
        """Whoever delivers is there, and is woken for a chat; otherwise a running gateway looks by itself."""
        self._outgoing = wake

    def seed_by(self, seed: Callable[[], Awaitable[object]]) -> None:
        """What puts the house's own jobs into the store, where no gateway has done so yet."""
        self._seed = seed

    async def jobs(self, chat: str | None) -> list[JobView]:
        await self._seeded()
        found = [each for each in await self._store.jobs.all() if chat is None or each.spec.chat_key == chat]
        return [await self.view(each) for each in found]

    async def find(self, named: str, chat: str | None) -> JobView | None:
        await self._seeded()
        wanted = named.strip().casefold()
        seen = [each for each in await self._store.jobs.all() if chat is None or each.spec.chat_key == chat]
        number = wanted.removeprefix("#")
        found = [each for each in seen if str(each.id) == number]
        found = found or [each for each in seen if each.name.casefold() == wanted]
        found = found or [each for each in seen if wanted and each.name.casefold().startswith(wanted)]
        if len(found) > 1:
            several = ", ".join(f"{each.id} {each.name}" for each in found[:5])
            raise LookupError(f"{named.strip()!r} could be several: {several}. Write its number.")
        return await self.view(found[0]) if found else None

    async def get(self, job_id: int) -> JobView | None:
        job = await self._store.jobs.get(job_id) if job_id < 2**63 else None
        return await self.view(job) if job is not None and job.spec.schedule else None

    async def add(self, wish: JobWish, who: str) -> JobView:
        return await self.make(wish, "person", who)

    async def make(self, wish: JobWish, origin: JobOrigin, owner: str, *, enabled: bool = True) -> JobView:
        """A new job; not `enabled`, it waits for a yes. Raises LookupError with words for people."""
        await self._admission.check(wish)
        await self._seeded()  # the name, also one made of the prompt, may be that of one of the house's own
        if len(await self._kept_jobs()) >= MOST_JOBS:
            raise LookupError(f"There are {MOST_JOBS} jobs already: remove one first.")
        try:
            planned = await self._book.add(_wished(wish), origin, owner, enabled=enabled)
        except InnkeeperError as error:
            raise LookupError(str(error)) from None
        return await self._changed(planned)

    async def edit(self, job: JobView, wish: JobWish, who: str) -> JobView | None:
        await self._admission.check(wish)
        stored = await self._live(job)
        if stored is None:
            return None
        try:
            planned = await self._book.edit(stored, _wished(wish), who)
        except InnkeeperError as error:
            raise LookupError(str(error)) from None
        return await self._changed(planned) if planned is not None else None

    async def pause(self, job: JobView, until: str, who: str) -> JobView | None:
        stored = await self._live(job)
        if stored is None:
            return None
        try:
            planned = await self._book.pause(stored, who, until)
        except InnkeeperError as error:
            raise LookupError(str(error)) from None
        return await self._changed(planned) if planned is not None else None

    async def resume(self, job: JobView, who: str) -> JobView | None:
        stored = await self._live(job)
        planned = await self._book.resume(stored, who) if stored is not None else None
        return await self._changed(planned) if planned is not None else None

    async def accept(self, job: JobView, who: str, where: str) -> JobView | None:
        stored = await self._live(job)
        if stored is None:
            return None
        self._admission.clean(stored.spec)
        if not job.next_runs:
            raise LookupError(f"The time of {job.name!r} is over by now.")
        enabled = await self._store.jobs.enable(job.id, who, self._clock.now())
        if enabled is None:
            return None
        await self._tell(job, where, f"✅ The job «{job.name}» was accepted, and is done at its time: {job.when}.")
        return await self._changed(self._book.planned(enabled))

    async def decline(self, job: JobView, who: str, where: str) -> JobView | None:
        gone = await self.remove(job, who)
        if gone is not None:
            await self._tell(job, where, f"❌ The job «{job.name}» was declined, and is not done.")
        return gone

    async def remove(self, job: JobView, who: str) -> JobView | None:
        gone = await self._store.jobs.remove(job.id, who, self._clock.now())
        return await self._changed(self._book.planned(gone)) if gone is not None else None

    async def bring_back(self, job: JobView, who: str) -> JobView:
        old = await self._store.jobs.get(job.id)
        if old is None or not old.spec.schedule:
            raise LookupError("It was removed too long ago.")
        self._admission.clean(old.spec)
        await self._seeded()
        now = self._clock.now()
        try:
            made = await self._store.jobs.add(old.spec, old.origin, old.owner, now, enabled=old.enabled)
        except InnkeeperError as error:
            raise LookupError(str(error)) from None
        if old.paused_until > now:
            made = await self._store.jobs.pause(made.id, old.paused_until, who, now) or made
        if job.flags:
            await self._store.facts.put(FLAGS, str(made.id), list(job.flags))
        return await self._changed(self._book.planned(made))

    async def run(self, job: JobView, who: str, *, dry: bool) -> Asked:
        stored = await self._live(job)
        if stored is None:
            return "gone"
        if not stored.enabled:
            return "waits"
        if await self._store.job_runs.ask(job.id, who, self._clock.now(), dry=dry) is None:
            return "gone"
        self._ring()
        if self._wake is not None:
            return "starts"
        return "asleep" if self.asleep() else "soon"

    async def runs(self, limit: int, job: JobView | None, chat: str | None) -> list[RunView]:
        names = {each.id: each.name for each in await self.jobs(chat)}
        if job is not None:
            found = await self._store.job_runs.history(limit, job.id)
        elif chat is None:
            found = await self._store.job_runs.history(limit)
        else:
            each_one = [await self._store.job_runs.history(LOOKED_THROUGH, job_id) for job_id in names]
            found = sorted((run for runs in each_one for run in runs), key=lambda run: run.id, reverse=True)[:limit]
        waits = self._waits()
        return [_run(each, names.get(each.job_id, f"#{each.job_id}"), waits.get(each.id, "")) for each in found]

    async def changes(self, job: JobView) -> list[ChangeView]:
        stored = await self._store.jobs.get(job.id)
        if stored is None:
            return []
        found, after = [], self._told(stored.spec)
        for each in await self._store.jobs.edits(job.id):
            before = self._told(each.before)
            changed = [(name, before[name]) for name in before if before[name] != after[name]]
            found.append(ChangeView(each.at, each.who, each.what, changed))
            after = before
        return found

    async def names_a_time(self, words: str) -> bool:
        return self._wording(words) is not None

    async def same_time(self, job: JobView, words: str) -> bool:
        """Whether these words name the time that the job has."""
        return job.zone == self._premises.zone().key and self._wording(words) == job.when

    def asleep(self) -> bool:
        return self._asleep and self._wake is None

    def usual(self, here: str) -> str:
        return here if here and not here.startswith(WINDOWS) else self._premises.home() or here

    def now(self) -> float:
        return self._clock.now()

    async def view(self, job: Job) -> JobView:
        """A job as commands show it. What waits for a yes is shown with the runs that it would have."""
        planned = self._book.planned(job)
        runs = planned.next_runs
        if not job.enabled and job.removed_at is None:
            now = self._clock.now()
            runs = self._book.planned(replace(job, enabled=True, considered_at=now, paused_until=0.0)).next_runs
        flags = await self._store.facts.get(FLAGS, str(job.id)) if not job.enabled else None
        return JobView(
            id=job.id,
            name=job.name,
            kind=job.spec.kind,
            when=planned.when,
            zone=job.spec.zone,
            next_runs=runs,
            prompt=job.spec.prompt,
            skills=job.spec.skills,
            model=job.spec.model,
            chat=job.spec.chat_key,
            silent_unless=job.spec.silent_unless,
            budget=job.spec.budget,
            proposed=not job.enabled,
            paused_until=job.paused_until,
            origin=job.origin,
            owner=job.owner,
            failures=job.failures,
            version=job.version,
            created=job.created_at,
            removed=job.removed_at is not None,
            flags=tuple(flags or ()),
            problem=planned.problem,
        )

    async def _seeded(self) -> None:
        """Whoever asks meanwhile waits; what failed is tried again."""
        async with self._seeding:
            seed = self._seed
            if seed is None:
                return
            await seed()
            if self._seed is seed:
                self._seed = None

    @property
    def _book(self) -> JobBook:
        if self._kept is None:
            from gateway.schedule.jobs import JobBook

            self._kept = JobBook(self._store.jobs, self._clock, self._premises.zone)
        return self._kept

    async def _tell(self, job: JobView, where: str, text: str) -> None:
        """What became of a wish, in the chat that it came from."""
        if not job.chat or job.chat == where:
            return
        chat = ChatRef.parse(job.chat)
        await self._store.outbox.put(chat, f"job-decided:{job.id}", [PartDraft(text)], self._clock.now())
        if self._outgoing is not None:
            self._outgoing(chat)

    async def _kept_jobs(self) -> list[Job]:
        """All jobs, after those were put away that had their last run a while ago."""
        now, kept = self._clock.now(), []
        for job in await self._store.jobs.all():
            planned = self._book.planned(job)
            over = not (planned.next_runs or planned.problem or job.paused_until > now) and job.enabled
            if over and max(job.considered_at, job.changed_at) < now - KEPT_SECONDS and job.spec.kind == "prompt":
                await self._store.jobs.remove(job.id, "", now)
            else:
                kept.append(job)
        return kept

    async def _live(self, job: JobView) -> Job | None:
        stored = await self._store.jobs.get(job.id)
        return stored if stored is not None and stored.removed_at is None else None

    async def _changed(self, planned: Planned) -> JobView:
        self._ring()
        return await self.view(planned.job)

    def _ring(self) -> None:
        if self._wake is not None:
            self._wake()

    def _wording(self, words: str) -> str | None:
        """A time in the words of lists; None for what names none."""
        from gateway.schedule import phrases
        from gateway.schedule.errors import UnclearTime

        zone = self._premises.zone()
        try:
            now = datetime.fromtimestamp(self._clock.now(), UTC).astimezone(zone)
            return phrases.describe(phrases.parse(words, zone, now), zone)
        except UnclearTime:
            return None

    def _told(self, spec: JobSpec) -> dict[str, str]:
        """What can be changed about a job, as a history shows it."""
        from gateway.schedule import times
        from gateway.schedule.wall import zone_named
        from gateway.schedule.wording import describe

        try:
            when = describe(times.load(spec.schedule), zone_named(spec.zone))
        except InnkeeperError:
            when = spec.schedule
        told = {"when": when, "zone": spec.zone, "name": spec.name, "prompt": spec.prompt, "to": spec.chat_key}
        told |= {"skills": ", ".join(spec.skills), "model": spec.model, "silent unless": spec.silent_unless}
        return told | {"budget": str(spec.budget or "")}


def _wished(wish: JobWish) -> Wish:
    from gateway.schedule.jobs import Wish

    given = asdict(wish)
    return Wish(**(given | {"chat_key": given.pop("chat")}))


def _run(run: JobRun, name: str, waits: str) -> RunView:
    return RunView(
        id=run.id,
        job_id=run.job_id,
        job=name,
        state=run.state,
        cause=run.cause,
        scheduled=run.scheduled_at,
        started=run.started_at,
        ended=run.ended_at,
        delivery=run.delivery,
        why=run.error or waits,
        answer=run.answer,
        tokens=run.tokens,
        dry=run.dry,
    )
