"""Which client answers for a name: hosts from the configuration, each with its limit, its retries and fallbacks.

Builds a client once and closes it in the end. What a client does is in its own file; which kinds there are is for
kinds.py to say.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from gateway.clock import Clock
from gateway.config.hosts import KINDS, LOCAL
from gateway.errors import ConfigurationError
from gateway.models.chain import Chain
from gateway.models.client import ModelClient
from gateway.models.host_limits import HostLimit, Limited
from gateway.models.kinds import HostContext, HostKinds, KindMissing
from gateway.models.local import Forgetful, LocalHost, Warmable
from gateway.models.main_host import HostPlan, main_host, main_model, named_host, own_model, unnamed
from gateway.models.openai_compatible import OpenAICompatible
from gateway.models.retrying import Retrying
from gateway.models.unavailable import Unavailable

if TYPE_CHECKING:
    from gateway.config.schema import Settings

LocalFactory = Callable[[str], ModelClient]
"""Builds the client of the server that Innkeeper starts itself, from a model's name."""


Watcher = Callable[[str, str], None]
"""Told a host's name and a request's task whenever a request of ours comes to that host, gets its turn, or goes."""


class HostRegistry:
    """`resolve("host/model")` gives a client; the same name gives the same client.

    `keys` are the API keys from their usual variables, by kind; they are used where the configuration names none, for
    a host under `hosts` only when the address is the kind's own. `kinds` has those of plugins; without it there are
    the house's own. Raises ConfigurationError for a provider that is
    neither a kind nor under `hosts`.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        local_factory: LocalFactory,
        *,
        keys: Mapping[str, str] | None = None,
        kinds: HostKinds | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._local_factory = local_factory
        self._keys = dict(keys or {})
        self._kinds = kinds or HostKinds()
        self._limits: dict[str, HostLimit] = {}
        self._watchers: list[Watcher] = []
        self._single: dict[tuple[str, str], ModelClient] = {}
        self._bare: dict[tuple[str, str], ModelClient] = {}
        self._main = main_host(settings, self._keys)

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

    def transcriber(self) -> OpenAICompatible | None:
        """The host that writes down voice messages, None when none is configured. Raises ConfigurationError for one
        that is not of kind openai."""
        chosen = self._settings.auxiliary.transcription
        if chosen.provider is None:
            return None
        name = self._main.name if chosen.provider == "auto" else chosen.provider
        plan = self._main if name == self._main.name else named_host(self._settings, self._keys, name)
        if plan is None or plan.kind != "openai":
            raise ConfigurationError([f"auxiliary.transcription.provider: {name} is no host of kind openai"])
        key = (f"{plan.name} listening", chosen.model)
        if key not in self._bare:
            at_openai = chosen.model == "auto" and plan.cloud == "openai"
            self._bare[key] = self._build(plan, "whisper-1" if at_openai else chosen.model)
        client = self._bare[key]
        assert isinstance(client, OpenAICompatible), "it was built from a plan of that kind"
        return client

    def in_flight(self, host: str) -> int:
        """Requests of ours on the wire to that host now: what reviews go by to find a host idle."""
        limit = self._limits.get(host)
        return 0 if limit is None else limit.in_flight

    def waiting(self, host: str) -> int:
        """Requests of ours that wait for their turn at that host."""
        limit = self._limits.get(host)
        return 0 if limit is None else limit.waiting

    def wanted(self, host: str, *, besides: str = "") -> int:
        """Requests of ours that are in flight there or wait for it, those of the task `besides` left out."""
        limit = self._limits.get(host)
        return 0 if limit is None else limit.wanted_by(besides)

    def watch(self, watcher: Watcher) -> None:
        """Call `watcher` at once whenever a request of ours comes, gets its turn, or goes. It must not raise."""
        self._watchers.append(watcher)

    def plan(self, host: str) -> HostPlan | None:
        """What is configured of the host that a client names as its own; None for a name that is no host."""
        return self._main if host == self._main.name else named_host(self._settings, self._keys, host)

    def problems(self) -> list[str]:
        """One line for each kind of a plugin that cannot be used."""
        return self._kinds.problems()

    def own_servers(self) -> list[LocalHost]:
        """The clients of the server that Innkeeper runs itself, one a model; at most one has a process."""
        return [client for client in self._bare.values() if isinstance(client, LocalHost)]

    async def warm(self) -> None:
        """Import what the main client needs, or start the local server, so that no first message waits for it."""
        self.resolve()
        client = self._bare[(_counter(self._main), main_model(self._settings, self._main))]
        if isinstance(client, Warmable):
            await client.warm()

    def forget(self, session: str) -> None:
        """Erase what hosts keep of a session on this machine."""
        self.resolve(LOCAL, fallbacks=False)  # its files outlive its process, and may be all that there is
        for client in self._bare.values():
            if isinstance(client, Forgetful):
                client.forget(session)

    async def close(self) -> None:
        """Let go of every client that was built."""
        clients = list(self._bare.values())
        self._bare.clear()
        self._single.clear()
        for client in clients:
            await client.close()

    def _parse(self, name: str | None) -> tuple[HostPlan, str]:
        main = (self._main, main_model(self._settings, self._main))
        if name is None:
            return main
        head, _, tail = name.partition("/")
        plan = self.plan(head)
        if plan == self._main and not tail:
            return main
        plan, model = (self._main, name) if plan is None else (plan, tail or "auto")
        return plan, own_model(model) if plan.kind == LOCAL else model

    def _client(self, plan: HostPlan, model: str) -> ModelClient:
        """The client of one host and model behind the host's limit, with retries."""
        counter = _counter(plan)
        key = (counter, model)
        if key not in self._single:
            if counter not in self._limits:
                self._limits[counter] = HostLimit(plan.concurrency, functools.partial(self._moved, counter))
            self._bare[key] = self._build(plan, model)
            self._single[key] = Retrying(Limited(self._bare[key], self._limits[counter]), self._clock)
        return self._single[key]

    def _moved(self, host: str, task: str) -> None:
        for watcher in self._watchers:
            watcher(host, task)

    def _build(self, plan: HostPlan, model: str) -> ModelClient:
        if plan.kind == LOCAL:
            return self._local_factory(model)
        if plan.address is None and plan.kind in KINDS:
            raise ConfigurationError([f"hosts.{plan.name}: base_url is missing"])
        if (why := unnamed(plan, model)) is not None:
            raise ConfigurationError([why])
        try:
            return self._kinds.client(HostContext(plan, model, self._clock))
        except KindMissing as missing:  # a plugin's matter: it is told when somebody asks this host
            return Unavailable(str(missing), f"{plan.name}/{model}")


def _counter(plan: HostPlan) -> str:
    """What a host's clients and limit go by: the host's name; whatever it is called, the local host is one."""
    return LOCAL if plan.kind == LOCAL else plan.name
