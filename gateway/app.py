"""The composition root: settings become objects, the objects one running house, and everything opened is closed here.

Nothing else reads a profile's folder, loads an adapter, or decides in which order things start and end.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from commands.registry import Registry
from commands.skill_ports import SkillHub
from gateway.agent.requests import asks_to_keep
from gateway.attachments.intake import open_intake
from gateway.clock import Clock, SystemClock
from gateway.config.extensions import Extensions
from gateway.config.load import Loaded
from gateway.config.lock import ProfileLock
from gateway.config.not_yet import warnings
from gateway.config.own_zone import own_zone
from gateway.config.paths import Profile
from gateway.config.plugins import TOOL, announced
from gateway.config.reload import Broken, Reloaded, Watcher
from gateway.config.schema import Settings
from gateway.config.supervised import supervised
from gateway.engine import notices
from gateway.engine.arrival.earshot import scopes
from gateway.engine.arrival.session_key import effective_rule
from gateway.engine.care.session_care import session_work
from gateway.engine.care.skill_care import SkillCare, sow
from gateway.engine.care.warming import compiled
from gateway.engine.desks.figures import counting
from gateway.engine.desks.host_states import WatchedHosts
from gateway.engine.desks.status import HouseStatus, Live
from gateway.engine.engine import Engine
from gateway.engine.gates.call_runs import calls_beside
from gateway.engine.gates.cards import BATCH_SECONDS, cards_of
from gateway.engine.gates.following import followed_in_settings
from gateway.engine.gates.gatekeeper import HomesDesk, Memories, PendingDesk, SetKey, memories
from gateway.engine.gates.inline import Inline
from gateway.engine.gates.remote_tools import RemoteTools, Way, remembered, remote_tools
from gateway.engine.gates.skill_gatekeeper import GatedSkills, gated_skills, skill_desk
from gateway.engine.house import House
from gateway.engine.jobs.needed_skills import NeededSkills
from gateway.engine.networks.beside import kept
from gateway.engine.networks.doors import Doors, Porter, announced_doors, load_all, loading
from gateway.engine.outgoing.delivery import Delivery
from gateway.engine.outgoing.neighbours import Neighbours
from gateway.engine.outgoing.outlet import outlet
from gateway.engine.sessions.session_notes import SessionNotes
from gateway.engine.turns.toolbox import openings, toolbox
from gateway.errors import InnkeeperError
from gateway.events import Bus
from gateway.hosting.attending import Attendance, attending
from gateway.job_orders import cron_desk, cronjob
from gateway.maintaining import maintenance_jobs
from gateway.maintenance.desk import MaintenanceDesk
from gateway.models.host_state import HostWatch
from gateway.models.registry import HostRegistry
from gateway.observability.logging import set_up
from gateway.observability.metrics import Metrics
from gateway.observability.redact import Redactor
from gateway.observability.report import LogReport
from gateway.providers.joining import begun, joined
from gateway.reviewing import reviewed, reviewing
from gateway.reviews.around import idle_effort
from gateway.reviews.worker import ReviewWorker
from gateway.scheduling import jobs_beside, runs_jobs, taken_back
from gateway.short_lived import deaf, file_caches, host_registry, main_model, open_hub
from gateway.signals import Signals
from gateway.state.search_upkeep import keep_up
from gateway.state.store import SqliteStore
from gateway.tools.loader import ToolHouse, plugin_tools
from gateway.tools.send_file import Outlet, send_file_tool
from gateway.web.desk import DashboardDesk, furnished
from platforms.adapter import Adapter

WATCH_SECONDS = 2.0
"""How often the settings file is looked at."""

BEGUN_SECONDS = 0.2
"""How long adapters have the processor to themselves; who writes meanwhile has warmed what they need."""


@dataclass(frozen=True, slots=True)
class App:
    """A running house. `lines` are what the start has to say to whoever looks."""

    profile: Profile
    engine: Engine
    hosts: HostRegistry
    watcher: Watcher
    registry: Registry
    lines: tuple[str, ...]
    warm: asyncio.Future[None]

    async def serve(self, signals: Signals, say: Callable[[str], object]) -> None:
        """Until the process is asked to end; read the settings again when it is asked to, or when the file changed.
        `say` takes what is to be shown where the gateway was started."""
        while not signals.ended.is_set():
            await self._follow(say, force=signals.again.is_set())
            signals.again.clear()
            waits = [asyncio.ensure_future(each.wait()) for each in (signals.ended, signals.again)]
            await asyncio.wait(waits, timeout=WATCH_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            for wait in waits:
                wait.cancel()

    async def _follow(self, say: Callable[[str], object], *, force: bool) -> None:
        """Take over changed settings, or keep the old ones and say so."""
        match await asyncio.to_thread(self.watcher.check, force):
            case Reloaded(changed=changed, waiting=waiting):
                text = notices.configuration_changed(list(changed), list(waiting))
            case Broken(problems):
                text = notices.configuration_kept(list(problems))
                await self.engine.workers.tell_owner(f"settings:{self.engine.house.clock.now():.0f}", text)
            case None:
                return
        say(text)
        self.engine.house.report.warning("settings", said=text)


@asynccontextmanager
async def running(
    profile: Profile,
    loaded: Loaded,
    environment: Mapping[str, str],
    *,
    only: Sequence[str] | None = None,
    extensions: Extensions | None = None,
    verbose: bool = False,
    batch: float = BATCH_SECONDS,
) -> AsyncIterator[App]:
    """Own the profile, start everything, and end it in order. `only` names the platforms that may start; `batch` is
    how long a card about pending writes waits for more of them, in seconds.

    Raises ProfileLocked, ConfigurationError, DatabaseTooNew.
    """
    clock, report = SystemClock(), LogReport("gateway.engine")
    async with AsyncExitStack() as stack:
        stack.enter_context(ProfileLock(profile, clock))
        stack.callback(set_up(profile.logs, logging.INFO, Redactor(loaded.secrets), console=verbose).close)
        store = await SqliteStore.open(profile.database)
        stack.push_async_callback(store.close)
        watcher = Watcher(profile, loaded, environment, extensions)
        hosts = host_registry(profile, loaded, clock)
        stack.push_async_callback(hosts.close)
        stack.push_async_callback((watch := HostWatch(hosts, clock)).close)
        adapters: dict[str, Adapter] = {}
        registry, found = announced_doors(loaded.settings, only)
        set_to = _setter(profile, watcher, environment, extensions)
        house, problems = await _furnish(profile, store, clock, watcher, hosts, adapters, found, report, set_to)
        stack.push_async_callback(begun(house.outside))
        stack.push_async_callback(await remembered(house.remote))
        hub = open_hub(profile, house.skills, loaded.settings, clock.now, environment)
        engine = _engine(profile, house, hosts, registry, hub, watch)
        moved = followed_in_settings(watcher, set_to)
        tell = engine.workers.tell_owner
        porter = Porter(profile, store, clock, house.delivery, registry, tell, moved, engine.move, engine.reception)
        absent = load_all(porter, found, loaded.settings, adapters)
        problems += [*(f"{name}: {why}" for name, why in absent.items()), *hosts.problems()]
        for adapter in adapters.values():
            stack.push_async_callback(adapter.close)
        await taken_back(store, clock, only)
        await engine.start(list(adapters.values()), absent)
        stack.push_async_callback(engine.stop)
        stack.push_async_callback(furnished(house.dashboard, engine.ports, registry, house.bus).close)
        care = _skill_care(engine)
        beside = _beside(profile, engine, reviewing(engine, hosts, watch), care, batch)
        tasks = partial(maintenance_jobs, engine, profile, care, extensions)
        beside |= {**jobs_beside(engine, watch, tasks, only), **calls_beside(engine, everywhere=runs_jobs(only))}
        signs = _signs(engine, store, environment if only is None else None)
        for name, run in {**beside, **session_work(engine, hosts), **signs.work}.items():
            stack.push_async_callback(_ended, asyncio.ensure_future(kept(name, run, clock, report)))
        warm = asyncio.ensure_future(_warm(hosts, house, report))
        stack.callback(warm.cancel)
        paired = Counter(each.platform for each in await store.pairing.guests())
        rules = [f"{name}: {effective_rule(name, loaded.settings, paired[name])}" for name in adapters]
        unmet = [*warnings(loaded.settings), *filter(None, [idle_effort(loaded.settings, hosts)])]
        lines = (*rules, f"model: {main_model(hosts)}", *unmet, *problems, *deaf(hosts), *registry.problems)
        report.info("started", profile=profile.name, lines=list(lines))
        stack.callback(lambda: signs.stopping(house.settings().gateway.drain_seconds))
        yield App(profile, engine, hosts, watcher, registry, lines, warm)


def _engine(
    profile: Profile, house: House, hosts: HostRegistry, registry: Registry, hub: SkillHub | None, watch: HostWatch
) -> Engine:
    """The engine, and what counts what happens in its house. The settings name the models that can be picked."""
    house.bus.subscribe(counting(metrics := Metrics()))
    known = house.settings()
    models = (*known.model.fallbacks, *known.hosts)
    seen = WatchedHosts(hosts, house.settings, house.store.facts, watch)
    status = partial(_status, profile, house, hosts, metrics)
    return Engine(house, registry, status, lambda: models, hub, seen)


async def _furnish(
    profile: Profile,
    store: SqliteStore,
    clock: Clock,
    watcher: Watcher,
    hosts: HostRegistry,
    adapters: Mapping[str, Adapter],
    found: Doors,
    report: LogReport,
    set_to: SetKey,
) -> tuple[House, list[str]]:
    """The house, and one line for everything that is not as it should be. Memory is repaired before it is read."""

    def settings() -> Settings:
        return watcher.current.settings

    kept, skills = await loading(found, _repaired(profile, settings, store, clock, report))
    delivery = Delivery(store, adapters, clock, bus := Bus())
    desk = PendingDesk(kept, store, settings, clock.now, set_to)
    plugins = plugin_tools(ToolHouse(profile.folder, clock.now), announced(TOOL, settings().plugins.disabled))
    ask, scope = Inline(desk, delivery, adapters, clock).ask, scopes(settings)
    files, cron = outlet(profile, settings, adapters), cron_desk(store, clock, settings, hosts, skills, asleep=True)
    other = joined(profile, lambda: watcher.current, watcher.extensions, store, clock, kept.shelf, scope, bus, report)
    more = [send_file_tool(files), cronjob(cron, store, settings, delivery), *plugins.tools, *other.tools]
    far = _remote(profile, watcher, store, delivery, adapters, report, files, set_to)
    inner = partial(toolbox, profile, settings, kept, skills, store=store, now=clock.now, scope=scope, ask=ask)
    box = inner(more=more, trouble=_left_out(report), remote=far.more if far is not None else tuple)
    house = House(
        store=store,
        clock=clock,
        settings=settings,
        adapters=adapters,
        delivery=delivery,
        bus=bus,
        hosts=hosts,
        toolset=box.toolset,
        opening=openings(box.opener, scope, found.hint),
        report=report,
        started_at=clock.now(),
        carried=box.opener.carried,
        wants_tool=asks_to_keep,
        notes=SessionNotes(store.facts, box.opener.known, lambda: settings().memory.session_notes),
        scope=scope,
        memories=kept,
        pending=desk,
        skills=skills,
        skill_pending=skill_desk(skills, store, settings, clock.now, set_to),
        homes=HomesDesk(set_to),
        cron=cron,
        maintenance=MaintenanceDesk(store, clock, lambda: own_zone(settings())),
        dashboard=DashboardDesk(profile, settings, store, clock, report),
        outside=other.outside,
        remote=far,
        outlet=files,
        mask=Redactor(watcher.current.secrets),
        caches=file_caches(profile),
        intake=open_intake(_received(profile), adapters, settings, clock, report, hosts.transcriber),
    )
    problems = [*found.problems, *plugins.problems, *other.problems]
    return reviewed(house), [*problems, *await asyncio.to_thread(_unusable, kept, skills)]


def _remote(
    profile: Profile,
    watcher: Watcher,
    store: SqliteStore,
    delivery: Delivery,
    adapters: Mapping[str, Adapter],
    report: LogReport,
    files: Outlet,
    set_to: SetKey,
) -> RemoteTools | None:
    """Tools of MCP servers, by the settings of the start; what holds for their calls may change."""
    way = Way(store, delivery, adapters, SystemClock(), report, files, Redactor(watcher.current.secrets), set_to)
    return remote_tools(profile, lambda: watcher.current.settings, watcher.environment, way)


async def _repaired(
    profile: Profile, settings: Callable[[], Settings], store: SqliteStore, clock: Clock, report: LogReport
) -> tuple[Memories, GatedSkills]:
    """Memory and skills, mended where killed writers left them half done; the program's own skills are in place."""
    kept, needed = memories(profile, settings, clock.now), NeededSkills(store.jobs, clock)
    skills = gated_skills(profile, settings, clock.now, needed)
    await _logged(report, "repaired", memory=kept.repair, skills=skills.repair)
    await _logged(report, "not_seeded", skills=lambda: sow(skills))
    return kept, skills


