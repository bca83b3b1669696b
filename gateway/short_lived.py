"""What a command that comes and goes has of the house: its files, its database, the model hosts, and no engine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING

from commands.ports import Ports
from gateway.attachments.cache import FileCache
from gateway.clock import Clock
from gateway.config.extensions import Extensions
from gateway.config.load import Loaded
from gateway.config.own_zone import own_zone
from gateway.config.paths import Profile
from gateway.config.plugins import HOST, announced
from gateway.config.schema import Settings
from gateway.engine.arrival.earshot import scopes
from gateway.engine.care.retention import StoredRetention, behind
from gateway.engine.desks.desks import ChosenModels, StoredBooks
from gateway.engine.desks.host_states import WatchedHosts
from gateway.engine.desks.journey_desk import JourneyDesk
from gateway.engine.desks.memory_desk import MemoryDesk
from gateway.engine.desks.pairing_desk import PairingDesk
from gateway.engine.desks.reviews_desk import ReviewsDesk
from gateway.engine.desks.skills_desk import SkillsDesk
from gateway.engine.desks.status import HouseStatus
from gateway.engine.gates.gatekeeper import Memories, PendingDesk, memories
from gateway.engine.gates.remote_tools import StoredTools, stored_tools
from gateway.engine.gates.skill_gatekeeper import GatedSkills, gated_skills, skill_desk
from gateway.engine.jobs.needed_skills import NeededSkills
from gateway.engine.sessions.archive import StoredArchive
from gateway.engine.sessions.boundary import zone
from gateway.engine.sessions.finder import StoredFinder
from gateway.errors import ConfigurationError
from gateway.job_orders import cron_desk
from gateway.maintenance.desk import MaintenanceDesk
from gateway.models.client import ModelClient
from gateway.models.kinds import HostKinds
from gateway.models.local import Seat, open_local
from gateway.models.registry import HostRegistry
from gateway.observability.redact import Redactor
from gateway.providers.git import Git
from gateway.providers.hub import Hub
from gateway.state.store import SqliteStore
from memory.pending.call_store import PendingCalls
from memory.skills.install import Installer

if TYPE_CHECKING:
    from gateway.schedule.maintenance import MaintenanceJob


def host_registry(profile: Profile, loaded: Loaded, clock: Clock) -> HostRegistry:
    """The model hosts of a profile; nothing is started or connected yet."""

    seat = Seat()

    def local(name: str) -> ModelClient:
        window = loaded.settings.model.context_window
        return open_local(name, profile.models, profile.folder, clock=clock, window=window, seat=seat)

    def kinds() -> list[EntryPoint]:
        return announced(HOST, loaded.settings.plugins.disabled)

    return HostRegistry(loaded.settings, clock, local, keys=loaded.keys, kinds=HostKinds(kinds))


def open_hub(
    profile: Profile,
    skills: GatedSkills | None,
    settings: Settings,
    now: Callable[[], float],
    environment: Mapping[str, str],
) -> Hub | None:
    """Skills from elsewhere, by the indexes that are configured at this moment; nothing is fetched yet. None where
    there are no skills."""
    if skills is None:
        return None
    installer = Installer(skills.library, skills.store, now)
    return Hub(installer, Git(environment), profile.cache / "hub", settings.skills.indexes)


def file_caches(profile: Profile) -> tuple[FileCache, FileCache]:
    """Where the files lie that people sent, and those that are sent to them."""
    return FileCache(profile.cache / "attachments"), FileCache(profile.cache / "outgoing", one_each=True)


def main_model(hosts: HostRegistry) -> str:
    """The main model as `host/model`, or why there is none."""
    client = hosts.resolve()
    return f"{client.host}/{client.model}"


def deaf(hosts: HostRegistry) -> list[str]:
    """Why voice messages cannot be listened to although a host for them is configured."""
    try:
        hosts.transcriber()
    except ConfigurationError as error:
        return [str(error)]
    return []


def _standing(
    profile: Profile,
    loaded: Loaded,
    store: SqliteStore,
    clock: Clock,
    gateway: str,
    hosts: HostRegistry,
    kept: Memories,
    skills: GatedSkills,
    tools: StoredTools | None,
) -> HouseStatus:
    """How things stand where no engine is at hand; `gateway` says in words whether one runs."""
    return HouseStatus(
        store,
        profile.database,
        clock,
        lambda: loaded.settings,
        lambda: main_model(hosts),
        gateway=gateway,
        pending=lambda: len(kept.pendings.ids()),
        pending_skills=lambda: len(skills.pendings.ids()),
        servers=tools,
        pending_calls=lambda: len(PendingCalls(profile.pending / "calls").ids()),
    )


def stored_ports(
    profile: Profile,
    loaded: Loaded,
    store: SqliteStore,
    clock: Clock,
    gateway: str,
    environment: Mapping[str, str],
    extensions: Extensions | None = None,
) -> Ports:
    """What short-lived commands reach the house by: the same files and database, and no engine."""
    hosts = host_registry(profile, loaded, clock)
    kept = memories(profile, lambda: loaded.settings, clock.now)
    skills = gated_skills(profile, lambda: loaded.settings, clock.now, NeededSkills(store.jobs, clock))
    scope = scopes(lambda: loaded.settings)

    async def set_to(key: str, value: str) -> None:
        from gateway.config.edit import set_key  # a second YAML library, for the few who change a setting

        await asyncio.to_thread(set_key, profile, key, value, environment, extensions)

    def tasks() -> Mapping[str, MaintenanceJob]:
        from gateway.maintaining import stored_jobs  # few commands need it, and it loads a good deal

        return stored_jobs(profile, store, lambda: loaded.settings, clock, kept, skills, extensions)

    asleep = gateway == "not running"
    tools, calls = stored_tools(profile, loaded.settings, store, clock, set_to, asleep=asleep)
    status = _standing(profile, loaded, store, clock, gateway, hosts, kept, skills, tools)
    maintenance = MaintenanceDesk(store, clock, lambda: own_zone(loaded.settings), tasks)
    cron = cron_desk(store, clock, lambda: loaded.settings, hosts, skills, asleep=asleep)
    cron.seed_by(maintenance.seed)
    pending = PendingDesk(kept, store, lambda: loaded.settings, clock.now, set_to)
    skill_pending = skill_desk(skills, store, lambda: loaded.settings, clock.now, set_to)
    return Ports(
        StoredArchive(store, Redactor(loaded.secrets)),
        StoredBooks(store, clock),
        status,
        ChosenModels(store.facts, hosts),
        memory=MemoryDesk(kept.shelf, kept.remains, store, hosts.forget, scope),
        pending=pending,
        skill_pending=skill_pending,
        skills=SkillsDesk(
            skills,
            store.facts,
            lambda: loaded.settings,
            clock.now,
            open_hub(profile, skills, loaded.settings, clock.now, environment),
        ),
        pairing=PairingDesk(store, clock.now),
        finder=StoredFinder(store, clock.now, lambda: zone(loaded.settings)),
        cron=cron,
        retention=StoredRetention(store, lambda: loaded.settings, clock, behind(kept, skills), file_caches(profile)),
        hosts=WatchedHosts(hosts, lambda: loaded.settings, store.facts),
        tools=tools,
        call_pending=calls,
        journey=JourneyDesk(kept.shelf, skills, store.facts, scope, lambda: loaded.settings, clock.now),
        maintenance=maintenance,
        reviews=ReviewsDesk(store, clock, (pending.settle, skill_pending.settle), asleep=asleep),
    )
