"""What the store knows of reviews, as frozen rows: what is due, what waits or runs, what came of it.

Message ids are those of the session's rows; times are seconds since the epoch. When a review is due, and when it may
start, is decided in `gateway.reviews`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from gateway.transcript import Usage

ReviewKind = Literal["memory", "skill"]
ReviewCause = Literal["cadence", "compaction", "boundary", "person"]
"""Why a review was asked for, in rising rank: where requests merge, the higher one stays."""

ReviewOutcome = Literal["none", "memory", "skill", "memory+skill", "error", "dropped"]
"""What was kept; `error`: it came to its end without a result; `dropped`: given up, nothing counts as seen."""

WriteFate = Literal["kept", "waiting", "rejected", "undone"]
"""What became of a write: applied; waits for a yes; a person said no; applied and taken back."""

BackBecause = Literal["cancelled", "failed", "stopped"]
"""Why a running review was put back: it gave way to a prompt; it failed; the process ends in good order."""


@dataclass(frozen=True, slots=True)
class ReviewStanding:
    """How far reviews are behind in a session. Rows of a running turn, and those that a begun review covers, are left
    out everywhere.

    `counts`: user turns (memory) and tool calls (skill) since the counter began; `unseen`: kinds for which rows hold
    something that no review has seen; `answered`: the last turn ended with an answer that is not empty.
    """

    counts: dict[ReviewKind, int]
    unseen: frozenset[ReviewKind]
    answered: bool


@dataclass(frozen=True, slots=True)
class QueuedReview:
    """A review that waits or runs. It covers the rows above `after` up to `upto`.

    `focus` is what a person wants looked at. `cancelled`, `failed` and `died` count how often it gave way, failed, or
    lost its process; `back_at` is the last such moment (0: none) and `reason` says what happened. `progress` is the
    worker's own record of the calls that it finished, `spent` what they cost. `epoch` tells claims apart.
    """

    id: int
    session_id: str
    kinds: frozenset[ReviewKind]
    cause: ReviewCause
    after: int
    upto: int
    first_asked_at: float
    asked_at: float
    running: bool = False
    back_at: float = 0.0
    cancelled: int = 0
    failed: int = 0
    died: int = 0
    reason: str = ""
    spent: Usage = field(default_factory=Usage)
    epoch: int = 0
    lease_until: float = 0.0
    focus: str = field(default="", repr=False)
    progress: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class ReviewWrite:
    """A write of a review. `ref` is the id by which the journal (applied) or the pending store (waits) knows it."""

    ref: str
    kind: ReviewKind
    fate: WriteFate


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """A review that is over. `after` gives, by kind, the row above which it looked."""

    id: int
    session_id: str
    kinds: frozenset[ReviewKind]
    cause: ReviewCause
    outcome: ReviewOutcome
    reason: str
    after: dict[ReviewKind, int]
    upto: int
    first_asked_at: float
    ended_at: float
    host: str
    model: str
    cancelled: int
    failed: int
    died: int
    spent: Usage
    writes: tuple[ReviewWrite, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """Price and yield of the reviews on one model: how many by outcome, what they cost together, and what became of
    their writes."""

    host: str
    model: str
    outcomes: dict[ReviewOutcome, int]
    spent: Usage
    writes: dict[WriteFate, int]
