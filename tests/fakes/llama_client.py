"""The least client for a llama server: enough to test what starts and watches one."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

import httpx

from gateway.models.client import Delta, HostInfo, Reply, Request, TextDelta, Usage
from gateway.models.errors import HostDown, StreamBroken


class LlamaClient:
    """One streamed chat completion at a time; a broken connection is HostDown before the first word, else
    StreamBroken."""

    def __init__(self, base_url: str, key: str) -> None:
        self._http = httpx.AsyncClient(
            base_url=base_url, headers={"Authorization": f"Bearer {key}"}, timeout=120, trust_env=False
        )

    host = "inner"
    model = "inner"

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        text, usage, finish = "", Usage(), "stop"
        try:
            async with self._http.stream("POST", "/chat/completions", json=_body(request)) as answer:
                if answer.status_code != 200:
                    raise HostDown(f"status {answer.status_code}")
                async for line in answer.aiter_lines():
                    if not line.startswith("data: {"):
                        continue
                    chunk = json.loads(line[6:])
                    usage = _usage(chunk) or usage
                    for choice in chunk.get("choices", []):
                        finish = choice.get("finish_reason") or finish
                        piece = choice.get("delta", {}).get("content") or ""
                        text += piece
                        if piece:
                            yield TextDelta(piece)
        except httpx.HTTPError as error:
            raise (StreamBroken if text else HostDown)(f"{type(error).__name__}") from error
        yield Reply(text, usage=usage, finish=finish)

    async def info(self) -> HostInfo:
        return HostInfo(local=True)

    async def close(self) -> None:
        await self._http.aclose()


def _body(request: Request) -> dict[str, Any]:
    body: dict[str, Any] = {
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
        "stream": True,
        "stream_options": {"include_usage": True},
        "return_progress": True,
    }
    if request.max_tokens:
        body["max_tokens"] = request.max_tokens
    return body


def _usage(chunk: dict[str, Any]) -> Usage | None:
    usage = chunk.get("usage")
    if not usage:
        return None
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    return Usage(input=usage["prompt_tokens"], cached=cached, output=usage["completion_tokens"], calls=1)
