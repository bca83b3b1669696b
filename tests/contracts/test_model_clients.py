"""The suite of model clients over each of them: the scripted one, and the real ones against their fakes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from gateway.clock import SystemClock
from gateway.models.anthropic import AnthropicClient
from gateway.models.client import ModelClient
from gateway.models.contract import MEANINGS, ModelClientContract, Stage, Trouble
from gateway.models.errors import StreamBroken
from gateway.models.openai_compatible import OpenAICompatible
from tests.fakes import anthropic_server, openai_server
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.loopback_http import LoopbackServer
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.scripted_model import ScriptedModel, Turn

STATUS: dict[Trouble, int] = {"key": 401, "missing": 404, "busy": 429, "down": 502, "too_long": 400}


async def until_quiet(server: LoopbackServer) -> None:
    async with asyncio.timeout(30):
        while server.active:
            await asyncio.sleep(0.005)


class ScriptedStage:
    def __init__(self) -> None:
        self.model = ScriptedModel()

    @property
    def client(self) -> ModelClient:
        return self.model

    def says(self, *pieces: str) -> None:
        self.model.script.append(Turn(pieces))

    def calls(self, name: str, arguments: str) -> None:
        self.model.script.append(Turn(calls=[(name, arguments)]))

    def repeats(self, unit: str) -> None:
        self.model.script.append(Turn([unit] * 100_000))

    def hangs(self, *pieces: str) -> None:
        self.model.script.append(Turn([*pieces, asyncio.Event()]))

    def breaks(self, *pieces: str) -> None:
        self.model.script.append(Turn(pieces, error=StreamBroken("scripted broke off")))

    def fails(self, trouble: Trouble) -> None:
        self.model.script.append(MEANINGS[trouble]("scripted has trouble"))

    async def quiet(self) -> None:
        async with asyncio.timeout(30):
            while self.model.active:
                await asyncio.sleep(0)


class OpenAIStage:
    def __init__(self, server: OpenAIServer) -> None:
        self.server = server
        self.client: ModelClient = OpenAICompatible("inn", "fake-model", server.base_url, "key", clock=SystemClock())

    def _next(self, step: openai_server.Step) -> None:
        self.server.script.append(step)

    def says(self, *pieces: str) -> None:
        self._next(openai_server.Step(pieces=pieces))

    def calls(self, name: str, arguments: str) -> None:
        self._next(openai_server.Step(calls=[{"name": name, "arguments": arguments}]))

    def repeats(self, unit: str) -> None:
        self._next(openai_server.Step(endless=unit))

    def hangs(self, *pieces: str) -> None:
        self._next(openai_server.Step(pieces=pieces, hang_after=len(pieces)))

    def breaks(self, *pieces: str) -> None:
        self._next(openai_server.Step(pieces=pieces, reset_after=len(pieces)))

    def fails(self, trouble: Trouble) -> None:
        error = {"message": "no", "code": "context_length_exceeded" if trouble == "too_long" else None}
        self._next(openai_server.Step(status=STATUS[trouble], body={"error": error}))

    async def quiet(self) -> None:
        await until_quiet(self.server)


class AnthropicStage:
    def __init__(self, server: AnthropicServer) -> None:
        self.server = server
        self.client: ModelClient = AnthropicClient("claude", "fake", "key", clock=SystemClock(), base_url=server.root)

    def _next(self, step: anthropic_server.Step) -> None:
        self.server.script.append(step)

    def says(self, *pieces: str) -> None:
        self._next(anthropic_server.Step(pieces=pieces))

    def calls(self, name: str, arguments: str) -> None:
        self._next(anthropic_server.Step(calls=[{"name": name, "arguments": arguments}]))

    def repeats(self, unit: str) -> None:
        self._next(anthropic_server.Step(endless=unit))

    def hangs(self, *pieces: str) -> None:
        self._next(anthropic_server.Step(pieces=pieces, hang_after=len(pieces)))

    def breaks(self, *pieces: str) -> None:
        self._next(anthropic_server.Step(pieces=pieces, reset_after=len(pieces)))

    def fails(self, trouble: Trouble) -> None:
        words = "prompt is too long: 9 tokens > 8" if trouble == "too_long" else "no"
        error = {"type": "error", "error": {"type": "some_error", "message": words}}
        self._next(anthropic_server.Step(status=STATUS[trouble], body=error))

    async def quiet(self) -> None:
        await until_quiet(self.server)


class TestScripted(ModelClientContract):
    @pytest.fixture
    async def stage(self) -> Stage:
        return ScriptedStage()


class TestOpenAICompatible(ModelClientContract):
    @pytest.fixture
    async def stage(self) -> AsyncIterator[Stage]:
        async with OpenAIServer() as server:
            stage = OpenAIStage(server)
            yield stage
            await stage.client.close()


class TestOtherOpenAICompatible(ModelClientContract):
    """A server that is not llama.cpp: no /props, no reading progress."""

    @pytest.fixture
    async def stage(self) -> AsyncIterator[Stage]:
        async with OpenAIServer(llama_cpp=False) as server:
            stage = OpenAIStage(server)
            yield stage
            await stage.client.close()


class TestAnthropic(ModelClientContract):
    @pytest.fixture
    async def stage(self) -> AsyncIterator[Stage]:
        async with AnthropicServer() as server:
            stage = AnthropicStage(server)
            yield stage
            await stage.client.close()
