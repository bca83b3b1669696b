"""The archive: everything that was said, found by its words, and read around what was found.

Searches run on a connection and a thread of their own, so that nobody who writes, and no turn that reads, waits for
them. The index is kept up in small steps on the writer's thread: see `search_index`.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import tzinfo
from typing import TypeVar

from gateway.state.codec import clean
from gateway.state.connection import DatabaseFault
from gateway.state.database import Database
from gateway.state.search_check import missing
from gateway.state.search_damage import broken, carefully, give_up, give_up_unless_it_answers
from gateway.state.search_discovery import NOTHING, Discovery, Haste, Page
from gateway.state.search_index import (
    Generation,
    adopt,
    advance,
    begin,
    clear_away,
    generations,
    merge,
    retry,
    serving,
    swap,
    waits,
)
from gateway.state.search_pages import browse, read, scroll
from gateway.state.search_query import parse
from gateway.state.search_records import Found, IndexState, RecentSession, SearchFault, Stretch

T = TypeVar("T")
STEP = 0.0015
"""Seconds of the writer's time that one step takes, about: as long, whoever writes may have to wait for it."""

MOST = 64
"""Messages that one step takes into the index, or pages that it brings together, at most."""


STEPS = 24
"""Steps after which the log is brought into the file: it is they that write most of it."""


class _Pace:
    """How much is done in one step, by what the last one took."""

    def __init__(self) -> None:
        self.size = MOST // 8

    def took(self, done: int, seconds: float) -> None:
        """A step of so much took so long. It grows slowly and shrinks at once."""
        fits = int(max(done, 1) * STEP / max(seconds, STEP / MOST))
        self.size = max(1, min(fits, 2 * self.size, MOST))


class SqliteSearch:
    """See `search_protocols.Search`."""

    def __init__(self, database: Database, haste: Haste | None = None) -> None:
        self._database = database
        self._haste = haste or Haste()
        self._busy = True
        self._taking, self._merging = _Pace(), _Pace()
        self._merges = False
        self._steps = 0

    async def discover(
        self,
        query: str,
        *,
        now: float,
        visible: Collection[str] | None = None,
        exclude: str | None = None,
        limit: int = 5,
        more: str | None = None,
        zone: tzinfo | None = None,
        quick: bool = False,
    ) -> Found:
        asked = parse(clean(query), now, zone)
        page = None if more is None else Page.parse(more)
        if asked.empty:
            return Found(note=NOTHING)
        if more is not None and page is None:
            return Found(note=f"{more!r} is not what a search said for its next page.")
        seen = None if visible is None else frozenset(visible)

        def work(db: sqlite3.Connection) -> Found:
            newest = db.execute("SELECT max(id) FROM messages").fetchone()[0] or 0
            generation = _readable(db)
            start = page or Page(newest + 1)
            haste = replace(self._haste, quick=True) if quick and more is None else self._haste
            return Discovery(db, generation, asked, seen, exclude, start, max(1, limit), haste).run()

        return await self._ask(work)

    async def scroll(
        self, session_id: str, around: int, window: int, *, visible: Collection[str] | None = None
    ) -> Stretch | None:
        return await self._database.consult(lambda db: scroll(db, session_id, around, max(0, window), visible))

    async def read(
        self, session_id: str, *, after: int = 0, limit: int = 20, visible: Collection[str] | None = None
    ) -> Stretch | None:
        return await self._database.consult(lambda db: read(db, session_id, after, max(1, limit), visible))

    async def browse(
        self, *, limit: int = 10, visible: Collection[str] | None = None, exclude: str | None = None
    ) -> list[RecentSession]:
        return await self._database.consult(lambda db: browse(db, max(1, limit), visible, exclude))

    async def index(self) -> int:
        if self._busy or await self._database.read(waits):
            done = await self._database.write(self._step)
            self._busy = done > 0
            self._steps += self._busy
            if self._steps == STEPS:
                self._steps = 0
                await self._database.checkpoint()
            return done
        return 0

    def _step(self, db: sqlite3.Connection) -> int:
        """One small step; 0 when nothing is left to do. What came in and what is merged take turns."""
        self._merges = not self._merges
        done = self._merge(db) or self._advance(db) if self._merges else self._advance(db) or self._merge(db)
        return done or int(swap(db) or retry(db) or clear_away(db))

    def _advance(self, db: sqlite3.Connection) -> int:
        return _timed(self._taking, db, lambda: _advanced(db, self._taking.size))

    def _merge(self, db: sqlite3.Connection) -> int:
        return _timed(self._merging, db, lambda: self._merging.size * merge(db, self._merging.size))

    async def state(self) -> IndexState:
        return await self._database.consult(_state)

    async def check(self, sample: int = 200) -> list[int]:
        return await self._ask(lambda db: missing(db, _readable(db), sample))

    async def rebuild(self, reason: str) -> None:
        await self._database.write(lambda db: begin(db, reason))

    async def _ask(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Ask the index. What is wrong with it is said, and another one is begun."""
        try:
            return await self._database.consult(work)
        except DatabaseFault as fault:
            if not broken(fault.__cause__) or not await self._database.write(give_up):
                raise
            raise SearchFault(BROKEN) from fault
        except sqlite3.Error as error:
            if broken(error) and await self._database.write(give_up_unless_it_answers):
                raise SearchFault(BROKEN) from error
            raise SearchFault(f"The search could not be carried out: {error}") from error


BROKEN = "The search index is damaged. It is being built anew from the messages, which are whole: try again later."


def _readable(db: sqlite3.Connection) -> Generation:
    generation = serving(db)
    if generation is None or generation.state == "damaged":
        raise SearchFault(BROKEN)
    return generation


def _advanced(db: sqlite3.Connection, limit: int) -> int:
    adopt(db)
    return advance(db, limit)


def _timed(pace: _Pace, db: sqlite3.Connection, work: Callable[[], int]) -> int:
    began = time.thread_time()
    if done := carefully(db, work):
        pace.took(done, time.thread_time() - began)
    return done


def _state(db: sqlite3.Connection) -> IndexState:
    found = generations(db)
    current = serving(db)
    upto = current.upto if current else 0
    waiting = db.execute("SELECT count(*) FROM messages WHERE id > ?", (upto,)).fetchone()[0]
    failed = db.execute(
        "SELECT count(*) FROM search_failed WHERE generation = ?", (current.number if current else 0,)
    ).fetchone()[0]
    building = next((each.reason or "asked for" for each in found if each.state == "building"), "")
    return IndexState(waiting, failed, building, current is None or current.state == "damaged")
