"""ByteRover's own program, installed once by its package's name: it keeps a turn in its files, and finds it again.

Its maker's servers are pretended, for its daemon asks them where people log in; so is the model that decides what is
worth a file.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from gateway.providers.byterover import Byterover, ByteroverSettings
from memory.providers.contract import ELSEWHERE, HERE, fault_of, keep, recalled, started
from memory.providers.protocol import ProviderContext, Question, Refused
from tests.conventions.source import ROOT
from tests.fakes.loopback_http import Answering, LoopbackServer, Recorded
from tests.fakes.openai_server import OpenAIServer, Step
from tests.providers.test_byterover import Stage

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]

PACKAGE = "byterover-cli@3.14.0"
AUTHOR = (
    "(async () => await tools.curate([{type: 'UPSERT', path: 'people/annika', title: 'Bees', reason: 'told',"
    " impact: 'low', confidence: 'high', content: {rawConcept: {task: 'remember'},"
    " narrative: {highlights: 'Annika keeps bees in Uppsala, near the river.'}}}]))()"
)


class LogIn(LoopbackServer):
    """Where people would log in; nobody does."""

    async def handle(self, request: Recorded, answer: Answering) -> None:
        where = {"issuer": self.root, "authorization_endpoint": f"{self.root}/a", "token_endpoint": f"{self.root}/t"}
        more = {"jwks_uri": f"{self.root}/j", "scopes_supported": ["read"], "response_types_supported": ["code"]}
        await answer.whole(200, {**where, **more})


def author(given: dict[str, Any]) -> Step:
    """The model writes one file, and says so."""
    if given["messages"][-1]["role"] == "user":
        return Step(calls=[{"id": "call_1", "name": "code_exec", "arguments": {"code": AUTHOR}}])
    return Step(text="Done.")


async def program() -> Path:
    """brv, from the path, or installed beside the tests."""
    found = shutil.which("brv")
    if found is not None:
        return Path(found)
    folder = ROOT / "tests" / ".artefacts" / "byterover"
    installed = folder / "node_modules" / ".bin" / "brv"
    if not installed.exists():
        folder.mkdir(parents=True, exist_ok=True)
        words = ("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder), PACKAGE)
        process = await asyncio.create_subprocess_exec(*words, stdin=asyncio.subprocess.DEVNULL)
        assert await process.wait() == 0
    return installed


@asynccontextmanager
async def real(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Stage, OpenAIServer]]:
    stage = Stage(folder)
    known = ByteroverSettings(command=str(await program())).model_dump()
    stage.provider = Byterover(ProviderContext(known, {}, stage.folder))
    data = folder / "home" / "data"
    async with LogIn() as iam, OpenAIServer([], otherwise=author) as model:
        assert isinstance(model, OpenAIServer)
        for name, value in (("HOME", data.parent), ("BRV_DATA_DIR", data), ("BRV_IAM_BASE_URL", iam.root)):
            monkeypatch.setenv(name, str(value))
        try:
            yield stage, model
        finally:
            file = data / "daemon.json"
            if file.exists():
                os.kill(json.loads(file.read_text())["pid"], signal.SIGTERM)


async def test_it_keeps_a_turn_and_finds_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with real(tmp_path, monkeypatch) as (stage, model):
        assert isinstance(await fault_of(stage.provider.start()), Refused)  # no model is connected yet
        words = ("providers", "connect", "openai-compatible", "--base-url", model.base_url, "--api-key", "x")
        done = await stage.provider._run(stage.folder, [*words, "--model", "fake-model", "--format", "json"])
        assert (done.code, json.loads(done.out)["success"]) == (0, True)
        async with started(stage) as provider:
            assert await recalled(stage) == ""
            await keep(stage)
            assert "Annika keeps bees in Uppsala, near the river." in await recalled(stage)
            assert await recalled(stage, ELSEWHERE) == ""
            assert await provider.prefetch(Question(HERE, "-v --help")) == ""
            asking = asyncio.ensure_future(provider.prefetch(Question(HERE, "bees")))
            await asyncio.sleep(1)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            assert "Uppsala" in await recalled(stage)
