"""What stands before every page: the name that was asked for, size, login, and that a change comes from our pages.

Owns the order of these and the headers of every answer. Nothing behind it is reached by who is not logged in but the
login itself and the static files.
"""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable
from pathlib import PurePath
from typing import Protocol

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.web import bodies, words
from gateway.web.cookies import Cookies
from gateway.web.headers import strict
from gateway.web.origins import Origins
from gateway.web.pages import Visit

READING = ("GET", "HEAD")
STATIC = "/static/"
OPEN = (STATIC, "/login/")
"""What a request without a login may ask for, beside the login itself."""

LOGIN = "/login"


class Report(Protocol):
    """Where faults are written down."""

    def error(self, event: str, **fields: object) -> object: ...


class Refusal(Exception):
    """A request that goes no further; `text` is for people."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


class Guard:
    """The outermost application. `visits` gives the visit that a cookie stands for, or None; `page` makes a plain
    page of a status and a text."""

    def __init__(
        self,
        app: ASGIApp,
        origins: Origins,
        cookies: Cookies,
        visits: Callable[[str], Awaitable[Visit | None]],
        page: Callable[[int, str], Response],
        report: Report,
    ) -> None:
        self._app = app
        self._origins = origins
        self._cookies = cookies
        self._visits = visits
        self._page = page
        self._report = report

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"{scope['type']} is not served")
        begun = False

        async def told(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                static = scope["path"].startswith(STATIC)
                message = {**message, "headers": strict(list(message.get("headers", ())), static=static)}
            await send(message)

        try:
            await self._judged(scope, receive, told)
        except Refusal as refusal:
            await self._refuse(scope, receive, told, refusal)
        except bodies.Gone:
            return
        except Exception as fault:  # noqa: BLE001 - the web handler: one page's fault is reported, the others go on
            self._report.error("web.fault", page=_page_of(scope), fault=type(fault).__name__, at=_places(fault))
            if not begun:
                await self._refuse(scope, receive, told, Refusal(500, words.FAULT))

    async def _judged(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or raise Refusal."""
        headers, path = Headers(scope=scope), scope["path"]
        if len(headers.getlist("host")) != 1 or not self._origins.known(headers["host"]):
            raise Refusal(421, words.WRONG_NAME)
        visit = await self._visit(headers) if not path.startswith(STATIC) else None
        scope["innkeeper.visit"] = visit
        if scope["method"] in READING:
            if visit is None and not path.startswith(OPEN):
                raise Refusal(401, words.LOG_IN)
            return await self._app(scope, receive, send)
        try:
            body = await bodies.whole(receive, headers)
        except bodies.TooLarge:
            raise Refusal(413, words.TOO_LARGE) from None
        if not self._origins.ours(headers):
            raise Refusal(403, words.NOT_FROM_HERE)
        if path != LOGIN:
            if visit is None:
                raise Refusal(401, words.LOG_IN)
            token = headers.get("x-csrf-token") or bodies.field(body, headers, "csrf")
            if not self._cookies.genuine(visit.session, token):
                raise Refusal(403, words.NOT_FROM_HERE)
        return await self._app(scope, bodies.again(body, receive), send)

    async def _visit(self, headers: Headers) -> Visit | None:
        """Whose cookie this is; of two with our name neither counts."""
        held = [
            value
            for line in headers.getlist("cookie")
            for part in line.split(";")
            for name, value in cookie_parser(part).items()
            if name == self._cookies.name
        ]
        return await self._visits(held[0]) if len(held) == 1 else None

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, refusal: Refusal) -> None:
        response = self._page(refusal.status, refusal.text)
        if refusal.status == 413:
            MutableHeaders(raw=response.raw_headers)["connection"] = "close"
        await response(scope, receive, send)


def _page_of(scope: Scope) -> str:
    """The first part of the path: what follows may be what somebody wrote, or a link."""
    return f"/{scope['path'].split('/')[1][:40]}"


def _places(fault: BaseException) -> str:
    """Where it came about, innermost last; never what it says, which may be what somebody wrote."""
    frames = traceback.extract_tb(fault.__traceback__)[-5:]
    return " ".join(f"{PurePath(each.filename).name}:{each.lineno}" for each in frames)
