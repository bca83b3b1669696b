"""The suite of outside memories that speak to a service: all that every provider does, and what each of these does
when its service lets it down. A test class names its `manifest` and its `service`, and adds what is particular."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import pytest

from memory.providers.contract import HERE, ProviderContract, Sample, fault_of, keep, recalled, started, within
from memory.providers.protocol import (
    Exchange,
    Provider,
    ProviderContext,
    ProviderFault,
    ProviderManifest,
    Question,
    Refused,
    Unreachable,
)
from memory.providers.registry import built, import_string
from tests.fakes.memory_service import KEY, MemoryService
from tests.fakes.temper import Tempered

Server = TypeVar("Server", bound=MemoryService | Tempered)

TEMPERS = {"busy": "429", "broken": "500", "odd": "shapeless", "slow": "hangs"}
"""What one kind of pretended service calls the other one's manners."""

MOMENT = 1_796_040_000.0
"""2026-11-30, noon."""


class ServiceStage(Generic[Server]):
    """A provider, made from its manifest as the house makes it, and its service on loopback."""

    sample = Sample()
    secrets = (KEY,)

    def __init__(self, manifest: ProviderManifest, server: Server, folder: Path) -> None:
        self.manifest = manifest
        self.server = server
        self.folder = folder
        self.provider = self.another()

    def another(self, key: str = KEY, in_profile: str = "default", **settings: Any) -> Provider:
        """A provider of the same service with another key, in another profile or with other settings."""
        assert self.manifest.settings
        model = import_string(self.manifest.settings)
        filled = model.model_validate({"base_url": self.server.root, **settings}).model_dump()
        secrets = {need.variable: key for need in self.manifest.secrets if key}
        return built(self.manifest, ProviderContext(filled, secrets, self.folder, in_profile))

    def beside(self, **settings: Any) -> ServiceStage[Server]:
        """Another provider of the same service, on a stage of its own."""
        stage = ServiceStage(self.manifest, self.server, self.folder)
        stage.provider = self.another(**settings)
        return stage

    def become(self, manner: str) -> None:
        """How the service answers from now on: good, busy, broken, garbage, odd, slow, or a manner of its own."""
        match self.server:
            case Tempered() as server:
                server.temper = TEMPERS.get(manner, manner)
            case server:
                server.manner = manner

    def questioned(self) -> Any:
        """A recall on its way."""
        return self.provider.prefetch(Question(HERE, self.sample.question))

    def told(self, asked: str = "", answered: str | None = None, number: int = 2) -> Any:
        """A turn on its way, about the sample unless other words are given; with words, the reply was withheld."""
        reply = answered if answered is not None else "" if asked else self.sample.answered
        exchange = Exchange(f"turn:{number}", HERE, asked or self.sample.asked, reply, MOMENT, "telegram:111")
        return self.provider.sync(exchange)

    async def fault_when(self, manner: str) -> ProviderFault:
        """What a recall ends with when the service is like that. It asked once, since trying again is the house's
        matter, it tells nothing that it should not, and all is well again when the service is."""
        async with started(self):
            self.become(manner)
            before = len(self.server.requests)
            fault = await fault_of(self.questioned())
            assert len(self.server.requests) == before + 1
            assert not any(secret in str(fault) for secret in self.secrets)
            assert "\n" not in str(fault)
            self.become("good")
            await keep(self)
            assert self.sample.word in await recalled(self)
        return fault

    async def settled(self) -> None:
        """At once."""

    async def lose(self) -> bool:
        await self.server.close()
        return True


class ServiceContract(ProviderContract):
    """Wrong keys, full and broken services, answers that are none, and answers that never come."""

    manifest: ClassVar[ProviderManifest]
    service: ClassVar[Callable[[], MemoryService | Tempered]]

    @pytest.fixture
    async def stage(self, tmp_path: Path) -> AsyncIterator[ServiceStage[Any]]:
        async with type(self).service() as server:
            assert isinstance(server, MemoryService | Tempered)
            stage = ServiceStage(self.manifest, server, tmp_path)
            yield stage
            await stage.provider.close()

    async def test_a_wrong_key_is_refused_and_not_told(self, stage: ServiceStage[Any]) -> None:
        provider = stage.another(key="wrong-key-77")
        fault = await fault_of(provider.start())
        assert isinstance(fault, Refused)
        assert "key" in str(fault)
        assert "wrong-key-77" not in str(fault)
        await provider.close()

    @pytest.mark.parametrize("manner", ["busy", "broken", "garbage", "odd"])
    async def test_a_service_in_trouble_counts_as_away(self, stage: ServiceStage[Any], manner: str) -> None:
        async with started(stage):
            await keep(stage)
            stage.become(manner)
            for call in (stage.questioned(), stage.told()):
                fault = await fault_of(call)
                assert isinstance(fault, Unreachable), fault
                assert "\n" not in str(fault)
            stage.become("good")
            assert stage.sample.word in await recalled(stage)

    async def test_a_service_that_is_away_at_the_start_can_be_tried_again(self, stage: ServiceStage[Any]) -> None:
        stage.become("broken")
        assert isinstance(await fault_of(stage.provider.start()), Unreachable)
        stage.become("good")
        async with started(stage):
            await keep(stage)
            assert stage.sample.word in await recalled(stage)

    @pytest.mark.parametrize("step", [ServiceStage.questioned, ServiceStage.told])
    async def test_a_slow_answer_is_given_up_when_nobody_waits_any_more(
        self, stage: ServiceStage[Any], step: Callable[[ServiceStage[Any]], Any]
    ) -> None:
        async with started(stage):
            await keep(stage)
            stage.become("slow")
            for request in await cancelled_on_its_way(stage, step(stage)):
                await within(request.done.wait())
                assert request.abandoned
            stage.become("good")
            assert stage.sample.word in await recalled(stage)

    async def test_before_the_start_nothing_is_recalled(self, stage: ServiceStage[Any]) -> None:
        assert isinstance(await fault_of(stage.questioned()), Unreachable)
        assert stage.server.requests == []


async def cancelled_on_its_way(stage: ServiceStage[Any], call: Any) -> list[Any]:
    """Cancels a call once the service was asked; the requests by then, of which a call may make several at once."""
    before = len(stage.server.requests)
    waiting = asyncio.ensure_future(call)
    await stage.server.arrived(before + 1)
    begun = stage.server.requests[before:]
    waiting.cancel()
    await within(asyncio.gather(waiting, return_exceptions=True))
    assert waiting.cancelled()
    return list(begun)
