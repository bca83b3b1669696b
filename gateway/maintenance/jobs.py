"""The house's own jobs by name, with what each is for and when it runs if nobody says otherwise.

What they do stands beside this file; the composition roots give them what they need.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gateway.attachments.upkeep import Upkeep
from gateway.clock import Clock
from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.config.spilling import folder
from gateway.engine.care.retention import StoredRetention
from gateway.engine.gates.digest import Digest
from gateway.maintenance import conversations
from gateway.maintenance.conversations import LookAtSkills
from gateway.maintenance.moments import morning, nightly, weekly
from gateway.schedule.maintenance import JobReport, MaintenanceJob
from gateway.state.protocols import Store
from memory.skills.caretaker import Caretaker


@dataclass(frozen=True, slots=True)
class Means:
    """What the jobs have of the house. `variables` are the usual variables of secret keys, for backups."""

    profile: Profile
    store: Store
    settings: Callable[[], Settings]
    clock: Clock
    digest: Digest
    caretaker: Caretaker
    look_at_skills: LookAtSkills
    retention: StoredRetention
    upkeep: Upkeep
    variables: Callable[[], Mapping[str, str]]


def jobs_of(means: Means) -> dict[str, MaintenanceJob]:
    """By name. Their default moments are those of the settings now in force: whoever starts the scheduler asks anew
    when settings change."""
    tasks = Tasks(means)
    settings = means.settings()
    jobs = (
        MaintenanceJob(
            "pending-digest", morning(settings), tasks.pending_digest,
            what="repeats in the home chats what waits for a yes",
        ),
        MaintenanceJob(
            "curator-check", "hourly at :20", tasks.curator_check,
            what="lets the curator run, once it is time and the house is idle",
        ),
        MaintenanceJob(
            "retention", nightly(settings), tasks.retention, heavy=True, deletes=True,
            what="lets sessions leave that are older than sessions.retention_days",
        ),
        MaintenanceJob(
            "cache-cleanup", nightly(settings, 10), tasks.cache_cleanup, heavy=True, deletes=True,
            what="deletes old files of conversations, saved states of the local model, old logs and leftovers",
        ),
        MaintenanceJob(
            "weights-cleanup", nightly(settings, 15), tasks.weights_cleanup, deletes=True,
            what="deletes downloaded models that nobody used for 30 days",
        ),
        MaintenanceJob(
            "database-check", nightly(settings, 20), tasks.database_check, heavy=True,
            what="checks quickly that the database can be read, and that what was said is found",
        ),
        MaintenanceJob(
            "backup", nightly(settings, 30), tasks.backup, heavy=True, deletes=True,
            what="copies the whole home into a file, proves it by restoring and counting, keeps the last 7",
        ),
        MaintenanceJob(
            "database-integrity", weekly(settings, 60), tasks.database_integrity, heavy=True,
            what="checks the database to the last page",
        ),
    )  # fmt: skip
    return {each.name: each for each in jobs}


class Tasks:
    """One method a job; `dry` only says what would be done. What is raised is a failure. What a job does by night is
    imported when it does it: no start should wait for that."""

    def __init__(self, means: Means) -> None:
        self._means = means

    async def pending_digest(self, dry: bool) -> JobReport:
        return await conversations.pending_digest(self._means.digest, dry=dry)

    async def curator_check(self, dry: bool) -> JobReport:
        return await conversations.curator_check(self._means.look_at_skills, self._means.caretaker, dry=dry)

    async def retention(self, dry: bool) -> JobReport:
        return await conversations.retention(self._means.retention, dry=dry)

    async def cache_cleanup(self, dry: bool) -> JobReport:
        from gateway.maintenance import caches

        means = self._means
        spills = folder(means.settings(), means.profile.cache)
        return await caches.clean_up(means.profile, means.upkeep, spills, means.clock.now, dry=dry)

    async def weights_cleanup(self, dry: bool) -> JobReport:
        from gateway.maintenance import weights

        means = self._means
        return await weights.clean_up(means.profile, means.store, means.settings(), means.clock.now, dry=dry)

    async def database_check(self, dry: bool) -> JobReport:
        from gateway.maintenance import database

        return await database.quick_check(self._means.profile.database, self._means.store.search, dry=dry)

    async def database_integrity(self, dry: bool) -> JobReport:
        from gateway.maintenance import database

        return await database.integrity_check(self._means.profile.database, self._means.store.search, dry=dry)

    async def backup(self, dry: bool) -> JobReport:
        from gateway.backup.nightly import nightly as backed_up

        made = await backed_up(self._means.profile, self._means.clock.now(), self._means.variables(), dry=dry)
        return JobReport(made.summary, made.figures)
