"""The pages of curated memory: its files, adding, editing and removing entries, and the journal with undo.

Whose files are shown is `Memory.at`'s word, and every change is a command's: the same checks as in a chat.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from commands.memory_writes import NO_MEMORY, NOT_YOURS
from commands.ports import Memory
from gateway.web import memory_view as view
from gateway.web.causes import spot_of
from gateway.web.pages import Pages, visit
from gateway.web.shares import memory_of
from memory.files import FileTrouble

FILES, HISTORY = "/memory", "/memory/history"
GONE = "The entry changed since it was shown, or is gone; look again. Nothing was changed."
WRITTEN = f"{GONE} What you wrote stands below: copy it, or keep it as an entry of its own."

R = TypeVar("R")


def routes(pages: Pages) -> list[Route]:
    """Memory's files and their history."""
    each = MemoryPages(pages)
    return [
        Route(FILES, each.files, methods=["GET"]),
        Route(FILES, each.add, methods=["POST"]),
        Route("/memory/edit", each.form, methods=["GET"]),
        Route("/memory/edit", each.edit, methods=["POST"]),
        Route("/memory/remove", each.remove, methods=["POST"]),
        Route(HISTORY, each.history, methods=["GET"]),
        Route("/memory/undo", each.undo, methods=["POST"]),
        Route("/memory/history/{id}/source", each.source, methods=["GET"]),
    ]


class MemoryPages:
    """The handlers of these pages."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    async def files(self, request: Request) -> Response:
        """Every file that the person may see, with its entries, and what was changed last."""
        return await self._files(request)

    async def _files(self, request: Request, store: str = "", text: str = "", problem: str = "") -> Response:
        """With a problem, the form for a new entry holds what was written and says why it was not kept."""
        memory = self._memory(request)
        stores = await asyncio.to_thread(view.stores_of, memory)
        problems = await asyncio.to_thread(memory.stores.problems)
        try:
            last = await asyncio.to_thread(view.last_change, memory)
        except FileTrouble as error:
            last, problems = None, [*problems, str(error)]
        return self._pages.render(
            request, "memory_files.html", 422 if problem else 200, stores=stores, problems=problems, last=last,
            store=store, text=text, problem=problem, at=FILES if problem else "",
        )  # fmt: skip

    async def add(self, request: Request) -> Response:
        """Keep an entry, as /remember does. What is refused can be mended."""
        memory = self._memory(request)
        form = await request.form()
        store, text = str(form.get("store", "")), str(form.get("text", ""))
        if view.target_of(memory, store) is None or not text.strip():
            return await self._files(request, store, text, "Say what to keep, and where.")
        reply = await self._pages.order(request, "remember", text=f"{store}: {text.strip()}")
        if not reply.ok:
            return await self._files(request, store, text, reply.text)
        return self._pages.back(request, FILES, view.said(reply))

    async def form(self, request: Request) -> Response:
        """Another text for an entry."""
        store, key = request.query_params.get("store", ""), request.query_params.get("entry", "")
        entry = await self._entry(request, store, key)
        if entry is None:
            return self._pages.back(request, FILES, GONE, good=False)
        return await self._form(request, store, key, entry, entry)

    async def _form(
        self, request: Request, store: str, key: str, entry: str, text: str, problem: str = ""
    ) -> Response:
        memory = self._memory(request)
        target = view.target_of(memory, store)
        assert target is not None, "it holds the entry"
        usage = await self._read(memory.stores.usage, target)
        return self._pages.render(
            request, "memory_edit.html", 422 if problem else 200, store=store, key=key, entry=entry, text=text,
            problem=problem, usage=usage, file=memory.stores.file(target), rest=usage.chars - len(entry),
        )  # fmt: skip

    async def edit(self, request: Request) -> Response:
        """Rewrite exactly the entry that was shown."""
        form = await request.form()
        store, key = str(form.get("store", "")), str(form.get("entry", ""))
        text = str(form.get("text", ""))
        entry = await self._entry(request, store, key)
        if entry is None:
            return await self._files(request, store, text, WRITTEN)
        if not text.strip():
            why = "The text is empty: remove the entry instead."
            return await self._form(request, store, key, entry, text, why)
        reply = await self._pages.order(request, "memory", "edit", id=store, entry=entry, text=text)
        if not reply.ok:
            return await self._form(request, store, key, entry, text, reply.text)
        return self._pages.back(request, FILES, view.said(reply))

    async def remove(self, request: Request) -> Response:
        """Remove exactly the entry that was shown, as /forget does."""
        form = await request.form()
        store = str(form.get("store", ""))
        entry = await self._entry(request, store, str(form.get("entry", "")))
        if entry is None:
            return self._pages.back(request, FILES, GONE, good=False)
        reply = await self._pages.order(request, "forget", text=entry, store=store)
        return self._pages.back(request, FILES, view.said(reply))

    async def history(self, request: Request) -> Response:
        """What was changed, the newest first."""
        memory = self._memory(request)
        given = request.query_params.get("page", "1")
        wished = int(given) if given.isdecimal() and len(given) < 6 else 1
        wanted = request.query_params.get("change", "")
        changes, number, last = await self._read(view.changes_of, memory, wished, wanted)
        return self._pages.render(request, "memory_history.html", changes=changes, number=number, last=last)

    async def undo(self, request: Request) -> Response:
        """Take back one change."""
        form = await request.form()
        back = FILES if form.get("back") == FILES else HISTORY
        name = str(form.get("id", ""))
        if not name:
            return self._pages.back(request, back, "Say which change.", good=False)
        reply = await self._pages.order(request, "memory", "undo", id=name)
        return self._pages.back(request, back, view.said(reply))

    async def source(self, request: Request) -> Response:
        """On to the message that a change came from."""
        memory = self._memory(request)
        record = await self._read(view.record_of, memory, str(request.path_params["id"]))
        to = await spot_of(self._pages, record.author) if record is not None else ""
        return self._pages.back(
            request, to or HISTORY, "" if to else "Its message is not in the archive.", good=False
        )

    def _memory(self, request: Request) -> Memory:
        """What this person may see. Raises 401, 403, and 404 where memory is off."""
        visit(request)
        if self._pages.ports.memory is None:
            raise HTTPException(404, NO_MEMORY.text)
        memory = memory_of(self._pages.context(request))
        if memory is None:
            raise HTTPException(403, NOT_YOURS.text)
        return memory

    async def _entry(self, request: Request, store: str, key: str) -> str | None:
        return await self._read(view.entry_of, self._memory(request), store, key)

    async def _read(self, step: Callable[..., R], *given: object) -> R:
        """Off the loop. Raises 503 for a file that cannot be read."""
        try:
            return await asyncio.to_thread(step, *given)
        except FileTrouble as error:
            raise HTTPException(503, str(error)) from error
