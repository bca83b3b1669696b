"""Making and changing jobs in people's words: a time, a zone, a pause; and what a list of jobs shows.

The store keeps them; phrases and times say what the words mean. Whoever changed something wakes the scheduler.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from gateway.clock import Clock
from gateway.errors import InnkeeperError
from gateway.schedule import phrases, times
from gateway.schedule.errors import UnclearTime
from gateway.schedule.timetable import Timetable
from gateway.schedule.wall import zone_named
from gateway.schedule.wording import describe
from gateway.state.job_protocols import Jobs
from gateway.state.job_records import UNTIL_RESUMED, Job, JobNameTaken, JobOrigin, JobSpec

NAME_CHARACTERS = 40
A_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Planned:
    """A job as a list shows it. `when` in words that can be given again; `next_runs` up to three, with offsets, none
    for what will not run by itself; `problem`: why its schedule cannot be read, or empty."""

    job: Job
    when: str
    next_runs: tuple[datetime, ...]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person wants changed; None stays as it is. `when` in words, `zone` an IANA name."""

    name: str | None = None
    when: str | None = None
    zone: str | None = None
    prompt: str | None = None
    skills: tuple[str, ...] | None = None
    model: str | None = None
    chat_key: str | None = None
    silent_unless: str | None = None
    budget: int | None = None


class JobBook:
    """All methods raise UnclearTime for words that name no time, and JobNameTaken."""

    def __init__(self, jobs: Jobs, clock: Clock, zone: Callable[[], ZoneInfo]) -> None:
        """`zone` is the owner's, for jobs that give none."""
        self._jobs = jobs
        self._clock = clock
        self._zone = zone
        self._timetable = Timetable()

    async def add(self, wish: Wish, origin: JobOrigin, owner: str, *, enabled: bool = True) -> Planned:
        """A new prompt job. It needs `when` and `prompt`; a name that is not given is made of the prompt."""
        if not (wish.prompt or "").strip():
            raise InnkeeperError("a job needs a prompt: say what it is to do")
        now = self._clock.now()
        name = (wish.name or "").strip()
        blank = JobSpec(name or _short(wish.prompt or ""), "prompt", "", wish.zone or self._zone().key)
        spec = self._changed(blank, replace(wish, when=wish.when or "", name=None), now)
        number = 1
        while True:
            try:
                return self.planned(await self._jobs.add(spec, origin, owner, now, enabled=enabled))
            except JobNameTaken:
                if name:
                    raise
                number += 1
                spec = replace(spec, name=f"{blank.name} {number}")

    async def edit(self, job: Job, wish: Wish, who: str) -> Planned | None:
        """Change a job; None when it was removed meanwhile. Another zone alone keeps the words of its time."""
        now = self._clock.now()
        return self._shown(await self._jobs.edit(job.id, self._changed(job.spec, wish, now), who, now))

    async def pause(self, job: Job, who: str, until: str = "") -> Planned | None:
        """Until it is resumed, or until a date or moment in words (`2026-12-24`, `tomorrow at 7:00`, `in 3 days`)."""
        now = self._clock.now()
        moment = UNTIL_RESUMED if not until.strip() else self._moment(until, zone_named(job.spec.zone), now)
        return self._shown(await self._jobs.pause(job.id, moment, who, now))

    async def resume(self, job: Job, who: str) -> Planned | None:
        """Go on; nothing is caught up."""
        return self._shown(await self._jobs.resume(job.id, who, self._clock.now()))

    async def find(self, named: str) -> Job | None:
        """The job with this name, or this id; no tombstone."""
        job = await self._jobs.named(named)
        if job is None and (number := named.strip().lstrip("#")).isdecimal():
            job = await self._jobs.get(int(number))
        return job if job is not None and job.removed_at is None else None

    async def all(self) -> Sequence[Planned]:
        """Every job, by name."""
        return [self.planned(job) for job in await self._jobs.all()]

    def planned(self, job: Job) -> Planned:
        """How a job stands now."""
        try:
            schedule, zone = self._timetable.read(job)
            return Planned(job, describe(schedule, zone), self._timetable.coming(job, self._clock.now()))
        except InnkeeperError as error:
            return Planned(job, "", (), str(error))

    def _shown(self, job: Job | None) -> Planned | None:
        return None if job is None else self.planned(job)

    def _changed(self, spec: JobSpec, wish: Wish, now: float) -> JobSpec:
        zone = zone_named(spec.zone if wish.zone is None else wish.zone)
        schedule = spec.schedule
        if wish.when is not None:
            schedule = times.dump(phrases.parse(wish.when, zone, datetime.fromtimestamp(now, UTC).astimezone(zone)))
        return JobSpec(
            name=(spec.name if wish.name is None else wish.name.strip()) or spec.name,
            kind=spec.kind,
            schedule=schedule,
            zone=zone.key,
            prompt=spec.prompt if wish.prompt is None else wish.prompt,
            skills=spec.skills if wish.skills is None else wish.skills,
            model=spec.model if wish.model is None else wish.model,
            chat_key=spec.chat_key if wish.chat_key is None else wish.chat_key,
            silent_unless=spec.silent_unless if wish.silent_unless is None else wish.silent_unless,
            budget=spec.budget if wish.budget is None else (wish.budget or None),
        )

    def _moment(self, words: str, zone: ZoneInfo, now: float) -> float:
        local = datetime.fromtimestamp(now, UTC).astimezone(zone)
        text = words.strip().removeprefix("until ").strip()
        schedule = phrases.parse(f"on {text} at 0:00" if A_DATE.fullmatch(text) else text, zone, local)
        if not isinstance(schedule, times.Once):
            raise UnclearTime(f"{words!r} is no single moment", f"{local + timedelta(days=7):%Y-%m-%d}", "in 3 days")
        return schedule.at.timestamp()


def _short(prompt: str) -> str:
    """A name out of a prompt: its first words."""
    words = " ".join(prompt.split())
    if len(words) <= NAME_CHARACTERS:
        return words
    return words[:NAME_CHARACTERS].rsplit(" ", 1)[0].rstrip(" ,.;:") or words[:NAME_CHARACTERS]
