"""Which platforms are on, their adapters, and what an adapter may ask of the house while it runs.

One that cannot be built costs a line, not the house.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import EntryPoint
from typing import Protocol, TypeVar

from commands.registry import Registry, built_in
from commands.spec import Argument
from gateway.clock import Clock
from gateway.config.paths import Profile
from gateway.config.plugins import COMMAND, PLATFORM, Plugins
from gateway.config.schema import Settings
from gateway.engine import notices
from gateway.engine.outgoing.delivery import Delivery
from gateway.errors import InnkeeperError
from gateway.state.protocols import Store
from platforms.adapter import Adapter
from platforms.errors import PLUGIN_FAULTS, PlatformDown
from platforms.manifest import AdapterContext, HouseServices, MenuCommand, MenuOption, PlatformManifest
from platforms.messages import ChatRef, Inbound
from platforms.registry import import_string, load_adapter, manifests, usable

T = TypeVar("T")


class SkillNames(Protocol):
    """Skills as platforms offer them while somebody types."""

    def listed(self) -> Mapping[str, str]:
        """What a menu may list as commands, with one line each. Reads the disk."""

    async def suggest(self, event: Inbound) -> Sequence[str]:
        """What the text of an event, a part of a name, may become."""


@dataclass(frozen=True, slots=True)
class Doors:
    """The platforms that are on, and one line for each that is broken."""

    manifests: Mapping[str, PlatformManifest]
    problems: tuple[str, ...]

    def hint(self, platform: str) -> str:
        """The line about a platform for the prompts of its sessions."""
        manifest = self.manifests.get(platform)
        return manifest.prompt_hint if manifest else ""


def doors(settings: Settings, only: Sequence[str] | None, points: Iterable[EntryPoint] | None = None) -> Doors:
    """Always-on platforms, and those with a token; of these the ones named in `only`, when given. `points` announce
    platforms; None takes all that are installed."""
    entries = manifests(points)
    found = {
        name: manifest
        for name, manifest in usable(entries.values()).items()
        if (only is None or name in only)
        and (manifest.always_on or getattr(settings.platforms.get(name), "token", None))
    }
    broken = [f"{each.name}: {each.why}" for each in entries.values() if not isinstance(each, PlatformManifest)]
    return Doors(found, tuple(broken))


def announced_doors(settings: Settings, only: Sequence[str] | None) -> tuple[Registry, Doors]:
    """The commands and the platforms, those of plugins that are turned off left out."""
    plugins = Plugins.announced(settings.plugins.disabled)
    return built_in(plugins.points(COMMAND)), doors(settings, only, plugins.points(PLATFORM))


class Porter:
    """What adapters are given: letters for the dead, moves of chats, news of windows."""

    def __init__(
        self,
        profile: Profile,
        store: Store,
        clock: Clock,
        delivery: Delivery,
        registry: Registry,
        tell_owner: Callable[[str, str], Awaitable[None]],
        moved_in_settings: Callable[[ChatRef, ChatRef], Awaitable[None]],
        move: Callable[[ChatRef, ChatRef], Awaitable[None]],
        skills: SkillNames | None = None,
    ) -> None:
        """`skills` are those that menus list, as they are now."""
        self._profile = profile
        self._store = store
        self._clock = clock
        self._delivery = delivery
        self._menu = menu(registry)
        self._skills = skills
        self._listed = skills.listed() if skills is not None else {}
        self._tell_owner = tell_owner
        self._moved_in_settings = moved_in_settings
        self._move = move
        delivery.moved = self._moved

    def build(self, manifest: PlatformManifest, settings: Settings) -> Adapter:
        """Load one adapter. Raises PlatformDown."""
        section = settings.platforms.get(manifest.name)
        completing = {"suggest": self._skills.suggest} if self._skills is not None else {}
        context = AdapterContext(
            settings=section.model_dump() if section is not None else {},
            profile=self._profile.name,
            folder=str(self._profile.folder),
            house=HouseServices(
                on_attach=self._delivery.wake,
                moved=self._moved,
                bury=partial(self._bury, manifest.name),
                commands={**{each.name: each.help for each in self._menu}, **self._listed},
                menu=self._menu,
                now=self._clock.now,
                **completing,
            ),
        )
        return load_adapter(manifest, context)

    async def _bury(self, platform: str, event_id: str, why: str, raw: str) -> None:
        """Something came that cannot even be read: keep it, and tell the owner."""
        await self._store.inbox.bury_raw(platform, "", event_id, raw, why, self._clock.now())
        await self._tell_owner(f"unread:{platform}:{event_id}", notices.unreadable(platform, why))

    async def _moved(self, old: ChatRef, new: ChatRef) -> None:
        """A chat has a new id: everything of it goes along, and so does its place in the allowlist."""
        await self._move(old, new)
        try:
            await self._moved_in_settings(old, new)
        except (InnkeeperError, OSError) as error:
            await self._tell_owner(f"moved:{new.key}", notices.allowlist_kept(old.key, new.key, str(error)))


def menu(registry: Registry) -> tuple[MenuCommand, ...]:
    """Everything that can be ordered in a chat, for the platforms' menus."""
    shown = [spec for spec in registry if spec.chat and not spec.hidden]
    return tuple(
        MenuCommand(
            spec.name,
            spec.help,
            _options(spec.arguments),
            tuple(MenuCommand(each.name, each.help, _options(each.arguments)) for each in spec.actions),
        )
        for spec in shown
    )


def _options(arguments: Sequence[Argument]) -> tuple[MenuOption, ...]:
    said = [each for each in arguments if not each.option]
    return tuple(
        MenuOption(
            each.name,
            each.help,
            each.required,
            (each.switch,) if each.flag else each.choices,
            suggested=each.suggested,
        )
        for each in said
    )


async def loading(found: Doors, mending: Awaitable[T]) -> T:
    """What `mending` gives, which waits for the disk; the adapters' code is imported meanwhile. What is wrong with
    that, `load_all` tells."""
    given, _ = await asyncio.gather(mending, asyncio.to_thread(_import, found))
    return given


def _import(found: Doors) -> None:
    for manifest in found.manifests.values():
        with suppress(*PLUGIN_FAULTS):
            import_string(manifest.adapter)


def load_all(porter: Porter, found: Doors, settings: Settings, adapters: dict[str, Adapter]) -> dict[str, str]:
    """Build every adapter into `adapters`; those that could not be, and why."""
    problems = {}
    for manifest in found.manifests.values():
        try:
            adapters[manifest.name] = porter.build(manifest, settings)
        except PlatformDown as error:
            problems[manifest.name] = str(error)
    return problems
