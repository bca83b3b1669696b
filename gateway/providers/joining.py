"""The outside memory that is configured, put together with the house; none where none is named.

Nothing is decided here but what is missing: a provider that cannot be made is said to be so, and the house goes on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from gateway.agent.scopes import ScopeOf
from gateway.clock import Clock
from gateway.config.extensions import Extensions
from gateway.config.load import Loaded
from gateway.config.paths import Profile
from gateway.engine.house import Outside, Report
from gateway.events import Bus
from gateway.observability.redact import Redactor
from gateway.providers.environment import installed
from gateway.state.protocols import Store
from gateway.state.records import Session
from gateway.tools.tool import Tool
from memory.providers.protocol import (
    OWNER,
    Conversation,
    Provider,
    ProviderContext,
    ProviderFault,
    ProviderManifest,
    Question,
)
from memory.providers.registry import BrokenProvider, built, line
from memory.shelf import Shelf
from platforms.messages import Inbound

if TYPE_CHECKING:
    from gateway.providers.outside import OutsideMemory


class Absent:
    """`gateway.engine.house.Outside`, of a provider that is named and cannot be used."""

    def __init__(self, name: str, why: str) -> None:
        self._name = name
        self._why = why

    @property
    def words(self) -> str:
        return f"⚠️ {self._name} cannot be used: {self._why}"

    @property
    def data(self) -> Mapping[str, object]:
        return {"name": self._name, "well": False, "why": self._why}

    async def block(self, event: Inbound, session_id: str) -> str:
        return ""

    async def recall(self, session: Session, event: Inbound, text: str, window: int | None) -> str:
        return ""

    def compacting(self, session_id: str) -> None:
        return


@dataclass(frozen=True, slots=True)
class Joined:
    """What a house has of its outside memory: nothing at all where none is named."""

    outside: OutsideMemory | Absent | None = None
    tools: Sequence[Tool] = ()
    problems: Sequence[str] = ()


def joined(
    profile: Profile,
    current: Callable[[], Loaded],
    extensions: Extensions,
    store: Store,
    clock: Clock,
    shelf: Shelf,
    scope: ScopeOf,
    bus: Bus,
    report: Report,
) -> Joined:
    """By the `current` settings of this moment, until the next start. Nothing is connected yet."""
    loaded = current()
    name, mask = loaded.settings.memory.provider, Redactor(loaded.secrets)
    if name is None:
        return Joined()
    from gateway.providers.attendant import Attendant  # only where an outside memory is named
    from gateway.providers.outside import OutsideMemory, Surroundings

    try:
        manifest, provider = made(profile, loaded, extensions, name, clock.now)
    except ProviderFault as fault:
        why = mask(str(fault))
        return Joined(Absent(name, why), problems=[f"memory.provider: {why}"])
    around = Surroundings(
        store=store,
        clock=clock,
        settings=lambda: current().settings,
        scope=scope,
        shelf=shelf,
        journal=profile.memories / "journal.jsonl",
        cache=profile.cache,
        mask=mask,
        bus=bus,
        report=report,
    )
    outside = OutsideMemory(provider, Attendant(provider, manifest, clock, report.info, report.warning), around)
    problems = [f"memory.provider: {name}: {outside.problem}"] if outside.problem else []
    return Joined(outside, outside.tools, problems)


def begun(outside: Outside | None) -> Callable[[], Awaitable[None]]:
    """Start it, and give back what ends it."""
    if outside is None or isinstance(outside, Absent):
        return _nothing
    own = cast("OutsideMemory", outside)
    own.begin()
    return own.close


def made(
    profile: Profile, loaded: Loaded, extensions: Extensions, name: str, now: Callable[[], float]
) -> tuple[ProviderManifest, Provider]:
    """The provider of that name, with its settings and secrets; its folder is there. Raises ProviderFault with what
    is missing."""
    manifest = known(extensions, name)
    secrets = {each.variable: loaded.variables.get(each.variable, "") for each in manifest.secrets}
    absent = [each.variable for each in manifest.secrets if each.required and not secrets[each.variable]]
    if absent:
        raise ProviderFault(f"{name} needs {', '.join(absent)} in .env: innkeeper memory setup {name}")
    own = loaded.settings.memory.providers.get(name)
    if own is None and (model := extensions.provider_models([name]).get(name)) is not None:
        own = model()  # nothing is written of it: its defaults
    folder = profile.providers / name
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ProviderFault(f"{folder} cannot be made: {error.strerror or error}") from error
    context = ProviderContext(
        settings={} if own is None else own.model_dump(),
        secrets={variable: value for variable, value in secrets.items() if value},
        folder=folder,
        profile=profile.name,
        now=now,
        environment=installed(profile.cache, name),
    )
    return manifest, built(manifest, context)


async def asked_once(provider: Provider, manifest: ProviderManifest, clock: Clock) -> float:
    """Start it, ask it something, and let it go; the seconds that its answer took. Raises ProviderFault."""
    from gateway.providers.attendant import bounded, checked
    from gateway.providers.quarters import Late, Quarters

    quarters, patience = Quarters(manifest.name, clock), bounded(manifest.patience)
    question = Question(Conversation(OWNER, "trial"), "What do you know about me?")
    try:
        await quarters.call(provider.start, patience.start)
        began = clock.monotonic()
        answer = await quarters.call(lambda: provider.prefetch(question), patience.prefetch)
        checked(answer)
        return clock.monotonic() - began
    except (ProviderFault, Late) as fault:
        raise ProviderFault(str(fault)) from fault
    except Exception as fault:  # a plugin's own kinds of errors: whoever tries it is told
        raise ProviderFault(line(fault)) from fault
    finally:
        with suppress(Exception):
            await quarters.call(provider.close, patience.close)
        await quarters.close()


def known(extensions: Extensions, name: str) -> ProviderManifest:
    """The manifest of that name. Raises ProviderFault when there is none that can be used."""
    match extensions.providers.get(name):
        case None:
            raise ProviderFault(f"no outside memory named {name} is installed: innkeeper memory providers")
        case BrokenProvider(why=why):
            raise ProviderFault(why)
        case ProviderManifest() as manifest:
            return manifest


async def _nothing() -> None:
    return
