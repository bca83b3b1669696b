"""The first page: what waits, how full memory is, how platforms do, and the last sessions, in a few cards."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from commands.context import Context
from commands.spec import Role
from gateway.web.pages import Pages
from memory.files import FileTrouble
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
    """What waits for a yes: how many writes of each kind, files that nobody can decide included, and the gists of the
    oldest ones with the pages that show them."""

    memory: int
    skills: int
    first: Sequence[tuple[str, str]] = ()

    @property
    def all(self) -> int:
        return self.memory + self.skills


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
    """What waits for a yes, memory and skills."""
    memory, skills = pages.ports.pending, pages.ports.skill_pending
    if memory is None or skills is None:
        return Waiting(0, 0)
    entries, changes = memory.resolver.pendings, skills.resolver.pendings

    def read() -> Waiting:
        found = [(each.created_at, each.gist, f"/pending/memory/{each.id}") for each in entries.waiting()]
        found += [(each.created_at, each.gist, f"/pending/skills/{each.id}") for each in changes.waiting()]
        first = [(gist, page) for _, gist, page in sorted(found)[:GISTS]]
        return Waiting(len(entries.ids()), len(changes.ids()), first)

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
