"""What is told of the model hosts: each configured model once, the main one first, and what nobody knows as such."""

from __future__ import annotations

from pathlib import Path

from gateway.config.schema import Settings
from gateway.engine.desks.host_states import UNWATCHED, WatchedHosts
from gateway.engine.turns.grades import Grades
from gateway.errors import ConfigurationError
from gateway.models.client import ModelClient
from gateway.models.idleness import Sight, busy, idle
from gateway.models.trial import Grade
from gateway.state.store import SqliteStore
from tests.fakes.scripted_model import ScriptedModel

SETTINGS = Settings.model_validate(
    {"model": {"fallbacks": ["far/large", "gone/away", "near/small"]}, "hosts": {"far": {"base_url": "http://far"}}}
)


class Registry:
    """Two hosts; the name of a host alone is its model, as the real one has it."""

    def __init__(self) -> None:
        near, far = ScriptedModel(host="near", model="small"), ScriptedModel(host="far", model="large")
        self._known: dict[str | None, ModelClient] = {None: near, "near/small": near, "far/large": far, "far": far}

    def resolve(self, name: str | None = None, *, fallbacks: bool = True) -> ModelClient:
        assert not fallbacks, "a chain would be asked for its first host alone"
        if name not in self._known:
            raise ConfigurationError([f"there is no host {name}"])
        return self._known[name]


class Watch:
    async def look(self, client: ModelClient) -> Sight:
        return busy("1 of 2 slots at work") if client.host == "near" else idle("its slots are idle")


async def test_each_model_is_told_once_and_the_main_one_first(tmp_path: Path):
    store = await SqliteStore.open(tmp_path / "state.db")
    try:
        await Grades(store.facts).put(Grade("far", "large", "2026-11-30T10:00:00", reachable=True, tools=True))
        found = await WatchedHosts(Registry(), lambda: SETTINGS, store.facts, Watch()).states()
        told = [(each.name, each.main, each.state, each.tools, each.tried) for each in found]
        assert told == [
            ("near/small", True, "busy", None, ""),
            ("far/large", False, "idle", True, "2026-11-30"),
            ("gone/away", False, "unknown", None, ""),
        ]
        assert [each.why for each in found] == [
            "1 of 2 slots at work",
            "its slots are idle",
            "there is no host gone/away",
        ]
    finally:
        await store.close()


async def test_without_a_watch_nobody_knows(tmp_path: Path):
    store = await SqliteStore.open(tmp_path / "state.db")
    try:
        found = await WatchedHosts(Registry(), lambda: SETTINGS, store.facts).states()
        assert {(each.state, each.why) for each in found if each.name != "gone/away"} == {("unknown", UNWATCHED)}
    finally:
        await store.close()
