"""The Anthropic client against its pretended host."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from gateway.models.anthropic import USUAL_WINDOW, AnthropicClient
from gateway.models.client import HostInfo, Message, Request, ToolCall, Usage
from gateway.models.contract import NOTE, heard, raised
from gateway.models.errors import (
    ContextTooLong,
    HostBusy,
    HostDown,
    KeyRefused,
    ModelError,
    QuotaExhausted,
    RequestRefused,
    StreamBroken,
)
from tests.fakes.anthropic_server import AnthropicServer, Step
from tests.fakes.clock import FakeClock

KEY = "sk-ant-secret-0123456789"


@pytest.fixture
async def server() -> AsyncIterator[AnthropicServer]:
    async with AnthropicServer(window=500_000) as host:
        yield host


@pytest.fixture
async def client(server: AnthropicServer) -> AsyncIterator[AnthropicClient]:
    made = AnthropicClient("claude", "opus", KEY, clock=FakeClock(), base_url=server.root + "/v1")
    yield made
    await made.close()


async def test_a_conversation_becomes_turns_of_blocks_with_breakpoints(
    server: AnthropicServer, client: AnthropicClient
) -> None:
    request = Request(
        (
            Message("system", "Be kind."),
            Message("user", "Keep tea and milk."),
            Message(
                "assistant", "Gladly.", (ToolCall("a.1", "note", '{"content":"tea"}'), ToolCall("b", "note", "{}"))
            ),
            Message("tool", "kept", tool_call_id="a.1"),
            Message("tool", "failed", tool_call_id="b"),
            Message("assistant", ""),
            Message("user", "Thanks \ud83d."),
        ),
        (NOTE,),
        max_tokens=99,
        reasoning_effort="high",
        schema={"type": "object"},
    )
    await heard(client, request)
    body = server.requests[0].json()
    kept = {"type": "ephemeral"}
    assert body["system"] == [{"type": "text", "text": "Be kind.", "cache_control": kept}]
    assert body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "Keep tea and milk.", "cache_control": kept}]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Gladly."},
                {"type": "tool_use", "id": "a_1", "name": "note", "input": {"content": "tea"}},
                {"type": "tool_use", "id": "b", "name": "note", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a_1", "content": "kept"},
                {"type": "tool_result", "tool_use_id": "b", "content": "failed"},
                {"type": "text", "text": "Thanks \ufffd.", "cache_control": kept},
            ],
        },
    ]
    assert body["tools"][0]["input_schema"] == NOTE.parameters
    assert (body["max_tokens"], body["stream"]) == (99, True)
    assert body["output_config"] == {
        "effort": "high",
        "format": {"type": "json_schema", "schema": {"type": "object"}},
    }
    headers = server.requests[0].headers
    assert KEY in (headers.get("x-api-key"), headers.get("authorization", "").removeprefix("Bearer "))


async def test_the_next_request_extends_the_cached_prefix(server: AnthropicServer, client: AnthropicClient) -> None:
    messages = [Message("system", "Be kind."), Message("user", "one")]
    await heard(client, Request(tuple(messages), (NOTE,)))
    await heard(client, Request((*messages, Message("assistant", "1"), Message("user", "two")), (NOTE,)))
    first, second = (request.json() for request in server.requests)
    assert second["messages"][0] == first["messages"][0]  # the end of the first is a breakpoint of the second
    assert (second["system"], second["tools"]) == (first["system"], first["tools"])


async def test_usage_counts_what_was_read_from_and_written_to_the_cache(
    server: AnthropicServer, client: AnthropicClient
) -> None:
    counts = {
        "input_tokens": 12,
        "cache_read_input_tokens": 900,
        "cache_creation_input_tokens": 88,
        "output_tokens": 33,
    }
    server.script.append(Step(pieces=["yes"], usage=counts))
    _, reply = await heard(client)
    assert reply.usage == Usage(input=1000, cached=900, output=33, calls=1)


@pytest.mark.parametrize(
    ("stop", "finish"),
    [("end_turn", "stop"), ("max_tokens", "length"), ("stop_sequence", "stop"), ("refusal", "stop")],
)
async def test_reasons_for_the_end(server: AnthropicServer, client: AnthropicClient, stop: str, finish: str) -> None:
    server.script.append(Step(pieces=["yes"], stop_reason=stop, thinking="hm"))
    seen, reply = await heard(client)
    assert (seen, reply.finish) == ("yes", finish)


def failed(status: int, kind: str, message: str) -> Step:
    return Step(status=status, body={"type": "error", "error": {"type": kind, "message": message}})


@pytest.mark.parametrize(
    ("step", "meaning"),
    [
        (failed(401, "authentication_error", f"invalid x-api-key {KEY}"), KeyRefused),
        (failed(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), ContextTooLong),
        (failed(413, "request_too_large", "Request exceeds the maximum size"), ContextTooLong),
        (failed(400, "invalid_request_error", "Your credit balance is too low"), QuotaExhausted),
        (failed(400, "invalid_request_error", f"temperature: bad {KEY}"), RequestRefused),
        (failed(529, "overloaded_error", "Overloaded"), HostBusy),
        (failed(500, "api_error", "Internal server error"), HostDown),
        (Step(error=("overloaded_error", "Overloaded")), HostBusy),
        (Step(pieces=["half"], error=("overloaded_error", "Overloaded")), StreamBroken),
        (Step(stop_reason="refusal"), RequestRefused),
        (Step(reset_after=0), HostDown),
    ],
)
async def test_every_trouble_has_one_meaning_and_keeps_the_key(
    server: AnthropicServer, client: AnthropicClient, step: Step, meaning: type[ModelError]
) -> None:
    server.script.append(step)
    _, error = await raised(client)
    assert type(error) is meaning
    assert KEY not in repr(error)


async def test_the_window_is_the_owners_the_servers_or_the_usual_one(server: AnthropicServer) -> None:
    async def window(owners: int | None, address: str) -> HostInfo:
        client = AnthropicClient(
            "claude", "opus", KEY, clock=FakeClock(), base_url=address, window=owners, local=False
        )
        found = await client.info()
        await client.close()
        return found

    assert await window(50_000, server.root) == HostInfo(window=50_000, sees=True)
    assert await window(None, server.root) == HostInfo(window=500_000, sees=True)
    server.window = None
    assert (await window(None, server.root)).window == USUAL_WINDOW
    assert (await window(None, "http://127.0.0.1:9")).window == USUAL_WINDOW
