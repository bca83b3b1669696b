"""The house's own jobs put together with what they need: of a running house, or of a profile whose gateway may run
elsewhere. Nothing is decided here but who is asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from gateway.attachments.cache import FileCache
from gateway.attachments.upkeep import Room, Upkeep
from gateway.clock import Clock
from gateway.config.extensions import Extensions
from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.engine.care.retention import StoredRetention, behind
from gateway.engine.care.skill_care import SkillCare
from gateway.engine.engine import Engine
from gateway.engine.gates.cards import piles
from gateway.engine.gates.digest import Digest, StoredPost
from gateway.engine.gates.gatekeeper import Memories
from gateway.engine.gates.skill_gatekeeper import GatedSkills
from gateway.maintenance.jobs import Means, jobs_of
from gateway.schedule.maintenance import MaintenanceJob
from gateway.state.protocols import Store
from memory.skills.report import Report


def maintenance_jobs(
    engine: Engine, profile: Profile, care: SkillCare, extensions: Extensions | None = None
) -> dict[str, MaintenanceJob]:
    """Those of a running house, which has memory and skills. `care` is what looks after its skills."""
    house = engine.house
    assert house.memories is not None, "the house was furnished with it"
    assert house.skills is not None, "the house was furnished with them"
    calls = house.remote.desk.resolver.pendings if house.remote is not None else None
    waiting = piles(house.memories.pendings, house.skills.pendings, calls)
    means = Means(
        profile=profile,
        store=house.store,
        settings=house.settings,
        clock=house.clock,
        digest=Digest(waiting, house.delivery.post, house.store.outbox, house.clock, house.settings),
        caretaker=house.skills.caretaker,
        look_at_skills=care.look,
        retention=engine.retention,
        upkeep=upkeep(profile, house.store, house.settings, house.clock),
        variables=_variables(extensions),
    )
    return jobs_of(means)


def stored_jobs(
    profile: Profile,
    store: Store,
    settings: Callable[[], Settings],
    clock: Clock,
    memories: Memories,
    skills: GatedSkills,
    extensions: Extensions | None = None,
) -> dict[str, MaintenanceJob]:
    """Those of a profile at the shell. What they have to tell waits in the outbox for the gateway."""
    caches = tuple(room.cache for room in _rooms(profile, store))
    means = Means(
        profile=profile,
        store=store,
        settings=settings,
        clock=clock,
        digest=Digest(
            piles(memories.pendings, skills.pendings),
            StoredPost(store.outbox, clock),
            store.outbox,
            clock,
            settings,
        ),
        caretaker=skills.caretaker,
        look_at_skills=lambda: _look(store, clock, skills),
        retention=StoredRetention(store, settings, clock, behind(memories, skills), caches),
        upkeep=upkeep(profile, store, settings, clock),
        variables=_variables(extensions),
    )
    return jobs_of(means)


def upkeep(profile: Profile, store: Store, settings: Callable[[], Settings], clock: Clock) -> Upkeep:
    """What keeps the caches of files small."""
    return Upkeep(_rooms(profile, store), settings, clock)


def _rooms(profile: Profile, store: Store) -> tuple[Room, ...]:
    received, sent = profile.cache / "attachments", profile.cache / "outgoing"
    return (
        Room(FileCache(received), store.turns.files_in_use),
        Room(FileCache(sent, one_each=True), store.outbox.files),
    )


async def _look(store: Store, clock: Clock, skills: GatedSkills) -> Report | None:
    """The curator's moment as the store alone shows it: none while a turn runs."""
    running, recent = await store.turns.running(), await store.sessions.recent(1)
    active = recent[0].session.active_at if recent else 0.0
    idle = 0.0 if running else max(0.0, clock.now() - active)
    return await asyncio.to_thread(skills.caretaker.tick, idle)


def _variables(extensions: Extensions | None) -> Callable[[], Mapping[str, str]]:
    def variables() -> Mapping[str, str]:
        from gateway.backup.settings_copy import usual_variables  # for backups, which come by night

        return usual_variables(extensions or Extensions())

    return variables
