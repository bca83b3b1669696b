"""Logging in and out: the page behind a link, the one step that uses it up, and whose a cookie is.

Owns logins on the server. A cookie without one is worth nothing, so that a logout, a sign-out of everybody, or an
owner who is none any more ends it at once.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from commands.spec import Role
from gateway.clock import Clock
from gateway.state.login_records import Login, Logins
from gateway.web import words
from gateway.web.attempts import Attempts
from gateway.web.cookies import SECONDS, Cookies, Ticket
from gateway.web.links import Links
from gateway.web.origins import Origins
from gateway.web.pages import Pages, Person, Visit, visit
from gateway.web.people import People, direct_chat

PAGE = "document"
"""What a browser says that it asks for when a person opens a link."""


@dataclass(frozen=True, slots=True)
class Porter:
    """Lets people in and out. `gone` is told each login that ends."""

    pages: Pages
    people: People
    logins: Logins
    links: Links
    cookies: Cookies
    origins: Origins
    attempts: Attempts
    clock: Clock
    gone: Callable[[str], object]

    async def visit(self, cookie: str) -> Visit | None:
        """Whose cookie this is, with the rights of this moment."""
        ticket = self.cookies.read(cookie)
        return await self.standing(ticket.session, ticket.who) if ticket is not None else None

    async def standing(self, session: str, who: str) -> Visit | None:
        """The same by the login's id. Somebody who may not talk any more, or who was an operator and is none now, is
        logged out by it."""
        login = await self.logins.standing(session, self.clock.now())
        if login is None or login.who != who:
            return None
        role = await self.people.role(login.who)
        if role is None or (role < Role.OPERATOR <= login.role):
            await self.end(login.id)
            return None
        person = Person(login.who, role, await self.people.name(login.who), direct_chat(login.who, login.chat))
        return Visit(person, login.id, self.cookies.csrf(login.id))

    async def end(self, session: str) -> None:
        """End one login."""
        await self.logins.end(session)
        self.gone(session)

    def routes(self) -> list[Route]:
        return [
            Route("/login/{token}", self.show, methods=["GET"]),
            Route("/login", self.enter, methods=["POST"]),
            Route("/logout", self.leave, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        """The page with the one button. Messengers fetch the links that they show, so this uses nothing up. It says
        whose the link is: somebody may have been sent another one's."""
        token = request.path_params["token"]
        if request.headers.get("sec-fetch-dest", PAGE) != PAGE:
            # A picture or a frame of a page elsewhere: it would count as tries of this machine, and close the door.
            return self.pages.render(request, "plain.html", 403, title=words.TITLES[403], text=words.NOT_FROM_HERE)
        if (late := self._late(request)) is not None:
            return late
        invitation = await self.links.look(token)
        if invitation is None:
            return self._void(request)
        name = await self.people.name(invitation.who)
        return self.pages.render(request, "login_enter.html", token=token, name=name)

    async def enter(self, request: Request) -> Response:
        """Use the link up, and begin a login of its person."""
        if (late := self._late(request)) is not None:
            return late
        token = (await request.form(max_files=0, max_fields=5)).get("token", "")
        invitation = await self.links.take(token) if isinstance(token, str) else None
        role = await self.people.role(invitation.who) if invitation is not None else None
        if invitation is None or role is None:
            return self._void(request)
        now = self.clock.now()
        login = Login(secrets.token_urlsafe(24), invitation.who, invitation.chat, int(role), now, now + SECONDS)
        await self.logins.begin(login)
        response = RedirectResponse("/", 303)
        self.cookies.give(response, Ticket(login.id, login.who))
        return response

    async def leave(self, request: Request) -> Response:
        """Log out here; logins elsewhere stay."""
        await self.end(visit(request).session)
        request.scope["innkeeper.visit"] = None
        response = self.pages.render(request, "plain.html", title="Logged out", text=words.LOGGED_OUT)
        self.cookies.take_back(response)
        return response

    def _void(self, request: Request) -> Response:
        self.attempts.failed(self._asker(request))
        return self.pages.render(request, "plain.html", 410, title="This link leads nowhere", text=words.VOID_LINK)

    def _late(self, request: Request) -> Response | None:
        """Why nobody is listened to at this address now; None when somebody is."""
        wait = math.ceil(self.attempts.wait(self._asker(request)))
        if not wait:
            return None
        text = words.slow_down(wait)
        response = self.pages.render(request, "plain.html", 429, title="Too many tries", text=text)
        response.headers["retry-after"] = str(wait)
        return response

    def _asker(self, request: Request) -> str:
        return self.origins.asker(request.client.host if request.client is not None else "", request.headers)
