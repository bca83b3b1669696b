"""Which client answers for a name: hosts from the configuration, each with its limit, its retries and fallbacks.

Builds a client once and closes it in the end. What a client does is in its own file; a new kind is one more branch of
`_build`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gateway.clock import Clock
from gateway.errors import ConfigurationError
from gateway.models.anthropic import ADDRESS as ANTHROPIC_ADDRESS
from gateway.models.anthropic import AnthropicClient
from gateway.models.chain import Chain
from gateway.models.client import ModelClient
from gateway.models.host_limits import HostLimit, Limited
from gateway.models.local import Warmable
from gateway.models.openai_compatible import OpenAICompatible
from gateway.models.retrying import Retrying

if TYPE_CHECKING:
    from gateway.config.schema import Settings

ADDRESSES: Mapping[str, str] = {
    "openai": "https://api.openai.com/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "anthropic": ANTHROPIC_ADDRESS,
}
"""The kinds that need no address, with the address that each has."""
LOCAL = "local"
MAIN = "main"
"""The main host's name when only `model.base_url` describes it."""

LocalFactory = Callable[[str], ModelClient]
"""Builds the client of the server that Innkeeper starts itself, from a model's name or "auto"."""


@dataclass(frozen=True, slots=True)
class _HostPlan:
    """One host as configured. `local` None goes by the address."""

    name: str
    kind: str
    base_url: str | None = None
    api_key: str | None = None
    window: int | None = None
    local: bool | None = None
    concurrency: int | None = None


