"""What gives way to people is given to the local server in portions that are each read in one step.

llama.cpp hears only between two steps that a stream was closed, and by then has begun the next one. After a portion
there is no next one: so a message that meets the reading waits for one step at most, and not for two.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import replace

from gateway.models.client import ModelClient, ReadingProgress, Reply, Request, Waiting
from gateway.transcript import Usage

YIELDING = "background_review"
"""The task of requests that give way."""

PORTION = 180
"""Characters that each portion adds: with what the template puts around them fewer than 64 tokens, the server's step,
in most scripts."""

LONGEST = 6_000
"""Characters of a last message beyond which it is left whole: it may be one that the server has read before."""


def portions(request: Request) -> Iterator[Request]:
    """The beginnings of a request that gives way, to be sent before it, each for one token of an answer that nobody
    needs. None for others. Only the last message is divided, the rest stands in the server's cache."""
    *before, last = request.messages
    text = last.content
    if request.task != YIELDING or len(text) > LONGEST:
        return
    end = 0
    while len(text) - end > PORTION:
        limit = end + PORTION
        at_blank = text.rfind(" ", end + PORTION // 2, limit)
        end = at_blank if at_blank > 0 else limit
        yield replace(request, messages=(*before, replace(last, content=text[:end])), max_tokens=1)


class ReadAhead:
    """A request's portions, read once before it."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._read: list[Usage] = []

    async def stream(self, client: ModelClient) -> AsyncGenerator[ReadingProgress | Waiting, None]:
        """Read them; their answers are left out. Raises ModelError."""
        for portion in portions(self._request):
            async with aclosing(client.stream(portion)) as deltas:
                async for delta in deltas:
                    if isinstance(delta, Reply):
                        self._read.append(delta.usage)
                    elif isinstance(delta, ReadingProgress | Waiting):
                        yield delta

    def counted(self, usage: Usage) -> Usage:
        """What the request cost, its portions included: what they read was in no cache."""
        if not self._read:
            return usage
        took = usage.seconds + sum(each.seconds for each in self._read)
        return replace(usage, cached=min(usage.cached, self._read[0].cached), seconds=took)
