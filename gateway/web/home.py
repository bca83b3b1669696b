"""The first page: what waits, how full memory is, how platforms do, and the last sessions, in a few cards."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from commands.context import Context
from commands.spec import Role
from gateway.web.pages import Pages
from gateway.web.shares import memory_of
from gateway.web.sheets import KINDS
from memory.files import FileTrouble
from memory.skills.diff import spelt_out
from memory.usage import usage

SESSIONS = 5
ABOUT: Mapping[str, str] = {
    "/memory": "What the assistant noted of what you said; you can add to it, change it and take things out.",
    "/skills": "What the assistant knows how to do.",
    "/sessions": "What was said in your chat with the assistant, with a search.",
    "/jobs": "What the assistant does by itself at its time, in your chat.",
}
"""What a page is to somebody who is no operator."""

GISTS = 3


@dataclass(frozen=True, slots=True)
class Fullness:
    """How much of one file is used, in characters."""

    title: str
    used: int
    limit: int
    entries: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits for a yes: how many of each kind, by the kind's name, files that nobody can decide included, and the
    gists of the oldest ones with the pages that show them."""

    counts: Mapping[str, int]
    first: Sequence[tuple[str, str]] = ()

    @property
    def all(self) -> int:
        return sum(self.counts.values())

    @property
    def parts(self) -> str:
        """Which kinds the number stands for."""
        there = {name: count for name, count in self.counts.items() if count}
        return ", ".join(f"for {name}" if len(there) == 1 else f"{count} for {name}" for name, count in there.items())


def routes(pages: Pages) -> list[Route]:
    async def show(request: Request) -> Response:
        context = pages.context(request)
        if context.role < Role.OPERATOR:
            open_to = [each for each in pages.open_to(pages.person(request)) if each.path in ABOUT]
            return pages.render(request, "home_guest.html", places=open_to, about=ABOUT)
        house = await pages.ports.status.view(None)
        return pages.render(
            request,
            "home_page.html",
            waiting=await waiting(pages),
            fullness=await fullness(context),
            sessions=await pages.ports.archive.recent(SESSIONS, context.visible),
            house=house,
            platforms=house.data.get("platforms", {}),
            live=pages.live,
            paths=pages.paths,
        )

    return [Route("/", show, methods=["GET"])]


async def waiting(pages: Pages) -> Waiting:
    """What waits for a yes, of every kind."""
    gates = [(kind.name, gate) for kind in KINDS if (gate := kind.gate(pages.ports)) is not None]

    def read() -> Waiting:
        found, counts = [], {}
        for name, gate in gates:
            pendings = gate.resolver.pendings
            found += [(each.created_at, each.gist, f"/pending/{name}/{each.id}") for each in pendings.waiting()]
            counts[name] = len(pendings.ids())
        return Waiting(counts, [(spelt_out(gist), page) for _, gist, page in sorted(found)[:GISTS]])

    return await asyncio.to_thread(read)


async def fullness(context: Context) -> list[Fullness] | None:
    """How full the files are that this person may see: none of them where they cannot be read, None where none is
    theirs to see."""
    here = memory_of(context)
    if here is None:
        return None
    stores = here.stores

    def read() -> list[Fullness]:
        found = []
        for target in stores.enabled:
            entries = stores.entries(target)
            count = usage(entries, stores.limit(target))
            found.append(Fullness(stores.file(target), count.chars, count.limit, len(entries)))
        return found

    try:
        return await asyncio.to_thread(read)
    except FileTrouble:
        return []
