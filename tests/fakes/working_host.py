"""A server on loopback that says what a test tells it to about its work, path by path, and nothing else.

`pages` maps a path, with its query if that matters, to an answer: a body (status 200), a (status, body), or one of
`HANG` and `RESET`. A body that is a text is sent as it is. "*" answers for all paths that are not named, else it is
llama.cpp's 404.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from tests.fakes.loopback_http import Answering, LoopbackServer, Recorded
from tests.fakes.openai_server import OpenAIServer

HANG = "accept the request and answer nothing"
RESET = "tear the connection down"
NOT_FOUND = (404, {"error": {"message": "File Not Found", "type": "not_found_error", "code": 404}})


class WorkingHost(LoopbackServer):
    """`pages` may be changed at any time; `asked` are the paths in the order of asking, with their queries."""

    def __init__(self, pages: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self.pages: dict[str, Any] = dict(pages or {})

    @property
    def asked(self) -> list[str]:
        return [request.path for request in self.requests]

    @property
    def base_url(self) -> str:
        return f"{self.root}/v1"

    async def __aenter__(self) -> WorkingHost:
        await self.start()
        return self

    async def handle(self, request: Recorded, answer: Answering) -> None:
        await _shown(self.pages, request, answer)


class TalkingHost(OpenAIServer):
    """The same of a host that chats as well: what it says of its work are its `pages`, however it works."""

    pages: dict[str, Any]

    @property
    def asked(self) -> list[str]:
        return [request.path for request in self.requests]

    async def __aenter__(self) -> TalkingHost:
        await self.start()
        return self

    async def handle(self, request: Recorded, answer: Answering) -> None:
        if request.path.endswith("/chat/completions"):
            await super().handle(request, answer)
        else:
            await _shown(self.pages, request, answer)


async def _shown(pages: Mapping[str, Any], request: Recorded, answer: Answering) -> None:
    bare = request.path.partition("?")[0]
    page = pages.get(request.path, pages.get(bare, pages.get("*", NOT_FOUND)))
    if page is HANG:
        await asyncio.Event().wait()
    elif page is RESET:
        answer.reset()
    else:
        status, body = page if isinstance(page, tuple) else (200, page)
        kind = "text/html" if isinstance(body, str) and body.startswith("<") else "application/json"
        await answer.whole(status, body, content_type=kind)