async def _logged(report: LogReport, event: str, **steps: Callable[[], list[str]]) -> None:
    """Take steps that touch the disk; they mend what killed writers left, and make what sessions read."""
    for what, step in steps.items():
        for line in await asyncio.to_thread(step):
            report.warning(f"{what}.{event}", what=line)


def _left_out(report: LogReport) -> Callable[[str], object]:
    return lambda line: report.warning("prompt.left_out", why=line)


def _unusable(kept: Memories, skills: GatedSkills) -> list[str]:
    """What of memory and skills cannot be used, one line each; of skills the first ones."""
    broken = [f"a skill is broken: {each}" for each in skills.library.found().broken]
    more = [f"and {len(broken) - 5} more skills are broken: /skills list"] if len(broken) > 5 else []
    return [*kept.shelf.own.problems(), *broken[:5], *more]


def _setter(
    profile: Profile, watcher: Watcher, environment: Mapping[str, str], extensions: Extensions | None
) -> SetKey:
    """Sets keys of config.yaml in place and brings them into force."""

    async def put(key: str, value: str) -> None:
        from gateway.config.edit import set_key  # a second YAML library, for the few who change a setting

        await asyncio.to_thread(set_key, profile, key, value, environment, extensions)
        await asyncio.to_thread(watcher.check, True)

    return put


