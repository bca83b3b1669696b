"""Kinds of model hosts: the house's own and those of plugins, by one door; a broken one costs its own host."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from importlib.metadata import EntryPoint

import pytest

from gateway.config.schema import Settings
from gateway.models.anthropic import AnthropicClient
from gateway.models.client import Delta, HostInfo, Reply, Request
from gateway.models.errors import ModelMissing
from gateway.models.kinds import GROUP, BrokenKind, HostContext, HostKind, HostKinds
from gateway.models.openai_compatible import OpenAICompatible
from gateway.models.registry import HostRegistry
from tests.fakes.clock import FakeClock
from tests.fakes.scripted_model import ScriptedModel

mill = HostKind("mill", f"{__name__}:Mill", "grinds", needs_address=False)
absent = HostKind("absent", "no.such.module:Client", "is not there", needs_address=False)
failing = HostKind("failing", f"{__name__}:fails", "fails", needs_address=False)
moody = HostKind("moody", f"{__name__}:sulks", "fails in its own way", needs_address=False)
hollow = HostKind("hollow", f"{__name__}:nothing", "makes nothing", needs_address=False)
needy = HostKind("needy", f"{__name__}:Mill", "needs an address")
other = HostKind("another", f"{__name__}:Mill")
words = "no kind at all"


class Mill:
    """Answers with its options."""

    def __init__(self, context: HostContext) -> None:
        self.host, self.model = context.plan.name, context.model
        self._says = f"{context.plan.options['grain']} by {context.model}"

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        yield Reply(self._says, host=self.host, model=self.model)

    async def info(self) -> HostInfo:
        return HostInfo()

    async def close(self) -> None:
        """Nothing is open."""


def fails(context: HostContext) -> Mill:
    raise RuntimeError("the mill is broken")


class Mood(Exception):
    """A fault of a kind that only the plugin knows."""


def sulks(context: HostContext) -> Mill:
    raise Mood("not today")


def nothing(context: HostContext) -> None:
    return None


def point(name: str, value: str = "") -> EntryPoint:
    return EntryPoint(name, value or f"{__name__}:{name}", GROUP)


def registry(kind: str, *points: EntryPoint, **more: object) -> HostRegistry:
    hosts = {"lab": {"kind": kind, "options": {"grain": "rye"}, **more}}
    settings = Settings.model_validate({"hosts": hosts, "model": {"provider": "lab", "model": "stone"}})
    return HostRegistry(settings, FakeClock(), lambda name: ScriptedModel(), kinds=HostKinds(lambda: points))


async def asked(hosts: HostRegistry) -> str:
    """What the main model says; closes the hosts."""
    try:
        deltas = [each async for each in hosts.resolve().stream(Request(()))]
    finally:
        await hosts.close()
    (reply,) = [each for each in deltas if isinstance(each, Reply)]
    return reply.text


async def test_a_plugins_kind_answers_and_has_its_options() -> None:
    assert await asked(registry("mill", point("mill"))) == "rye by stone"


def test_the_houses_own_come_by_the_same_entries() -> None:
    found = HostKinds(lambda: [point("mill")]).all()
    assert list(found) == ["openai", "anthropic", "mill"]
    clock = FakeClock()
    hosts = {"a": {"kind": "openai", "base_url": "http://x"}, "b": {"kind": "anthropic", "base_url": "http://x"}}
    own = HostRegistry(Settings.model_validate({"hosts": hosts}), clock, lambda name: ScriptedModel())
    own.resolve("a/m")
    own.resolve("b/m")
    assert {type(each) for each in own._bare.values()} == {OpenAICompatible, AnthropicClient}


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("absent", "no.such.module:Client cannot be used: ModuleNotFoundError"),
        ("failing", "cannot be used: RuntimeError: the mill is broken"),
        ("moody", "cannot be used: ImportError: Mood: not today"),
        ("hollow", "made a NoneType, no client"),
        ("needy", "base_url is missing"),
        ("other", "describes 'another', not 'other'"),
        ("words", "is a str, not a HostKind"),
        ("nobody", "no plugin with this kind is installed"),
    ],
)
async def test_a_kind_that_cannot_be_used_says_so_when_it_is_asked(kind: str, why: str) -> None:
    points = [point(each) for each in ("absent", "failing", "moody", "hollow", "needy", "other", "words")]
    with pytest.raises(ModelMissing, match=why):
        await asked(registry(kind, *points))


def test_what_is_broken_or_takes_a_name_is_told_at_the_start() -> None:
    points = [point("openai", f"{__name__}:mill"), point("words"), point("mill")]
    assert registry("mill", *points).problems() == [
        f"host plugin openai ({__name__}:mill): the name openai is taken",
        f"host plugin words: {__name__}:words is a str, not a HostKind",
    ]
    assert isinstance(HostKinds(lambda: points).all()["openai"], HostKind)
    assert isinstance(HostKinds(lambda: points).all()["words"], BrokenKind)


async def test_a_plugin_cannot_take_the_place_of_a_kind_of_the_house() -> None:
    hosts = registry("openai", point("openai", f"{__name__}:mill"), base_url="http://127.0.0.1:9")
    hosts.resolve()
    assert [type(each) for each in hosts._bare.values()] == [OpenAICompatible]
    await hosts.close()
