"""What commands about the house's own jobs need of it, as a protocol. Moments are seconds since the epoch, but for
next runs, which have the offset of their zone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

Standing = Literal["on", "paused", "removed", "taken"]
"""It runs by itself; it is paused; a person removed it; a job of a person has its name. By hand it runs all the
same."""

Came = Literal["done", "failed", "skipped", "running"]
"""What came of a run; `running`: it goes on."""


@dataclass(frozen=True, slots=True)
class TaskRun:
    """A run. `said` is what it says of itself, or why it failed; `figures` are the same as numbers, where known."""

    state: Came
    said: str
    dry: bool = False
    ended: float = 0.0
    figures: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Task:
    """One of the house's own jobs: what it is for, when it runs in words, its next run, and the last one. `deletes`:
    it may delete something, which its dry run names; `heavy`: it waits for an idle host."""

    name: str
    what: str
    when: str
    next_run: datetime | None
    heavy: bool
    deletes: bool
    standing: Standing = "on"
    last: TaskRun | None = None


class Maintenance(Protocol):
    """The house's own jobs."""

    async def tasks(self) -> Sequence[Task]:
        """All of them, in the order of a night."""

    async def run(self, name: str, who: str, *, dry: bool) -> tuple[str, TaskRun]:
        """Do one now, and wait for its end, though not for ever: its name and what came of it. The name may be
        shortened. Raises LookupError with words for people."""

    def now(self) -> float: ...
