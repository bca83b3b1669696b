"""Which model host a name means, and which is the main one: decided from the settings alone, and only here.

Nothing is built or asked; the clients are registry.py's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gateway.config.hosts import CLOUDS, LOCAL
from gateway.errors import ConfigurationError
from gateway.models.catalogue import DEFAULT_MODEL

if TYPE_CHECKING:
    from gateway.config.schema import Settings

MAIN = "main"
"""The main host's name when only `model.base_url` describes it."""


@dataclass(frozen=True, slots=True)
class HostPlan:
    """One host as configured. `kind` is its wire or `local`; `local` None goes by the address; `concurrency` None
    does not limit; `sees` None asks the host, and else goes by the model's name; `options` are what a plugin's kind
    knows besides."""

    name: str
    kind: str
    address: str | None = None
    api_key: str | None = None
    window: int | None = None
    local: bool | None = None
    concurrency: int | None = None
    sees: bool | None = None
    options: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def cloud(self) -> str | None:
        """The cloud behind the address, by its name in the table; None for a server of one's own."""
        return next((name for name, cloud in CLOUDS.items() if cloud.address == self.address), None)


def main_host(settings: Settings, keys: Mapping[str, str]) -> HostPlan:
    """The host of the main model. `keys` are the usual API keys that are set, by cloud.

    `auto` is what the configuration describes: an address, a key, the first host; else the local server. A key that
    merely lies in the environment does not send anybody's chat to a cloud. Raises ConfigurationError for a provider
    that is nowhere.
    """
    model, name = settings.model, _main_name(settings)
    found = named_host(settings, keys, name) or HostPlan(name, "openai")
    if found.kind == LOCAL:
        return replace(found, window=model.context_window or found.window)
    return replace(
        found,
        address=model.base_url or found.address,
        api_key=model.api_key or found.api_key,
        window=model.context_window or found.window,
        local=found.local if model.local == "auto" else bool(model.local),
        sees=found.sees if model.sees == "auto" else bool(model.sees),
    )


def named_host(settings: Settings, keys: Mapping[str, str], name: str) -> HostPlan | None:
    """The host under `hosts` with that name, else the predefined one; None when there is neither."""
    host = settings.hosts.get(name)
    if host is None:
        return _predefined(name, keys)
    if host.kind == LOCAL:
        return HostPlan(name, LOCAL, window=host.context_window, local=True, concurrency=1)
    cloud = name if name in CLOUDS else host.kind
    usual = CLOUDS.get(cloud) if host.base_url is None else None
    return HostPlan(
        name,
        usual.kind if usual else host.kind,
        host.base_url or (usual.address if usual else None),
        host.api_key or (keys.get(cloud) if usual else None),
        host.context_window,
        None if host.local == "auto" else bool(host.local),
        host.concurrency,
        None if host.sees == "auto" else bool(host.sees),
        host.options,
    )


def main_model(settings: Settings, host: HostPlan) -> str:
    """The main model's name at its host; `auto` where the host is asked for the one that it serves."""
    return own_model(settings.model.model) if host.kind == LOCAL else settings.model.model


def own_model(name: str) -> str:
    """A local model's name, with `auto` for the small one."""
    return DEFAULT_MODEL if name == "auto" else name


def embedded(settings: Settings, keys: Mapping[str, str]) -> str | None:
    """The main model's name when Innkeeper runs it itself, else None. Raises likewise."""
    host = main_host(settings, keys)
    return main_model(settings, host) if host.kind == LOCAL else None


def unnamed(host: HostPlan, model: str) -> str | None:
    """Why this model cannot be asked there, or None: a cloud serves many, and one has to be named."""
    if model == "auto" and host.cloud is not None:
        return f"{host.name}: name the model, as {host.name}/MODEL or in model.model"
    return None


def _predefined(name: str, keys: Mapping[str, str]) -> HostPlan | None:
    if name == LOCAL:
        return HostPlan(name, LOCAL, local=True, concurrency=1)
    cloud = CLOUDS.get(name)
    return HostPlan(name, cloud.kind, cloud.address, keys.get(name)) if cloud is not None else None


def _main_name(settings: Settings) -> str:
    model = settings.model
    if model.provider != "auto":
        if model.provider not in (*settings.hosts, *CLOUDS, LOCAL):
            known = ", ".join(("auto", *CLOUDS, LOCAL, *settings.hosts))
            raise ConfigurationError([f"model.provider: there is no host {model.provider!r}; allowed: {known}"])
        return model.provider
    if model.base_url:
        return MAIN
    if model.api_key:
        return _cloud_of_key(model.api_key)
    return next(iter(settings.hosts), LOCAL)


def _cloud_of_key(key: str) -> str:
    if key.startswith("sk-ant-"):
        return "anthropic"
    return "openrouter" if key.startswith("sk-or-") else "openai"
