"""The pages of skills: what there is, one in full with its files, what was changed, what was put away.

Files are read by the library alone, which resolves paths and lets none lead out; changes are the commands'.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from commands.skill_ports import Skills
from commands.skill_reach import OFF
from commands.spec import Role
from gateway.web import skills_view as view
from gateway.web.pages import Pages, needs, visit
from memory.files import FileTrouble
from memory.skills.model import SkillTrouble

LIST, HISTORY, ARCHIVED = "/skills", "/skills/history", "/skills/archived"
ORDERS = ("pin", "unpin", "archive")

R = TypeVar("R")


def routes(pages: Pages) -> list[Route]:
    """What the assistant knows how to do."""
    each, gated = SkillPages(pages), needs(Role.OPERATOR)
    return [
        Route(LIST, each.overview, methods=["GET"]),
        Route(HISTORY, gated(each.history), methods=["GET"]),
        Route("/skills/undo", gated(each.undo), methods=["POST"]),
        Route(ARCHIVED, gated(each.archived), methods=["GET"]),
        Route("/skills/restore", gated(each.restore), methods=["POST"]),
        Route("/skills/named/{name}", each.show, methods=["GET"]),
        Route("/skills/named/{name}/order", gated(each.order), methods=["POST"]),
        Route("/skills/named/{name}/file/{file:path}", each.file, methods=["GET"]),
    ]


class SkillPages:
    """The handlers of these pages."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    async def overview(self, request: Request) -> Response:
        """All of them; those that are broken; names that clash."""
        skills = self._skills(request)
        listing = await self._read(skills, view.listing, skills, self._pages.registry)
        return self._pages.render(request, "skills_list.html", listing=listing)

    async def show(self, request: Request) -> Response:
        """One with its text and files."""
        return await self._file(request, "")

    async def file(self, request: Request) -> Response:
        """One of its files."""
        return await self._file(request, str(request.path_params["file"]))

    async def _file(self, request: Request, file: str) -> Response:
        skills = self._skills(request)
        shown = await self._read(skills, view.shown, skills, str(request.path_params["name"]), file)
        return self._pages.render(request, "skills_one.html", shown=shown)

    async def order(self, request: Request) -> Response:
        """Pin it, let it go, or put it away."""
        self._skills(request)
        name, form = str(request.path_params["name"]), await request.form()
        order = str(form.get("order", ""))
        if order not in ORDERS:
            raise HTTPException(400, "There is no such order.")
        reply = await self._pages.order(request, "skills", order, name=name)
        there = LIST if order == "archive" and reply.ok else view.path_of(name)
        return self._pages.back(request, there, reply)

    async def history(self, request: Request) -> Response:
        """What was changed, the newest first."""
        skills = self._skills(request)
        given, wanted = request.query_params.get("page", "1"), request.query_params.get("change", "")
        wished = int(given) if given.isdecimal() and len(given) < 6 else 1
        deeds, number, last = await self._read(skills, view.deeds, skills, wished, wanted)
        return self._pages.render(request, "skills_history.html", deeds=deeds, number=number, last=last)

    async def undo(self, request: Request) -> Response:
        """Take back one change."""
        self._skills(request)
        form = await request.form()
        name = str(form.get("id", ""))
        if not name:
            return self._pages.back(request, HISTORY, "Say which change.", good=False)
        reply = await self._pages.order(request, "skills", "undo", id=name)
        return self._pages.back(request, HISTORY, view.head(reply))

    async def archived(self, request: Request) -> Response:
        """What was put away, and can be brought back."""
        skills = self._skills(request)
        away = await self._read(skills, view.away, skills)
        return self._pages.render(request, "skills_archived.html", away=away)

    async def restore(self, request: Request) -> Response:
        """Bring one back."""
        self._skills(request)
        form = await request.form()
        place = str(form.get("place", ""))
        if not place:
            return RedirectResponse(ARCHIVED, 303)
        return self._pages.back(
            request, ARCHIVED, await self._pages.order(request, "skills", "restore", name=place)
        )  # fmt: skip

    def _skills(self, request: Request) -> Skills:
        """Raises 401, and 404 where there are none."""
        visit(request)
        if self._pages.ports.skills is None:
            raise HTTPException(404, OFF.text)
        return self._pages.ports.skills

    async def _read(self, skills: Skills, step: Callable[..., R], *given: object) -> R:
        """Off the loop. Raises 404 for what is not there or may not be shown, 503 for what cannot be read."""
        try:
            return await asyncio.to_thread(step, *given)
        except SkillTrouble as trouble:
            raise HTTPException(404, skills.library.without_folders(str(trouble))) from trouble
        except FileTrouble as trouble:
            raise HTTPException(503, skills.library.without_folders(str(trouble))) from trouble
