"""An OpenAI-compatible model host on loopback, in the manner of llama.cpp's server; it can misbehave on request.

In a test: `async with OpenAIServer() as host`, then `host.script.append(Step(...))`. As a process, for tests that
kill the gateway: `python -m tests.fakes.openai_server --port 0`, which prints its address and echoes what it hears.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import re
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gateway.clock import Clock, SystemClock
from tests.fakes.loopback_http import Answering, LoopbackServer, Recorded

LOADING = {
    "error": {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}},
    "status": {"status": "loading model"},
}
"""The two bodies that llama.cpp's versions send with status 503."""


@dataclass
class Step:
    """The answer to one chat request. Seconds are the server's clock's.

    `text` may come in `pieces`; `events` are sent as they are, before anything else. `gate` must be set before the
    first piece, `silence` is waited for before it, `delay` before each. `status` and above 200 answers with `body`.
    `reset_after` pieces the connection is torn down; `hang_after` pieces nothing more comes; `endless` is repeated
    until the client hangs up; `garbage` sends broken JSON; `finish` "" leaves the reason out.
    """

    text: str = ""
    pieces: Sequence[str] = ()
    calls: Sequence[dict[str, Any]] = ()
    reasoning: str = ""
    events: Sequence[Any] = ()
    progress: Sequence[tuple[int, int]] = ()
    finish: str | None = None
    usage: dict[str, Any] | None = None
    silence: float = 0.0
    delay: float = 0.0
    gate: asyncio.Event | None = None
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    loading: str = ""
    reset_after: int | None = None
    hang_after: int | None = None
    endless: str = ""
    garbage: bool = False

    def parts(self) -> list[str]:
        return list(self.pieces) or ([self.text] if self.text else [])


