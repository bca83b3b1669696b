"""A service of outside memory on loopback: keys, and every way in which such a service lets its clients down.

Owns manners and the check of the key; what is answered to a good request is a subclass's `answer_to`.
"""

from __future__ import annotations

import asyncio
import re
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.fakes.loopback_http import Answering, LoopbackServer, Recorded

KEY = "key-of-the-test-5f2a"


class MemoryService(LoopbackServer):
    """`manner`: good, busy (429), broken (500), garbage (no JSON), odd (another shape) or slow (no answer)."""

    def __init__(self) -> None:
        super().__init__()
        self.manner = "good"

    async def handle(self, request: Recorded, answer: Answering) -> None:
        status, said = await self._answer(request)
        headers = {"Retry-After": "3600"} if status == 429 else None
        await answer.whole(status, said, headers=headers)

    async def _answer(self, request: Recorded) -> tuple[int, object]:
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        if given != KEY:
            return 401, {"detail": f"Invalid API key {given}"}
        match self.manner:
            case "busy":
                return 429, {"detail": "Too many requests"}
            case "broken":
                return 500, {"detail": "Internal error"}
            case "garbage":
                return 200, "<html>Welcome to the hotel's Wi-Fi</html>"
            case "odd":
                return 200, {"surprise": [1, 2, 3]}
            case "slow":
                await asyncio.Event().wait()
        parts = urlsplit(request.path)
        body = request.json() if request.body else {}
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        return self.answer_to(request.method, unquote(parts.path), query, body)

    def answer_to(self, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, object]:
        raise NotImplementedError


def akin(asked: str, words: str) -> bool:
    """Whether the two share a word of more than three letters: what stands for meaning here."""
    return bool(_long(asked) & _long(words))


def _long(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.casefold()) if len(word) > 3}
