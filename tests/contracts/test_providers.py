"""Each outside memory of the house passes the suite in its own file of tests/providers; here is the one for tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.providers.contract import ProviderContract, Sample
from memory.providers.protocol import ProviderContext, ProviderManifest
from tests.fakes.parrot import Parrot, ParrotSettings, manifest


class ParrotStage:
    """A parrot with an empty file."""

    sample = Sample()
    secrets = ()

    def __init__(self, folder: Path) -> None:
        self.provider = Parrot(ProviderContext(ParrotSettings().model_dump(), {}, folder))

    @property
    def manifest(self) -> ProviderManifest:
        return manifest

    async def settled(self) -> None:
        """At once."""

    async def lose(self) -> bool:
        return False


class TestParrot(ProviderContract):
    @pytest.fixture
    def stage(self, tmp_path: Path) -> ParrotStage:
        return ParrotStage(tmp_path)