def _received(profile: Profile) -> Path:
    """The folder of the files that people sent."""
    return profile.cache / "attachments"


def _skill_care(engine: Engine) -> SkillCare:
    house, workers = engine.house, engine.workers
    assert house.skills is not None, "the house was furnished with them"
    return SkillCare(house, house.skills, lambda: len(workers.running), workers.tell_owner)


def _beside(
    profile: Profile, engine: Engine, reviews: ReviewWorker, care: SkillCare, batch: float
) -> dict[str, Callable[[], Awaitable[None]]]:
    """What runs beside the engine, by a name for the log."""
    house = engine.house
    return {
        "cards": cards_of(house, batch).run,
        "neighbours": Neighbours(house.store.outbox, house.delivery, house.clock, house.adapters).run,
        "watch": engine.watch.run,
        "skills": care.run,
        "reviews": reviews.run,
        "review notices": engine.review_notices.run,
        "search": lambda: keep_up(house.store.search, house.clock),
    }


def _signs(engine: Engine, store: SqliteStore, environment: Mapping[str, str] | None) -> Attendance:
    """Signs of life for whoever watches over the process; none when it is no gateway but a window's own engine."""
    house = engine.house
    port = house.settings().gateway.health_port if environment is not None else None
    return attending(supervised(environment or {}), port, lambda: engine.platforms, store.database, house.clock)


