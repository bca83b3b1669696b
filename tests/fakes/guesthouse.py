"""A whole engine for tests: a real SQLite file, the in-process platform, a scripted model, and a clock of choice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from commands.ports import Status, StatusView
from commands.registry import built_in
from commands.skill_ports import SkillHub
from commands.spec import CommandSpec
from gateway.agent.snapshot import Opening
from gateway.attachments.intake import open_intake
from gateway.attachments.reading import Ears
from gateway.clock import Clock, SystemClock
from gateway.config.extensions import Extensions
from gateway.config.hosts import LOCAL
from gateway.config.load import Loaded
from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.engine.arrival.earshot import scopes
from gateway.engine.desks.figures import counting
from gateway.engine.desks.status import HouseStatus, Live
from gateway.engine.engine import Engine
from gateway.engine.gates.cards import Cards
from gateway.engine.gates.gatekeeper import HomesDesk, PendingDesk, memories
from gateway.engine.gates.inline import Inline
from gateway.engine.gates.skill_gatekeeper import gated_skills, skill_desk
from gateway.engine.house import House
from gateway.engine.networks.beside import kept
from gateway.engine.outgoing.delivery import Delivery
from gateway.engine.outgoing.outlet import outlet
from gateway.engine.sessions.session_notes import SessionNotes
from gateway.engine.turns.toolbox import openings, toolbox
from gateway.events import Bus
from gateway.job_orders import cron_desk, cronjob
from gateway.models.client import ModelClient
from gateway.models.host_state import HostWatch
from gateway.models.registry import HostRegistry
from gateway.observability.metrics import Metrics
from gateway.providers.joining import begun, joined
from gateway.reviewing import reviewed, reviewing
from gateway.reviews.worker import ReviewWorker
from gateway.state.store import SqliteStore
from gateway.tools.tool import Tool
from gateway.tools.toolset import Toolset
from memory.providers.registry import Register
from platforms.adapter import Adapter
from platforms.in_process import InProcess
from platforms.settings import Section
from platforms.telegram.settings import TelegramSettings
from tests.fakes.scripted_model import Script, ScriptedModel


class OpenDoor(Section):
    """Settings of the in-process platform: everybody may talk, and ada is named, so she is an owner."""

    allowed_users: tuple[str, ...] = ("*", "ada")
    require_mention: bool = True


@dataclass
class Notes:
    """What was reported."""

    lines: list[tuple[str, dict[str, object]]] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)

    def info(self, event: str, **fields: object) -> None:
        self.lines.append((event, fields))

    warning = error = info

    def named(self, event: str) -> list[dict[str, object]]:
        return [fields for name, fields in self.lines if name == event]


class OneHost:
    """Hosts by name, of which the first is the main one."""

    def __init__(self, clients: Sequence[ModelClient]) -> None:
        self._clients = {f"{each.host}/{each.model}": each for each in clients}
        self.main = clients[0]
        self.forgotten: list[str] = []

    def resolve_for(self, provider: str, model: str) -> ModelClient:
        return self.main if provider == model == "auto" else self.resolve(f"{provider}/{model}")

    def resolve(self, name: str | None) -> ModelClient:
        from gateway.errors import ConfigurationError

        if name is None:
            return self.main
        if name not in self._clients:
            raise ConfigurationError([f"there is no host {name}; known: {', '.join(self._clients)}"])
        return self._clients[name]

    def forget(self, session: str) -> None:
        self.forgotten.append(session)


def changed(old: Settings, key: str, value: str) -> Settings:
    """The settings with one key set, as config.yaml would have it."""
    import yaml

    section, _, name = key.partition(".")
    kept = getattr(old, section).model_copy(update={name: yaml.safe_load(value)})
    return old.model_copy(update={section: type(kept).model_validate(kept.model_dump())})


class PlainStatus:
    """Status without an application around the engine."""

    async def view(self, key: str | None) -> StatusView:
        return StatusView([("state", "fine")], {"state": "fine"})


@dataclass
class Guesthouse:
    """Everything that a test wants to hold on to."""

    engine: Engine
    adapter: InProcess
    model: ScriptedModel
    store: SqliteStore
    notes: Notes
    settings: Settings
    change: Callable[[Settings], None]
    """Other settings come into force."""
    reviews: ReviewWorker | None = None
    """What runs reviews, in a house that has them."""

    @property
    def house(self) -> House:
        return self.engine.house


def settings(**changes: Any) -> Settings:
    """Settings with an open in-process platform. `changes` replace whole sections."""
    platforms = {"inprocess": OpenDoor(), "telegram": TelegramSettings()}
    return Settings(**{"platforms": platforms, **changes})


@asynccontextmanager
async def guesthouse(
    folder: Path,
    script: Script | ScriptedModel = (),
    *,
    clock: Clock | None = None,
    adapter: InProcess | None = None,
    tools: Sequence[Tool] = (),
    with_settings: Settings | None = None,
    hosts: Sequence[ModelClient] = (),
    prompt: str = "You are a helpful assistant.",
    more: Sequence[Adapter] = (),
    wants_tool: Callable[[str], bool] = lambda text: False,
    full_status: bool = False,
    with_memory: bool = False,
    ears: Callable[[], Ears | None] = lambda: None,
    commands: Sequence[CommandSpec] = (),
    hub: Callable[[House], SkillHub | None] = lambda house: None,
    with_reviews: bool = False,
    store: SqliteStore | None = None,
    providers: Register | None = None,
) -> AsyncIterator[Guesthouse]:
    """Open a house on `folder`, and close it as a SIGTERM would. `full_status` makes /status tell everything;
    with memory, ada is its owner; `ears` gives the host for voice messages; `commands` are offered
    unless the house has some of that name; `hub` gives that of skills. With reviews there is memory as well, and the
    models are those of the host that the application runs itself (`local`), each under its own name. `providers` are
    the outside memories that are installed; the settings say which is used."""
    clock = clock or SystemClock()
    model = _scripted(script, LOCAL if with_reviews else "scripted")
    store = store or await SqliteStore.open(folder / "state.db")
    adapter = adapter or InProcess(now=clock.now, first_event=1 + await _events(store))
    notes, held = Notes(), [with_settings or settings()]
    adapters: dict[str, Adapter] = {each.name: each for each in (adapter, *more)}
    house = _bare(store, clock, held, adapters, OneHost(hosts or [model]), Toolset(tools), prompt, notes)
    intake = open_intake(folder / "cache" / "attachments", adapters, lambda: held[0], clock, notes, ears)
    house = replace(house, wants_tool=wants_tool, intake=intake)
    if with_memory or with_reviews:
        house = _with_memory(house, folder, tools, prompt, held, notes, providers or Register(()))
    if with_reviews:
        house = replace(reviewed(house), hosts=_own_host(held[0], clock, [*hosts, model]))
    status = _full_status(store, clock, house) if full_status else lambda engine: PlainStatus()
    registry = built_in()
    for spec in commands:
        if registry.get(spec.name) is None:
            registry.add(spec)
    engine = Engine(house, registry, status, hub=hub(house))
    await engine.start(list(adapters.values()))
    watch = asyncio.ensure_future(_cards(house, notes).run()) if with_memory else None
    let_go = begun(house.outside)
    try:
        async with _reviews(engine) as reviews:
            yield Guesthouse(engine, adapter, model, store, notes, held[0], partial(held.__setitem__, 0), reviews)
    finally:
        if watch is not None:
            watch.cancel()
        await engine.stop()
        await let_go()
        await store.close()


def _scripted(script: Script | ScriptedModel, host: str) -> ScriptedModel:
    return script if isinstance(script, ScriptedModel) else ScriptedModel(script, host=host)


def _bare(
    store: SqliteStore,
    clock: Clock,
    held: list[Settings],
    adapters: dict[str, Adapter],
    hosts: OneHost,
    toolset: Toolset,
    prompt: str,
    notes: Notes,
) -> House:
    """A house without memory and files."""
    bus = Bus()
    return House(
        store=store,
        clock=clock,
        settings=lambda: held[0],
        adapters=adapters,
        delivery=Delivery(store, adapters, clock, bus),
        bus=bus,
        hosts=hosts,
        toolset=toolset,
        opening=lambda event: Opening(prompt, toolset.serialise()),
        report=notes,
        started_at=clock.now(),
        carried=lambda scope: "Nothing is remembered yet.",
    )


def _with_memory(
    house: House,
    folder: Path,
    tools: Sequence[Tool],
    prompt: str,
    held: list[Settings],
    notes: Notes,
    providers: Register,
) -> House:
    """The same house with the memory that the application gives it."""
    profile = Profile("default", folder, folder)
    memory = memories(profile, house.settings, house.clock.now)
    skills = gated_skills(profile, house.settings, house.clock.now)

    async def set_key(key: str, value: str) -> None:
        held[0] = changed(held[0], key, value)

    desk, scope = PendingDesk(memory, house.store, house.settings, house.clock.now, set_key), scopes(house.settings)
    ask = Inline(desk, house.delivery, house.adapters, house.clock).ask
    cron = cron_desk(house.store, house.clock, house.settings, house.hosts, skills)
    known, current = Extensions(providers=providers), lambda: Loaded(held[0])
    bus, store = house.bus, house.store
    other = joined(profile, current, known, store, house.clock, memory.shelf, scope, bus, notes)
    notes.troubles += other.problems
    box = toolbox(
        profile,
        house.settings,
        memory,
        skills,
        store=house.store,
        now=house.clock.now,
        scope=scope,
        ask=ask,
        more=[*tools, cronjob(cron, house.store, house.settings, house.delivery), *other.tools],
        trouble=notes.troubles.append,
    )
    profile.soul.write_text(prompt)
    return replace(
        house,
        toolset=box.toolset,
        opening=openings(box.opener, scope),
        carried=box.opener.carried,
        scope=scope,
        outside=other.outside,
        notes=SessionNotes(house.store.facts, box.opener.known, lambda: held[0].memory.session_notes),
        memories=memory,
        pending=desk,
        skills=skills,
        skill_pending=skill_desk(skills, house.store, house.settings, house.clock.now, set_key),
        outlet=outlet(profile, house.settings, house.adapters),
        homes=HomesDesk(set_key),
        cron=cron,
    )


def _own_host(held: Settings, clock: Clock, models: Sequence[ScriptedModel | ModelClient]) -> HostRegistry:
    """The real registry, with these models in place of the server that the application starts; the last one is the
    main one."""
    named = {each.model: each for each in models}
    return HostRegistry(held, clock, lambda name: named.get(name, models[-1]))


@asynccontextmanager
async def _reviews(engine: Engine) -> AsyncIterator[ReviewWorker | None]:
    """Reviews run beside the engine as in the application, in a house that has them."""
    house = engine.house
    if not isinstance(hosts := house.hosts, HostRegistry):
        yield None
        return
    watch = HostWatch(hosts, house.clock)
    worker = reviewing(engine, hosts, watch)
    runs = {"reviews": worker.run, "review notices": engine.review_notices.run}
    beside = [asyncio.ensure_future(kept(name, run, house.clock, house.report)) for name, run in runs.items()]
    try:
        yield worker
    finally:
        for task in beside:
            task.cancel()
        await asyncio.wait(beside)
        await watch.close()


def _cards(house: House, notes: Notes) -> Cards:
    assert house.memories is not None
    assert house.skills is not None
    memory, skills = house.memories.pendings, house.skills.pendings
    return Cards(memory, house.store.facts, house.delivery, house.clock, house.settings, notes, skills=skills)


def _full_status(store: SqliteStore, clock: Clock, house: House) -> Callable[[Engine], Status]:
    """Builds the status that the application has."""
    metrics = Metrics()
    house.bus.subscribe(counting(metrics))

    def status(engine: Engine) -> Status:
        live = Live(
            started_at=house.started_at,
            platforms=lambda: engine.platforms,
            turns=lambda: len(engine.workers.running),
            waiting=lambda key: len(engine.workers.box(key).waiting),
            figures=metrics.snapshot,
        )
        path = Path(store.database.path)
        kept, skills = house.memories, house.skills
        return HouseStatus(
            store,
            path,
            clock,
            house.settings,
            lambda: "scripted/script",
            live=live,
            pending=lambda: len(kept.pendings.ids()) if kept is not None else 0,
            pending_skills=lambda: len(skills.pendings.ids()) if skills is not None else 0,
            outside=house.outside,
        )

    return status


async def _events(store: SqliteStore) -> int:
    """How many events the house has heard so far."""
    return int(await store.database.read(lambda db: db.execute("SELECT count(*) FROM inbox").fetchone()[0]))
