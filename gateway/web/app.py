"""The dashboard as one application: every page's routes, the login, live updates and static files, behind the guard.

Owns which pages there are and how faults look. A page is a module with `routes(pages)`, and a line here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from gateway.clock import Clock
from gateway.state.login_records import Logins
from gateway.web import approvals, health, home, jobs, journey, memory, sessions, skills, words
from gateway.web.attempts import Attempts
from gateway.web.cookies import Cookies
from gateway.web.guards import Guard, Report
from gateway.web.links import Links
from gateway.web.live import Live
from gateway.web.logins import Porter
from gateway.web.origins import Origins
from gateway.web.pages import Pages
from gateway.web.people import People
from gateway.web.pulse import Pulse

STATIC = Path(__file__).parent / "static"


@dataclass(frozen=True, slots=True)
class Ground:
    """What the application stands on, beside its pages."""

    people: People
    logins: Logins
    clock: Clock
    pulse: Pulse
    report: Report
    key: str
    origins: Origins


@dataclass(frozen=True, slots=True)
class Application:
    """`asgi` is served; `live` is closed before the server ends."""

    asgi: ASGIApp
    live: Live


def application(pages: Pages, ground: Ground) -> Application:
    """All of it, put together. `pages.paths` is filled in."""
    cookies, origins, clock = Cookies(ground.key, secure=ground.origins.secure), ground.origins, ground.clock
    porter = Porter(
        pages=pages,
        people=ground.people,
        logins=ground.logins,
        links=Links(ground.logins, clock),
        cookies=cookies,
        origins=origins,
        attempts=Attempts(clock),
        clock=clock,
        gone=lambda session: live.end(session),
    )
    live = Live(ground.pulse, clock, porter.standing)
    static = Mount("/static", StaticFiles(directory=STATIC, follow_symlink=False))
    shown = _routes(pages)
    pages.paths = tuple(each.path for each in shown)
    starlette = Starlette(
        routes=[*shown, *porter.routes(), *live.routes(), static],
        exception_handlers={HTTPException: lambda request, fault: _fault(pages, request, fault)},
    )
    starlette.router.redirect_slashes = False

    def plain(status: int, text: str) -> Response:
        title = words.TITLES.get(status, words.TITLES[500])
        return HTMLResponse(pages.alone("plain.html", title=title, text=text), status)

    return Application(Guard(starlette, origins, cookies, porter.visit, plain, ground.report), live)


def _routes(pages: Pages) -> list[Route]:
    """Every page's."""
    shown = (home, approvals, memory, skills, journey, sessions, jobs, health)
    return [route for each in shown for route in each.routes(pages)]


def _fault(pages: Pages, request: Request, fault: Exception) -> Response:
    """A refusal of a page, as a page: for who is logged in within the frame."""
    assert isinstance(fault, HTTPException)
    text = words.said(fault.status_code, fault.detail)
    title = words.TITLES.get(fault.status_code, words.TITLES[500])
    response = pages.render(request, "plain.html", fault.status_code, title=title, text=text)
    response.headers.update(fault.headers or {})
    return response