class OpenAIServer(LoopbackServer):
    """`script` holds the next answers; when it is empty, `otherwise` (a function of the request's JSON) answers."""

    def __init__(
        self,
        script: Sequence[Step] = (),
        *,
        clock: Clock | None = None,
        model: str = "fake-model",
        llama_cpp: bool = True,
        window: int = 8192,
        otherwise: Callable[[dict[str, Any]], Step] | None = None,
        sees: bool = False,
        hears: str = "",
    ) -> None:
        """`sees` is what `/props` says of pictures; `hears` is what every recording says, for a host that listens."""
        super().__init__()
        self.script = deque(script)
        self.clock = clock or SystemClock()
        self.model = model
        self.llama_cpp = llama_cpp
        self.window = window
        self.otherwise = otherwise or echo
        self.template = "{% if tools %}{{ tools }}{% endif %}"
        self.loading = ""
        self.sees = sees
        self.hears = hears
        self._last_prompt = ""

    @property
    def base_url(self) -> str:
        return f"{self.root}/v1"

    @property
    def chats(self) -> list[Recorded]:
        """The chat requests alone."""
        return [request for request in self.requests if request.path.endswith("/chat/completions")]

    async def __aenter__(self) -> OpenAIServer:
        await self.start()
        return self

    async def handle(self, request: Recorded, answer: Answering) -> None:
        path = request.path.partition("?")[0]
        if path == "/health" and not self.loading:
            await answer.whole(200, {"status": "ok"})
        elif self.loading:
            await answer.whole(503, LOADING[self.loading])
        elif path.endswith("/chat/completions"):
            given = request.json()
            await self._chat(self.script.popleft() if self.script else self.otherwise(given), given, answer)
        elif path.endswith("/models"):
            entry = {"id": self.model, "object": "model"} | ({} if self.llama_cpp else {"max_model_len": self.window})
            await answer.whole(200, {"object": "list", "data": [entry]})
        elif self.llama_cpp and path == "/props":
            settings = {"n_ctx": self.window, "params": {}}
            props = {"default_generation_settings": settings, "chat_template": self.template}
            await answer.whole(200, props | {"modalities": {"vision": self.sees, "audio": False}})
        elif self.hears and path.endswith("/audio/transcriptions"):
            await answer.whole(200, {"text": self.hears})
        elif self.llama_cpp and path == "/slots":
            await answer.whole(200, [{"id": 0, "n_ctx": self.window, "is_processing": self._answering() > 0}])
        else:
            await answer.whole(404, {"error": {"code": 404, "message": "File Not Found", "type": "not_found_error"}})

    def _answering(self) -> int:
        return sum(not request.done.is_set() for request in self.chats)

    async def _chat(self, step: Step, given: dict[str, Any], answer: Answering) -> None:
        if step.loading:
            await answer.whole(503, LOADING[step.loading])
            return
        if step.status != 200:
            await answer.whole(step.status, step.body, headers=step.headers, content_type=step.content_type)
            return
        if step.silence and not step.progress:
            await self.clock.sleep(step.silence)
        if step.reset_after == 0:
            answer.reset()
            return
        await answer.start_events()
        await self._reading(step, given, answer)
        if step.gate is not None:
            await step.gate.wait()
        for event in step.events:
            await answer.event(event)
        if step.garbage:
            await answer.event('{"choices": [{"delta": {"content": "bro')
        if step.reasoning:
            await answer.event(_chunk({"reasoning_content": step.reasoning}))
        if await self._talking(step, answer):
            await self._ending(step, given, answer)

    async def _reading(self, step: Step, given: dict[str, Any], answer: Answering) -> None:
        await answer.event(_chunk({"role": "assistant", "content": None}))
        progress = step.progress or ([(1, 1)] if self.llama_cpp else [])
        for done, total in progress if given.get("return_progress") else ():
            if step.silence and step.progress:
                await self.clock.sleep(step.silence)
            await answer.event(
                {"choices": [], "prompt_progress": {"total": total, "cache": 0, "processed": done, "time_ms": 1}}
            )

    async def _talking(self, step: Step, answer: Answering) -> bool:
        """Send the text and the calls; False when the connection was given up on the way."""
        for number, part in enumerate(step.parts()):
            if step.reset_after == number:
                answer.reset()
                return False
            if step.hang_after == number:
                await asyncio.Event().wait()
            if step.delay:
                await self.clock.sleep(step.delay)
            await answer.event(_chunk({"content": part}))
        if step.reset_after is not None:
            answer.reset()
            return False
        if step.hang_after is not None:
            await asyncio.Event().wait()
        while step.endless:
            await answer.event(_chunk({"content": step.endless}))
            await asyncio.sleep(0)
        for index, call in enumerate(step.calls):
            await self._call(index, call, answer)
        return True

    async def _call(self, index: int, call: dict[str, Any], answer: Answering) -> None:
        """A native call in three events, as servers send it: head, half of the arguments, the other half."""
        arguments = call.get("arguments", "{}")
        arguments = arguments if isinstance(arguments, str) else json.dumps(arguments)
        half = len(arguments) // 2
        head = {"name": call["name"], "arguments": ""}
        parts: list[dict[str, Any]] = [
            {"index": index, "id": call.get("id", f"id{index}"), "type": "function", "function": head},
            {"index": index, "function": {"arguments": arguments[:half]}},
            {"index": index, "function": {"arguments": arguments[half:]}},
        ]
        for part in parts:
            await answer.event(_chunk({"tool_calls": [part]}))

    async def _ending(self, step: Step, given: dict[str, Any], answer: Answering) -> None:
        finish = step.finish if step.finish is not None else "tool_calls" if step.calls else "stop"
        if finish:
            await answer.event(_chunk({}, finish))
            prompt = json.dumps(given["messages"])
            kept = _common(prompt, self._last_prompt)
            self._last_prompt = prompt
            usage = step.usage or {
                "prompt_tokens": len(prompt) // 4 + 1,
                "completion_tokens": sum(map(len, step.parts())) // 4 + 1,
                "prompt_tokens_details": {"cached_tokens": kept // 4},
            }
            await answer.event({"choices": [], "usage": usage})
            await answer.event("[DONE]")
        await answer.end_events()


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their start."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if one[:middle] == other[:middle] else (least, middle - 1)
    return least


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "fake-model",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def words_of(content: Any) -> str:
    """The words of a message, which may have pictures beside them."""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def echo(given: dict[str, Any]) -> Step:
    """Says what the person said last. A text with `[tool]` is answered by the first tool with `{"key": ID}` once,
    ID being what follows `#` in the text."""
    messages = given["messages"]
    last = max((i for i, message in enumerate(messages) if message["role"] == "user"), default=0)
    text = words_of(messages[last]["content"]) if messages else ""
    answered = any(message["role"] == "tool" for message in messages[last:])
    if "[tool]" in text and given.get("tools") and not answered:
        named = re.search(r"#(\w+)", text)
        key = named[1] if named else ""
        name = given["tools"][0]["function"]["name"]
        return Step(calls=[{"id": f"call_{key or 'x'}", "name": name, "arguments": {"key": key}}])
    reply = f"You said: {text}"
    size = max(1, -(-len(reply) // 5))
    return Step(pieces=[reply[at : at + size] for at in range(0, len(reply), size)])


async def serve(arguments: argparse.Namespace) -> None:
    """Run until the process is ended; every chat request is appended to `--record` as a line of JSON."""
    steps = json.loads(Path(arguments.script).read_text(encoding="utf-8")) if arguments.script else []

    def otherwise(given: dict[str, Any]) -> Step:
        step = echo(given)
        step.delay = arguments.delay
        return step

    host = OpenAIServer([Step(**step) for step in steps], model=arguments.model, otherwise=otherwise)
    if arguments.record:
        host = _Recording(host, Path(arguments.record))
    await host.start(arguments.port)
    print(host.base_url, flush=True)
    await asyncio.Event().wait()


class _Recording(OpenAIServer):
    """The same server, which also writes each chat request's raw body to a file before it answers."""

    def __init__(self, other: OpenAIServer, file: Path) -> None:
        super().__init__(list(other.script), model=other.model, otherwise=other.otherwise)
        self._file = file

    async def handle(self, request: Recorded, answer: Answering) -> None:
        if request.path.endswith("/chat/completions"):
            line = json.dumps(
                {"body": base64.b64encode(request.body).decode(), "messages": request.json()["messages"]}
            )
            with self._file.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        await super().handle(request, answer)


def main() -> None:
    parser = argparse.ArgumentParser(description="A pretended model host on loopback.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", help="a JSON list of steps, used up one by one before echoing")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each of the five pieces of an echo")
    parser.add_argument("--record", help="a file that gets one line of JSON for each chat request")
    parser.add_argument("--model", default="fake-model")
    try:
        asyncio.run(serve(parser.parse_args()))
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
