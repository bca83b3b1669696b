"""What each kind of server's answers say about its work, asked through the watch as reviews ask."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from gateway.config.schema import Settings
from gateway.models.client import ModelClient
from gateway.models.contract import heard
from gateway.models.host_state import HostState, HostWatch
from gateway.models.registry import HostRegistry
from tests.fakes.clock import FakeClock
from tests.fakes.openai_server import LOADING, OpenAIServer, Step
from tests.fakes.scripted_model import Script, ScriptedModel
from tests.fakes.working_host import HANG, RESET, WorkingHost

IDLE, BUSY, UNKNOWN = HostState.IDLE, HostState.BUSY, HostState.UNKNOWN


def _props(sleeping: bool = False) -> dict[str, Any]:
    return {"default_generation_settings": {"n_ctx": 4096}, "total_slots": 1, "is_sleeping": sleeping}


def _slots(*busy: bool) -> list[dict[str, Any]]:
    return [{"id": id, "n_ctx": 4096, "is_processing": each} for id, each in enumerate(busy)]


def _old(*states: int) -> list[dict[str, Any]]:
    return [{"id": id, "task_id": -1, "prompt": "...", "state": each} for id, each in enumerate(states)]


def _llama(slots: object, **more: Any) -> dict[str, Any]:
    return {"/health": {"status": "ok"}, "/props": _props(), "/slots": slots, **more}


def _refusal(what: str) -> tuple[int, dict[str, Any]]:
    message = f"This server does not support {what} endpoint. Start it with `--{what}`"
    return 501, {"error": {"code": 501, "message": message, "type": "not_supported_error"}}


def _vllm(running: float, waiting: float) -> dict[str, Any]:
    lines = (
        "# HELP vllm:num_requests_running Number of requests in model execution batches.",
        "# TYPE vllm:num_requests_running gauge",
        'vllm:num_requests_running{engine="0",model_name="qwen, 7B"} 0.0',
        f'vllm:num_requests_running{{engine="1",model_name="qwen, 7B"}} {running}',
        f'vllm:num_requests_waiting{{engine="0",model_name="qwen, 7B"}} {waiting}',
        'vllm:num_requests_waiting_by_reason{engine="0",reason="capacity"} 5.0',
        'vllm:prompt_tokens_total{engine="0",model_name="qwen, 7B"} 81.0',
    )
    return {"/health": "", "/metrics": "\n".join(lines) + "\n"}


def _router(*, slots: object = None, **models: str) -> dict[str, Any]:
    entries = [{"id": name, "status": {"value": value, "args": []}} for name, value in models.items()]
    pages = {"/props": {"role": "router", "models_autoload": True}, "/models": {"data": entries}}
    return pages | {"/slots?model=small&autoload=false": slots}


SAYING = {
    "llama.cpp, idle": (_llama(_slots(False)), IDLE),
    "llama.cpp, one of two slots at work": (_llama(_slots(False, True)), BUSY),
    "llama.cpp before November 2024, idle": (_llama(_old(0, 0)), IDLE),
    "llama.cpp before November 2024, reading": (_llama(_old(0, 2)), BUSY),
    "llama.cpp before November 2024, writing": (_llama(_old(1)), BUSY),
    "llama.cpp without properties": ({"/slots": _slots(True)}, BUSY),
    "llama.cpp asleep": (_llama(_slots(False)) | {"/props": _props(sleeping=True)}, IDLE),
    "llama.cpp, slots not shown": (_llama(_refusal("slots"), **{"/metrics": _refusal("metrics")}), IDLE),
    "llama.cpp, slots not shown but metrics, at work": (
        _llama(_refusal("slots"), **{"/metrics": "llamacpp:requests_processing 1\nllamacpp:requests_deferred 0\n"}),
        BUSY,
    ),
    "llama.cpp, slots not shown but metrics, one waits": (
        _llama(_refusal("slots"), **{"/metrics": "llamacpp:requests_processing 0\nllamacpp:requests_deferred 1\n"}),
        BUSY,
    ),
    "slots hidden by a proxy": (_llama((404, "")), IDLE),
    "loading, as newer versions say it": ({"*": (503, LOADING["error"])}, BUSY),
    "loading, as older versions say it": ({"*": (503, LOADING["status"])}, BUSY),
    "loading after the properties came": (_llama((503, LOADING["error"])), BUSY),
    "a 503 that is not about loading": ({"*": (503, "upstream connect error")}, UNKNOWN),
    "no answer at all": ({"*": HANG}, UNKNOWN),
    "no answer about the slots, as old versions while they read": (_llama(HANG), UNKNOWN),
    "torn connections": ({"*": RESET}, UNKNOWN),
    "a web page for everything": ({"*": "<!doctype html><title>Sign in</title>"}, UNKNOWN),
    "a web page for all but the models": ({"*": "<html></html>", "/v1/models": {"data": [{"id": "q"}]}}, UNKNOWN),
    "a web page for the slots": (_llama("<html>502</html>"), UNKNOWN),
    "no key": ({"*": (401, {"error": {"code": 401, "message": "Invalid API Key"}})}, UNKNOWN),
    "no key for the slots": (_llama((401, {"error": "unauthorized"})), UNKNOWN),
    "a fault": ({"*": (500, {"error": "boom"})}, UNKNOWN),
    "somewhere else": ({"*": (302, "")}, UNKNOWN),
    "no slots in the list": (_llama([]), UNKNOWN),
    "an empty list for everything": ({"*": []}, UNKNOWN),
    "slots that say nothing": (_llama([{"id": 0}]), UNKNOWN),
    "slots that say nothing beside one at work": (_llama([{"id": 0}, *_slots(True)]), BUSY),
    "slots of strange types": (_llama([{"is_processing": "no", "state": True}, 7]), UNKNOWN),
    "broken JSON": (_llama('[{"is_processing": fal'), UNKNOWN),
    "vLLM, idle": (_vllm(0, 0), IDLE),
    "vLLM, at work": (_vllm(2, 0), BUSY),
    "vLLM, one waits": (_vllm(0, 1), BUSY),
    "vLLM, not a number": (_vllm(float("nan"), 0), UNKNOWN),
    "metrics of something else": ({"/metrics": "python_gc_objects 7\n", "/v1/models": {"data": []}}, IDLE),
    "Ollama, nothing loaded": ({"/api/ps": {"models": []}}, IDLE),
    "Ollama, a model loaded": ({"/api/ps": {"models": [{"name": "q", "expires_at": "2099-01-01T00:00:00Z"}]}}, IDLE),
    "LM Studio, which answers 200 to unknown paths": (
        {"*": {"error": "Unexpected endpoint or method."}, "/v1/models": {"data": [{"id": "q"}]}},
        IDLE,
    ),
    "a plain server": ({"/v1/models": {"data": [{"id": "q"}]}}, IDLE),
    "a plain server that lists no models": ({}, IDLE),
    "a plain server out of order": ({"/v1/models": (502, "<html>Bad Gateway</html>")}, UNKNOWN),
    "a router, its model idle": (_router(small="loaded", slots=_slots(False)), IDLE),
    "a router, its model at work": (_router(small="loaded", other="sleeping", slots=_slots(True)), BUSY),
    "a router whose model went while it was asked about": (_router(small="loaded", slots=(400, "")), UNKNOWN),
    "a router, all asleep": (_router(small="sleeping", other="unloaded"), IDLE),
    "a router, loading": (_router(small="loaded", other="loading", slots=_slots(False)), BUSY),
}


class Inn:
    """A watch over settings as they would stand in the file; `script` is what the host of our own says."""

    def __init__(self, patience: float = 5.0, script: Script = lambda request: "hello", **settings: Any) -> None:
        self.clock = FakeClock()
        self.model = ScriptedModel(script, host="local", model="smol")
        self.registry = HostRegistry(Settings(**settings), self.clock, lambda name: self.model)
        self.watch = HostWatch(self.registry, self.clock, patience=patience)

    @property
    def client(self) -> ModelClient:
        return self.registry.resolve()

    async def close(self) -> None:
        await self.watch.close()
        await self.registry.close()


@pytest.fixture
async def host() -> AsyncIterator[WorkingHost]:
    async with WorkingHost() as server:
        yield server


@pytest.mark.parametrize("case", SAYING)
async def test_a_servers_answers_give_its_state(case: str, host: WorkingHost) -> None:
    host.pages, expected = SAYING[case]
    inn = Inn(0.2 if HANG in host.pages.values() else 5.0, model={"base_url": host.base_url})
    first = await inn.watch.look(inn.client)
    again = await inn.watch.look(inn.client, fresh=True)  # now that the kind of server is known
    assert (first.state, again.state) == (expected, expected), (first.why, again.why, host.asked)
    assert first.why
    assert not any(path.endswith("/completions") for path in host.asked)
    await inn.close()


async def test_a_server_that_is_gone_is_unknown() -> None:
    async with WorkingHost() as server:
        address = server.base_url
    inn = Inn(model={"base_url": address})
    assert await inn.watch.state(inn.client) is UNKNOWN
    assert inn.watch.last(inn.client).why == "it cannot be reached"
    await inn.close()


WAKING = ("/slots", "/metrics", "/v1/chat/completions", "/completion")


@pytest.mark.parametrize("case", ["llama.cpp asleep", "a router, all asleep"])
async def test_a_sleeping_model_is_not_woken(case: str, host: WorkingHost) -> None:
    host.pages, _ = SAYING[case]
    inn = Inn(model={"base_url": host.base_url})
    for _ in range(3):
        assert await inn.watch.state(inn.client) is IDLE
        await inn.clock.advance(60)
    assert not [path for path in host.asked if path.startswith(WAKING)]
    await inn.close()


async def test_one_that_falls_asleep_between_two_looks_is_not_woken_either(host: WorkingHost) -> None:
    host.pages = _llama(_slots(False))
    inn = Inn(model={"base_url": host.base_url})
    assert await inn.watch.state(inn.client) is IDLE
    host.requests.clear()
    host.pages["/props"] = _props(sleeping=True)
    assert (await inn.watch.look(inn.client, fresh=True)).why == "its model sleeps"
    host.pages["/health"] = {"status": "ok", "sleeping": True}  # a relative of llama.cpp wakes by /props
    assert (await inn.watch.look(inn.client, fresh=True)).state is IDLE
    assert host.asked == ["/health", "/props", "/health"]
    await inn.close()


async def test_only_the_loaded_models_of_a_router_are_asked_about(host: WorkingHost) -> None:
    host.pages = _router(small="loaded", other="sleeping", third="unloaded", slots=_slots(False))
    inn = Inn(model={"base_url": host.base_url})
    assert await inn.watch.state(inn.client) is IDLE
    assert [path for path in host.asked if "slots" in path] == ["/slots?model=small&autoload=false"]
    await inn.close()


async def test_ollama_is_seen_to_be_used_by_when_it_lets_its_model_go(host: WorkingHost) -> None:
    def loaded(until: str) -> None:
        host.pages["/api/ps"] = {"models": [{"name": "q", "model": "q", "expires_at": until}]}

    inn = Inn(model={"base_url": host.base_url})
    seen = []
    for until in ("2099-01-01T00:00:00.123456789Z", "2099-01-01T00:00:00.123456789Z", "2099-01-01T00:00:07.5+02:00"):
        loaded(until)
        seen.append((await inn.watch.look(inn.client, fresh=True)).state)
    assert seen == [IDLE, IDLE, BUSY]
    assert (await inn.watch.look(inn.client, fresh=True)).state is IDLE
    assert set(host.asked[-3:]) == {"/api/ps"}
    await inn.close()


async def test_another_server_at_the_same_address_is_recognised(host: WorkingHost) -> None:
    inn = Inn(model={"base_url": host.base_url})
    seen = []
    pages: dict[str, Any]
    for pages in (_vllm(0, 0), _llama(_slots(True)), {"/api/ps": {"models": []}}, _vllm(1, 0)):
        host.pages = pages
        seen.append((await inn.watch.look(inn.client, fresh=True)).state)
    assert seen == [IDLE, BUSY, IDLE, BUSY]
    await inn.close()


async def test_keys_are_shown_to_the_host_they_belong_to(host: WorkingHost) -> None:
    hosts = {
        "cellar": {"base_url": host.base_url, "api_key": "sk-cellar"},
        "attic": {"kind": "anthropic", "base_url": host.root, "api_key": "sk-attic"},
    }
    inn = Inn(hosts=hosts)
    for name in ("cellar/x", "attic/y"):
        host.requests.clear()
        assert await inn.watch.state(inn.registry.resolve(name)) is IDLE
        shown = {(each.headers.get("authorization"), each.headers.get("x-api-key")) for each in host.requests}
        assert shown == {("Bearer sk-cellar", None) if name == "cellar/x" else (None, "sk-attic")}
    assert host.asked[-1] == "/v1/models"
    await inn.close()


async def test_our_own_requests_need_no_question(host: WorkingHost) -> None:
    async with OpenAIServer() as server:
        inn = Inn(model={"base_url": server.base_url})
        gate = asyncio.Event()
        server.script.append(Step(text="a", gate=gate))
        answer = asyncio.create_task(heard(inn.client))
        await server.arrived(1, "/chat/completions")
        before = len(server.requests)
        sight = await inn.watch.look(inn.client, fresh=True)
        assert (sight.state, sight.why) == (BUSY, "1 request of our own")
        assert inn.watch.busy_with_own(inn.client) == 1
        assert len(server.requests) == before
        gate.set()
        await answer
        assert inn.watch.busy_with_own(inn.client) == 0
        assert await inn.watch.state(inn.client) is IDLE
        await inn.close()


async def test_a_request_of_ours_that_comes_while_the_host_is_asked_makes_it_busy(host: WorkingHost) -> None:
    host.pages = _llama(HANG, **{"/v1/chat/completions": HANG})
    inn = Inn(1.0, model={"base_url": host.base_url, "model": "q"})
    looking = asyncio.create_task(inn.watch.state(inn.client))
    await host.arrived(1, "/slots")
    chat = asyncio.create_task(heard(inn.client))
    await host.arrived(1, "/completions")
    assert await looking is BUSY
    chat.cancel()
    await asyncio.wait({chat})
    await inn.close()


async def test_reviews_on_a_cloud_wait_only_when_told_to() -> None:
    inn = Inn(model={"provider": "openai", "model": "gpt", "api_key": "sk-x"})
    client = inn.client
    assert [inn.watch.defers(client, setting) for setting in ("auto", "never", "always")] == [False, False, True]
    await inn.close()


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ({"base_url": "http://127.0.0.1:1/v1"}, True),
        ({"base_url": "http://localhost:1/v1"}, True),
        ({"base_url": "http://127.0.0.1:1/v1", "local": False}, False),
        ({"base_url": "http://192.168.1.5:8080/v1"}, False),
        ({"base_url": "http://192.168.1.5:8080/v1", "local": True}, True),
        ({"base_url": "https://models.example/v1", "local": True}, True),
        ({"kind": "local"}, True),
    ],
)
async def test_reviews_wait_for_hosts_on_this_machine_or_marked_as_local(
    host: dict[str, Any], expected: bool
) -> None:
    inn = Inn(hosts={"cellar": host}, model={"fallbacks": ["openai/gpt"]})
    client = inn.registry.resolve("cellar/x")
    assert inn.watch.defers(client, "auto") is expected
    assert inn.watch.defers(client, "always")
    assert not inn.watch.defers(client, "never")
    await inn.close()


async def test_a_client_of_no_configured_host_is_unknown() -> None:
    inn = Inn()
    stranger = ScriptedModel(["x"], host="nowhere")
    assert await inn.watch.state(stranger) is UNKNOWN
    assert not inn.watch.defers(stranger, "always")
    await inn.close()


async def test_the_server_of_our_own_is_not_started_for_a_question() -> None:
    inn = Inn()
    sight = await inn.watch.look(inn.client)
    assert (sight.state, sight.why) == (IDLE, "its model is not loaded")
    assert inn.model.requests == []
    await inn.close()
