"""Asks a model host what it is doing, by whichever of its own ways it has, and never wakes a model by asking.

Owns the questions, their order and their deadline; the answers' meaning is probe_answers.py's, when to ask is
host_state.py's. What is known of the servers, tried or read in their sources:

- llama.cpp: `/slots` and older `/metrics` are tasks, which wake a model that sleeps; `/props`, `/health` and
  `/models` are not. So `/props` comes first. A router (several models) would load the `model` that is asked about,
  but for `autoload=false`, which does not keep it from waking one: only loaded ones are asked about.
- LiteLLM's `/health` calls every model behind it: nobody is asked that who was not found to be llama.cpp.
- LM Studio answers unknown paths with status 200 and an error in JSON.
"""

from __future__ import annotations

import asyncio
import email.utils
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote

from gateway.models.idleness import Sight, idle, sleeping, unknown, worst
from gateway.models.probe_answers import (
    Heard,
    asleep,
    from_loaded,
    from_metrics,
    from_slots,
    is_llama_cpp,
    is_ollama,
    is_router,
    loaded_until,
    no_answer_yet,
    routed,
)
from gateway.models.transport import on_this_machine, transport_errors

if TYPE_CHECKING:
    import httpx

ANSWER_SECONDS = 2.0
"""For one answer. Old llama.cpp servers answer nothing while they read a prompt; that is unknown, soon enough."""
LARGEST_ANSWER = 8 << 20
"""Bytes. Old servers put whole prompts into their slots; what is longer is not read to its end."""
NO_SLOTS = (404, 405, 501)
OWN_ONLY = "as far as our own requests tell"

Way = Callable[[], Awaitable[Sight | None]]
"""Looks in one server's way; None when the server turns out to be another."""


class Prober:
    """Looks at one server. `address` is its root, without /v1; `models` the whole address of its list of models.

    `asks` False leaves it at that list, for hosts of which nothing else is to be expected.
    """

    def __init__(
        self,
        address: str,
        models: str,
        headers: Mapping[str, str],
        *,
        asks: bool = True,
        seconds: float = ANSWER_SECONDS,
    ) -> None:
        self._address = address
        self._models = models
        self._headers = dict(headers)
        self._seconds = seconds
        self._asks = asks
        self._way: Way | None = None
        self._until: dict[str, str] | None = None
        self._web: httpx.AsyncClient | None = None

    async def look(self) -> Sight:
        """What the server is doing, own requests included. Never raises; takes a few short answers' time."""
        try:
            if self._way is not None and (sight := await self._way()) is not None:
                return sight
            self._way = None
            return await self._recognise()
        except TimeoutError:
            return unknown("it does not answer in time")
        except transport_errors():
            self._way = None  # whatever answers here next may be another server
            return unknown("it cannot be reached")

    async def close(self) -> None:
        web, self._web = self._web, None
        if web is not None:
            await web.aclose()

    async def _recognise(self) -> Sight:
        """Ask in each server's way until one answers to it."""
        if not self._asks:
            return await self._learn(self._by_reach) or unknown("its answer makes no sense")
        props = await self._get("/props")
        if (none := no_answer_yet(props)) is not None:
            return none
        if is_router(props):
            return await self._learn(self._by_router) or unknown("it does not say what its models do")
        if is_llama_cpp(props):
            self._way = self._by_llama_cpp
            return sleeping("its model sleeps") if asleep(props) else await self._slots() or idle(OWN_ONLY)
        slots = await self._get("/slots")
        if (none := no_answer_yet(slots)) is not None:
            return none
        if slots.fine and isinstance(slots.body, list):
            self._way = self._slots
            return from_slots(slots.body)
        for way in (self._by_metrics, self._by_loaded):
            if (sight := await self._learn(way)) is not None:
                return sight
        if props.page or slots.page:
            return unknown("it answers with a web page")
        return await self._learn(self._by_reach) or unknown("its answer makes no sense")

    async def _learn(self, way: Way) -> Sight | None:
        sight = await way()
        self._way = way if sight is not None else None
        return sight

    async def _by_llama_cpp(self) -> Sight | None:
        for path in ("/health", "/props"):
            heard = await self._get(path)
            if (none := no_answer_yet(heard)) is not None:
                return none
            if asleep(heard):
                return sleeping("its model sleeps")
        return await self._slots() or idle(OWN_ONLY) if is_llama_cpp(heard) else None

    async def _slots(self, query: str = "") -> Sight | None:
        """By the slots; by the metrics where slots are not shown; None where neither is."""
        slots = await self._get("/slots" + query)
        if (none := no_answer_yet(slots)) is not None:
            return none
        if slots.fine:
            return from_slots(slots.body)
        if slots.status not in NO_SLOTS:
            return unknown(f"it answered with status {slots.status}")
        metrics = await self._get("/metrics" + query)
        return no_answer_yet(metrics) or (from_metrics(metrics.text) if metrics.fine else None)

    async def _by_router(self) -> Sight | None:
        models = await self._get("/models")
        if (none := no_answer_yet(models)) is not None:
            return none
        if (found := routed(models)) is None:
            return None
        loaded, asleep_or_so = found
        # They share the machine, so one at work is enough. Where slots are not shown, only our own requests tell.
        seen = [await self._slots(f"?model={quote(name, safe='')}&autoload=false") for name in loaded]
        return worst([asleep_or_so, *(sight or idle(OWN_ONLY) for sight in seen)])

    async def _by_metrics(self) -> Sight | None:
        metrics = await self._get("/metrics")
        return no_answer_yet(metrics) or (from_metrics(metrics.text) if metrics.fine else None)

    async def _by_loaded(self) -> Sight | None:
        heard = await self._get("/api/ps")
        if (none := no_answer_yet(heard)) is not None:
            return none
        if not is_ollama(heard):
            return None
        before, self._until = self._until, loaded_until(heard)
        return from_loaded(self._until, before, heard.at)

    async def _by_reach(self) -> Sight | None:
        """Nothing tells what others do there: it is idle when it can be reached, and our own requests are not asked
        about here."""
        models = await self._get(self._models)
        if (none := no_answer_yet(models)) is not None:
            return none
        return unknown("it answers with a web page") if models.page else idle(OWN_ONLY)

    async def _get(self, path: str) -> Heard:
        """Raises TimeoutError or one of `transport_errors()`."""
        web = self._web
        if web is None:
            web = self._web = await asyncio.to_thread(self._open)
        address = path if "://" in path else self._address + path
        read = bytearray()
        async with asyncio.timeout(self._seconds), web.stream("GET", address) as answer:
            async for part in answer.aiter_bytes():
                read += part
                if len(read) > LARGEST_ANSWER:
                    break
        text = read.decode("utf-8", errors="replace")
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            body = None
        return Heard(answer.status_code, text, body, _seconds_of(answer.headers.get("date")))

    def _open(self) -> httpx.AsyncClient:
        import httpx

        return httpx.AsyncClient(
            headers=self._headers,
            timeout=None,  # `_get` has a deadline for the whole of it
            # As for requests: a proxy from the environment is for the world outside, and llama.cpp closes kept
            # connections without saying so.
            trust_env=not on_this_machine(self._address),
            limits=httpx.Limits(max_keepalive_connections=0),
        )


def _seconds_of(date: str | None) -> float | None:
    try:
        return email.utils.parsedate_to_datetime(date).timestamp() if date else None
    except (ValueError, OverflowError):
        return None
