"""The first page: what waits, how full memory is, how platforms do, and the last sessions, in a few cards."""

from __future__ import annotations

import asyncio
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


@dataclass(frozen=True, slots=True)
class Fullness:
    """How much of one file is used, in characters."""

    title: str
    used: int
    limit: int
    entries: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many writes wait for a yes."""

    memory: int
    skills: int

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
    return await asyncio.to_thread(
        lambda: Waiting(
            len(memory.resolver.pendings.ids()) if memory is not None else 0,
            len(skills.resolver.pendings.ids()) if skills is not None else 0,
        )
    )


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
