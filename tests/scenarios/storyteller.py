"""The model host of the kill rounds: answers of several parts, told slowly, never twice in the same words.

Owns what is said and called for each message, and the record of requests that must not have happened.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.fakes.loopback_http import Answering, Recorded
from tests.fakes.openai_server import OpenAIServer, Step

NAME = re.compile(r"#(\w+)")


class Storyteller(OpenAIServer):
    """Answers a message `#NAME words`. A text with `[tool]` or `[tools]` is first answered by one or two calls of the
    tool `count`; `[quick]` is told at once, `[slow]` takes seconds. `noticed` is told `asked` and `called`.

    `faults` lists what was wrong with the requests: two at one time for a message, or two messages in one.
    """

    def __init__(self, noticed: Callable[[str], None] = lambda what: None) -> None:
        super().__init__(otherwise=self._tell, window=100_000)
        self.faults: list[str] = []
        self.takes: Counter[str] = Counter()
        self._noticed = noticed
        self._open: set[str] = set()

    async def handle(self, request: Recorded, answer: Answering) -> None:
        if not request.path.endswith("/chat/completions"):
            await super().handle(request, answer)
            return
        name, _, _ = self._read(request.json())
        if name in self._open:
            self.faults.append(f"#{name} was asked while it was still being answered")
        self._open.add(name)
        try:
            await super().handle(request, answer)
        finally:
            self._open.discard(name)

    def _read(self, given: dict[str, Any]) -> tuple[str, str, bool]:
        """The name of the message that is to be answered, its text, and whether its tools have answered."""
        messages = given["messages"]
        last = max(at for at, message in enumerate(messages) if message["role"] == "user")
        text = messages[last]["content"]
        names = NAME.findall(text)
        if len(set(names)) != 1:
            self.faults.append(f"one request is about {sorted(set(names)) or 'nothing'}")
        return (names or ["?"])[-1], text, any(message["role"] == "tool" for message in messages[last:])

    def _tell(self, given: dict[str, Any]) -> Step:
        name, text, answered = self._read(given)
        self._noticed("asked")
        self.takes[name] += 1
        if "[tool" in text and not answered:
            keys = [f"{name}a", f"{name}b"] if "[tools]" in text else [name]
            calls = [{"id": f"call_{key}", "name": "count", "arguments": {"key": key}} for key in keys]
            self._noticed("called")
            return Step(text=f"I count for #{name}.", calls=calls)
        story = self._story(name)
        size = -(-len(story) // 8)
        pieces = [story[at : at + size] for at in range(0, len(story), size)]
        return Step(pieces=pieces, delay=0.0 if "[quick]" in text else 0.25 if "[slow]" in text else 0.03)

    def _story(self, name: str) -> str:
        take = self.takes[name]
        lines = 2 + sum(map(ord, name)) % 7
        told = [f"Line {line} of take {take} goes on about #{name} for a while." for line in range(1, lines + 1)]
        return " ".join([f"Answer to #{name}.", *told])
