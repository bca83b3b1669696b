"""The journey's pages: a star map beside a list, one thing in full, and changing it by the orders of /journey.

The map is drawn by static/starmap.js from `/journey.json`; without JavaScript the list and the pages do all that the
map does. What somebody may see is the journey's own matter, what becomes of a change the commands'.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from commands.journey import NO_JOURNEY, NOT_YOURS
from commands.journey_ports import Journey
from commands.reply import CommandReply
from commands.spec import Role
from gateway.web.causes import spot_of
from gateway.web.pages import Pages, needs
from gateway.web.shares import journey_of
from memory.files import FileTrouble
from memory.journey.meant import Unknown
from memory.journey.model import Node, Timeline
from memory.model import Author, Origin
from memory.skills.model import SkillTrouble

PAGE = "/journey"
PER_PAGE = 40

KINDS = (("memory", "Memory"), ("user", "About people"), ("skill", "Skills"))
STATES = {"changed": "changed since", "stale": "not used for long", "archived": "put away", "removed": "removed"}
ORIGINS = {
    "foreground": "the assistant, in a conversation",
    "review": "a review",
    "cron": "a job",
    "command": "somebody's order",
    "operator": "an operator",
}
TIES = {"related": "as a related skill", "named": "by its name", "session": "from the same session"}

MODULES = (
    "camera", "hands", "index", "layer", "layout", "list", "paint", "panel", "scene", "sky", "sprites", "time",
    "words",
)  # fmt: skip
"""The parts of the map, named to the browser at once so that it need not find them one by one."""

FIELDS = (
    "id", "kind", "title", "text", "at", "changed", "state", "by", "place", "store", "uses", "pinned", "dated",
)  # fmt: skip
"""What stands in a row of `/journey.json`, in this order."""

_CHANGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9:._-]{0,99}")


@dataclass(frozen=True, slots=True)
class Wish:
    """What the list is to show."""

    words: str = ""
    kind: str = ""
    gone: bool = False

    def address(self, page: int) -> str:
        """The list's address with this wish."""
        asked = {"q": self.words, "kind": self.kind, "gone": "1" if self.gone else "", "page": str(page)}
        return f"{PAGE}?{urlencode({name: value for name, value in asked.items() if value})}"

    def fits(self, node: Node) -> bool:
        """Whether a node belongs in the list; the map's own filter in starmap.js says the same."""
        if self.kind and node.kind != self.kind:
            return False
        words = self.words.lower()
        return words in node.title.lower() or words in node.text.lower()


