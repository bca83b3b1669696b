"""What every outside memory that speaks to a service does when that service lets it down. A test class takes these
beside the contract suite; its `stage` is a `ServiceStage`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from memory.providers.contract import HERE, Sample, fault_of, keep, recalled, started, within
from memory.providers.protocol import (
    Exchange,
    Provider,
    ProviderContext,
    ProviderManifest,
    Question,
    Refused,
    Unreachable,
)
from memory.providers.registry import built, import_string
from tests.fakes.memory_service import KEY, MemoryService


class ServiceStage:
    """A provider, made from its manifest as the house makes it, and its service on loopback."""

    sample = Sample()
    secrets = (KEY,)

    def __init__(self, manifest: ProviderManifest, server: MemoryService, folder: Path) -> None:
        self.manifest = manifest
        self.server = server
        self._folder = folder
        self.provider = self.another()

    def another(self, key: str = KEY, profile: str = "default", **settings: Any) -> Provider:
        """A provider of the same service with another key, in another profile or with other settings."""
        assert self.manifest.settings
        model = import_string(self.manifest.settings)
        filled = model.model_validate({"base_url": self.server.root, **settings}).model_dump()
        secrets = {need.variable: key for need in self.manifest.secrets}
        return built(self.manifest, ProviderContext(filled, secrets, self._folder, profile))

    async def settled(self) -> None:
        """At once."""

    async def lose(self) -> bool:
        await self.server.close()
        return True


@asynccontextmanager
async def service_stage(
    manifest: ProviderManifest, server: MemoryService, folder: Path
) -> AsyncIterator[ServiceStage]:
    async with server:
        stage = ServiceStage(manifest, server, folder)
        yield stage
        await stage.provider.close()


class ServiceTroubles:
    """Wrong keys, full and broken services, answers that are none, and answers that never come."""

    async def test_a_wrong_key_is_refused_and_not_told(self, stage: ServiceStage) -> None:
        provider = stage.another(key="wrong-key-77")
        fault = await fault_of(provider.start())
        assert isinstance(fault, Refused)
        assert "key" in str(fault)
        assert "wrong-key-77" not in str(fault)
        await provider.close()

    @pytest.mark.parametrize("manner", ["busy", "broken", "garbage", "odd"])
    async def test_a_service_in_trouble_counts_as_away(self, stage: ServiceStage, manner: str) -> None:
        async with started(stage) as provider:
            await keep(stage)
            stage.server.manner = manner
            for call in (provider.prefetch(Question(HERE, stage.sample.question)), provider.sync(_turn(stage, 2))):
                fault = await fault_of(call)
                assert isinstance(fault, Unreachable), fault
                assert "\n" not in str(fault)
            stage.server.manner = "good"
            assert stage.sample.word in await recalled(stage)

    async def test_a_service_that_is_away_at_the_start_can_be_tried_again(self, stage: ServiceStage) -> None:
        stage.server.manner = "broken"
        assert isinstance(await fault_of(stage.provider.start()), Unreachable)
        stage.server.manner = "good"
        async with started(stage):
            await keep(stage)
            assert stage.sample.word in await recalled(stage)

    async def test_slow_answers_are_given_up_when_nobody_waits_any_more(self, stage: ServiceStage) -> None:
        async with started(stage) as provider:
            await keep(stage)
            stage.server.manner = "slow"
            for call in (provider.prefetch(Question(HERE, stage.sample.question)), provider.sync(_turn(stage, 2))):
                before = len(stage.server.requests)
                waiting = asyncio.ensure_future(call)
                request = await stage.server.arrived(before + 1)
                waiting.cancel()
                await within(asyncio.gather(waiting, return_exceptions=True))
                assert waiting.cancelled()
                await within(request.done.wait())
                assert request.abandoned
            stage.server.manner = "good"
            assert stage.sample.word in await recalled(stage)

    async def test_before_the_start_nothing_is_recalled(self, stage: ServiceStage) -> None:
        assert isinstance(await fault_of(stage.provider.prefetch(Question(HERE, "Hello?"))), Unreachable)
        assert stage.server.requests == []


def _turn(stage: ServiceStage, number: int) -> Exchange:
    sample = stage.sample
    return Exchange(f"turn:{number}", HERE, sample.asked, sample.answered, 1_796_040_000.0, "telegram:111")
