"""The pages of what waits: a list, one write in full, deciding about it, and what became of it.

What is decided is what the page showed: each form carries the mark of it. Operators only. Kinds are `sheets`' matter,
decisions the commands'.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from commands.ports import Gatehouse
from commands.reply import CommandReply
from commands.spec import Role
from gateway.web.causes import spot_of
from gateway.web.pages import Pages, needs
from gateway.web.sheets import KINDS, Sheet, WriteKind, kind_of
from memory.files import FileTrouble
from memory.journal import Receipt
from memory.pending.folder import Broken
from memory.pending.outcomes import Decided
from memory.skills.diff import spelt_out

LIST = "/approvals"
PER_PAGE = 20
UNSEEN = "The form did not say what it showed; look again. Nothing was decided."
TOO_LATE = "Somebody decided about it, or edited it, while you were writing. Your text changed nothing."
NO_TEXT = "This one has no single text: reject it instead."


@dataclass(frozen=True, slots=True)
class Unusable:
    """A file in the folder that can only be rejected."""

    kind: str
    id: str
    why: str

    @property
    def path(self) -> str:
        return f"/pending/{self.kind}/{self.id}"


@dataclass(frozen=True, slots=True)
class Past:
    """What became of a write that does not wait: how it was decided, None when nothing is known of it. `busy`:
    somebody is deciding it right now. `change` is where what it made is kept, if the person may see that; `since`
    says what its approval has led to by now, where that is no change."""

    receipt: Receipt | None
    busy: bool = False
    change: str = ""
    since: str = ""


def routes(pages: Pages) -> list[Route]:
    """What waits, and deciding."""
    return Approvals(pages).routes


class Approvals:
    """The handlers of these pages."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    @property
    def routes(self) -> list[Route]:
        one, gated = "/pending/{kind}/{id}", needs(Role.OPERATOR)
        return [
            Route(LIST, gated(self.waiting), methods=["GET"]),
            Route(one, gated(self.show), methods=["GET"]),
            Route(f"{one}/source", gated(self.source), methods=["GET"]),
            Route(f"{one}/edit", gated(self.form), methods=["GET"]),
            Route(f"{one}/edit", gated(self.edit), methods=["POST"]),
            Route(f"{one}/approve", gated(self.approve), methods=["POST"]),
            Route(f"{one}/reject", gated(self.reject), methods=["POST"]),
        ]

    async def waiting(self, request: Request) -> Response:
        """Everything that waits, the oldest first."""
        given = request.query_params.get("page", "1")
        number = min(int(given), 1000) if given.isdecimal() and len(given) < 5 else 1
        try:
            sheets, unusable, total = await asyncio.to_thread(self._waiting, max(number, 1))
        except FileTrouble as error:
            raise HTTPException(503, str(error)) from error
        last = max(1, -(-total // PER_PAGE))
        return self._pages.render(
            request, "approvals_list.html", sheets=sheets, unusable=unusable, total=total + len(unusable),
            number=number, last=last, live=self._pages.live,
        )  # fmt: skip

    def _waiting(self, number: int) -> tuple[Sequence[Sheet], Sequence[Unusable], int]:
        ports = self._pages.ports
        found: list[tuple[WriteKind, Any]] = []
        unusable: list[Unusable] = []
        for kind in KINDS:
            if (gate := kind.gate(ports)) is not None:
                gate.resolver.mend()  # what a dead process was deciding waits again, or was decided
                found += [(kind, each) for each in gate.resolver.pendings.waiting()]
                unusable += [Unusable(kind.name, each.id, each.why) for each in gate.resolver.pendings.broken()]
        found.sort(key=lambda each: (each[1].created_at, each[1].id))
        shown = found[(number - 1) * PER_PAGE : number * PER_PAGE]
        return [kind.sheet(ports, write, among=True) for kind, write in shown], unusable, len(found)

    async def show(self, request: Request) -> Response:
        """One write in full, or what became of it."""
        kind, gate, name = self._asked(request)
        found = await self._sheet(kind, gate, name)
        if isinstance(found, Sheet):
            return self._pages.render(request, "approvals_one.html", sheet=found, live=self._pages.live, here=LIST)
        if isinstance(found, Unusable):
            return self._pages.render(request, "approvals_unusable.html", unusable=found, here=LIST)
        past = await self._past(request, kind, gate, name)
        status = 200 if past.receipt is not None or past.busy else 404
        return self._pages.render(request, "approvals_past.html", status, past=past, kind=kind, name=name, here=LIST)

    async def source(self, request: Request) -> Response:
        """On to the message that it came from."""
        kind, gate, name = self._asked(request)
        found = await self._sheet(kind, gate, name)
        if not isinstance(found, Sheet):
            return RedirectResponse(f"/pending/{kind.name}/{name}", 303)
        to = await spot_of(self._pages, found.author)
        return self._pages.back(
            request, to or found.path, "" if to else "Its message is not in the archive.", good=False
        )

    async def form(self, request: Request) -> Response:
        """Another text for it."""
        kind, gate, name = self._asked(request)
        found = await self._sheet(kind, gate, name)
        if not isinstance(found, Sheet):
            return RedirectResponse(f"/pending/{kind.name}/{name}", 303)
        if found.text is None:
            return self._pages.back(request, found.path, NO_TEXT, good=False)
        return self._form(request, found, found.text)

    def _form(self, request: Request, sheet: Sheet, text: str, problem: str = "") -> Response:
        return self._pages.render(
            request,
            "approvals_edit.html",
            422 if problem else 200,
            sheet=sheet,
            text=text,
            problem=problem,
            here=LIST,
        )

    async def edit(self, request: Request) -> Response:
        """Put the text in its place, by the checks of `/memory edit`; it then waits under a new id."""
        kind, gate, name = self._asked(request)
        form = await request.form()
        text, seen = str(form.get("text", "")), str(form.get("seen", ""))
        found = await self._sheet(kind, gate, name)
        if not isinstance(found, Sheet):
            return self._too_late(request, kind, name, text, TOO_LATE)
        if found.text is None:
            return self._pages.back(request, found.path, NO_TEXT, good=False)
        if not seen:
            return self._form(request, found, text, UNSEEN)
        if not text.strip():
            return self._form(request, found, text, "Say what it is to read: the text is empty.")
        reply = await self._pages.order(request, kind.name, "edit", id=name, text=text, seen=seen)
        match _result(reply):
            case "edited", heir:
                said = "It waits with the new text now: approve it if that is right."
                return self._pages.back(request, f"/pending/{kind.name}/{heir}", said)
            case "refused", why:
                return self._form(request, found, text, why)
            case "decided" | "unknown", _:
                return self._too_late(request, kind, name, text, reply.text)
            case _:
                return self._form(request, found, text, reply.text)

    def _too_late(self, request: Request, kind: WriteKind, name: str, text: str, why: str) -> Response:
        """It does not wait any more: what was written is there to be copied."""
        return self._pages.render(
            request, "written.html", 409, title="Too late", why=why, text=text, to=f"/pending/{kind.name}/{name}",
            onwards="What became of it", here=LIST,
        )  # fmt: skip

    async def approve(self, request: Request) -> Response:
        """Carry out exactly what was shown."""
        return await self._decide(request, "approve")

    async def reject(self, request: Request) -> Response:
        """Let it go."""
        return await self._decide(request, "reject")

    async def _decide(self, request: Request, action: str) -> Response:
        kind, gate, name = self._asked(request)
        form = await request.form()
        seen, here = str(form.get("seen", "")), f"/pending/{kind.name}/{name}"
        back = LIST if form.get("back") == LIST else here
        write = await asyncio.to_thread(gate.resolver.pendings.get, name)
        if not seen and not (action == "reject" and isinstance(write, Broken)):
            return self._pages.back(request, here, UNSEEN, good=False)
        reply = await self._pages.order(request, kind.name, action, id=name, seen=seen)
        about = f": {spelt_out(write.gist)}" if write is not None and not isinstance(write, Broken) else ""
        words = kind.words
        match _result(reply):
            case "approved", _:
                then = words.approved if self._pages.live else words.asleep
                return self._pages.back(request, back, f"Approved{about}" + (f". {then}" if then else ""))
            case "rejected", _:
                return self._pages.back(request, back, f"Rejected{about}. {words.rejected}")
            case "decided" | "unknown" | "refused", _:
                return self._pages.back(request, here, reply)
            case _:
                return self._pages.back(request, back, reply)

    def _asked(self, request: Request) -> tuple[WriteKind, Gatehouse[Any, Any], str]:
        """What the path names. Raises 404 where there is no such kind."""
        kind = kind_of(request.path_params["kind"])
        gate = kind.gate(self._pages.ports) if kind is not None else None
        if kind is None or gate is None:
            raise HTTPException(404, "No such writes wait here.")
        return kind, gate, str(request.path_params["id"])

    async def _sheet(self, kind: WriteKind, gate: Gatehouse[Any, Any], name: str) -> Sheet | Unusable | None:
        def look() -> Sheet | Unusable | None:
            write = gate.resolver.pendings.get(name)
            if write is None and gate.resolver.pendings.there(name):
                gate.resolver.mend()
                write = gate.resolver.pendings.get(name)
            if isinstance(write, Broken):
                return Unusable(kind.name, write.id, write.why)
            return kind.sheet(self._pages.ports, write) if write is not None else None

        return await asyncio.to_thread(look)

    async def _past(self, request: Request, kind: WriteKind, gate: Gatehouse[Any, Any], name: str) -> Past:
        def look() -> Past:
            became = gate.resolver.became(name)
            if isinstance(became, Decided):
                return Past(became.receipt)
            return Past(None, busy=gate.resolver.pendings.there(name))

        try:
            past = await asyncio.to_thread(look)
        except FileTrouble as error:
            raise HTTPException(503, str(error)) from error
        if past.receipt is None or past.receipt.result != "approved" or not past.receipt.detail:
            return past
        change = past.receipt.detail
        there = await asyncio.to_thread(kind.kept, self._pages.context(request), change)
        since = await asyncio.to_thread(kind.since, self._pages.ports, name, live=self._pages.live)
        return Past(past.receipt, change=f"{kind.history}?change={change}#{change}" if there else "", since=since)


def _result(reply: CommandReply) -> tuple[str, str]:
    """What a decision came to, and its detail."""
    data = reply.data if isinstance(reply.data, dict) else {}
    return str(data.get("result", "")), str(data.get("detail", ""))
