"""The page that says how things are: platforms, model hosts, what waits, reviews, what was spent, the database.

Shows what the ports tell, and says where nobody knows. Judging is the rooms' that are shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from commands.host_ports import HostView
from commands.review_ports import EndedView, QueuedView, YieldView
from commands.reviews import OUTCOMES
from commands.spec import Role
from gateway.web.pages import Pages, needs

PERIODS = (1, 7, 30)
"""Days that usage is shown for."""

YIELD_DAYS = 30
ENDED = 5

HOSTS_SECONDS = 4.0
"""For which the model hosts are waited for."""

SILENT = "it did not answer in time"
UNTOLD = "not known: the gateway is not running here"


@dataclass(frozen=True, slots=True)
class PlatformLine:
    """A platform. `up` is None where nobody knows; `heard` is when it was last heard, as far as that was noted, in
    seconds since the epoch; `parts` wait to be sent there."""

    name: str
    up: bool | None
    words: str
    heard: float | None
    parts: int


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens of a task today; `bound` is its budget, None for none."""

    task: str
    tokens: int
    bound: int | None


@dataclass(frozen=True, slots=True)
class Looking:
    """Reviews: what waits and runs, the last results, and by model what they cost and what was kept."""

    queue: Sequence[QueuedView]
    ended: Sequence[EndedView]
    yields: Sequence[YieldView]


def routes(pages: Pages) -> list[Route]:
    """How things are."""
    return Health(pages).routes


class Health:
    """The handler of this page."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    @property
    def routes(self) -> list[Route]:
        return [Route("/health", needs(Role.OPERATOR)(self.show), methods=["GET"])]

    async def show(self, request: Request) -> Response:
        """All of it. `days` is how far back usage goes."""
        asked = request.query_params.get("days", "")
        days = next((each for each in PERIODS if str(each) == asked), PERIODS[0])
        ports = self._pages.ports
        status, hosts, usage, looking = await asyncio.gather(
            ports.status.view(None), self._hosts(), ports.books.since(days), self._looking(request)
        )
        data = status.data
        return self._pages.render(
            request, "health_page.html", data=data, platforms=platforms(data, self._pages.settings().platforms),
            hosts=hosts, usage=usage, days=days, periods=PERIODS, spent=spent(data), looking=looking,
            yield_days=YIELD_DAYS, outcomes=OUTCOMES,
        )  # fmt: skip

    async def _hosts(self) -> Sequence[HostView] | str:
        """The model hosts, or why nobody knows."""
        port = self._pages.ports.hosts
        if port is None:
            return UNTOLD
        try:
            return await asyncio.wait_for(port.states(), HOSTS_SECONDS)
        except TimeoutError:
            return SILENT

    async def _looking(self, request: Request) -> Looking | None:
        reviews, keys = self._pages.ports.reviews, self._pages.context(request).visible
        if reviews is None:
            return None
        return Looking(await reviews.queue(keys), await reviews.ended(ENDED, keys), await reviews.yields(YIELD_DAYS))


def platforms(data: Mapping[str, Any], configured: Mapping[str, object]) -> list[PlatformLine]:
    """Every platform that runs, or has a token."""
    live: Mapping[str, Any] = data.get("platforms", {})
    known = "platforms" in data
    heard, parts = data.get("heard", {}), data.get("undelivered_on", {})
    found = []
    for name in sorted({*live, *(name for name, each in configured.items() if getattr(each, "token", None))}):
        state = live.get(name)
        words = state["state"] if state is not None else "not started" if known else UNTOLD
        up = state["up"] if state is not None else False if known else None
        found.append(PlatformLine(name, up, words, heard.get(name), parts.get(name, 0)))
    return found


def spent(data: Mapping[str, Any]) -> list[Spent]:
    """Today's tokens by task, and in total, where there is a budget or something was spent."""
    tokens: Mapping[str, int] = data.get("tokens_today", {})
    budgets: Mapping[str, int] = data.get("budgets", {})
    tasks = sorted({*tokens, *budgets} - {"total"})
    lines = [Spent(each, tokens.get(each, 0), budgets.get(each)) for each in tasks]
    if tasks or "total" in budgets:
        lines.append(Spent("in total", sum(tokens.values()), budgets.get("total")))
    return lines
