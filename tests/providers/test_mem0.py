"""Mem0 in a process of its own, its models on loopback: facts are extracted, kept and found again.

Each day against a stand-in for the package (tests/fakes/mem0_package); with `-m soak` against the real one, in an
environment of its own that is made for the occasion.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from gateway.providers.mem0 import KEY as VARIABLE
from gateway.providers.mem0 import Mem0, Mem0Settings, manifest
from memory.providers.contract import HERE, fault_of, keep, recalled, started, within
from memory.providers.protocol import Provider, ProviderContext, Refused, Unreachable
from tests.fakes.memory_service import KEY
from tests.fakes.model_service import DIMENSIONS, ModelService
from tests.providers.services import ServiceContract, ServiceStage, cancelled_on_its_way

PACKAGE = Path(__file__).parents[1] / "fakes" / "mem0_package"


class Mem0Stage(ServiceStage[ModelService]):
    """As for any service; the one here is the models' server."""

    def __init__(self, server: ModelService, folder: Path, python: Path) -> None:
        self.python = python
        super().__init__(manifest, server, folder)

    def another(self, key: str = KEY, in_profile: str = "default", **settings: Any) -> Provider:
        return super().another(key, in_profile, **{"dimensions": DIMENSIONS, "python": str(self.python), **settings})


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """A Python that has a package `mem0`."""
    script = tmp_path / "python-with-mem0"
    script.write_text(
        f'#!/bin/sh\nshift\nexport PYTHONPATH="{PACKAGE}"\nexec "{sys.executable}" -c \'{_RUN}\' "$@"\n'
    )
    script.chmod(0o700)
    return script


# `-P` leaves the file's own folder out of the path, where a module of the name `mem0` lies; PYTHONPATH stays.
_RUN = (
    'import runpy, sys; sys.argv.pop(0); sys.path[:] = sys.path[1:]; runpy.run_path(sys.argv[0], run_name="__main__")'
)


class TestMem0(ServiceContract):
    @pytest.fixture
    async def stage(self, tmp_path: Path, python: Path) -> AsyncIterator[Mem0Stage]:
        async with ModelService() as server:
            assert isinstance(server, ModelService)
            folder = tmp_path / "mem0"
            folder.mkdir()
            stage = Mem0Stage(server, folder, python)
            yield stage
            await stage.provider.close()

    @pytest.mark.parametrize("step", [ServiceStage.questioned, ServiceStage.told])
    async def test_a_slow_answer_is_given_up_when_nobody_waits_any_more(
        self, stage: ServiceStage[Any], step: Callable[[ServiceStage[Any]], Any]
    ) -> None:
        """The process is not: its answer is dropped."""
        async with started(stage):
            await keep(stage)
            stage.become("slow")
            await cancelled_on_its_way(stage, step(stage))
            stage.become("good")
            assert stage.sample.word in await recalled(stage)

    async def test_a_lost_process_is_begun_again(self, stage: Mem0Stage) -> None:
        async with started(stage) as provider:
            await keep(stage)
            assert isinstance(provider, Mem0)
            assert provider._child is not None
            os.killpg(provider._child.pid, signal.SIGKILL)
            fault = await fault_of(stage.questioned())
            assert str(fault) == "Mem0's process ended"
            await within(provider.start())
            assert stage.sample.word in await recalled(stage)

    async def test_its_process_ends_with_it(self, stage: Mem0Stage) -> None:
        async with started(stage) as provider:
            assert isinstance(provider, Mem0)
            assert provider._child is not None
            pid = provider._child.pid
        with pytest.raises(ProcessLookupError):
            os.killpg(pid, 0)

    async def test_what_is_kept_outlives_the_process(self, stage: Mem0Stage) -> None:
        async with started(stage):
            await keep(stage)
        async with started(stage) as provider:
            assert stage.sample.word in await recalled(stage)
            [tool] = provider.tools()
            assert stage.sample.word in await tool.run({"query": "bees"}, HERE)

    async def test_embeddings_of_another_length_are_refused(self, stage: Mem0Stage) -> None:
        provider = stage.another(dimensions=7)
        fault = await fault_of(provider.start())
        assert isinstance(fault, Refused)
        assert str(fault) == f"the embedding model gives {DIMENSIONS} numbers, and dimensions says 7"

    async def test_what_could_not_be_embedded_is_tried_again(self, stage: Mem0Stage) -> None:
        async with started(stage):
            stage.become("busy")
            assert isinstance(await fault_of(stage.told(answered="", number=1)), Unreachable)
            stage.become("good")
            await keep(stage)
            assert stage.sample.word in await recalled(stage)


async def test_a_python_without_the_package_says_what_to_install(tmp_path: Path) -> None:
    settings = Mem0Settings(python=sys.executable, base_url="http://127.0.0.1:9").model_dump()
    provider = Mem0(ProviderContext(settings, {VARIABLE: KEY}, tmp_path))
    assert (
        str(await fault_of(provider.start())) == "the package mem0ai is not installed: pip install 'innkeeper[mem0]'"
    )


async def test_a_python_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    settings = Mem0Settings(python=str(tmp_path / "python")).model_dump()
    fault = await fault_of(Mem0(ProviderContext(settings, {}, tmp_path)).start())
    assert isinstance(fault, Unreachable)
    assert "cannot be run" in str(fault)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment of its own that has the real package."""
    where = tmp_path_factory.mktemp("mem0-environment")
    subprocess.run([sys.executable, "-m", "venv", str(where)], check=True)
    python = where / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", "mem0ai>=2.2,<3"], check=True)
    return python


@pytest.mark.soak
@pytest.mark.timeout(900)
class TestTheRealMem0(TestMem0):
    """The same, with the package from the index."""

    @pytest.fixture
    def python(self, environment: Path) -> Path:
        return environment
