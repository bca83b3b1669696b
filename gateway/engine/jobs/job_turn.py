"""A turn that a job's run asks for: what it is asked, within which limits, and whether its answer is said at all.

When a job runs is `gateway.schedule`'s matter; how a turn is run, `turn`'s; where it is held, `job_places`'.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from gateway.agent.loop import Answer
from gateway.agent.prompt import time_line
from gateway.engine.house import House
from gateway.engine.sessions.boundary import zone
from gateway.engine.turns.skill_calls import FILES, ROOM, SIGNS_A_TOKEN, said
from gateway.errors import InnkeeperError
from gateway.state.protocols import Store
from gateway.state.records import Row
from gateway.transcript import Usage
from memory.files import FileTrouble
from memory.scan.scanner import verdict
from memory.skills.model import Skill, SkillTrouble
from platforms.messages import ChatKind, ChatRef, Inbound

TASK = "cron"
"""What the calls of such a turn are booked as."""

SILENT = "[silent]"
"""The whole answer of a job that has nothing to say, or its first or last line."""

_MARKUP = " \t*_~`\"'“”.!"

_ABOUT = "[Innkeeper] This is the job “{name}”, which runs by itself; nobody waits for it or can be asked."
_SAID = " Your answer is sent to this chat."
_UNLESS = (
    " Your answer is sent to this chat only if this holds: {condition}. If it does not hold, answer with "
    f"{SILENT} and nothing else; then nothing is sent."
)


class JobTrouble(InnkeeperError):
    """A run cannot be carried out; the text says why."""


@dataclass(frozen=True, slots=True)
class JobTurn:
    """One run as its turn needs it. `key` is that of its session; `hearer` stands for who hears the chat: an event
    that nobody sent, and that is never stored. `model` is empty for the chat's own, `budget` in tokens."""

    run: int
    job: int
    name: str
    key: str
    hearer: Inbound
    prompt: str
    skills: Sequence[str] = ()
    model: str = ""
    silent_unless: str = ""
    budget: int | None = None

    @property
    def chat(self) -> ChatRef:
        return self.hearer.chat

    @property
    def direct(self) -> bool:
        return self.hearer.kind is ChatKind.DIRECT

    @property
    def speaker(self) -> str:
        """Whose memory it may use: in a direct chat that of its person, elsewhere nobody's in particular."""
        return f"{self.chat.platform}:{self.hearer.sender.id}" if self.direct else "job"

    def over(self, spent: Usage, ahead: int) -> str | None:
        """Why no further call may be made, which would read `ahead` tokens, or None."""
        used = spent.input + spent.output
        if self.budget is None or used + ahead <= self.budget:
            return None
        return f"this job may use {self.budget:,} tokens a run; it used {used:,}, and would read {ahead:,} more"


async def asked(house: House, job: JobTurn, *, timed: bool, window: int | None) -> Row:
    """What the job asks, as the row of a turn: its skills and the time before it. They leave room in a `window` of so
    many tokens. Raises JobTrouble for a prompt that no turn may read."""
    if (rule := verdict(job.prompt)) is not None:
        raise JobTrouble(f"its prompt may not be used: it was found to break the rule {rule}")
    name, condition = _line(job.name), _line(job.silent_unless).rstrip(".")
    about = _ABOUT.format(name=name) + (_UNLESS.format(condition=condition) if condition else _SAID)
    now = datetime.fromtimestamp(house.clock.now(), zone(house.settings()))
    pieces = [*([time_line(now)] if timed else []), *await asyncio.to_thread(_skills, house, job, window), about]
    return Row("user", f"[job {name}] {job.prompt}", note="\n".join(pieces), untrusted="job")


async def count_skills(house: House, job: JobTurn) -> None:
    """The turn has begun: its skills were used."""
    if house.skills is None or not job.skills:
        return
    library, usage = house.skills.library, house.skills.store.usage
    try:
        await asyncio.to_thread(lambda: usage.used([each for each in job.skills if library.get(each) is not None]))
    except FileTrouble as trouble:
        house.report.warning("skills.uncounted", why=str(trouble))


async def speaks(store: Store, job: JobTurn, answer: Answer) -> bool:
    """Whether this answer is sent: there is one, it has something to say, and its job was not removed meanwhile."""
    if answer.failed or silent(answer.text, conditional=bool(job.silent_unless)):
        return False
    kept = await store.jobs.get(job.job)
    return kept is not None and kept.removed_at is None


def silent(text: str, *, conditional: bool) -> bool:
    """Whether an answer says that there is nothing to say: its first or last line is `[silent]`. Where a condition
    was given, an answer that begins or ends so will do, and the word alone, too: small models explain themselves."""
    lines = [bare for each in text.splitlines() if (bare := each.strip(_MARKUP).casefold())]
    if not lines:
        return False
    if SILENT in (lines[0], lines[-1]):
        return True
    given = lines[0].startswith(SILENT) or lines[-1].endswith(SILENT) or lines == [SILENT.strip("[]")]
    return conditional and given


def _skills(house: House, job: JobTurn, window: int | None) -> list[str]:
    """What the job's skills say, as when a person calls them up; of one that is gone, that it is."""
    if not job.skills:
        return []
    room = min(ROOM, window * SIGNS_A_TOKEN // 2) if window else ROOM
    notes = []
    for name in job.skills:
        skill = house.skills.library.get(name) if house.skills is not None else None
        gone = f"[The skill {_line(name)}, which this job is to use, is not there any more.]"
        notes.append(gone if skill is None else said(skill, _files(house, skill), room // len(job.skills)))
    return notes


def _files(house: House, skill: Skill) -> Sequence[str]:
    assert house.skills is not None, "it has this one"
    try:
        return house.skills.library.files(skill.name)[:FILES]
    except SkillTrouble:
        return ()


def _line(text: str) -> str:
    return " ".join(text.split())
