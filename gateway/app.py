"""The composition root: settings become objects, the objects one running house, and everything opened is closed here.

Nothing else reads a profile's folder, loads an adapter, or decides in which order things start and end.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass

from commands.authority import role_of
from commands.ports import Ports
from commands.registry import Registry, built_in
from commands.spec import Role
from gateway.agent.snapshot import ProfilePrompt
from gateway.clock import Clock, SystemClock
from gateway.config.extensions import Extensions
from gateway.config.load import Loaded
from gateway.config.lock import ProfileLock
from gateway.config.paths import Profile
from gateway.config.reload import Broken, Reloaded, Watcher
from gateway.config.schema import Settings
from gateway.engine import notices
from gateway.engine.delivery import Delivery
from gateway.engine.desks import ChosenModels, StoredArchive, StoredBooks
from gateway.engine.engine import Engine
from gateway.engine.house import House
from gateway.engine.session_key import access_rules, effective_rule
from gateway.engine.status import HouseStatus, Live
from gateway.errors import InnkeeperError
from gateway.models.client import ModelClient
from gateway.models.local import open_local
from gateway.models.registry import HostRegistry
from gateway.observability.logging import set_up
from gateway.observability.redact import Redactor
from gateway.state.store import SqliteStore
from gateway.tools.loader import plugin_tools
from gateway.tools.toolset import Toolset
from platforms.adapter import Adapter
from platforms.errors import PlatformDown
from platforms.manifest import AdapterContext, PlatformManifest
from platforms.messages import ChatKind, ChatRef, Inbound
from platforms.registry import load_adapter, manifests, usable

WATCH_SECONDS = 2.0
"""How often the settings file is looked at."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What the process was asked from outside: to end, or to read its settings again."""

    ended: asyncio.Event
    again: asyncio.Event


@contextmanager
def heeding() -> Iterator[Signals]:
    """SIGTERM and SIGINT ask for an orderly end, SIGHUP for a fresh look at the settings. To be opened around
    `running`: a signal that comes while the house opens or closes must not cut it off. Only a second SIGINT does."""
    loop, signals = asyncio.get_running_loop(), Signals(asyncio.Event(), asyncio.Event())

    def interrupted() -> None:
        signals.ended.set()
        loop.remove_signal_handler(signal.SIGINT)

    handlers = {signal.SIGTERM: signals.ended.set, signal.SIGINT: interrupted, signal.SIGHUP: signals.again.set}
    for name, handler in handlers.items():
        loop.add_signal_handler(name, handler)
    try:
        yield signals
    finally:
        for name in handlers:
            loop.remove_signal_handler(name)


@dataclass(frozen=True, slots=True)
class App:
    """A running house. `lines` are what the start has to say to whoever looks."""

    profile: Profile
    engine: Engine
    hosts: HostRegistry
    watcher: Watcher
    registry: Registry
    lines: tuple[str, ...]

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
) -> AsyncIterator[App]:
    """Own the profile, start everything, and end it in order. `only` names the platforms that may start.

    Raises ProfileLocked, ConfigurationError, DatabaseTooNew.
    """
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        stack.enter_context(ProfileLock(profile, clock))
        logs = set_up(profile.logs, logging.INFO, Redactor(loaded.secrets), console=verbose)
        stack.callback(logs.close)
        store = await SqliteStore.open(profile.database)
        stack.push_async_callback(store.close)
        watcher = Watcher(profile, loaded, environment, extensions)
        hosts = host_registry(profile, loaded, clock)
        stack.push_async_callback(hosts.close)
        report = LogReport(logging.getLogger("gateway.engine"))
        adapters: dict[str, Adapter] = {}
        delivery = Delivery(store, adapters, clock)
        found, problems = _platforms(loaded.settings, only)
        house = _house(profile, store, clock, watcher, hosts, adapters, delivery, report, found, problems)
        for manifest in found.values():
            _load(manifest, profile, loaded.settings, delivery, adapters, problems)
        for adapter in adapters.values():
            stack.push_async_callback(adapter.close)
        registry = built_in()
        engine = Engine(
            house, registry, lambda engine: _status(profile, house, hosts, engine), lambda: _known(loaded)
        )
        await engine.start(list(adapters.values()))
        stack.push_async_callback(engine.stop)
        warm = asyncio.ensure_future(_warm(hosts, report))
        stack.callback(warm.cancel)
        rules = [f"{name}: {effective_rule(name, loaded.settings)}" for name in adapters]
        lines = (*rules, f"model: {main_model(hosts)}", *problems, *registry.problems)
        report.info("started", profile=profile.name, lines=list(lines))
        yield App(profile, engine, hosts, watcher, registry, lines)


