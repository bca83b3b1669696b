"""Anthropic's messages API on loopback, as far as a client for chats and tools uses it."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gateway.clock import Clock, SystemClock
from tests.fakes.loopback_http import Answering, LoopbackServer, Recorded


@dataclass
class Step:
    """The answer to one request. `error` is a (type, message) sent within the stream, after the pieces.

    `reset_after` and `hang_after` count pieces; `status` above 200 answers with `body`.
    """

    pieces: Sequence[str] = ()
    calls: Sequence[dict[str, Any]] = ()
    thinking: str = ""
    stop_reason: str = ""
    usage: dict[str, int] = field(default_factory=dict)
    silence: float = 0.0
    gate: asyncio.Event | None = None
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    error: tuple[str, str] | None = None
    reset_after: int | None = None
    hang_after: int | None = None
    endless: str = ""


class AnthropicServer(LoopbackServer):
    """`script` holds the next answers; when it is empty the answer is "Hello."."""

    def __init__(self, script: Sequence[Step] = (), *, clock: Clock | None = None, window: int | None = None) -> None:
        super().__init__()
        self.script = deque(script)
        self.clock = clock or SystemClock()
        self.window = window

    async def __aenter__(self) -> AnthropicServer:
        await self.start()
        return self

    async def handle(self, request: Recorded, answer: Answering) -> None:
        if request.path.startswith("/v1/models/"):
            await answer.whole(200, {"id": request.path[11:], "type": "model", "max_input_tokens": self.window})
        elif request.path == "/v1/messages":
            await self._messages(self.script.popleft() if self.script else Step(pieces=["Hello."]), answer)
        else:
            await answer.whole(404, {"type": "error", "error": {"type": "not_found_error", "message": "Not found"}})

    async def _messages(self, step: Step, answer: Answering) -> None:
        if step.status != 200:
            await answer.whole(step.status, step.body, headers=step.headers)
            return
        if step.silence:
            await self.clock.sleep(step.silence)
        if step.reset_after == 0:
            answer.reset()
            return
        await answer.start_events()
        usage = {
            "input_tokens": 10,
            "cache_read_input_tokens": 0,
            "cache_creation_input_tokens": 0,
            "output_tokens": 1,
        }
        message: dict[str, Any] = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "content": [],
            "model": "fake",
        }
        message["usage"] = usage | {key: value for key, value in step.usage.items() if key != "output_tokens"}
        await _event(answer, "message_start", message=message)
        await _event(answer, "ping")
        if step.gate is not None:
            await step.gate.wait()
        if await self._blocks(step, answer):
            stop = step.stop_reason or ("tool_use" if step.calls else "end_turn")
            spent = {"output_tokens": step.usage.get("output_tokens", 7)}
            await _event(answer, "message_delta", delta={"stop_reason": stop, "stop_sequence": None}, usage=spent)
            await _event(answer, "message_stop")
            await answer.end_events()

    async def _blocks(self, step: Step, answer: Answering) -> bool:
        if step.thinking:
            await _event(answer, "content_block_start", index=0, content_block={"type": "thinking", "thinking": ""})
            delta = {"type": "thinking_delta", "thinking": step.thinking}
            await _event(answer, "content_block_delta", index=0, delta=delta)
            await _event(answer, "content_block_stop", index=0)
        await _event(answer, "content_block_start", index=1, content_block={"type": "text", "text": ""})
        for number, piece in enumerate([*step.pieces, *([None] if step.reset_after or step.hang_after else [])]):
            if step.reset_after == number:
                answer.reset()
                return False
            if step.hang_after == number:
                await asyncio.Event().wait()
            if piece is not None:
                await _event(answer, "content_block_delta", index=1, delta={"type": "text_delta", "text": piece})
        while step.endless:
            delta = {"type": "text_delta", "text": step.endless}
            await _event(answer, "content_block_delta", index=1, delta=delta)
            await asyncio.sleep(0)
        await _event(answer, "content_block_stop", index=1)
        for index, call in enumerate(step.calls, 2):
            await self._call(index, call, answer)
        if step.error is not None:
            kind, words = step.error
            await _event(answer, "error", error={"type": kind, "message": words})
            await answer.end_events()
            return False
        return True

    async def _call(self, index: int, call: dict[str, Any], answer: Answering) -> None:
        block = {"type": "tool_use", "id": call.get("id", f"toolu_{index}"), "name": call["name"], "input": {}}
        await _event(answer, "content_block_start", index=index, content_block=block)
        arguments = call.get("arguments", "{}")
        arguments = arguments if isinstance(arguments, str) else json.dumps(arguments)
        half = len(arguments) // 2
        for part in (arguments[:half], arguments[half:]):
            delta = {"type": "input_json_delta", "partial_json": part}
            await _event(answer, "content_block_delta", index=index, delta=delta)
        await _event(answer, "content_block_stop", index=index)


async def _event(answer: Answering, kind: str, **fields: Any) -> None:
    await answer.event({"type": kind, **fields}, kind)