class HostRegistry:
    """`resolve("host/model")` gives a client; the same name gives the same client.

    `keys` are the API keys from their usual variables, by kind; they are used where the configuration names none, for
    a host under `hosts` only when the address is the kind's own. Raises ConfigurationError for a provider that is
    neither a kind nor under `hosts`.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        local_factory: LocalFactory,
        *,
        keys: Mapping[str, str] | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._local_factory = local_factory
        self._keys = dict(keys or {})
        self._limits: dict[str, HostLimit] = {}
        self._single: dict[tuple[str, str], ModelClient] = {}
        self._bare: dict[tuple[str, str], ModelClient] = {}
        self._main = self._main_plan()

    @property
    def main_host(self) -> str:
        return self._main.name

    def resolve(self, name: str | None = None, *, fallbacks: bool = True) -> ModelClient:
        """The client for `host/model`, `host`, or `model` on the main host; None is the main model.

        Whatever follows a name that is no host belongs to the model's name. `fallbacks` False leaves out
        `model.fallbacks`.
        """
        wanted = self._parse(name)
        names = [wanted]
        if fallbacks:
            names += [one for one in map(self._parse, self._settings.model.fallbacks) if one not in names]
        clients = [self._client(plan, model) for plan, model in names]
        return clients[0] if len(clients) == 1 else Chain(clients)

    def resolve_for(self, provider: str, model: str) -> ModelClient:
        """The client for a side task's `provider` and `model`; `auto` for both is the main model."""
        if provider == "auto":
            return self.resolve(None if model == "auto" else model)
        prefixed = model if model.partition("/")[0] == provider else f"{provider}/{model}"
        return self.resolve(prefixed)

    def in_flight(self, host: str) -> int:
        """Requests of ours on the wire to that host now."""
        limit = self._limits.get(host)
        return 0 if limit is None else limit.in_flight

    def waiting(self, host: str) -> int:
        """Requests of ours that wait for their turn at that host."""
        limit = self._limits.get(host)
        return 0 if limit is None else limit.waiting

    async def warm(self) -> None:
        """Import what the main client needs, or start the local server, so that no first message waits for it."""
        self.resolve()
        client = self._bare[(self._main.name, self._main_model())]
        if isinstance(client, Warmable):
            await client.warm()

    async def close(self) -> None:
        """Let go of every client that was built."""
        clients = list(self._bare.values())
        self._bare.clear()
        self._single.clear()
        for client in clients:
            await client.close()

    def _parse(self, name: str | None) -> tuple[_HostPlan, str]:
        if name is None:
            return self._main, self._main_model()
        head, _, tail = name.partition("/")
        plan = self._plan(head)
        return (plan, tail or self._default_model(plan)) if plan is not None else (self._main, name)

    def _main_model(self) -> str:
        return self._settings.model.model

    def _default_model(self, plan: _HostPlan) -> str:
        return self._main_model() if plan == self._main else "auto"

    def _plan(self, name: str) -> _HostPlan | None:
        """The host of that name, or None."""
        if name == self._main.name:
            return self._main
        return self._configured(name) or self._predefined(name)

    def _configured(self, name: str) -> _HostPlan | None:
        host = self._settings.hosts.get(name)
        if host is None:
            return None
        key = host.api_key or (self._keys.get(host.kind) if host.base_url is None else None)
        local = None if host.local == "auto" else bool(host.local)
        return _HostPlan(name, host.kind, host.base_url, key, host.context_window, local, host.concurrency)

    def _predefined(self, name: str) -> _HostPlan | None:
        if name == LOCAL:
            return _HostPlan(name, LOCAL, local=True)
        if name in ADDRESSES:
            return _HostPlan(name, name, ADDRESSES[name], self._keys.get(name))
        return None

    def _main_plan(self) -> _HostPlan:
        model = self._settings.model
        name, kind = self._main_name_and_kind()
        configured = self._configured(name)
        if configured is not None:
            kind = configured.kind
        known = configured or self._predefined(name) or _HostPlan(name, kind)
        local = known.local if model.local == "auto" else bool(model.local)
        return _HostPlan(
            name,
            kind,
            model.base_url or known.base_url,
            model.api_key or known.api_key,
            model.context_window or known.window,
            local,
            known.concurrency,
        )

    def _main_name_and_kind(self) -> tuple[str, str]:
        """`auto` is what the configuration describes: an address, a key, the first host; else the local server.

        A key that merely lies in the environment does not send anybody's chat to a cloud.
        """
        model = self._settings.model
        if model.provider != "auto":
            if model.provider not in self._settings.hosts and model.provider not in (*ADDRESSES, LOCAL):
                known = ", ".join(("auto", *ADDRESSES, LOCAL, *self._settings.hosts))
                raise ConfigurationError([f"model.provider: there is no host {model.provider!r}; allowed: {known}"])
            return model.provider, model.provider
        if model.base_url:
            return MAIN, "openai"
        if model.api_key:
            kind = _kind_of_key(model.api_key)
            return kind, kind
        first = next(iter(self._settings.hosts), None)
        return (first, self._settings.hosts[first].kind) if first is not None else (LOCAL, LOCAL)

    def _client(self, plan: _HostPlan, model: str) -> ModelClient:
        """The client of one host and model behind the host's limit, with retries."""
        key = (plan.name, model)
        if key not in self._single:
            self._bare[key] = self._build(plan, model)
            limited = Limited(self._bare[key], self._limit(plan))
            self._single[key] = Retrying(limited, self._clock)
        return self._single[key]

    def _limit(self, plan: _HostPlan) -> HostLimit:
        if plan.name not in self._limits:
            self._limits[plan.name] = HostLimit(plan.concurrency or (1 if plan.kind == LOCAL else None))
        return self._limits[plan.name]

    def _build(self, plan: _HostPlan, model: str) -> ModelClient:
        if plan.kind == LOCAL:
            return self._local_factory(model)
        address = plan.base_url or ADDRESSES.get(plan.kind)
        if address is None:
            raise ConfigurationError(
                [f"hosts.{plan.name}: base_url is missing, or kind is none of openai, anthropic"]
            )
        if model == "auto" and address in ADDRESSES.values():
            raise ConfigurationError([f"{plan.name}: name the model, as {plan.name}/MODEL or in model.model"])
        if plan.kind == "anthropic":
            return AnthropicClient(
                plan.name,
                model,
                plan.api_key,
                clock=self._clock,
                base_url=address,
                window=plan.window,
                local=plan.local,
            )
        return OpenAICompatible(
            plan.name,
            model,
            address,
            plan.api_key,
            clock=self._clock,
            window=plan.window,
            local=plan.local,
        )


def _kind_of_key(key: str) -> str:
    if key.startswith("sk-ant-"):
        return "anthropic"
    return "openrouter" if key.startswith("sk-or-") else "openai"
