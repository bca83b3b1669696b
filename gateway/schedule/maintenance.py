"""What a maintenance job is, and what it says of itself. The jobs themselves stand where their work is done; the
composition root hands them in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from gateway.schedule import times
from gateway.schedule.clockwork import Report
from gateway.schedule.errors import UnclearTime
from gateway.schedule.phrases import parse
from gateway.state.job_records import JobSpec


@dataclass(frozen=True, slots=True)
class JobReport:
    """What a run of maintenance came to. `summary` is one line; `tell`: the owner should hear of it, though it went
    well. `figures` are for whoever reads the history as data."""

    summary: str
    figures: Mapping[str, int] = field(default_factory=dict)
    tell: bool = False


@dataclass(frozen=True, slots=True)
class MaintenanceJob:
    """`run(dry)` does it, or only says what it would do; what it raises is a failure. `schedule` is a phrase such as
    `daily at 3:40`, in the owner's zone. `heavy`: it waits for an idle host; `deletes`: it may delete something,
    which its dry run names; `what` says what it is for, in the words of a list."""

    name: str
    schedule: str
    run: Callable[[bool], Awaitable[JobReport]]
    heavy: bool = False
    deletes: bool = False
    what: str = ""


def specs(jobs: Iterable[MaintenanceJob], zone: ZoneInfo, now: datetime, report: Report) -> list[JobSpec]:
    """The jobs as the store keeps them. One whose default names no time is reported and left out."""
    found = []
    for each in jobs:
        try:
            schedule = times.dump(parse(each.schedule, zone, now))
        except UnclearTime as error:
            report.error("job.unreadable", job=each.name, why=str(error))
        else:
            found.append(JobSpec(each.name, "maintenance", schedule, zone.key))
    return found
