"""What the store says about jobs: what they are, how they were changed, and what became of their runs.

A schedule is text here; what it means is for `gateway.schedule` to say. Moments are seconds since the epoch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from gateway.errors import InnkeeperError

JobKind = Literal["prompt", "maintenance"]
JobOrigin = Literal["person", "assistant", "import", "house"]
"""Who made a job; `house`: it came with the program."""

RunCause = Literal["schedule", "person"]
RunState = Literal["waiting", "claimed", "done", "silent", "failed", "skipped"]
"""`waiting`: due, or asked for; `claimed`: somebody does it; `silent`: done, with nothing to say; `skipped`: it was
not done and will not be (`error` says why)."""

Delivery = Literal["none", "owed", "delivered", "failed", "withheld"]
"""What became of an answer: there is none; it is stored and goes out next; it went out; it did not; its job was
removed meanwhile, so it does not."""

Notice = Literal["", "owed", "told"]
EditKind = Literal["edited", "paused", "resumed", "enabled", "removed"]

UNTIL_RESUMED = math.inf
"""As `paused_until`: no date was given."""


class JobNameTaken(InnkeeperError):
    """Another job has this name."""


@dataclass(frozen=True, slots=True)
class JobSpec:
    """What a person can change about a job. `name` is unique, whatever its case; `schedule` is what
    `gateway.schedule.times.dump` writes, `zone` an IANA name. For prompts: `chat_key` is where the answer goes
    (empty: nowhere), `silent_unless` what must hold for it to be said, `budget` its tokens at most."""

    name: str
    kind: JobKind
    schedule: str
    zone: str
    prompt: str = field(default="", repr=False)
    skills: tuple[str, ...] = ()
    model: str = ""
    chat_key: str = ""
    silent_unless: str = field(default="", repr=False)
    budget: int | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A job, or its tombstone (`removed_at` is not None).

    Not `enabled`: proposed, and waits for a person's yes. It is paused up to, and without, `paused_until`. Runs up to
    `considered_at` were seen to. `failures` counts the runs that failed in a row; `version` grows with each change.
    """

    id: int
    spec: JobSpec
    origin: JobOrigin
    owner: str
    enabled: bool
    paused_until: float
    considered_at: float
    failures: int
    version: int
    created_at: float
    changed_at: float
    removed_at: float | None = None

    @property
    def name(self) -> str:
        return self.spec.name


@dataclass(frozen=True, slots=True)
class JobEdit:
    """A change of a job; `before` is what it was. `who` is empty for the program itself."""

    at: float
    who: str
    what: EditKind
    before: JobSpec


@dataclass(frozen=True, slots=True)
class JobRun:
    """One run. (`job_id`, `cause`, `scheduled_at`) names it for good.

    `coalesced` counts runs that fell due while this one waited, and that it stands for (its moment is that of the
    last one). `starts` counts claims that were not given back, `epoch` tells claims apart. `started_at` and
    `ended_at` are 0 while they are not. `answer` is what a prompt came to, or what maintenance says of itself.
    `dry`: only say what would be done. `notice`: whether the owner is to be told how it ended, or was.
    """

    id: int
    job_id: int
    cause: RunCause
    scheduled_at: float
    asked_at: float
    state: RunState = "waiting"
    who: str = ""
    dry: bool = False
    coalesced: int = 0
    starts: int = 0
    epoch: int = 0
    owner: str = ""
    lease_until: float = 0.0
    started_at: float = 0.0
    ended_at: float = 0.0
    answer: str = field(default="", repr=False)
    delivery: Delivery = "none"
    error: str = ""
    tokens: int = 0
    notice: Notice = ""

    @property
    def source(self) -> str:
        """Names the answer's message parts, so that they are stored once however often it is tried."""
        return f"job:{self.id}"

    @property
    def went_well(self) -> bool:
        """Done, and what it had to say went out."""
        return self.state in ("done", "silent") and self.delivery != "failed"


BY_HAND = "by hand"
"""How the owner of a claim begins who does a run beside the scheduler: a gateway that starts leaves it to them."""


@dataclass(frozen=True, slots=True)
class JobStanding:
    """What a scheduler has to know, of one moment: jobs that are not removed, runs that wait or are claimed, the
    longest due first, and ended runs of which the owner is still to be told."""

    jobs: tuple[Job, ...]
    runs: tuple[JobRun, ...]
    notices: tuple[JobRun, ...]


@dataclass(frozen=True, slots=True)
class JobLimits:
    """`notice_at`: failures in a row of which the owner is told. A run that lost its process is begun at most
    `starts` times, and an answer taken out at most `deliveries` times more. `runs` and `edits` are kept a job."""

    notice_at: frozenset[int] = frozenset((1, 3))
    starts: int = 2
    deliveries: int = 3
    runs: int = 100
    edits: int = 50
