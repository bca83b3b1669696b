"""Kinds of model hosts: what speaks which wire. Those of the house and those of plugins come by the same entries, of
the group `innkeeper.hosts`.

Nothing of a kind is imported before a host of it is used. The server that Innkeeper starts itself is no kind: it has
a process (local_process.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import EntryPoint
from typing import Any, cast

from gateway.clock import Clock
from gateway.config.plugins import guarded
from gateway.models.client import ModelClient
from gateway.models.main_host import HostPlan
from platforms.errors import PLUGIN_FAULTS

GROUP = "innkeeper.hosts"


@dataclass(frozen=True, slots=True)
class HostContext:
    """What a client is made of: the host as configured (its name, address, key and options), the model's name there
    (`auto`: the one that it serves), and the clock."""

    plan: HostPlan
    model: str
    clock: Clock


@dataclass(frozen=True, slots=True)
class HostKind:
    """What is known of a kind before its code is imported. `client` is an import string of a callable that makes a
    `ModelClient` of a `HostContext`; it opens nothing and imports no SDK. `needs_address`: there is no host of this
    kind without `base_url`."""

    name: str
    client: str
    about: str = ""
    needs_address: bool = True


@dataclass(frozen=True, slots=True)
class BrokenKind:
    """A kind that was announced and cannot be used. `why` is one line for a person."""

    name: str
    why: str


class KindMissing(Exception):
    """No client can be made for a host. One clear line."""


@dataclass(frozen=True, slots=True)
class HostKinds:
    """The kinds by name. `points` gives the entries of plugins, when something is asked that the house's own do not
    answer; these keep their names."""

    points: Callable[[], Sequence[EntryPoint]] = tuple
    _read: dict[str, HostKind | BrokenKind] = field(default_factory=dict)

    def all(self) -> Mapping[str, HostKind | BrokenKind]:
        """Every kind, the house's own first; imports each manifest. What cannot be used says why."""
        found: dict[str, HostKind | BrokenKind] = {}
        ours = [(each.name, each.value) for each in _own()]
        theirs = [each for each in self.points() if (each.name, each.value) not in ours]
        for point in [*_own(), *theirs]:
            if point.name in found:
                key = f"{point.name} ({point.value})"
                found[key] = BrokenKind(key, f"the name {point.name} is taken")
            else:
                found[point.name] = self._kind(point)
        return found

    def problems(self) -> list[str]:
        """One line for each that cannot be used."""
        broken = [each for each in self.all().values() if isinstance(each, BrokenKind)]
        return [f"host plugin {each.name}: {each.why}" for each in broken]

    def client(self, context: HostContext) -> ModelClient:
        """A client for one host and model. Raises KindMissing."""
        name = context.plan.kind
        ours = [each for each in _own() if each.name == name]
        point = next((each for each in ours or self.points() if each.name == name), None)
        kind = self._kind(point) if point is not None else BrokenKind(name, "no plugin with this kind is installed")
        if isinstance(kind, BrokenKind):
            raise KindMissing(f"hosts.{context.plan.name}: kind {name}: {kind.why}")
        if kind.needs_address and context.plan.address is None:
            raise KindMissing(f"hosts.{context.plan.name}: base_url is missing")
        try:
            client = guarded(lambda: cast(Callable[[HostContext], ModelClient], import_string(kind.client))(context))
        except PLUGIN_FAULTS as error:
            raise KindMissing(f"hosts.{context.plan.name}: {kind.client} cannot be used: {_line(error)}") from error
        if not callable(getattr(client, "stream", None)):
            what = type(client).__name__
            raise KindMissing(f"hosts.{context.plan.name}: {kind.client} made a {what}, no client")
        return client

    def _kind(self, point: EntryPoint) -> HostKind | BrokenKind:
        if point.value not in self._read:
            self._read[point.value] = read(point)
        return self._read[point.value]


openai = HostKind("openai", "gateway.models.openai_compatible:of", "any OpenAI-compatible server")
anthropic = HostKind("anthropic", "gateway.models.anthropic:of", "Anthropic's models, and what speaks like them")


def import_string(where: str) -> Any:
    """The object at `package.module:name`. Raises ValueError for another shape, else what the import raises."""
    module, colon, name = where.partition(":")
    if not (module and colon and name):
        raise ValueError(f"not an import string: {where!r} (expected package.module:name)")
    return getattr(import_module(module), name)


def _own() -> list[EntryPoint]:
    return [EntryPoint(each.name, f"{__name__}:{each.name}", GROUP) for each in (openai, anthropic)]


def read(point: EntryPoint) -> HostKind | BrokenKind:
    """What an entry announces. Never raises for a bad plugin."""
    try:
        loaded = point.load()
    except PLUGIN_FAULTS as error:
        return BrokenKind(point.name, f"{point.value} cannot be imported: {_line(error)}")
    if not isinstance(loaded, HostKind):
        return BrokenKind(point.name, f"{point.value} is a {type(loaded).__name__}, not a HostKind")
    if loaded.name != point.name:
        return BrokenKind(point.name, f"{point.value} describes {loaded.name!r}, not {point.name!r}")
    return loaded


def _line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}".rstrip(": ")
