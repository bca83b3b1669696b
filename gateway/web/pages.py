"""What every page of the dashboard stands on: who asks, the frame around a page, and orders to the house.

Owns no page and no route. A page orders what the chat and the shell order, by the very handlers of commands/, and
shows what came of it; what a person may do is decided there and by `needs`, never by what a page leaves out.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import wraps
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from commands.authority import refusal
from commands.context import Context, NeedsChat
from commands.ports import Ports
from commands.registry import Registry
from commands.reply import CommandReply
from commands.spec import Action, Argument, Arguments, CommandSpec, Role
from gateway.clock import Clock
from gateway.config.schema import Settings
from gateway.web import words
from gateway.web.shares import journey_of, memory_of
from platforms.messages import ChatRef

TEMPLATES = Path(__file__).parent / "templates"

MOST_FLASHES = 20
"""Lines that wait for one person's next page."""

Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Person:
    """Who looks. `who` is `platform:id`, or `shell` for whoever has the machine; `chat` is where they asked for the
    link, alone with the assistant, and None for the shell. The role is that of this very request."""

    who: str
    role: Role
    name: str
    chat: ChatRef | None = None


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of somebody who is logged in: the person, their session on the server, and its token for forms."""

    person: Person
    session: str
    csrf: str


@dataclass(frozen=True, slots=True)
class Place:
    """A page in the navigation, for whom it opens: from this role on, and where `theirs` holds."""

    path: str
    title: str
    least: Role = Role.OPERATOR
    theirs: Callable[[Context], bool] = lambda context: True


@dataclass(frozen=True, slots=True)
class Flash:
    """One line about what was just done."""

    text: str
    good: bool


NAV = (
    Place("/", "Home", Role.USER),
    Place("/approvals", "Approvals"),
    Place("/memory", "Memory", Role.USER, lambda context: memory_of(context) is not None),
    Place("/skills", "Skills", Role.USER, lambda context: context.ports.skills is not None),
    Place("/journey", "Journey", theirs=lambda context: journey_of(context) is not None),
    Place("/sessions", "Sessions", Role.USER),
    Place("/jobs", "Jobs", Role.USER),
    Place("/health", "Health"),
)
"""In this order; of these, what there is a route for."""


def needs(least: Role) -> Callable[[Endpoint], Endpoint]:
    """For a handler: whoever has a lower role gets a page that says so, and the handler is not called."""

    def guarded(endpoint: Endpoint) -> Endpoint:
        @wraps(endpoint)
        async def asked(request: Request) -> Response:
            if visit(request).person.role < least:
                raise HTTPException(403, words.not_for(least))
            return await endpoint(request)

        return asked

    return guarded


def visit(request: Request) -> Visit:
    """Whose request this is. Raises 401 where nobody is logged in."""
    found = request.scope.get("innkeeper.visit")
    if not isinstance(found, Visit):
        raise HTTPException(401, words.LOG_IN)
    return found


@dataclass(slots=True)
class Pages:
    """What pages are made from. `settings()` and `zone()` give what is in force now; `paths` are the routes that
    there are; `live` whether a gateway runs behind them."""

    ports: Ports
    registry: Registry
    clock: Clock
    settings: Callable[[], Settings]
    zone: Callable[[], tzinfo]
    live: bool = True
    paths: Sequence[str] = ()
    _flashes: dict[str, list[Flash]] = field(default_factory=dict)
    _templates: Environment | None = None

    def render(self, request: Request, template: str, /, status: int = 200, **context: object) -> Response:
        """A template as an answer. It has besides: `person`, `csrf`, `csrf_field()`, `nav`, `here` (the path), `at`
        (where live parts are fetched from, when that is not the address), `flashes`, `now`, and the filters `moment`,
        `stamp`, `ago`, `size` and `plain`."""
        found = request.scope.get("innkeeper.visit")
        here = found if isinstance(found, Visit) else None
        said = here if "x-live" not in request.headers else None  # who looks reads them, not who fetches a part
        flashes = self._flashes.pop(said.session, []) if said else []
        return HTMLResponse(self._text(template, request.url.path, here, flashes, context), status)

    def alone(self, template: str, /, **context: object) -> str:
        """A template as text, for nobody in particular."""
        return self._text(template, "", None, [], context)

    def _text(
        self, template: str, path: str, here: Visit | None, flashes: list[Flash], context: Mapping[str, object]
    ) -> str:
        frame: dict[str, object] = {
            "person": here.person if here else None,
            "csrf": here.csrf if here else "",
            "csrf_field": lambda: _csrf_field(here.csrf if here else ""),
            "nav": self.open_to(here.person) if here else (),
            "here": path,
            "at": "",
            "flashes": flashes,
            "now": self.clock.now(),
            "Role": Role,
        }
        return self._environment().get_template(template).render(frame | dict(context))

    def person(self, request: Request) -> Person:
        """Who looks, with the role that they have now. Raises 401."""
        return visit(request).person

    def context(self, request: Request) -> Context:
        """Where an order from this page is given and by whom."""
        return self._context(self.person(request))

    def _context(self, person: Person) -> Context:
        return Context(
            role=person.role,
            surface="web",
            ports=self.ports,
            registry=self.registry,
            chat=person.chat,
            session_key=person.chat.key if person.chat is not None else None,
            who=person.who,
        )

    async def order(self, request: Request, command: str, action: str = "", /, **values: str) -> CommandReply:
        """Carry out a command's action (empty: the command itself) as this person. What is missing, wrong or not
        theirs to do is a reply that is not `ok`, as in chats. Raises LookupError for an order that there is not."""
        spec = self.registry.get(command)
        chosen = spec.action(action) if spec is not None and action else None
        if spec is None or (action and chosen is None):
            raise LookupError(f"there is no order {command} {action}".rstrip())
        context = self.context(request)
        if (why := refusal(spec, chosen, context.role) or _wrong(spec, chosen, values)) is not None:
            return CommandReply(why, ok=False)
        handler = chosen.handler if chosen is not None else spec.handler
        if handler is None:
            raise LookupError(f"{command} is ordered with an action")
        try:
            return await handler(context, Arguments({key: value for key, value in values.items() if value}))
        except NeedsChat as error:
            return CommandReply(str(error), ok=False)

    def flash(self, request: Request, text: str, *, good: bool = True) -> None:
        """Say a line on this person's next page."""
        lines = self._flashes.setdefault(visit(request).session, [])
        lines.append(Flash(words.plain(text), good))
        del lines[:-MOST_FLASHES]

    def back(self, request: Request, to: str, reply: CommandReply | str = "", *, good: bool = True) -> Response:
        """After a POST: go on to a page of the dashboard, where the reply is said. `to` is a path of ours; what is
        none leads home."""
        text = reply if isinstance(reply, str) else reply.text
        if text:
            self.flash(request, text, good=good if isinstance(reply, str) else reply.ok)
        return RedirectResponse(own_path(to), 303)

    def open_to(self, person: Person) -> list[Place]:
        """The pages that open for somebody, in the navigation's order."""
        context = self._context(person)
        there = [each for each in NAV if each.path in self.paths]
        return [each for each in there if person.role >= each.least and each.theirs(context)]

    def _environment(self) -> Environment:
        if self._templates is None:
            self._templates = Environment(
                loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
                lstrip_blocks=True,
            )  # fmt: skip
            filters: dict[str, Callable[[Any], str]] = {
                "moment": lambda at: words.moment(at, self.zone()),
                "stamp": lambda at: words.stamp(at, self.zone()),
                "ago": lambda at: words.ago(self.clock.now() - at),
                "size": words.size,
                "plain": words.plain,
            }
            self._templates.filters |= filters
        return self._templates


def own_path(to: str) -> str:
    """A path of the dashboard as it may stand in a redirect; `/` for everything that leads elsewhere."""
    parts = urlsplit(to)
    outside = parts.scheme or parts.netloc or not to.startswith("/") or to.startswith(("//", "/\\"))
    return "/" if outside or any(ord(sign) < 33 or sign == "\\" for sign in to) else to


def _csrf_field(token: str) -> Markup:
    return Markup('<input type="hidden" name="csrf" value="{}">').format(token)


def _wrong(spec: CommandSpec, action: Action | None, values: dict[str, str]) -> str | None:
    """What is wrong with the arguments of an order; None when it can be given."""
    taker = action or spec
    known: dict[str, Argument] = {each.name: each for each in (*taker.arguments, *taker.web)}
    if strange := [name for name in values if name not in known]:
        raise LookupError(f"{spec.name} takes no {', '.join(strange)}")
    for name, argument in known.items():
        value = values.get(name, "")
        if argument.required and not value:
            return f"{name} is missing."
        if value and argument.choices and value not in argument.choices:
            return f"{name} is one of {', '.join(argument.choices)}, not {value!r}."
    return None
