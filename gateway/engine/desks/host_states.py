"""What the model hosts do, and what is known of their models, for people to see. Looking is the watch's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from commands.host_ports import HostView
from gateway.config.schema import Settings
from gateway.engine.turns.grades import Grades
from gateway.errors import ConfigurationError
from gateway.models.client import ModelClient
from gateway.models.errors import ModelError
from gateway.models.idleness import Sight
from gateway.models.trial import Grade
from gateway.state.protocols import Facts

UNWATCHED = "nobody watches it: the gateway is not running"


class Registry(Protocol):
    """Clients by name. Raises ConfigurationError, ModelError."""

    def resolve(self, name: str | None = None, *, fallbacks: bool = True) -> ModelClient: ...


class Watch(Protocol):
    """What `gateway.models.host_state.HostWatch` tells of hosts."""

    async def look(self, client: ModelClient) -> Sight: ...


class WatchedHosts:
    """`commands.host_ports.HostStates`. Without a `watch`, as at the shell, what hosts do is not known."""

    def __init__(
        self, registry: Registry, settings: Callable[[], Settings], facts: Facts, watch: Watch | None = None
    ) -> None:
        self._registry = registry
        self._settings = settings
        self._grades = Grades(facts)
        self._watch = watch

    async def states(self) -> Sequence[HostView]:
        now = self._settings()
        names = (None, *dict.fromkeys((*now.model.fallbacks, *now.hosts)))
        found: dict[str, HostView] = {}
        for each in await asyncio.gather(*map(self._state, names)):
            found.setdefault(each.name, each)
        grades = await self._grades.of(list(found))
        return [_tried(each, grades.get(each.name)) for each in found.values()]

    async def _state(self, name: str | None) -> HostView:
        main = name is None
        try:
            client = self._registry.resolve(name, fallbacks=False)
        except (ConfigurationError, ModelError) as error:
            return HostView(name or "the main model", main, "unknown", str(error))
        called = f"{client.host}/{client.model}"
        if self._watch is None:
            return HostView(called, main, "unknown", UNWATCHED)
        sight = await self._watch.look(client)
        return HostView(called, main, sight.state.value, sight.why)


def _tried(view: HostView, grade: Grade | None) -> HostView:
    return replace(view, tools=grade.tools, tried=grade.at[:10]) if grade is not None else view
