"""The chat-completions format that OpenAI-compatible servers share: a request's body, and what its events mean.

Pure. The body of a session's next request begins with the bytes of the one before it: fixed order, messages last.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gateway.models.client import HostInfo, Message, Request, ToolSchema, Usage
from gateway.models.pictures import Shown
from gateway.models.pieces import CallPart, Ended, Piece, Reading, Spent, Thought, Words, joined_halves

_FINISH = {
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "filtered",
}
_WINDOW_KEYS = (
    "max_model_len",  # vLLM
    "loaded_context_length",  # LM Studio
    "context_length",  # OpenRouter
    "max_context_length",
    "context_window",
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """Where one server differs from the rest. `progress`: llama.cpp, which reports how far it has read.

    `official`: OpenAI itself, which wants `max_completion_tokens` and takes a key for its prompt cache.
    """

    progress: bool = False
    official: bool = False


def body(request: Request, model: str, dialect: Dialect, shown: Shown | None = None) -> dict[str, Any]:
    """The JSON body, in the order in which it is to be written. Free of lone surrogates. `shown` holds the pictures
    that the host is to see."""
    made: dict[str, Any] = {"model": model, "stream": True, "stream_options": {"include_usage": True}}
    if dialect.progress:
        made["return_progress"] = True
    if dialect.official and request.session:
        made["prompt_cache_key"] = request.session
    if request.max_tokens is not None:
        made["max_completion_tokens" if dialect.official else "max_tokens"] = request.max_tokens
    if request.temperature is not None:
        made["temperature"] = request.temperature
    if request.reasoning_effort is not None:
        made["reasoning_effort"] = request.reasoning_effort
    if request.schema is not None:
        shape = {"name": "answer", "schema": plain(request.schema)}
        made["response_format"] = {"type": "json_schema", "json_schema": shape}
    if request.tools:
        made["tools"] = [_tool(tool) for tool in request.tools]
    made["messages"] = [_message(message, shown or {}) for message in request.messages]
    return made


def plain(value: Any) -> Any:
    """Mappings and sequences as dicts and lists, text as it can be encoded."""
    if isinstance(value, str):
        return joined_halves(value)
    if isinstance(value, Mapping):
        return {joined_halves(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [plain(item) for item in value]
    return value


def _tool(tool: ToolSchema) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": joined_halves(tool.description),
        "parameters": plain(tool.parameters),
    }
    return {"type": "function", "function": function}


def _message(message: Message, shown: Shown) -> dict[str, Any]:
    made: dict[str, Any] = {"role": message.role, "content": joined_halves(message.content)}
    pictures = [_image(each.media_type, shown[each.path]) for each in message.pictures if each.path in shown]
    if pictures:
        made["content"] = [{"type": "text", "text": made["content"]}, *pictures]
    if message.tool_calls:
        made["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": joined_halves(call.arguments)},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        made["tool_call_id"] = message.tool_call_id
    return made


def _image(media_type: str, data: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:{media_type};base64,{data}"}}


def pieces(event: object) -> Iterator[Piece]:
    """What one streamed event says. Unknown fields and odd types are passed over."""
    if not isinstance(event, dict):
        return
    progress = event.get("prompt_progress")
    if isinstance(progress, dict):
        yield Reading(_count(progress.get("processed")), _count(progress.get("total")))
    for choice in event.get("choices") or ():
        if isinstance(choice, dict):
            yield from _choice(choice)
    usage, timings = event.get("usage"), event.get("timings")
    if isinstance(usage, dict) or isinstance(timings, dict):
        yield Spent(_usage(usage or {}, timings if isinstance(timings, dict) else {}))


def _choice(choice: dict[str, Any]) -> Iterator[Piece]:
    delta = choice.get("delta") or choice.get("message") or {}
    thought = delta.get("reasoning_content") or delta.get("reasoning")
    if isinstance(thought, str) and thought:
        yield Thought(thought)
    text = _text(delta.get("content")) or _text(delta.get("refusal"))
    if text:
        yield Words(text)
    for position, call in enumerate(delta.get("tool_calls") or ()):
        if isinstance(call, dict):
            yield _call_part(call, position)
    finish = choice.get("finish_reason")
    if isinstance(finish, str) and finish:
        yield Ended(_FINISH.get(finish, "stop"))


def _call_part(call: dict[str, Any], position: int) -> CallPart:
    index = call.get("index")
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    arguments = function.get("arguments") or ""
    return CallPart(
        index if isinstance(index, int) else position,
        str(call.get("id") or ""),
        str(function.get("name") or ""),
        arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False),
    )


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(
            part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    return ""


def _usage(usage: dict[str, Any], timings: dict[str, Any]) -> Usage:
    details = usage.get("prompt_tokens_details")
    details = details if isinstance(details, dict) else {}
    reused = _count(timings.get("cache_n"))
    read = _count(usage.get("prompt_tokens")) or reused + _count(timings.get("prompt_n"))
    written = _count(usage.get("completion_tokens")) or _count(timings.get("predicted_n"))
    cost = usage.get("cost")
    return Usage(
        input=read,
        cached=min(_count(details.get("cached_tokens")) or reused, read),
        output=written,
        cost=float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) else None,
    )


def _count(value: object) -> int:
    return int(value) if isinstance(value, int | float) and value > 0 else 0


def info_from_props(props: Mapping[str, Any], info: HostInfo) -> HostInfo:
    """What llama.cpp's `/props` adds: the window of one slot, whether the template knows tools, whether it sees."""
    settings = props.get("default_generation_settings")
    window = _count(settings.get("n_ctx")) if isinstance(settings, Mapping) else 0
    caps, template = props.get("chat_template_caps"), props.get("chat_template")
    tools = info.tools
    if isinstance(caps, Mapping) and isinstance(caps.get("supports_tools"), bool):
        tools = caps["supports_tools"]
    elif isinstance(template, str) and template:
        tools = "tool" in template
    modalities = props.get("modalities")
    sees = isinstance(modalities, Mapping) and modalities.get("vision") is True
    return HostInfo(info.window or window or None, tools, info.local, sees)


def served(models: object) -> list[dict[str, Any]]:
    """The entries of `/models`, in the server's order; empty for anything else."""
    data = models.get("data") if isinstance(models, Mapping) else None
    return [each for each in data if isinstance(each, dict) and each.get("id")] if isinstance(data, list) else []


def window_of(entry: Mapping[str, Any]) -> int | None:
    """The window that an entry of `/models` states, in tokens."""
    return next((count for key in _WINDOW_KEYS if (count := _count(entry.get(key)))), None)
