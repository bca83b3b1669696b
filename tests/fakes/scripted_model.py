"""A model that says what a test tells it to, in process. It speaks the whole `ModelClient` protocol.

What it says goes through the same rules as a real host's words: calls written as text are recognised, reasoning is
hidden, endless repetition is cut.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gateway.models.answer import Answer
from gateway.models.client import Delta, HostInfo, ReadingProgress, Reply, Request, Usage, Waiting
from gateway.models.pieces import CallPart, Ended, Words


@dataclass(frozen=True)
class Turn:
    """One answer. `text` is a text or its pieces; an event among them is waited for before the next piece.

    `calls` are (tool, arguments), with arguments as an object or as raw text. `before` goes out first. `error` is
    raised after the pieces, instead of an end. `usage` defaults to an estimate.
    """

    text: str | Sequence[str | asyncio.Event] = ()
    calls: Sequence[tuple[str, Mapping[str, Any] | str]] = ()
    error: Exception | None = None
    before: Sequence[Waiting | ReadingProgress] = ()
    finish: str = "stop"
    usage: Usage | None = None


Scripted = Turn | str | Exception
Script = Sequence[Scripted] | Callable[[Request], Scripted]


class ScriptedModel:
    """Takes its answers from a list, one for each request, or from a function of the request.

    A text is an answer, an exception an error. `requests` records what was asked, `active` and `most_active` how
    many streams were open at a time, `abandoned` how many were closed before their end. A list that is used up is a
    test's mistake and raises AssertionError.
    """

    def __init__(
        self, script: Script = (), *, host: str = "scripted", model: str = "script", info: HostInfo | None = None
    ) -> None:
        self._next = script if callable(script) else None
        self.script: deque[Scripted] = deque() if callable(script) else deque(script)
        self._host = host
        self._model = model
        self._info = info or HostInfo(window=8192)
        self.requests: list[Request] = []
        self.active = 0
        self.most_active = 0
        self.abandoned = 0
        self.closed = False
        self._arrived = asyncio.Condition()

    @property
    def host(self) -> str:
        return self._host

    @property
    def model(self) -> str:
        return self._model

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        turn = await self._turn(request)
        self.active += 1
        self.most_active = max(self.most_active, self.active)
        ended = False
        try:
            async for delta in self._said(turn, request):
                ended = isinstance(delta, Reply)
                yield delta
        except Exception:
            ended = True
            raise
        finally:
            self.active -= 1
            self.abandoned += not ended

    async def info(self) -> HostInfo:
        return self._info

    async def close(self) -> None:
        self.closed = True

    async def arrived(self, count: int) -> Request:
        """Wait for the `count`-th request (a real deadline of thirty seconds)."""
        async with asyncio.timeout(30), self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= count)
        return self.requests[count - 1]

    async def _turn(self, request: Request) -> Turn:
        async with self._arrived:
            self.requests.append(request)
            self._arrived.notify_all()
        if self._next is None and not self.script:
            raise AssertionError(f"the script is used up; request {len(self.requests)} was not expected")
        scripted = self._next(request) if self._next is not None else self.script.popleft()
        if isinstance(scripted, str):
            return Turn(scripted)
        return Turn(error=scripted) if isinstance(scripted, Exception) else scripted

    async def _said(self, turn: Turn, request: Request) -> AsyncGenerator[Delta, None]:
        for note in turn.before:
            yield note
        answer = Answer(request)
        for part in [turn.text] if isinstance(turn.text, str) else turn.text:
            if isinstance(part, asyncio.Event):
                await part.wait()
                continue
            for delta in answer.feed(Words(part)):
                yield delta
            if answer.stopped:
                break
            await asyncio.sleep(0)
        if turn.error is not None:
            raise turn.error
        for index, (name, arguments) in enumerate(turn.calls):
            raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
            answer.feed(CallPart(index, name=name, arguments=raw))
        answer.feed(Ended(turn.finish))
        for delta in answer.end(self._host, self._model, 0.0):
            if isinstance(delta, Reply) and turn.usage is not None:
                yield replace(delta, usage=turn.usage)
            else:
                yield delta
