"""What jobs ask of the store: what they are, and their runs, each of which is done by one, and said once.

As in `protocols`: `at` is the moment of the call, and every change is one transaction that runs to its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from gateway.state.job_records import (
    Delivery,
    Job,
    JobEdit,
    JobOrigin,
    JobRun,
    JobSpec,
    JobStanding,
    RunState,
)


class Jobs(Protocol):
    """What jobs there are. Changes return the job as it then is, and None when there is none, or it was removed."""

    async def add(self, spec: JobSpec, origin: JobOrigin, owner: str, at: float, *, enabled: bool = True) -> Job:
        """A new job, whose first run is after `at`. Raises JobNameTaken."""

    async def seed(self, specs: Sequence[JobSpec], at: float) -> list[str]:
        """The jobs that come with the program. One that a person removed stays away, one that a person edited stays
        as it is. Names that another job has: those are left out."""

    async def get(self, job_id: int) -> Job | None:
        """The job with this id, its tombstone too."""

    async def named(self, name: str) -> Job | None:
        """The job with this name, whatever its case; no tombstone."""

    async def all(self) -> list[Job]:
        """Every job that is not removed, by name."""

    async def edit(self, job_id: int, spec: JobSpec, who: str, at: float) -> Job | None:
        """Change it; its kind stays. With another time or zone, runs before `at` are not caught up. A run that is on
        its way ends as it began. Raises JobNameTaken."""

    async def pause(self, job_id: int, until: float, who: str, at: float) -> Job | None:
        """No runs by the schedule before `until`, nor later ones for them; one that waits is skipped."""

    async def resume(self, job_id: int, who: str, at: float) -> Job | None:
        """Go on after a pause, or after failures; nothing is caught up. A job that is not paused stays as it is."""

    async def enable(self, job_id: int, who: str, at: float) -> Job | None:
        """A person's yes to a job that was proposed; its first run is after `at`."""

    async def remove(self, job_id: int, who: str, at: float) -> Job | None:
        """A tombstone from now on; the name is free. What waits is skipped; what runs ends, and is not delivered."""

    async def edits(self, job_id: int) -> list[JobEdit]:
        """How it was changed, the newest first; a bounded number."""

    async def forget(self, before: float) -> int:
        """Of jobs that were removed before a moment only id, name and origin stay; the number of such jobs."""


class JobRuns(Protocol):
    """Runs: noted when they are due, claimed by one process, ended once. What takes a claimed run raises StaleEpoch
    when it went to somebody else meanwhile."""

    async def standing(self) -> JobStanding: ...

    async def mark(self) -> tuple[float, ...]:
        """Numbers that differ once a job was changed or a run was asked for, by whichever process. Cheap."""

    async def due(self, job: Job, scheduled_at: float, at: float) -> JobRun | None:
        """Note that a run is due; everything up to `at` is seen to with it. A run by the schedule that waits already
        stands for this one, too, and is returned. None when it was noted before, or the job was changed, paused or
        removed meanwhile."""

    async def rewind(self, job: Job, at: float) -> None:
        """The clock was set back: what was seen to after `at` is not waited for. A moment that was noted stays noted,
        and a job that was changed meanwhile stays as it is."""

    async def ask(self, job_id: int, who: str, at: float, *, dry: bool = False) -> JobRun | None:
        """A run now, beside the schedule, paused or not; the one that waits already, if any. None when there is no
        such job, or it waits for a yes."""

    async def get(self, run_id: int) -> JobRun | None: ...

    async def claim(self, run_id: int, owner: str, lease_until: float, at: float) -> JobRun | None:
        """Take a waiting run. None when it is gone, was taken, or another one of its job runs."""

    async def renew(self, run: JobRun, lease_until: float) -> bool:
        """Hold it longer; False when it went to somebody else: stop at once."""

    async def answered(self, run: JobRun, answer: str, tokens: int) -> JobRun:
        """Keep an answer before it is taken out: `delivery` of what is returned is `owed`, or `withheld` when the job
        was removed. From here on the run is not done again, only delivered."""

    async def finish(
        self,
        run: JobRun,
        state: RunState,
        at: float,
        *,
        answer: str | None = None,
        delivery: Delivery | None = None,
        error: str = "",
        tokens: int | None = None,
        say: bool = False,
    ) -> JobRun:
        """It is over: `done`, `silent`, `failed` or `skipped`. What is None stays as it was. A failure, of delivery
        too, adds to the job's failures, success ends them, dry runs and skipped ones do not count. Notice is owed
        after certain failures, after each of a run that a person asked for, and of success where `say`."""

    async def release(self, run: JobRun, at: float) -> None:
        """Give it back, because the process ends in good order: it waits again, and this start does not count."""

    async def take_back(self, owner: str, at: float, *, everyone: bool = False) -> list[JobRun]:
        """Claims of others that ran out, or of `everyone` but who works by hand: they wait again, or failed when that
        was too often, or are skipped when their job is removed. The runs as they then are."""

    async def skip(self, run_id: int, why: str, at: float) -> bool:
        """Give up a waiting run; False when none such waits."""

    async def told(self, run_id: int) -> None:
        """The owner was told of its end."""

    async def history(self, limit: int, job_id: int | None = None) -> list[JobRun]:
        """Runs, of one job or of all, the newest first."""
