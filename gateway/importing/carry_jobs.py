"""Taking over jobs: each comes paused, so that nobody is surprised by what it says, and by its own name.

Times are read by whoever knows their words; chats keep their names. A second run finds what is there, and does not
bring back what a person removed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from gateway.errors import InnkeeperError
from gateway.importing.hermes_jobs import Job
from gateway.importing.plan import SCOPE, Item
from gateway.state.import_protocols import Imports
from gateway.state.job_protocols import Jobs
from gateway.state.job_records import UNTIL_RESUMED, JobNameTaken, JobSpec
from gateway.state.job_records import Job as Kept
from memory.scan.scanner import scan

LONGEST_NAME = 60
LONGEST_PROMPT = 8_000
MOST_SKILLS = 5
WHO = "shell"
PAUSED = "paused"


class ReadTime(Protocol):
    """Reads a time: words, or an exact moment, in a zone (empty: the owner's)."""

    def __call__(self, words: str, moment: datetime | None, zone: str) -> tuple[str, str]:
        """The schedule as it is stored, and the name of its zone. Raises InnkeeperError with words for people."""


@dataclass(frozen=True, slots=True)
class JobDoor:
    """`skills()` are the names of those that there are here; `home(platform)` is the key of its home chat, or
    empty; `now()` in seconds since the epoch."""

    read: ReadTime
    skills: Callable[[], Collection[str]]
    home: Callable[[str], str]
    now: Callable[[], float]


def job_note(job: Job) -> str:
    """The name under which a job is noted; the note is its number here."""
    return f"job:{job.id}"


async def carry_jobs(
    found: Sequence[Job],
    zone: str,
    door: JobDoor,
    jobs: Jobs | None,
    imports: Imports | None,
    noted: Mapping[str, Any],
) -> list[Item]:
    """What becomes of each; without `jobs` and `imports` it is only foreseen."""
    notes = dict(noted)
    return [await _carried(each, zone, door, jobs, imports, notes) for each in found]


async def _carried(
    job: Job, zone: str, door: JobDoor, jobs: Jobs | None, imports: Imports | None, noted: dict[str, Any]
) -> Item:
    if (number := noted.get(job_note(job))) is not None:
        here = await jobs.get(int(number)) if jobs is not None else None
        gone = here is not None and here.removed_at is not None
        why = "it was taken over before, and was removed since" if gone else ""
        return Item("job", job.name, "gone" if gone else "there", why)
    try:
        spec, remarks = _spec(job, zone, door)
    except (InnkeeperError, LookupError) as error:
        return Item("job", job.name, "left", f"{error} (there: {job.when})", job.prompt)
    if jobs is not None and imports is not None:
        number, name = await _kept(
            spec, job, door, jobs, [each for name, each in noted.items() if name.startswith("job:")]
        )
        noted[job_note(job)] = number
        await imports.note(SCOPE, {job_note(job): number})
        if name != job.name:
            remarks = [f"its name is {name} here", *remarks]
    return Item(
        "job", job.name, "taken", "; ".join([f"{PAUSED}, as it was there" if job.paused else PAUSED, *remarks])
    )


def _spec(job: Job, zone: str, door: JobDoor) -> tuple[JobSpec, list[str]]:
    """The job as it is to be here, and what is different about it. Raises LookupError or InnkeeperError."""
    if job.why:
        raise LookupError(job.why)
    if len(job.prompt) > LONGEST_PROMPT:
        raise LookupError(f"its prompt has {len(job.prompt):,} characters, at most {LONGEST_PROMPT:,} fit")
    for text in (job.name, job.prompt):
        for finding in scan(text):
            raise LookupError(f"it reads like an attack ({finding.rule}): {finding.why}")
    schedule, zone = door.read(job.words, job.moment, zone)
    known, remarks = door.skills(), list(job.remarks)
    skills = [each for each in job.skills if each in known][:MOST_SKILLS]
    if missing := [each for each in job.skills if each not in skills]:
        remarks.append(f"without {', '.join(missing)}: no such skill is here")
    chat = job.chat.key if job.chat is not None else door.home(job.home) if job.home else ""
    if job.home and not chat:
        remarks.append(f"its answers went to the home chat of {job.home}, and none is set here")
    return JobSpec(_named(job.name), "prompt", schedule, zone, job.prompt, tuple(skills), chat_key=chat), remarks


def _named(name: str) -> str:
    """A name that a command can be given: short, and more than a number."""
    short = name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1].rstrip() + "…"
    return f"job {short}" if short.lstrip("#").isdigit() else short


async def _kept(spec: JobSpec, job: Job, door: JobDoor, jobs: Jobs, noted: Collection[Any]) -> tuple[int, str]:
    """Its number and its name here. It is never awake: proposed first, then paused, then accepted."""
    there = await jobs.named(spec.name)
    if there is not None and there.origin == "import" and there.id not in noted:
        made = there  # an import that was broken off made it
    else:
        made = await _added(spec, job, door, jobs)
    await jobs.pause(made.id, UNTIL_RESUMED, WHO, door.now())
    await jobs.enable(made.id, WHO, door.now())
    return made.id, made.name


async def _added(spec: JobSpec, job: Job, door: JobDoor, jobs: Jobs) -> Kept:
    number = 1
    while True:
        name = spec.name if number == 1 else f"{spec.name[: LONGEST_NAME - 4]} {number}"
        try:
            return await jobs.add(replace(spec, name=name), "import", _owner(job), door.now(), enabled=False)
        except JobNameTaken:
            number += 1


def _owner(job: Job) -> str:
    """For whom it runs: the person of a direct chat, whose number is the chat's; else whoever is at the shell."""
    chat = job.chat
    if chat is None or chat.platform != "telegram" or chat.thread_id is not None or not chat.chat_id.isdigit():
        return WHO
    return chat.key
