"""Old sessions leave the archive: which ones may, one after the other, and what only they had goes with them.

The rows are the store's matter, the files the caches'. Chats go on meanwhile: each step is a small transaction.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence

from commands.ports import SessionView
from commands.session_ports import Pruned
from gateway.attachments.cache import FileCache
from gateway.clock import Clock
from gateway.config.schema import Settings
from gateway.engine.arrival.recovery import WEEK
from gateway.engine.gates.gatekeeper import Memories
from gateway.engine.gates.skill_gatekeeper import GatedSkills
from gateway.engine.house import House
from gateway.engine.sessions.archive import seen
from gateway.state.protocols import Store
from gateway.state.records import SessionLine
from gateway.state.retention_protocols import Bulk
from memory.model import Author

DAY = 86_400.0
MONTH = 30 * DAY
LEFT_OVER = 10_000
"""Messages at most that an earlier run, which died, may have left in the search's index."""

WAITS = "a write that waits for a yes came from it"
RESUMED = "it is in use again"

_WHENCE = re.compile(r"(turn|inbox):(\d{1,18})")

Progress = Callable[[str, int, int | None], None]


def unheard(what: str, done: int, total: int | None) -> None:
    """Progress that nobody wants to see."""


def behind(memories: Memories | None, skills: GatedSkills | None) -> Callable[[], Sequence[Author]]:
    """Who is behind each write that waits for a yes."""

    def authors() -> Sequence[Author]:
        of_memory = [each.author for each in memories.pendings.waiting()] if memories is not None else []
        of_skills = [each.author for each in skills.pendings.waiting()] if skills is not None else []
        return [*of_memory, *of_skills]

    return authors


class StoredRetention:
    """`commands.session_ports.Retention`. `waiting()` gives who is behind each pending write; it reads folders.
    `caches` hold the files that came with messages, and those that were sent."""

    def __init__(
        self,
        store: Store,
        settings: Callable[[], Settings],
        clock: Clock,
        waiting: Callable[[], Sequence[Author]] = tuple,
        caches: Sequence[FileCache] = (),
    ) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock
        self._waiting = waiting
        self._caches = caches

    @classmethod
    def of(cls, house: House) -> StoredRetention:
        """That of a running house."""
        waiting = behind(house.memories, house.skills)
        return cls(house.store, house.settings, house.clock, waiting, house.caches)

    @property
    def days(self) -> int | None:
        return self._settings().sessions.retention_days

    async def prune(self, days: int, *, dry: bool, progress: Progress = unheard) -> Pruned:
        before = self._clock.now() - days * DAY
        due, held = await self._store.retention.due(before), await self._held()
        gone: list[SessionView] = []
        kept = [(seen(each), WAITS) for each in due if each.session.id in held]
        bulk, files = Bulk(), set[str]()
        wanted = [each for each in due if each.session.id not in held]
        for place, each in enumerate(wanted, 1):
            if dry:
                bulk = bulk.plus(await self._store.retention.bulk(each.session.id))
            elif (why := await self._refused(each, before)) is not None:
                kept.append((seen(each), why))
                continue
            else:
                bulk = bulk.plus(await self._take_out(each.session.id, files))
            gone.append(seen(each))
            progress("sessions", place, len(wanted))
        if not dry:
            await self._unfindable(LEFT_OVER)
        removed = await self._discard(files, before)
        space = await self._store.retention.space()
        return Pruned(tuple(gone), tuple(kept), bulk.messages, bulk.bytes, removed, space.size, space.free)

    async def daily(self) -> Pruned | None:
        """What is due by the settings, events and parts that are settled for more than a week, and what is left of
        jobs that were removed a month ago. For whoever runs the house's jobs; None when every session is kept."""
        old = self._clock.now() - WEEK
        await self._store.inbox.forget(old)
        await self._store.outbox.forget(old)
        await self._store.jobs.forget(self._clock.now() - MONTH)
        return await self.prune(self.days, dry=False) if self.days is not None else None

    async def _refused(self, each: SessionLine, before: float) -> str | None:
        """Why it stays after all; None when it has begun to leave. A write that a review proposed a moment ago counts
        as well: its file is there before its review has ended, and a review that is not over keeps the session."""
        if each.session.id in await self._held():
            return WAITS
        return None if await self._store.retention.leave(each.session.id, before) else RESUMED

    async def _take_out(self, session_id: str, files: set[str]) -> Bulk:
        bulk = Bulk()
        while True:
            step = await self._store.retention.remove(session_id)
            bulk = bulk.plus(step.bulk)
            files |= step.files
            if step.gone:
                await self._unfindable(bulk.messages)
                return bulk

    async def _unfindable(self, messages: int) -> None:
        """Let the search's index let go of them now, not when somebody next speaks: it keeps their words until then.
        What the index has to do besides is left to whoever keeps it."""
        left = messages
        while left > 0 and (done := await self._store.search.index()):
            left -= done

    async def _discard(self, files: set[str], before: float) -> int:
        """Delete files that nobody else names. One that was kept again since is younger than the session's end."""
        alone = await self._store.retention.unnamed(files)
        swept = [await asyncio.to_thread(cache.discard, alone, before) for cache in self._caches] if alone else []
        return sum(each.files for each in swept)

    async def _held(self) -> frozenset[str]:
        """The sessions that a pending write refers to."""
        authors = await asyncio.to_thread(self._waiting)
        named = [found for each in authors if each.message and (found := _WHENCE.fullmatch(each.message))]
        turns = [int(each[2]) for each in named if each[1] == "turn"]
        events = [int(each[2]) for each in named if each[1] == "inbox"]
        retention = self._store.retention
        sessions = {each.session for each in authors if each.session is not None}
        return frozenset(sessions) | await retention.of_turns(turns) | await retention.of_events(events)
