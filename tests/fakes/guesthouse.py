"""A whole engine for tests: a real SQLite file, the in-process platform, a scripted model, and a clock of choice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from commands.ports import Status, StatusView
from commands.registry import built_in
from gateway.agent.snapshot import Opener, Opening
from gateway.clock import Clock, SystemClock
from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.engine.cards import Cards
from gateway.engine.delivery import Delivery
from gateway.engine.earshot import reach, scopes, who
from gateway.engine.engine import Engine
from gateway.engine.figures import counting
from gateway.engine.gatekeeper import HomesDesk, PendingDesk, memories
from gateway.engine.house import House, no_memory
from gateway.engine.inline import Inline
from gateway.engine.session_notes import SessionNotes
from gateway.engine.status import HouseStatus, Live
from gateway.events import Bus
from gateway.models.client import ModelClient
from gateway.observability.metrics import Metrics
from gateway.state.store import SqliteStore
from gateway.tools.memory_tool import memory_tool, nobody
from gateway.tools.tool import Tool
from gateway.tools.toolset import Toolset
from platforms.adapter import Adapter
from platforms.in_process import InProcess
from platforms.messages import ChatKind, Inbound
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
) -> AsyncIterator[Guesthouse]:
    """Open a house on `folder`, and close it as a SIGTERM would. `full_status` makes /status tell everything;
    with memory, ada is its owner."""
    clock = clock or SystemClock()
    model = script if isinstance(script, ScriptedModel) else ScriptedModel(script)
    store = await SqliteStore.open(folder / "state.db")
    adapter = adapter or InProcess(now=clock.now, first_event=1 + await _events(store))
    notes, held, bus = Notes(), [with_settings or settings()], Bus()
    profile = Profile("default", folder, folder)
    memory = memories(profile, lambda: held[0], clock.now) if with_memory else None
    adapters: dict[str, Adapter] = {each.name: each for each in (adapter, *more)}
    delivery = Delivery(store, adapters, clock, bus)

    async def set_key(key: str, value: str) -> None:
        held[0] = changed(held[0], key, value)

    desk = PendingDesk(memory, store, lambda: held[0], clock.now, set_key) if memory is not None else None
    ask = Inline(desk, delivery, adapters, clock).ask if desk is not None else nobody
    scope = scopes(lambda: held[0]) if memory is not None else no_memory
    kept = [memory_tool(memory.shelf.own, ask=ask, reach=reach(memory.shelf, scope))] if memory is not None else []
    toolset = Toolset([*tools, *(tool for tool in kept if tool is not None)])
    opener = Opener(profile, memory.shelf, toolset, notes.troubles.append) if memory is not None else None
    if opener is not None:
        profile.soul.write_text(prompt)

    def opening(event: Inbound) -> Opening:
        here = scope(event.chat, who(event), event.kind is ChatKind.DIRECT)
        return opener.opening(here) if opener is not None else Opening(prompt, toolset.serialise())

    house = House(
        store=store,
        clock=clock,
        settings=lambda: held[0],
        adapters=adapters,
        delivery=delivery,
        bus=bus,
        hosts=OneHost(hosts or [model]),
        toolset=toolset,
        opening=opening,
        report=notes,
        started_at=clock.now(),
        carried=opener.carried if opener is not None else lambda scope: "Nothing is remembered yet.",
        scope=scope,
        notes=SessionNotes(store.facts, opener.known, lambda: held[0].memory.session_notes) if opener else None,
        wants_tool=wants_tool,
        memories=memory,
        pending=desk,
        homes=HomesDesk(set_key) if memory is not None else None,
    )
    status = _full_status(store, clock, house) if full_status else lambda engine: PlainStatus()
    engine = Engine(house, built_in(), status)
    await engine.start(list(adapters.values()))
    cards = Cards(memory.pendings, store.facts, delivery, clock, lambda: held[0], notes) if memory else None
    watch = asyncio.ensure_future(cards.run()) if cards is not None else None
    try:
        yield Guesthouse(engine, adapter, model, store, notes, held[0])
    finally:
        if watch is not None:
            watch.cancel()
        await engine.stop()
        await store.close()


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
        return HouseStatus(store, path, clock, house.settings, lambda: "scripted/script", live=live)

    return status


async def _events(store: SqliteStore) -> int:
    """How many events the house has heard so far."""
    return int(await store.database.read(lambda db: db.execute("SELECT count(*) FROM inbox").fetchone()[0]))
