"""The messages format of Anthropic: a request's body with its cache breakpoints, and what the stream's events mean.

Pure. The prefix that is cached is tools, then system, then messages; breakpoints say up to where it is worth keeping.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from gateway.models.client import Message, Request, ToolCall, Usage
from gateway.models.openai_wire import plain
from gateway.models.pictures import Shown
from gateway.models.pieces import CallPart, Ended, Piece, Spent, Thought, Words, joined_halves

DEFAULT_MAX_TOKENS = 8192
"""The format demands a limit; this one every current model accepts."""
_EFFORTS = frozenset({"low", "medium", "high", "xhigh", "max"})
_FINISH = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "filtered",
}
_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
_CACHE = {"type": "ephemeral"}

Block = dict[str, Any]


def body(request: Request, model: str, shown: Shown | None = None) -> dict[str, Any]:
    """The JSON body. At most three breakpoints of the four allowed: the system prompt, where the previous request
    ended, and the end. Free of lone surrogates. `shown` holds the pictures that the host is to see."""
    made: dict[str, Any] = {"model": model, "stream": True, "max_tokens": request.max_tokens or DEFAULT_MAX_TOKENS}
    if request.temperature is not None:
        made["temperature"] = request.temperature
    output: dict[str, Any] = {}
    if request.reasoning_effort in _EFFORTS:
        output["effort"] = request.reasoning_effort
    if request.schema is not None:
        output["format"] = {"type": "json_schema", "schema": plain(request.schema)}
    if output:
        made["output_config"] = output
    if request.tools:
        made["tools"] = [
            {
                "name": tool.name,
                "description": joined_halves(tool.description),
                "input_schema": plain(tool.parameters),
            }
            for tool in request.tools
        ]
    head, rest = _system(request.messages)
    if head:
        made["system"] = [{"type": "text", "text": head, "cache_control": _CACHE}]
    made["messages"] = _turns(rest, shown or {})
    return made


def _system(messages: tuple[Message, ...]) -> tuple[str, tuple[Message, ...]]:
    if messages and messages[0].role == "system":
        return joined_halves(messages[0].content), messages[1:]
    return "", messages


def _turns(messages: tuple[Message, ...], shown: Shown) -> list[dict[str, Any]]:
    """Messages as alternating turns of blocks; results of tools are blocks of the person's turn."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message, shown)
        if not blocks:
            continue  # the format refuses empty text
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"].extend(blocks)
        else:
            turns.append({"role": role, "content": blocks})
    # The last request ended before the newest assistant turn: its end is in the cache already.
    for position in (-1, -3):
        if len(turns) >= -position:
            turns[position]["content"][-1] = {**turns[position]["content"][-1], "cache_control": _CACHE}
    return turns


def _blocks(message: Message, shown: Shown) -> list[Block]:
    text = joined_halves(message.content)
    if message.role == "tool":
        result = {"type": "tool_result", "tool_use_id": _id(message.tool_call_id or ""), "content": text}
        return [result]
    seen = [each for each in message.pictures if each.path in shown]
    blocks: list[Block] = [_image(each.media_type, shown[each.path]) for each in seen]
    blocks += [{"type": "text", "text": text}] if text.strip() else []
    return blocks + [_use(call) for call in message.tool_calls]


def _image(media_type: str, data: str) -> Block:
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def _use(call: ToolCall) -> Block:
    return {"type": "tool_use", "id": _id(call.id), "name": call.name, "input": plain(call.parsed())}


def _id(text: str) -> str:
    """An id in the letters that the format allows; ids of calls may stem from another host."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", text) or "call"


def status_of(kind: object) -> int:
    """The HTTP status that an error type in a stream stands for."""
    return _STATUS.get(str(kind), 500)


class Events:
    """Reads one stream's events in order; the counts of tokens come in instalments and are added up here."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def pieces(self, event: object) -> Iterator[Piece]:
        if not isinstance(event, Mapping):
            return
        match event.get("type"):
            case "message_start":
                message = event.get("message")
                yield from self._spent(message.get("usage") if isinstance(message, Mapping) else None)
            case "content_block_start":
                yield from _started(_index(event), event.get("content_block"))
            case "content_block_delta":
                yield from _continued(_index(event), event.get("delta"))
            case "message_delta":
                yield from self._spent(event.get("usage"))
                delta = event.get("delta")
                finish = delta.get("stop_reason") if isinstance(delta, Mapping) else None
                if isinstance(finish, str):
                    yield Ended(_FINISH.get(finish, "stop"))
            case _:
                return

    def _spent(self, usage: object) -> Iterator[Piece]:
        if not isinstance(usage, Mapping):
            return
        for key, value in usage.items():
            if isinstance(value, int) and not isinstance(value, bool):
                self._counts[key] = value
        cached = self._counts.get("cache_read_input_tokens", 0)
        made = self._counts.get("cache_creation_input_tokens", 0)
        read = self._counts.get("input_tokens", 0) + cached + made
        yield Spent(Usage(read, cached, self._counts.get("output_tokens", 0)))


def _started(index: int, block: object) -> Iterator[Piece]:
    if not isinstance(block, Mapping):
        return
    if block.get("type") == "tool_use":
        yield CallPart(index, str(block.get("id") or ""), str(block.get("name") or ""))
    elif block.get("type") == "text" and block.get("text"):
        yield Words(str(block["text"]))


def _continued(index: int, delta: object) -> Iterator[Piece]:
    if not isinstance(delta, Mapping):
        return
    match delta.get("type"):
        case "text_delta":
            yield Words(str(delta.get("text") or ""))
        case "input_json_delta":
            yield CallPart(index, arguments=str(delta.get("partial_json") or ""))
        case "thinking_delta":
            yield Thought(str(delta.get("thinking") or ""))
        case _:
            return


def _index(event: Mapping[str, Any]) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else 0
