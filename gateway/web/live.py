"""Live updates: a stream of server-sent events for each page that is open, which names the topics that changed.

Owns the streams and the one task that looks; it looks while there is a stream, and not a moment longer.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from commands.spec import Role
from gateway.clock import Clock
from gateway.state.connection import DatabaseFault
from gateway.web import words
from gateway.web.pages import Visit, visit
from gateway.web.pulse import SECONDS, Pulse

KEEP_ALIVE = 15.0
"""Seconds without news after which a comment keeps the line open, and the login is looked at again."""

READY = "ready"
"""The topic that says: what changes from now on is told. What a page shows may be older, so it looks once more."""

GUESTS = frozenset({"memory", "skills", "sessions", "jobs"})
"""What the pages of somebody who is no operator follow, by the clock: when others do something is not theirs to
know."""

EACH = 4
"""Streams of one login: tabs that are in front at the same time. A browser has six connections to one server, and
needs some for pages."""

ALL = 40

RETRY = "retry: 2000\n\n"
"""What a browser is told to wait, in milliseconds, before it comes again."""


@dataclass(eq=False, slots=True)
class _Stream:
    session: str
    guest: bool
    topics: set[str] = field(default_factory=set)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    over: bool = False

    def tell(self, topics: Iterable[str]) -> None:
        heard = {each for each in topics if each == READY or not self.guest}
        self.topics |= heard
        if heard:
            self.news.set()

    def due(self) -> set[str]:
        """What is said when there were no news for a while."""
        return set(GUESTS) if self.guest else set()

    def end(self) -> None:
        self.over = True
        self.news.set()


class Live:
    """The streams. `standing` gives the visit of a login that is still one."""

    def __init__(self, pulse: Pulse, clock: Clock, standing: Callable[[str, str], Awaitable[Visit | None]]) -> None:
        self._pulse = pulse
        self._clock = clock
        self._standing = standing
        self._streams: list[_Stream] = []
        self._looking: asyncio.Task[None] | None = None
        self._begun = False
        self._closed = False

    def routes(self) -> list[Route]:
        return [Route("/live", self.listen, methods=["GET"])]

    @property
    def listeners(self) -> int:
        """How many streams are open."""
        return len(self._streams)

    def tell(self, *topics: str) -> None:
        """Something is known to have changed: nobody waits for the next look."""
        for stream in self._streams:
            stream.tell(topics)

    def end(self, session: str) -> None:
        """A login is over, and with it what it hears."""
        for stream in self._streams:
            if stream.session == session:
                stream.end()

    def end_all(self) -> None:
        """Every login is over."""
        for stream in self._streams:
            stream.end()

    async def close(self) -> None:
        """End every stream; none begins any more."""
        self._closed = True
        self.end_all()
        await self._rest()

    async def listen(self, request: Request) -> Response:
        """`GET /live`: events named `changed`, whose data is an array of topics."""
        here = visit(request)
        own = sum(stream.session == here.session for stream in self._streams)
        if self._closed or own >= EACH or len(self._streams) >= ALL:
            raise HTTPException(429, words.TOO_MANY_TABS)
        stream = _Stream(here.session, guest=here.person.role < Role.OPERATOR)
        if self._begun:
            stream.tell([READY])
        self._streams.append(stream)
        if self._looking is None:
            self._looking = asyncio.ensure_future(self._look())
        return StreamingResponse(
            self._news(stream, here), media_type="text/event-stream", headers={"x-accel-buffering": "no"}
        )

    async def _news(self, stream: _Stream, here: Visit) -> AsyncIterator[str]:
        try:
            yield RETRY
            while not stream.over and not self._closed:
                try:
                    async with asyncio.timeout(KEEP_ALIVE):
                        await stream.news.wait()
                except TimeoutError:
                    stream.topics |= stream.due()
                stream.news.clear()
                if stream.over or await self._standing(here.session, here.person.who) is None:
                    return
                topics, stream.topics = sorted(stream.topics), set()
                yield f"event: changed\ndata: {json.dumps(topics)}\n\n" if topics else ": still here\n\n"
        finally:
            self._streams.remove(stream)
            if not self._streams:
                await self._rest()

    async def _look(self) -> None:
        """Once a second, as long as somebody listens."""
        while True:
            try:
                if not self._begun:
                    await self._pulse.begin()
                    self._begun = True
                    self.tell(READY)
                elif topics := await self._pulse.changed():
                    self.tell(*topics)
            except DatabaseFault:
                self._begun = False  # the database is busy or closing; what a page shows is not wrong for that
            await self._clock.sleep(SECONDS)

    async def _rest(self) -> None:
        """Nobody listens: look no more."""
        task, self._looking, self._begun = self._looking, None, False
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
