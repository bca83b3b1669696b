"""What commands about jobs need of the house, as a protocol. Moments are seconds since the epoch, but for the next
runs of a job, which have the offset of its zone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

UNTIL_RESUMED = math.inf
"""As `paused_until`: no date was given."""


@dataclass(frozen=True, slots=True)
class RunView:
    """A run of a job. `scheduled` is when it was due or asked for, `ended` is 0 while it waits or runs. `delivery`:
    `none`, `owed`, `delivered`, `failed` or `withheld`. `why`: what went wrong, or why it waits."""

    id: int
    job_id: int
    job: str
    state: str
    cause: str
    scheduled: float
    started: float
    ended: float
    delivery: str
    why: str
    answer: str
    tokens: int
    dry: bool


@dataclass(frozen=True, slots=True)
class ChangeView:
    """How a job was changed: `what` was done, by whom (empty for the program itself), and what the job was before, in
    pairs of a key and its text; of an edit only what became different."""

    at: float
    who: str
    what: str
    before: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class JobView:
    """A job. `chat` is the key of where its answer goes, empty for nowhere. `proposed`: it waits for a yes; its
    `next_runs` are those that it would have. `flags` are what somebody who says yes has to know. `problem`: why its
    schedule cannot be read."""

    id: int
    name: str
    kind: Literal["prompt", "maintenance"]
    when: str
    zone: str
    next_runs: Sequence[datetime]
    prompt: str = ""
    skills: Sequence[str] = ()
    model: str = ""
    chat: str = ""
    silent_unless: str = ""
    budget: int | None = None
    proposed: bool = False
    paused_until: float = 0.0
    origin: str = "person"
    owner: str = ""
    failures: int = 0
    version: int = 0
    created: float = 0.0
    removed: bool = False
    flags: Sequence[str] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class JobWish:
    """What is to be different about a job, or what a new one is to be. None: as it is, or as is usual. `when` in
    words, `chat` a chat's key or empty for nowhere, `budget` in tokens, 0 for none."""

    when: str | None = None
    prompt: str | None = None
    name: str | None = None
    zone: str | None = None
    skills: tuple[str, ...] | None = None
    model: str | None = None
    chat: str | None = None
    silent_unless: str | None = None
    budget: int | None = None


Asked = Literal["starts", "soon", "asleep", "waits", "gone"]
"""What becomes of a run that was asked for: it starts; the gateway, another process, starts it in a moment; no
gateway runs; the job waits for a yes first; there is no such job any more."""


class Cron(Protocol):
    """Jobs. `chat` limits what is found to the jobs of this chat's key; None is everything. What a person asked for
    and cannot be raises LookupError with words for people. Changes return None when the job was removed meanwhile."""

    async def jobs(self, chat: str | None) -> list[JobView]:
        """By name."""

    async def find(self, named: str, chat: str | None) -> JobView | None:
        """By its number, with or without `#`, by its name, or by the only name that begins so."""

    async def get(self, job_id: int) -> JobView | None:
        """With this number, removed or not."""

    async def add(self, wish: JobWish, who: str) -> JobView: ...

    async def edit(self, job: JobView, wish: JobWish, who: str) -> JobView | None: ...

    async def pause(self, job: JobView, until: str, who: str) -> JobView | None:
        """Until a date or moment in words; empty: until it is resumed."""

    async def resume(self, job: JobView, who: str) -> JobView | None: ...

    async def accept(self, job: JobView, who: str, where: str) -> JobView | None:
        """Somebody says yes to a proposed job. The chat of the wish is told, if that is not `where` it was said."""

    async def decline(self, job: JobView, who: str, where: str) -> JobView | None:
        """Somebody says no; likewise."""

    async def remove(self, job: JobView, who: str) -> JobView | None: ...

    async def bring_back(self, job: JobView, who: str) -> JobView:
        """Make a removed job anew."""

    async def run(self, job: JobView, who: str, *, dry: bool) -> Asked: ...

    async def runs(self, limit: int, job: JobView | None, chat: str | None) -> list[RunView]:
        """Of one job or of all that may be seen, the newest first."""

    async def changes(self, job: JobView) -> list[ChangeView]:
        """The newest first."""

    async def names_a_time(self, words: str) -> bool:
        """Whether these words alone name a time."""

    def asleep(self) -> bool:
        """Whether nothing starts jobs, as no gateway runs."""

    def usual(self, here: str) -> str:
        """The key of the chat where answers go if nothing else is said: here, but for the shell and windows of the
        console, which come and go; from there it is the first home chat, if there is one."""

    def now(self) -> float: ...