@dataclass(frozen=True, slots=True)
class Row:
    """A node as it is shown: words for its kind, its state and who brought it, and where it was said."""

    node: Node
    kind: str
    state: str
    by: str
    place: str
    gone: bool


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of the list; `newer` and `older` are the addresses of its neighbours, empty for none."""

    rows: Sequence[Row]
    words: str
    number: int
    count: int
    newer: str
    older: str


@dataclass(frozen=True, slots=True)
class Counts:
    """How much there is, of each kind too; `mark` is another one whenever anything is another."""

    all: int
    kinds: Sequence[tuple[str, str, int]]
    mark: str


def routes(pages: Pages) -> list[Route]:
    """The map with its list, its data, one thing, and changing it."""
    return StarMap(pages).routes


class StarMap:
    """The handlers of these pages."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    @property
    def routes(self) -> list[Route]:
        one, gated = f"{PAGE}/{{id}}", needs(Role.OPERATOR)
        return [
            Route(PAGE, gated(self.sky), methods=["GET"]),
            Route(f"{PAGE}.json", gated(self.data), methods=["GET"]),
            Route(one, gated(self.star), methods=["GET"]),
            Route(f"{one}/source", gated(self.source), methods=["GET"]),
            Route(f"{one}/edit", gated(self.edit), methods=["POST"]),
            Route(f"{one}/delete", gated(self.delete), methods=["POST"]),
            Route(f"{one}/undo", gated(self.undo), methods=["POST"]),
        ]

    async def sky(self, request: Request) -> Response:
        """The star map, and the list beside it: the same things, the newest first."""
        asked = request.query_params
        kind = asked.get("kind", "")
        wish = Wish(asked.get("q", "").strip(), kind if kind in dict(KINDS) else "", "gone" in asked)
        timeline = await self._timeline(request, gone=wish.gone)
        undo = asked.get("undo", "")
        return self._pages.render(
            request, "journey_sky.html", wish=wish, page=list_page(timeline, wish, asked.get("page", "1")),
            counts=counted(timeline), undo=undo if _CHANGE.fullmatch(undo) else "", may_change=True,
            modules=[f"starmap_{each}.js" for each in MODULES],
        )  # fmt: skip

    async def data(self, request: Request) -> Response:
        """What the map is drawn from: rows under `fields`, the oldest first; edges as two places and why."""
        timeline = await self._timeline(request, gone="gone" in request.query_params)
        body = await asyncio.to_thread(_encoded, timeline, self._zone())
        return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})

    async def star(self, request: Request) -> Response:
        """One thing in full, with what changes it."""
        return await self._star(request)

    async def source(self, request: Request) -> Response:
        """On to where it was said."""
        node = _named(await self._timeline(request, gone=True), request)
        author = Author(Origin.FOREGROUND, session=node.session or None, message=node.message or None)
        to = await spot_of(self._pages, author)
        here = f"{PAGE}/{quote(node.id, safe='')}"
        return self._pages.back(request, to or here, "" if to else "It is not in the archive any more.", good=False)

    async def _star(self, request: Request, written: str | None = None, problem: str = "") -> Response:
        journey, timeline = self._journey(request), await self._timeline(request, gone=True)
        node = _named(timeline, request)
        shown = row(node)
        whole: str | Unknown = ""
        if not shown.gone:
            try:
                whole = await journey.text(node.id)
            except (FileTrouble, SkillTrouble) as trouble:
                whole = Unknown(str(trouble))
        was = "" if isinstance(whole, Unknown) else whole
        return self._pages.render(
            request, "journey_star.html", 422 if problem else 200, row=shown, was=was, problem=problem,
            text=was if written is None else written, ties=ties(timeline, node), may_change=True,
        )  # fmt: skip

    async def edit(self, request: Request) -> Response:
        """Put another text in its place, if it still reads as it was shown. What is refused can be mended, and what
        is gone by now leaves what was written to be copied."""
        form = await request.form()
        name, text, was = str(request.path_params["id"]), _lines(form.get("text")), _lines(form.get("was"))
        if not text.strip():
            return await self._star(request, text, "Say what it is to read: the text is empty.")
        reply = await self._pages.order(request, "journey", "edit", id=name, text=text, was=was)
        if reply.ok:
            return self._after(request, reply)
        node = _node(await self._timeline(request, gone=True), request)
        if node is not None and not row(node).gone:
            return await self._star(request, text, reply.text)
        return self._pages.render(
            request, "written.html", 409, title="It is gone", why=reply.text, text=text,
            to=f"{PAGE}/{quote(name, safe='')}" if node is not None else PAGE,
            onwards="What became of it" if node is not None else "Journey", at=PAGE,
        )  # fmt: skip

    async def delete(self, request: Request) -> Response:
        """Remove an entry, put a skill away, if it still reads as it was shown."""
        name, was = str(request.path_params["id"]), _lines((await request.form()).get("was"))
        reply = await self._pages.order(request, "journey", "delete", id=name, was=was)
        return self._after(request, reply)

    async def undo(self, request: Request) -> Response:
        """Take back a change, or the last one of the thing of that id."""
        reply = await self._pages.order(request, "journey", "undo", id=str(request.path_params["id"]))
        return self._pages.back(request, PAGE, reply)

    def _after(self, request: Request, reply: CommandReply) -> Response:
        """On to the map, which says what was done and offers to take it back."""
        data = reply.data if isinstance(reply.data, dict) else {}
        name = str(data.get("id", "")) if data.get("result") == "done" else ""
        # How a chat takes it back; here there is a button.
        said = "\n".join(each for each in reply.text.splitlines() if not each.startswith("Undo: /"))
        to = f"{PAGE}?undo={quote(name, safe='')}" if name else PAGE
        return self._pages.back(request, to, said, good=reply.ok)

    def _zone(self) -> str:
        """The time zone as browsers name it."""
        zone = self._pages.zone()
        name = getattr(zone, "key", None)
        if isinstance(name, str):
            return name
        ahead = datetime.fromtimestamp(self._pages.clock.now(), zone).strftime("%z")
        return f"{ahead[:3]}:{ahead[3:5]}"

    def _journey(self, request: Request) -> Journey:
        """What this person may see. Raises 403, or 404 where memory is off."""
        context = self._pages.context(request)
        if context.ports.journey is None:
            raise HTTPException(404, NO_JOURNEY.text)
        seen = journey_of(context)
        if seen is None:
            raise HTTPException(403, NOT_YOURS.text)
        return seen

    async def _timeline(self, request: Request, *, gone: bool) -> Timeline:
        try:
            return await self._journey(request).timeline(gone=gone)
        except (FileTrouble, SkillTrouble) as trouble:
            raise HTTPException(503, str(trouble)) from trouble


