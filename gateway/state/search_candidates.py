"""Which messages may hold what was asked for, newest first, as the index tells: too many at times, never too few.

Owns in which stretches of ids the index is asked, so that no question takes long. What it is asked is in
`search_question`; whether a message really holds it is for `search_match`.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator

from gateway.state.search_index import BLOCK, Generation
from gateway.state.search_prepare import LEVELS, stretch_word
from gateway.state.search_query import Query
from gateway.state.search_question import Counts, Scope, question

STRETCHES = 12
"""Stretches of ids that one question to the index names."""

FIRST = 16_384
"""Ids of the first question, unless it can be about everything; how long that takes is the measure of the next."""

ASKING = 0.0002
"""Seconds that a question takes, however few ids it is about."""

EVER = 1e15
"""A moment after all others, in seconds since the epoch."""

SLICE = 0.001
"""Seconds of work that a search goes on with, at least, while nothing was found."""

CHATS = 48
"""Chats, at most, that are named in a question to the index; of more, the sessions are looked at."""


class Patience:
    """How long a search may take: seconds of its own work, so that a busy machine makes it no worse, and seconds on
    the wall, for a disk that is slow. While it is hungry, the work may begin again until the wall is reached."""

    def __init__(self, work: float, wall: float, hungry: Callable[[], bool] = lambda: False) -> None:
        self._slice = max(work, SLICE)
        self._work, self._wall = time.thread_time() + work, time.monotonic() + wall
        self._hungry = hungry

    @property
    def left(self) -> float:
        """Seconds that are left; not above zero when it has run out, if it does not begin again."""
        return min(self._work - time.thread_time(), self._wall - time.monotonic())

    def lasts(self) -> bool:
        """Whether the search goes on; its work begins again for that, if it may."""
        if self._work <= time.thread_time() and self._hungry():
            self._work = time.thread_time() + self._slice
        return self.left > 0


class Candidates:
    """Ids of messages, newest first, while there is patience.

    `lowest` is the lowest id down to which everything was handed out; `ended` says that nothing is left below it.
    A question about everything costs a millisecond or two, for most; those that would take long, as phrases of words
    that are everywhere, are asked about stretches.
    """

    def __init__(
        self, db: sqlite3.Connection, generation: Generation, query: Query, scope: Scope, patience: Patience
    ) -> None:
        self._db, self._table, self._scope, self._patience = db, generation.table, scope, patience
        self._counts = Counts(db, generation.table, scope.top)
        self._question = question(db, generation, query, scope, self._counts)
        self._pace: float | None = None
        """Seconds that the last question took for each id."""
        self._rich = False
        """Whether there was so much in the last stretch that there will soon be enough, wherever that is."""
        self.lowest = scope.runs[0][1] if scope.runs else 0
        self.ended = not scope.runs

    def batches(self, size: int) -> Iterator[list[int]]:
        """Lists of ids, each as long as `size` unless there is nothing more in what was asked about. When one is
        handed out, `lowest` and `ended` tell of it already."""
        for low, high in self._scope.runs:
            while high > low:
                within = self._within(low, high)
                bottom = max(low, within[-1][0]) if within else low
                began = time.thread_time()
                ids = self._ids(bottom, high, [word for _, word in within], size)
                spent = time.thread_time() - began
                looked_at = high - (ids[-1] if len(ids) == size else bottom)
                self._pace = max(spent - ASKING, 0.0) / looked_at
                self._rich = spent * size <= self._patience.left * len(ids)
                self.lowest = high = high - looked_at
                self.ended = high <= low == self._scope.runs[-1][0]
                yield ids
                if not self._patience.lasts():
                    return

    def _within(self, low: int, high: int) -> list[tuple[int, str]]:
        """The stretches that the next question names: none, for all the rest, unless that would take too long."""
        left = max(self._patience.left, ASKING)
        if self._question.direct or self._rich:
            return []
        if self._pace is None:
            cost = self._question.cost(self._counts) * (high - low) / high
            return [] if cost <= left else _stretches(high - 1, FIRST)
        return [] if self._pace * (high - low) <= left else _stretches(high - 1, left / self._pace)

    def _ids(self, low: int, high: int, within: list[str], size: int) -> list[int]:
        if match := self._question.text(within):
            query = (
                f"SELECT rowid FROM {self._table} WHERE {self._table} MATCH ? AND rowid >= ? AND rowid < ?"
                " ORDER BY rowid DESC LIMIT ?"
            )
            found = self._db.execute(query, (match, low, high, size))
        else:
            query = "SELECT id FROM messages WHERE id >= ? AND id < ? AND role <> 'tool' ORDER BY id DESC LIMIT ?"
            found = self._db.execute(query, (low, high, size))
        return [row[0] for row in found]


def runs(db: sqlite3.Connection, query: Query, low: int, high: int) -> tuple[tuple[int, int], ...]:
    """The ids in [low, high) whose messages may have been said in the time that is asked for, newest first."""
    if high <= low:
        return ()
    if query.before is None and query.after is None:
        return ((low, high),)
    before = EVER if query.before is None else query.before
    after = -EVER if query.after is None else query.after
    blocks = db.execute(
        "SELECT block FROM search_times WHERE latest >= ? AND earliest < ? ORDER BY block DESC", (after, before)
    )
    found: list[tuple[int, int]] = []
    for (block,) in blocks:
        begins, ends = max(block * BLOCK, low), min((block + 1) * BLOCK, high)
        if begins >= ends:
            continue
        if found and found[-1][0] == ends:
            found[-1] = (begins, found[-1][1])
        else:
            found.append((begins, ends))
    return tuple(found)


def _stretches(newest: int, length: float) -> list[tuple[int, str]]:
    """Where stretches of ids begin, and their words: so many that they have about this length, the newest first."""
    level = max((each for each in LEVELS if 1 << each <= length), default=LEVELS[0])
    count = max(1, min(STRETCHES, int(length) >> level))
    lowest = max(0, (newest >> level) - count + 1)
    return [(each << level, stretch_word(each << level, level)) for each in range(newest >> level, lowest - 1, -1)]
