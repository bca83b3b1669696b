"""The OpenAI-compatible client against a pretended host: bytes, tokens, errors, and what it learns of the host."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from gateway.models.client import (
    HostInfo,
    Message,
    ReadingProgress,
    Reply,
    Request,
    ToolCall,
    ToolSchema,
    Usage,
)
from gateway.models.contract import asked, heard, raised
from gateway.models.errors import (
    ContextTooLong,
    HostBusy,
    HostDown,
    HostLoading,
    KeyRefused,
    ModelError,
    ModelMissing,
    QuotaExhausted,
    RequestRefused,
    StreamBroken,
)
from gateway.models.openai_compatible import OpenAICompatible
from tests.fakes.clock import FakeClock
from tests.fakes.openai_server import OpenAIServer, Step

KEY = "sk-very-secret-0123456789"


@pytest.fixture
async def server() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer() as host:
        yield host


@pytest.fixture
async def client(server: OpenAIServer) -> AsyncIterator[OpenAICompatible]:
    made = OpenAICompatible("inn", "fake-model", server.base_url, KEY, clock=FakeClock())
    yield made
    await made.close()


async def test_the_next_request_begins_with_the_bytes_of_the_last(
    server: OpenAIServer, client: OpenAICompatible
) -> None:
    tool = ToolSchema("note", "née", {"type": "object", "properties": {"b": {}, "a": {"type": "string"}}})
    messages = (Message("system", "Du bist höflich. 茶"), Message("user", "first \ud83d"))
    await heard(client, Request(messages, (tool,), session="s"))
    call = ToolCall("c1", "note", '{"b":1,"a":"x"}')
    grown = (
        *messages,
        Message("assistant", "", (call,)),
        Message("tool", "kept", tool_call_id="c1"),
        Message("assistant", "Done."),
        Message("user", "second"),
    )
    # The tool as another object with equal content: what counts is the order in which it was written.
    await heard(client, Request(grown, (replace(tool, parameters=dict(tool.parameters)),), session="s"))
    first, second = (chat.body for chat in server.chats)
    assert first.endswith(b"]}")
    assert second.startswith(first[:-2] + b",")
    assert json.loads(second)["messages"][2]["tool_calls"][0]["function"]["arguments"] == call.arguments


async def test_usage_counts_the_whole_prompt_and_what_was_kept(
    server: OpenAIServer, client: OpenAICompatible
) -> None:
    usage = {
        "prompt_tokens": 900,
        "completion_tokens": 20,
        "prompt_tokens_details": {"cached_tokens": 880},
        "cost": 0.5,
    }
    server.script.append(Step(text="yes", usage=usage))
    _, reply = await heard(client)
    assert reply.usage == Usage(input=900, cached=880, output=20, calls=1, cost=0.5, seconds=0.0)


async def test_llama_cpp_timings_stand_in_for_missing_usage(server: OpenAIServer, client: OpenAICompatible) -> None:
    timings = {"cache_n": 80, "prompt_n": 20, "predicted_n": 5}
    events = [{"choices": [{"delta": {"content": "yes"}, "finish_reason": "stop"}], "timings": timings}]
    server.script.append(Step(events=events, usage={"prompt_tokens": 0}))
    _, reply = await heard(client)
    assert (reply.usage.input, reply.usage.cached, reply.usage.output) == (100, 80, 5)


async def test_reading_progress_is_asked_for_and_passed_on(server: OpenAIServer, client: OpenAICompatible) -> None:
    server.script.append(Step(text="yes", progress=[(256, 1000), (1000, 1000)]))
    deltas = [delta async for delta in client.stream(asked())]
    assert deltas[:2] == [ReadingProgress(256, 1000), ReadingProgress(1000, 1000)]
    assert server.chats[0].json()["return_progress"] is True


async def test_other_servers_are_not_asked_for_progress() -> None:
    async with OpenAIServer(llama_cpp=False) as server:
        client = OpenAICompatible("inn", "fake-model", server.base_url, None, clock=FakeClock())
        await heard(client)
        await heard(client)
        assert "return_progress" not in server.chats[0].json()
        assert [request.path for request in server.requests].count("/props") == 1
        await client.close()


async def test_a_request_says_what_was_asked_for(server: OpenAIServer) -> None:
    client = OpenAICompatible("inn", "fake-model", server.base_url, KEY, clock=FakeClock())
    request = replace(
        asked(tools=()),
        max_tokens=50,
        temperature=0.2,
        reasoning_effort="low",
        schema={"type": "object", "title": "\ud800"},
    )
    await heard(client, request)
    body = server.chats[0].json()
    wanted = {
        "model": "fake-model",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 50,
        "temperature": 0.2,
        "reasoning_effort": "low",
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": {"type": "object", "title": "\ufffd"}},
        },
    }
    assert {key: body[key] for key in wanted} == wanted
    assert "tools" not in body
    assert server.chats[0].headers["authorization"] == f"Bearer {KEY}"
    assert not {"openai-organization", "openai-project"} & server.chats[0].headers.keys()
    await client.close()


@pytest.mark.parametrize(
    ("step", "meaning", "said"),
    [
        (Step(status=401, body={"error": {"message": f"Incorrect API key provided: {KEY}"}}), KeyRefused, "api_key"),
        (Step(status=403, body={"error": {"message": "no access"}}), KeyRefused, "403"),
        (Step(status=402, body={"error": {"message": "Insufficient credits"}}), QuotaExhausted, "credits"),
        (Step(status=429, body={"error": {"code": "insufficient_quota", "message": "pay"}}), QuotaExhausted, "pay"),
        (Step(status=404, body={"error": {"message": "model not found"}}), ModelMissing, "'fake-model'"),
        (Step(status=429, body={"error": {"message": "slow down"}}, headers={"Retry-After": "7"}), HostBusy, "slow"),
        (Step(status=400, body={"error": {"code": "context_length_exceeded", "message": "x"}}), ContextTooLong, "x"),
        (
            Step(status=400, body={"error": {"code": 400, "type": "exceed_context_size_error", "message": "x"}}),
            ContextTooLong,
            "window",
        ),
        (Step(status=400, body={"error": {"message": f"bad field, key {KEY}"}}), RequestRefused, "bad field"),
        (Step(status=422, body={"detail": [{"msg": "wrong"}]}), RequestRefused, "wrong"),
        (Step(status=403, body={"error": {"message": "bad", "metadata": {"reasons": ["x"]}}}), RequestRefused, "bad"),
        (Step(loading="error"), HostLoading, "loading"),
        (Step(loading="status"), HostLoading, "loading"),
        (Step(status=503, body={"error": {"message": "overloaded"}}), HostDown, "overloaded"),
        (Step(status=502, body="<html><style>a{}</style><h1>Bad Gate</h1></html>"), HostDown, "502): Bad Gate"),
        (Step(status=500, body=""), HostDown, "500"),
        (Step(status=200, reset_after=0), HostDown, "does not answer at http://127.0.0.1:"),
        (Step(garbage=True), HostDown, "not JSON"),
        (Step(text="half", garbage=True, pieces=("half",)), HostDown, "not JSON"),
        (Step(finish=""), HostDown, "without an answer"),
        (Step(text="half", finish=""), StreamBroken, "broke off"),
        (Step(events=[{"error": {"code": 429, "message": "in the stream"}}]), HostBusy, "in the stream"),
        (Step(events=[{"error": {"message": "in the stream"}}]), HostDown, "in the stream"),
        (
            Step(events=[{"choices": [{"delta": {"content": "a"}}]}, {"error": {"code": 500, "message": "boom"}}]),
            StreamBroken,
            "boom",
        ),
        (Step(finish="content_filter"), RequestRefused, "filter"),
    ],
)  # fmt: skip
async def test_every_trouble_has_one_meaning_and_keeps_the_key(
    server: OpenAIServer, client: OpenAICompatible, step: Step, meaning: type[ModelError], said: str
) -> None:
    server.script.append(step)
    _, error = await raised(client)
    assert type(error) is meaning
    assert said in str(error)
    assert KEY not in repr(error)
    chained: BaseException | None = error
    while chained is not None:
        assert chained is error or chained.__suppress_context__ or KEY not in str(chained)
        chained = chained.__cause__


async def test_a_busy_host_says_how_long(server: OpenAIServer, client: OpenAICompatible) -> None:
    dated = {"Retry-After": "Fri, 15 Jan 2027 08:00:30 GMT"}  # the fake clock starts half a minute earlier
    for headers, seconds in (
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after-ms": "1500"}, 1.5),
        (dated, 30.0),
        ({}, None),
    ):
        server.script.append(Step(status=429, body={}, headers=headers))
        _, error = await raised(client)
        assert isinstance(error, HostBusy)
        assert error.retry_after == seconds


async def test_nobody_listening_is_a_host_that_is_down() -> None:
    async with OpenAIServer() as server:
        address = server.base_url
    client = OpenAICompatible("inn", "fake-model", address.replace("//", "//me:pass@"), KEY, clock=FakeClock())
    _, error = await raised(client)
    assert type(error) is HostDown
    assert address in str(error)
    assert "pass" not in str(error)
    assert await client.info() == HostInfo(local=True)
    await client.close()


async def test_reasoning_fields_stay_out_of_the_answer(server: OpenAIServer, client: OpenAICompatible) -> None:
    server.script.append(Step(text="Tea.", reasoning="They want tea."))
    seen, reply = await heard(client)
    assert seen == reply.text == "Tea."


async def test_calls_without_index_or_with_one_index_for_all_are_told_apart(
    server: OpenAIServer, client: OpenAICompatible
) -> None:
    def call(ident: str, text: str) -> dict[str, object]:
        function = {"name": "note", "arguments": {"action": "add", "content": text}}
        return {"choices": [{"delta": {"tool_calls": [{"index": 0, "id": ident, "function": function}]}}]}

    server.script.append(Step(events=[call("a", "one"), call("b", "two")], finish="tool_calls"))
    _, reply = await heard(client)
    assert [(made.id, made.parsed()["content"]) for made in reply.tool_calls] == [("a", "one"), ("b", "two")]


async def test_a_call_sent_natively_and_as_text_is_one_call(server: OpenAIServer, client: OpenAICompatible) -> None:
    arguments = {"action": "add", "content": "tea"}
    text = json.dumps({"name": "note", "arguments": arguments})
    server.script.append(Step(text=text, calls=[{"name": "note", "arguments": arguments}]))
    seen, reply = await heard(client)
    assert len(reply.tool_calls) == 1
    assert seen == reply.text == ""


async def test_an_argument_that_repeats_itself_is_cut_and_reported(
    server: OpenAIServer, client: OpenAICompatible
) -> None:
    server.script.append(Step(calls=[{"name": "note", "arguments": '{"action": "add", "content": "' + "so " * 3000}]))
    _, reply = await heard(client)
    assert reply.tool_calls == ()
    assert reply.finish == "repetition"
    assert "repeated themselves" in reply.misfires[0]


async def test_an_answer_without_a_limit_is_cut_in_the_end(server: OpenAIServer, client: OpenAICompatible) -> None:
    words = random.Random(7)
    server.script.append(Step(pieces=["".join(words.choices("abcdefgh \n", k=9_000)) for _ in range(60)]))
    _, reply = await heard(client)
    assert reply.finish == "length"
    assert 190_000 < len(reply.text) < 210_000
    assert reply.usage.output > 40_000  # estimated: the host was stopped before it could count
    server.script.append(Step(pieces=["".join(words.choices("abcdefgh \n", k=9_000)) for _ in range(60)]))
    _, reply = await heard(client, replace(asked(), max_tokens=1_000_000))
    assert (reply.finish, len(reply.text) > 500_000) == ("stop", True)


async def test_half_an_emoji_waits_for_its_other_half(server: OpenAIServer, client: OpenAICompatible) -> None:
    server.script.append(Step(pieces=["tea \ud83c", "\udf75!"]))
    seen, reply = await heard(client)
    assert seen == reply.text == "tea 🍵!"


async def test_auto_takes_the_model_that_is_served(server: OpenAIServer) -> None:
    client = OpenAICompatible("inn", "auto", server.base_url, None, clock=FakeClock())
    _, reply = await heard(client)
    assert client.model == reply.model == "fake-model"
    assert server.chats[0].json()["model"] == "fake-model"
    await client.close()


async def test_info_from_llama_cpp(server: OpenAIServer, client: OpenAICompatible) -> None:
    assert await client.info() == HostInfo(window=8192, tools=True, local=True)
    asked_so_far = len(server.requests)
    await client.info()
    assert len(server.requests) == asked_so_far


async def test_a_template_without_tools_means_assisted_mode(server: OpenAIServer, client: OpenAICompatible) -> None:
    server.template = "{% for message in messages %}{{ message.content }}{% endfor %}"
    assert (await client.info()).tools is False


async def test_info_waits_for_a_host_that_loads(server: OpenAIServer, client: OpenAICompatible) -> None:
    server.loading = "error"
    assert await client.info() == HostInfo(local=True)
    server.loading = ""
    assert (await client.info()).window == 8192


async def test_info_from_a_list_of_models_and_from_the_owner() -> None:
    async with OpenAIServer(llama_cpp=False, window=32_768) as server:
        told = OpenAICompatible("inn", "fake-model", server.base_url, None, clock=FakeClock(), local=False)
        assert await told.info() == HostInfo(window=32_768)
        owned = OpenAICompatible("inn", "fake-model", server.base_url, None, clock=FakeClock(), window=100)
        assert (await owned.info()).window == 100
        await told.close()
        await owned.close()


async def test_a_stream_ends_with_its_reply_even_if_the_host_says_more(
    server: OpenAIServer, client: OpenAICompatible
) -> None:
    server.script.append(Step(events=["[DONE]"], text="never read"))
    _, error = await raised(client)
    assert type(error) is HostDown
    server.script.append(Step(text="fine"))
    assert isinstance([delta async for delta in client.stream(asked())][-1], Reply)