def list_page(timeline: Timeline, wish: Wish, asked: str) -> ListPage:
    """The page of the list that was asked for, or the nearest there is."""
    found = [each for each in reversed(timeline.nodes) if wish.fits(each)]
    count = max(1, -(-len(found) // PER_PAGE))
    number = min(int(asked) if asked.isdecimal() and len(asked) < 6 else 1, count) or 1
    rows = [row(each) for each in found[(number - 1) * PER_PAGE : number * PER_PAGE]]
    one = len(found) == 1
    words = f"{len(found):,} {'thing' if one else 'things'}"
    return ListPage(
        rows,
        f"{words} that {'fits' if one else 'fit'}" if wish.words or wish.kind else words,
        number,
        count,
        wish.address(number - 1) if number > 1 else "",
        wish.address(number + 1) if number < count else "",
    )


def counted(timeline: Timeline) -> Counts:
    """How much there is."""
    found = Counter[str](each.kind for each in timeline.nodes)
    return Counts(len(timeline.nodes), [(kind, name, found[kind]) for kind, name in KINDS], _mark(timeline))


def _mark(timeline: Timeline) -> str:
    """A few signs that stand for all that the map and the cards say."""
    told = "\0".join(f"{each.id} {each.changed} {each.state} {each.uses} {each.pinned} {each.text}"
                     for each in timeline.nodes)  # fmt: skip
    return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:16]


def row(node: Node) -> Row:
    """A node with the words for it."""
    by = ORIGINS.get(node.origin, "")
    if node.kind != "skill" and not node.dated:
        by = "somebody, by hand"
    place = f"{PAGE}/{quote(node.id, safe='')}/source" if node.session or node.message else ""
    gone = node.state in ("removed", "archived")
    kind = "Skill" if node.kind == "skill" else dict(KINDS)[node.kind]
    return Row(node, kind, STATES.get(node.state, ""), by, place, gone)


def ties(timeline: Timeline, node: Node) -> list[tuple[Node, str]]:
    """What a node is joined with, and why."""
    by_id = {each.id: each for each in timeline.nodes}
    found = []
    for edge in timeline.edges:
        if node.id in (edge.first, edge.second):
            found.append((by_id[edge.second if edge.first == node.id else edge.first], TIES[edge.why]))
    return found


def compact(timeline: Timeline, zone: str) -> dict[str, object]:
    """The timeline as the map reads it."""
    order = {each.id: place for place, each in enumerate(timeline.nodes)}
    nodes = []
    for node in timeline.nodes:
        shown = row(node)
        nodes.append([
            node.id, node.kind, node.title, node.text, round(node.at, 3), round(node.changed, 3), node.state,
            shown.by, shown.place, node.store, node.uses, node.pinned, node.dated,
        ])  # fmt: skip
    edges = [[order[each.first], order[each.second], each.why] for each in timeline.edges]
    return {"zone": zone, "fields": FIELDS, "nodes": nodes, "edges": edges}


def _encoded(timeline: Timeline, zone: str) -> bytes:
    text = json.dumps(compact(timeline, zone), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")  # half a surrogate pair is no text that could be sent


def _node(timeline: Timeline, request: Request) -> Node | None:
    return next((each for each in timeline.nodes if each.id == request.path_params["id"]), None)


def _named(timeline: Timeline, request: Request) -> Node:
    """The node that the path names. Raises 404."""
    node = _node(timeline, request)
    if node is None:
        raise HTTPException(404, "Nothing that was learnt has this id.")
    return node


def _lines(given: object) -> str:
    """A text as it was written; browsers send line ends as CR LF."""
    return given.replace("\r\n", "\n") if isinstance(given, str) else ""
