"""What plugins add to the settings: platforms by manifest, kinds of model hosts, memory providers.

The registers that find plugins live elsewhere and hand their finds in; here are the built-in ones, so that the
settings can be read without any register.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module

from pydantic import BaseModel

from gateway.config.hosts import KINDS
from gateway.config.plugins import HOST, PLATFORM, PROVIDER, Plugins
from memory.providers.protocol import ProviderManifest
from memory.providers.registry import Register
from platforms.console.manifest import manifest as console
from platforms.discord.manifest import manifest as discord
from platforms.manifest import PlatformManifest
from platforms.registry import manifests, usable
from platforms.telegram.manifest import manifest as telegram

MEMORY_PROVIDERS = frozenset(
    {"retaindb", "byterover", "honcho", "hindsight", "supermemory", "mem0", "openviking", "holographic"}
)


def built_in_platforms() -> dict[str, PlatformManifest]:
    """The platforms that every installation has, also where its register cannot be read."""
    return {manifest.name: manifest for manifest in (telegram, discord, console)}


@dataclass(frozen=True, slots=True)
class Extensions:
    """What may be named in config.yaml beyond the fixed names. `platforms` are added to the built-in ones;
    `providers` are looked at only where one is named. `off` are platforms that the owner turned off: what is written
    about them stays unread."""

    platforms: Mapping[str, PlatformManifest] = field(default_factory=dict)
    host_kinds: frozenset[str] = frozenset()
    memory_providers: frozenset[str] = frozenset()
    providers: Register = field(default_factory=lambda: Register(()))
    off: frozenset[str] = frozenset()

    @classmethod
    def of(cls, plugins: Plugins) -> Extensions:
        """What these plugins add. Imports the platforms' manifests, and of the others nothing."""
        return cls(
            platforms=usable(manifests(plugins.points(PLATFORM)).values()),
            host_kinds=plugins.names(HOST) - KINDS,
            providers=Register(plugins.points(PROVIDER)),
            off=plugins.names(PLATFORM, off=True),
        )

    def manifests(self) -> dict[str, PlatformManifest]:
        return {**built_in_platforms(), **self.platforms}

    def platform_models(self) -> dict[str, type[BaseModel] | None]:
        """Each platform's settings model; None for a platform without settings."""
        return {
            name: _model(manifest.settings) if manifest.settings else None
            for name, manifest in self.manifests().items()
        }

    def provider(self, name: str) -> ProviderManifest | None:
        """The outside memory of that name; None when it is not installed, or cannot be used."""
        found = self.providers.get(name)
        return found if isinstance(found, ProviderManifest) else None

    def provider_models(self, names: Iterable[str]) -> dict[str, type[BaseModel] | None]:
        """The settings models of those of these outside memories that are installed."""
        found = {name: self.provider(name) for name in names}
        return {name: _model(each.settings) if each.settings else None for name, each in found.items() if each}


def _model(reference: str) -> type[BaseModel]:
    module, _, name = reference.partition(":")
    model: type[BaseModel] = getattr(import_module(module), name)
    return model