async def _ended(task: asyncio.Task[None]) -> None:
    """Cancel a task and wait until it is over."""
    task.cancel()
    await asyncio.wait([task])


def _status(profile: Profile, house: House, hosts: HostRegistry, metrics: Metrics, engine: Engine) -> HouseStatus:
    live = Live(
        started_at=house.started_at,
        platforms=lambda: engine.platforms,
        turns=lambda: len(engine.workers.running),
        waiting=lambda key: len(engine.workers.box(key).waiting),
        figures=metrics.snapshot,
    )
    return HouseStatus(
        house.store,
        profile.database,
        house.clock,
        house.settings,
        lambda: main_model(hosts),
        live=live,
        outside=house.outside,
        servers=house.remote,
        pending_calls=lambda: len(house.remote.desk.resolver.pendings.ids()) if house.remote is not None else 0,
        pending=lambda: len(house.memories.pendings.ids()) if house.memories is not None else 0,
        pending_skills=lambda: len(house.skills.pendings.ids()) if house.skills is not None else 0,
    )


async def _warm(hosts: HostRegistry, house: House, report: LogReport) -> None:
    """Pay for slow imports after the start, before the first message: while the platforms wait for their networks."""
    await house.clock.sleep(BEGUN_SECONDS)
    await asyncio.to_thread(compiled, house.skills)
    try:
        await hosts.warm()
    except (InnkeeperError, ImportError, OSError) as fault:  # the first message will say what is wrong
        report.warning("warm.failed", why=f"{type(fault).__name__}: {fault}")
