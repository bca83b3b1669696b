"""The pages of stored sessions: the list, searching in it, one transcript, one message in full, and taking away.

What a person sees is what `Context.visible` says: an owner everything, everybody else the chat where they are alone
with the assistant. How rows are shown is `leaves`' matter; naming and pinning are the commands'.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from commands.context import Context
from commands.ports import Listed, SessionView
from commands.search import NOWHERE
from commands.search_ports import FoundView, HitView, SearchTrouble
from commands.session_ports import Entry
from commands.transcripts import FORMATS, Format, told
from gateway.web.leaves import leaves, marked
from gateway.web.pages import Pages

LIST = "/sessions"
LISTED, FOUND, READ = 25, 15, 60
"""Sessions on a page of the list, hits on a page of a search, rows on a page of a transcript."""

LONGEST = 1000
"""Signs of a question, a page number's bounds aside."""

ONLY: tuple[Listed, ...] = ("all", "open", "pinned")
MEDIA: Mapping[Format, str] = {"md": "text/markdown", "jsonl": "application/jsonl"}
GONE = "There is no such session here."


@dataclass(frozen=True, slots=True)
class Wish:
    """What the list is asked for, as it stands in the address."""

    words: str = ""
    chat: str = ""
    only: Listed = "all"
    page: int = 1
    more: str = ""

    @classmethod
    def of(cls, request: Request) -> Wish:
        given = request.query_params
        only = next((each for each in ONLY if each == given.get("only")), ONLY[0])
        words = " ".join(given.get("q", "")[:LONGEST].split())
        return cls(words, given.get("chat", ""), only, number(given.get("page")), given.get("more", ""))

    def link(self, **changes: object) -> str:
        """The address of the same with something else."""
        new = replace(self, **{"page": 1, "more": "", **changes})  # type: ignore[arg-type]
        page = new.page if new.page > 1 else ""
        only = new.only if new.only != "all" else ""
        fields = {"q": new.words, "chat": new.chat, "only": only, "page": page, "more": new.more}
        tail = urlencode({name: value for name, value in fields.items() if value})
        return f"{LIST}?{tail}" if tail else LIST


