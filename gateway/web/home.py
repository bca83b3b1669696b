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
from gateway.web.sheets import KINDS
from memory.files import FileTrouble
from memory.skills.diff import spelt_out
from memory.usage import usage

SESSIONS = 5
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
            return pages.render(request, "home_guest.html")
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


async def fullness(context: Context) -> list[Fullness]:
    """How full the files are that this person may see; none where they cannot be read."""
    memory = context.ports.memory
    here = memory.at(context.chat, context.who, direct=context.direct) if memory is not None else None
    if here is None:
        return []
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
