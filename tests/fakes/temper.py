"""How a pretended service behaves when it is asked: well, or in one of the ways in which services fail."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from tests.fakes.loopback_http import Answering, LoopbackServer, Recorded


class Tempered(LoopbackServer):
    """`temper`: `good`, `garbage` (no JSON), `shapeless` (JSON of another kind), `hangs`, `resets`, `leads away`, or
    a status by its number. `key` is what it takes; a request with another one is answered 401."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key
        self.temper = "good"

    async def handle(self, request: Recorded, answer: Answering) -> None:
        if request.headers.get("authorization") != f"Bearer {self.key}":
            await answer.whole(401, self.refusal(401, f"no key, or a wrong one: {request.headers['authorization']}"))
            return
        match self.temper:
            case "good":
                status, body = self.served(request)
                await answer.whole(status, body)
            case "garbage":
                await answer.whole(200, "<html>Please log in</html>", content_type="text/html")
            case "shapeless":
                await answer.whole(200, ["results", 7])
            case "hangs":
                await asyncio.Event().wait()
            case "resets":
                answer.reset()
            case "leads away":
                await answer.whole(302, "", headers={"Location": f"{self.root}/elsewhere"})
            case status:
                await answer.whole(int(status), self.refusal(int(status), f"no, {self.key},\nnot today"))

    def served(self, request: Recorded) -> tuple[int, object]:
        """The answer of a service that is well."""
        raise NotImplementedError

    def refusal(self, status: int, why: str) -> Mapping[str, object]:
        """The body of an answer that says no."""
        raise NotImplementedError