@dataclass(frozen=True, slots=True)
class Shown:
    """A page of the list, or of hits, or why there is none."""

    sessions: Sequence[SessionView] = ()
    hits: Sequence[tuple[HitView, Sequence[tuple[str, bool]]]] = ()
    trouble: str = ""
    note: str = ""
    bounded: bool = False
    following: str = ""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Which rows of a transcript a page shows: from `start` on, of `total`."""

    page: int
    last: int
    start: int
    total: int


def routes(pages: Pages) -> list[Route]:
    """Stored sessions."""
    return Sessions(pages).routes


class Sessions:
    """The handlers of these pages."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    @property
    def routes(self) -> list[Route]:
        one = f"{LIST}/{{id}}"
        return [
            Route(LIST, self.listed, methods=["GET"]),
            Route(one, self.show, methods=["GET"]),
            Route(f"{one}/export", self.export, methods=["GET"]),
            Route(f"{one}/messages/{{row:int}}", self.message, methods=["GET"]),
            Route(f"{one}/title", self.title, methods=["POST"]),
            Route(f"{one}/pin", self.pin, methods=["POST"]),
        ]

    async def listed(self, request: Request) -> Response:
        """The recent sessions, or those in which something was said; with `X-Fragment`, the results alone."""
        wish, context = Wish.of(request), self._pages.context(request)
        chats = await self._chats(context)
        keys = context.visible
        if wish.chat:
            keys = (wish.chat,) if wish.chat in chats else ()
        shown = await (self._found(wish, keys) if wish.words else self._recent(wish, keys))
        alone = request.headers.get("x-fragment") == "results"
        template = "sessions_results.html" if alone else "sessions_list.html"
        limited = context.visible is not None
        return self._pages.render(request, template, wish=wish, shown=shown, chats=chats, limited=limited)

    async def _chats(self, context: Context) -> Sequence[str]:
        known = await self._pages.ports.archive.keys()
        return known if context.visible is None else [each for each in known if each in context.visible]

    async def _recent(self, wish: Wish, keys: tuple[str, ...] | None) -> Shown:
        offset = (wish.page - 1) * LISTED
        found = await self._pages.ports.archive.recent(LISTED + 1, keys, offset, only=wish.only)
        following = wish.link(page=wish.page + 1) if len(found) > LISTED else ""
        return Shown(sessions=found[:LISTED], following=following)

    async def _found(self, wish: Wish, keys: tuple[str, ...] | None) -> Shown:
        finder = self._pages.ports.finder
        if finder is None:
            return Shown(trouble=NOWHERE)
        try:
            found: FoundView = await finder.find(wish.words, keys, limit=FOUND, more=wish.more or None)
        except SearchTrouble as trouble:
            return Shown(trouble=str(trouble))
        hits = [(each, marked(each.snippet, each.message.text)) for each in found.hits]
        following = wish.link(more=found.more) if found.more is not None else ""
        return Shown(hits=hits, note=found.note, bounded=found.bounded, following=following)

    async def show(self, request: Request) -> Response:
        """A page of one transcript: the one that is named, the one with the message `at`, or the last."""
        return await self._transcript(request, await self._session(request))

    async def _transcript(
        self, request: Request, session: SessionView, title: str | None = None, problem: str = ""
    ) -> Response:
        """With a problem, the form for its title holds what was written and says why it was not kept."""
        rows = await self._pages.ports.archive.rows(session.id)
        at = request.query_params.get("at", "")
        page = bounds(rows, request.query_params.get("page"), int(at) if at.isdecimal() and len(at) < 16 else None)
        shown = leaves(await self._rows(session.id, rows, page))
        return self._pages.render(
            request, "sessions_one.html", 422 if problem else 200, session=session, leaves=shown, page=page,
            title=session.title if title is None else title, problem=problem, at=_path(session) if problem else "",
        )  # fmt: skip

    async def _rows(self, session_id: str, rows: Sequence[int], page: Bounds) -> list[Entry]:
        """The page's rows. Results at its beginning belong to the page before, those behind its end to it."""
        found: list[Entry] = []
        if not rows:
            return found
        entries = self._pages.ports.archive.entries(session_id, rows[page.start] - 1)
        async for each in entries:
            if len(found) >= READ and each.role != "tool":
                break
            found.append(each)
        while page.start and found and found[0].role == "tool":
            del found[0]
        return found

    async def message(self, request: Request) -> Response:
        """One row with nothing cut off, and what its calls were answered."""
        session, row = await self._session(request), request.path_params["row"]
        if row not in await self._pages.ports.archive.rows(session.id):
            raise HTTPException(404, "There is no such message in this session.")
        found: list[Entry] = []
        async for each in self._pages.ports.archive.entries(session.id, row - 1):
            if found and (each.role != "tool" or found[0].role == "tool"):
                break
            found.append(each)
        leaf = leaves(found, whole=True)[0]
        return self._pages.render(request, "sessions_message.html", session=session, leaf=leaf, row=row)

    async def export(self, request: Request) -> Response:
        """The whole transcript, with the very bytes of `sessions export`."""
        session, archive = await self._session(request), self._pages.ports.archive
        kind = next((each for each in FORMATS if each == request.query_params.get("format", "md")), None)
        head = await archive.head(session.id)
        if kind is None or head is None:
            raise HTTPException(404, GONE if head is None else f"format is one of {', '.join(FORMATS)}.")

        async def pieces() -> AsyncIterator[bytes]:
            async for piece in told(head, archive.entries(session.id), kind):
                yield piece.encode("utf-8", "replace")

        name = quote(f"{session.id}.{kind}", safe="")
        headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
        return StreamingResponse(pieces(), media_type=f"{MEDIA[kind]}; charset=utf-8", headers=headers)

    async def title(self, request: Request) -> Response:
        """Name it. What is refused can be mended."""
        session, form = await self._session(request), await request.form()
        given = str(form.get("title", ""))
        reply = await self._pages.order(request, "sessions", "title", id=session.id, title=given)
        if not reply.ok:
            return await self._transcript(request, session, given, reply.text)
        return self._pages.back(request, _path(session), reply)

    async def pin(self, request: Request) -> Response:
        """Keep it whatever its age, or let it leave with the others."""
        session, form = await self._session(request), await request.form()
        action = "pin" if form.get("pinned") == "yes" else "unpin"
        reply = await self._pages.order(request, "sessions", action, id=session.id)
        return self._pages.back(request, _path(session), reply)

    async def _session(self, request: Request) -> SessionView:
        """The session that the address names, if it is this person's to see."""
        named = request.path_params["id"]
        found = await self._pages.ports.archive.find(named, self._pages.context(request).visible)
        for each in found:
            if each.id == named:
                return each
        raise HTTPException(404, GONE)


def _path(session: SessionView) -> str:
    return f"{LIST}/{quote(session.id, safe='')}"


def bounds(rows: Sequence[int], page: str | None, at: int | None) -> Bounds:
    """Which rows are shown: of the page that is named, else of the one with the row `at`, else of the last."""
    last = max(1, -(-len(rows) // READ))
    wanted = last
    if page:
        wanted = min(number(page), last)
    elif at is not None and rows and rows[0] <= at <= rows[-1]:
        wanted = bisect_left(rows, at) // READ + 1
    return Bounds(wanted, last, (wanted - 1) * READ, len(rows))


def number(text: str | None) -> int:
    """A page's number, 1 for what is none."""
    return int(text) if text and text.isdecimal() and len(text) < 7 and int(text) else 1
