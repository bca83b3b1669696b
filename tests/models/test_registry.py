"""Which host answers for which name in the configuration."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from gateway.config.hosts import CLOUDS
from gateway.config.schema import Settings
from gateway.errors import ConfigurationError
from gateway.models.client import ModelClient
from gateway.models.contract import asked, heard
from gateway.models.local import open_local
from gateway.models.main_host import HostPlan, named_host
from gateway.models.registry import HostRegistry
from tests.fakes.clock import FakeClock
from tests.fakes.openai_server import OpenAIServer, Step
from tests.fakes.scripted_model import ScriptedModel


class Inn:
    """A registry over settings as they would stand in the file, with scripted local models."""

    def __init__(self, keys: dict[str, str] | None = None, **settings: Any) -> None:
        self.started: list[ScriptedModel] = []
        self.registry = HostRegistry(Settings(**settings), FakeClock(), self._start, keys=keys)

    def _start(self, name: str) -> ModelClient:
        self.started.append(ScriptedModel(lambda request: f"from {name}", host="local", model=name))
        return self.started[-1]

    def named(self, name: str | None = None) -> tuple[str, str]:
        client = self.registry.resolve(name)
        return client.host, client.model


@pytest.fixture
async def server() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer() as host:
        yield host


def test_the_host_for_voice_messages() -> None:
    """None unless it is named; one that is not of kind openai is a mistake."""
    server = {"base_url": "http://127.0.0.1:8080/v1"}

    def listener(**chosen: Any) -> ModelClient | None:
        auxiliary = {"transcription": chosen}
        return Inn(hosts={"ear": server, "claude": {"kind": "anthropic"}}, auxiliary=auxiliary).registry.transcriber()

    assert listener() is None
    named = listener(provider="ear", model="whisper-large")
    assert named is not None
    assert (named.host, named.model) == ("ear", "whisper-large")
    cloud = listener(provider="openai")
    assert cloud is not None
    assert cloud.model == "whisper-1"
    for name in ("claude", "local"):
        with pytest.raises(ConfigurationError, match=f"{name} is no host of kind openai"):
            listener(provider=name)


def test_with_nothing_configured_the_local_server_answers() -> None:
    assert Inn().named() == ("local", "smollm2-135m")
    assert Inn(keys={"openai": "sk-in-the-environment"}).named() == ("local", "smollm2-135m")


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ({"base_url": "http://127.0.0.1:8080/v1"}, ("main", "auto")),
        ({"base_url": "http://127.0.0.1:8080/v1", "model": "qwen"}, ("main", "qwen")),
        ({"api_key": "sk-ant-x", "model": "opus"}, ("anthropic", "opus")),
        ({"api_key": "sk-or-x", "model": "meta/llama"}, ("openrouter", "meta/llama")),
        ({"api_key": "sk-x", "model": "gpt"}, ("openai", "gpt")),
        ({"provider": "anthropic", "model": "opus"}, ("anthropic", "opus")),
        ({"provider": "local", "model": "smol"}, ("local", "smol")),
        ({"provider": "cellar", "model": "qwen"}, ("cellar", "qwen")),
        ({"model": "qwen"}, ("cellar", "qwen")),
    ],
)
def test_the_main_host(model: dict[str, Any], expected: tuple[str, str]) -> None:
    inn = Inn(model=model, hosts={"cellar": {"base_url": "http://127.0.0.1:1/v1"}})
    assert inn.named() == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("qwen", ("openrouter", "qwen")),
        ("meta-llama/llama-3", ("openrouter", "meta-llama/llama-3")),
        ("openrouter/meta-llama/llama-3", ("openrouter", "meta-llama/llama-3")),
        ("cellar/qwen", ("cellar", "qwen")),
        ("cellar", ("cellar", "auto")),
        ("openai/gpt", ("openai", "gpt")),
        ("anthropic/opus", ("anthropic", "opus")),
        ("local/smol", ("local", "smol")),
        ("openrouter", ("openrouter", "big")),
        (None, ("openrouter", "big")),
    ],
)
def test_names_of_hosts_and_models(name: str | None, expected: tuple[str, str]) -> None:
    inn = Inn(
        model={"provider": "openrouter", "model": "big", "api_key": "k"},
        hosts={"cellar": {"base_url": "http://127.0.0.1:1/v1"}},
    )
    assert inn.named(name) == expected


@pytest.mark.parametrize(
    ("provider", "model", "expected"),
    [
        ("auto", "auto", ("local", "main-model")),
        ("auto", "small", ("local", "small")),
        ("auto", "cellar/small", ("cellar", "small")),
        ("cellar", "small", ("cellar", "small")),
        ("cellar", "cellar/small", ("cellar", "small")),
        ("cellar", "auto", ("cellar", "auto")),
    ],
)
def test_models_for_side_tasks(provider: str, model: str, expected: tuple[str, str]) -> None:
    inn = Inn(
        model={"provider": "local", "model": "main-model"}, hosts={"cellar": {"base_url": "http://127.0.0.1:1/v1"}}
    )
    client = inn.registry.resolve_for(provider, model)
    assert (client.host, client.model) == expected


def test_a_provider_that_is_nowhere_is_an_error_of_configuration() -> None:
    with pytest.raises(ConfigurationError, match=r"model\.provider: there is no host 'cellr'.*cellar"):
        Inn(model={"provider": "cellr"}, hosts={"cellar": {"base_url": "http://127.0.0.1:1/v1"}})


def test_a_cloud_needs_a_models_name() -> None:
    with pytest.raises(ConfigurationError, match="openai: name the model"):
        Inn(model={"provider": "openai"}).registry.resolve()


def test_the_same_name_is_the_same_client() -> None:
    inn = Inn()
    assert inn.registry.resolve("local/smol") is inn.registry.resolve("local/smol")
    assert len(inn.started) == 1


def test_the_local_host_is_one_whatever_it_and_its_model_are_called() -> None:
    inn = Inn(hosts={"cellar": {"kind": "local"}})
    names = ("local", "local/auto", "local/smollm2-135m", "cellar", "cellar/smollm2-135m")
    assert len({id(inn.registry.resolve(name)) for name in names}) == 1


@pytest.mark.parametrize(
    ("name", "kind"), [("openrouter", "openai"), ("openai", "openai"), ("anthropic", "anthropic")]
)
def test_a_cloud_that_is_named_under_hosts_keeps_its_wire_address_and_key(name: str, kind: str) -> None:
    keys = {"openai": "key of openai", "openrouter": "key of openrouter", "anthropic": "key of anthropic"}
    plan = named_host(Settings.model_validate({"hosts": {name: {"concurrency": 2}}}), keys, name)
    assert plan == HostPlan(name, kind, CLOUDS[name].address, f"key of {name}", concurrency=2)


async def test_keys_go_where_they_belong(server: OpenAIServer) -> None:
    inn = Inn(
        keys={"openai": "sk-usual"},
        model={"base_url": server.base_url},
        hosts={
            "own": {"base_url": server.base_url, "api_key": "sk-own"},
            "bare": {"base_url": server.base_url},
        },
    )
    for name in (None, "own", "bare"):
        await heard(inn.registry.resolve(name))
    sent = [chat.headers["authorization"] for chat in server.chats]
    assert sent == ["Bearer none", "Bearer sk-own", "Bearer none"]
    await inn.registry.close()


async def test_one_host_takes_so_many_at_once_whatever_the_model(server: OpenAIServer) -> None:
    gate = asyncio.Event()
    server.script += [Step(text="a", gate=gate), Step(text="b")]
    inn = Inn(hosts={"cellar": {"base_url": server.base_url, "concurrency": 1}})
    answers = [asyncio.create_task(heard(inn.registry.resolve(f"cellar/{name}"), asked())) for name in ("x", "y")]
    await server.arrived(1, "/chat/completions")
    assert (inn.registry.in_flight("cellar"), inn.registry.waiting("cellar")) == (1, 1)
    assert inn.registry.in_flight("elsewhere") == 0
    gate.set()
    assert [(await answer)[0] for answer in answers] == ["a", "b"]
    assert server.most_active == 1
    assert inn.registry.in_flight("cellar") == 0
    await inn.registry.close()


async def test_the_local_server_takes_one_at_a_time() -> None:
    inn = Inn()
    answers = await asyncio.gather(*(heard(inn.registry.resolve(f"local/{name}")) for name in "ab"))
    assert [seen for seen, _ in answers] == ["from a", "from b"]
    assert max(model.most_active for model in inn.started) == 1


async def test_fallbacks_answer_for_a_host_that_refuses(server: OpenAIServer) -> None:
    server.script.append(Step(status=401, body={}))
    inn = Inn(model={"base_url": server.base_url, "fallbacks": ["local/smol"]})
    seen, reply = await heard(inn.registry.resolve())
    assert seen == "from smol"
    assert reply.notice.startswith("main did not answer (main does not accept the API key")
    assert reply.notice.endswith("; local/smol answered")
    alone = inn.registry.resolve(fallbacks=False)
    server.script.append(Step(text="better now"))
    assert (await heard(alone))[0] == "better now"
    await inn.registry.close()
    assert inn.started[0].closed


async def test_warming_and_closing(server: OpenAIServer) -> None:
    inn = Inn(model={"base_url": server.base_url})
    await inn.registry.warm()
    assert server.requests == []
    await inn.registry.close()
    await inn.registry.close()


async def test_what_the_owner_says_of_a_host_holds(server: OpenAIServer) -> None:
    hosts = {"cellar": {"base_url": server.base_url, "context_window": 777, "local": False}}
    inn = Inn(hosts=hosts, model={"provider": "cellar", "context_window": 555})
    info = await inn.registry.resolve().info()
    assert (info.window, info.local) == (555, False)
    await inn.registry.close()


async def test_what_the_local_host_keeps_of_a_session_is_erased_though_another_host_answers(tmp_path: Path) -> None:
    def local(name: str) -> ModelClient:
        return open_local(name, tmp_path / "models", tmp_path, clock=FakeClock())

    registry = HostRegistry(
        Settings.model_validate({"model": {"api_key": "sk-x", "model": "gpt"}}), FakeClock(), local
    )
    slots = tmp_path / "cache" / "slots"
    slots.mkdir(parents=True)
    kept = [slots / f"{'0' * 12}-{sha256(session.encode()).hexdigest()[:24]}.slot" for session in ("s1", "s2")]
    for path in kept:
        path.write_bytes(b"state")
    registry.forget("s1")
    assert [path.exists() for path in kept] == [False, True]
    await registry.close()