def _house(
    profile: Profile,
    store: SqliteStore,
    clock: Clock,
    watcher: Watcher,
    hosts: HostRegistry,
    adapters: Mapping[str, Adapter],
    delivery: Delivery,
    report: LogReport,
    found: Mapping[str, PlatformManifest],
    problems: list[str],
) -> House:
    def settings() -> Settings:
        return watcher.current.settings

    plugins = plugin_tools()
    problems.extend(plugins.problems)
    prompt = ProfilePrompt(profile, settings, lambda line: report.warning("prompt.left_out", why=line))

    def render(event: Inbound) -> str:
        role = role_of(event.chat.platform, event.sender.id, access_rules(settings()))
        manifest = found.get(event.chat.platform)
        owner = role is Role.OWNER and event.kind is ChatKind.DIRECT
        return prompt.render(owner=owner, hint=manifest.prompt_hint if manifest else "")

    return House(
        store=store,
        clock=clock,
        settings=settings,
        adapters=adapters,
        delivery=delivery,
        hosts=hosts,
        toolset=Toolset(plugins.tools, settings().agent.disabled_toolsets),
        render_prompt=render,
        report=report,
        started_at=clock.now(),
        carried=prompt.carried,
    )


class LogReport:
    """`engine.house.Report` on the standard library's logging; masking is the handlers' matter."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log

    def info(self, event: str, **fields: object) -> None:
        self._log.info(event, extra={"fields": fields})

    def warning(self, event: str, **fields: object) -> None:
        self._log.warning(event, extra={"fields": fields})

    def error(self, event: str, **fields: object) -> None:
        self._log.error(event, extra={"fields": fields})


def host_registry(profile: Profile, loaded: Loaded, clock: Clock) -> HostRegistry:
    """The model hosts of a profile; nothing is started or connected yet."""

    def local(name: str) -> ModelClient:
        window = loaded.settings.model.context_window
        return open_local(name, profile.models, profile.folder, clock=clock, window=window)

    return HostRegistry(loaded.settings, clock, local, keys=loaded.keys)


def main_model(hosts: HostRegistry) -> str:
    """The main model as `host/model`, or why there is none."""
    client = hosts.resolve()
    return f"{client.host}/{client.model}"


def stored_ports(profile: Profile, loaded: Loaded, store: SqliteStore, clock: Clock, gateway: str) -> Ports:
    """What short-lived commands reach the house by: the same files and database, and no engine."""
    hosts = host_registry(profile, loaded, clock)
    status = HouseStatus(
        store, profile.database, clock, lambda: loaded.settings, lambda: main_model(hosts), gateway=gateway
    )
    return Ports(StoredArchive(store), StoredBooks(store, clock), status, ChosenModels(store.facts, hosts))


def _status(profile: Profile, house: House, hosts: HostRegistry, engine: Engine) -> HouseStatus:
    live = Live(
        started_at=house.started_at,
        platforms=lambda: engine.platforms,
        turns=lambda: len(engine.workers.running),
        waiting=lambda key: len(engine.workers.box(key).waiting),
    )
    return HouseStatus(
        house.store, profile.database, house.clock, house.settings, lambda: main_model(hosts), live=live
    )


def _known(loaded: Loaded) -> tuple[str, ...]:
    return (*loaded.settings.model.fallbacks, *loaded.settings.hosts)


def _platforms(settings: Settings, only: Sequence[str] | None) -> tuple[dict[str, PlatformManifest], list[str]]:
    """The platforms that are on: always-on ones, and those with a token. One line for each that is broken."""
    entries = manifests()
    found = {
        name: manifest
        for name, manifest in usable(entries.values()).items()
        if (only is None or name in only)
        and (manifest.always_on or getattr(settings.platforms.get(name), "token", None))
    }
    problems = [f"{each.name}: {each.why}" for each in entries.values() if not isinstance(each, PlatformManifest)]
    return found, problems


def _load(
    manifest: PlatformManifest,
    profile: Profile,
    settings: Settings,
    delivery: Delivery,
    adapters: dict[str, Adapter],
    problems: list[str],
) -> None:
    """Build one adapter; one that cannot be built costs a line, not the house."""
    section = settings.platforms.get(manifest.name)

    def attached(chat: ChatRef) -> None:
        delivery.wake(chat)

    context = AdapterContext(
        settings=section.model_dump() if section is not None else {},
        profile=profile.name,
        folder=str(profile.folder),
        options={"on_attach": attached},
    )
    try:
        adapters[manifest.name] = load_adapter(manifest, context)
    except PlatformDown as error:
        problems.append(f"{manifest.name}: {error}")


async def _warm(hosts: HostRegistry, report: LogReport) -> None:
    """Pay for slow imports after the start, before the first message."""
    try:
        await hosts.warm()
    except (InnkeeperError, ImportError, OSError) as fault:  # the first message will say what is wrong
        report.warning("warm.failed", why=f"{type(fault).__name__}: {fault}")
