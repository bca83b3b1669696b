"""Which messages may hold what was asked for, newest first, as the index tells: too many at times, never too few.

Owns how the index is asked, and in which stretches of ids, so that no question takes long. Whether a message really
holds it is for `search_match`.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gateway.state.search_fold import fold
from gateway.state.search_index import BLOCK, Generation
from gateway.state.search_prepare import AFTER_DOT, LEVELS, chat_word, session_word, sign_words, stretch_word, words
from gateway.state.search_query import Query, Term

EXPANDED = 16
"""Words that begin as asked for are looked up one by one, up to so many."""

SAMPLE, SAMPLE_RATE = 150, 40
"""Messages that are looked at to tell whether what many words begin with is frequent: in one of so many, it is."""

WORDS, PHRASE = 10, 5
"""Words of a query that the index is asked for, and words beside each other; the message is compared with all."""

STRETCHES = 12
"""Stretches of ids that one question to the index names."""

FIRST = 16_384
"""Ids of the first question, unless it can be about everything; how long that takes is the measure of the next."""

ASKING = 0.0002
"""Seconds that a question takes, however few ids it is about."""

LEAP, STRIDE = 4e-6, 3e-8
"""Seconds from one message that has a word to the next one that also has another word: by looking that up, or by
going through all that have it."""

COUNTED = 256
"""Messages by which it is estimated how many have a word."""

EVER = 1e15
"""A moment after all others, in seconds since the epoch."""

CHATS = 48
"""Chats, at most, that are named in a question to the index; of more, the sessions are looked at."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which part of the index is asked: numbers of chats (None: any) and sessions, and ids as [low, high) runs,
    newest first."""

    chats: tuple[int, ...] | None
    sessions: tuple[int, ...]
    without: tuple[int, ...]
    runs: tuple[tuple[int, int], ...]


class Patience:
    """How long a search may take: seconds of its own work, so that a busy machine makes it no worse, and seconds on
    the wall, for a disk that is slow."""

    def __init__(self, work: float, wall: float) -> None:
        self._work, self._wall = time.thread_time() + work, time.monotonic() + wall

    @property
    def left(self) -> float:
        """Seconds that are left; not above zero when it has run out."""
        return min(self._work - time.thread_time(), self._wall - time.monotonic())


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
        self._question = _asked(_Vocabulary(db, generation), query, scope)
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
                had = self._patience.left
                ids = self._ids(bottom, high, [word for _, word in within], size)
                looked_at = high - (ids[-1] if len(ids) == size else bottom)
                spent, left = had - self._patience.left, self._patience.left
                self._pace = max(spent - ASKING, 0.0) / looked_at
                self._rich = spent * size <= left * len(ids)
                self.lowest = high = high - looked_at
                self.ended = high <= low == self._scope.runs[-1][0]
                yield ids
                if self._patience.left <= 0:
                    return

    def _within(self, low: int, high: int) -> list[tuple[int, str]]:
        """The stretches that the next question names: none, for all the rest, unless that would take too long."""
        left = max(self._patience.left, ASKING)
        if self._question.direct or self._rich:
            return []
        if self._pace is None:
            return [] if self._cost(high) * (high - low) <= left * high else _stretches(high - 1, FIRST)
        return [] if self._pace * (high - low) <= left else _stretches(high - 1, left / self._pace)

    def _cost(self, top: int) -> float:
        """Seconds, more or less, that the question takes for all ids below `top` when it finds little."""
        total = 0.0
        for group in self._question.either or ((),):
            counts = [self._count(word, top) for word in self._question.wanted(group)]
            unwanted = [self._count(_quoted(word), top) for word in self._question.unwanted]
            leaps = min(counts, default=top) * (len(counts) + len(unwanted) - 1)
            total += min(leaps * LEAP, (sum(counts) + sum(unwanted)) * STRIDE)
        return total

    def _count(self, word: str, top: int) -> float:
        """How many messages below `top` have a word, as the newest of them let suppose."""
        if word.endswith("*"):
            return top / SAMPLE_RATE  # looking that up takes as long as the question itself
        query = (
            f"SELECT rowid FROM {self._table} WHERE {self._table} MATCH ? AND rowid < ?"
            " ORDER BY rowid DESC LIMIT 1 OFFSET ?"
        )
        row = self._db.execute(query, (word, top, COUNTED)).fetchone()
        return COUNTED if row is None else COUNTED * top / (top - row[0])

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


@dataclass(frozen=True, slots=True)
class _Question:
    """What the index is asked: for all of one of `either`, all of `also`, none of `unwanted`. `direct`: matches
    follow each other without much in between, so it needs no stretches."""

    either: tuple[tuple[str, ...], ...]
    also: tuple[str, ...]
    unwanted: tuple[str, ...]
    direct: bool

    def wanted(self, group: tuple[str, ...]) -> list[str]:
        """The words that a message must have for this one of `either`, those of phrases one by one."""
        return [*(word for piece in group for word in _split(piece)), *self.also]

    def text(self, within: list[str]) -> str:
        """In the index's own language, within stretches of ids if there are any; empty when everything is meant."""
        also = (*self.also, *([_any(within)] if within and (self.either or self.also) else ()))
        # Each alternative has its own end: they are looked for one by one.
        groups = [" AND ".join((*group, *also)) for group in self.either or ((),)]
        asked = " OR ".join(f"({group})" for group in groups if group)
        return f"({asked}) NOT {_any(self.unwanted)}" if asked and self.unwanted else asked


def _asked(vocabulary: _Vocabulary, query: Query, scope: Scope) -> _Question:
    groups = [_rarest(piece for term in group for piece in _pieces(vocabulary, term)) for group in query.either]
    either = tuple(map(tuple, groups)) if all(groups) else ()
    also = [_any(map(session_word, scope.sessions))] if scope.sessions else []
    if scope.chats is not None:
        also.append(_any(map(chat_word, scope.chats)))
    unwanted = [session_word(each) for each in scope.without]
    unwanted += [term.chunks[0] for term in query.without if _plain(term)]
    single = all(len(group) == 1 and " " not in group[0] for group in either)
    direct = not unwanted and (not also if either else len(also) <= 1) and single
    return _Question(either, tuple(also), tuple(unwanted), direct)


def _plain(term: Term) -> bool:
    """Whether the index has the term exactly where messages hold it: one word of a script with spaces."""
    return len(term.chunks) == 1 and not term.prefix and words(term.chunks[0]) == [term.chunks[0]]


def _pieces(vocabulary: _Vocabulary, term: Term) -> list[str]:
    """Everything that the index has of each message that holds the term, as pieces of a question."""
    pieces = []
    listed = words(" ".join(term.chunks))
    if term.prefix and listed:
        pieces += vocabulary.beginning(listed.pop())
    if listed:
        at = max(range(max(1, len(listed) - PHRASE + 1)), key=lambda at: len("".join(listed[at : at + PHRASE])))
        pieces.append(_quoted(" ".join(listed[at : at + PHRASE])))
    elif not term.prefix and (run := term.chunks[-1]) and run.isalnum():
        pieces += vocabulary.beginning(run)
    if len(listed) > 1:
        return pieces  # words beside each other are rare enough
    signs = [word for chunk in term.chunks for word in sign_words(chunk)]
    return [*pieces, *(_quoted(word) for word in signs if not (term.prefix and word.startswith(AFTER_DOT)))]


class _Vocabulary:
    """The words of the index."""

    def __init__(self, db: sqlite3.Connection, generation: Generation) -> None:
        self._db, self._generation = db, generation

    def beginning(self, start: str) -> list[str]:
        """A question for all words that begin so: each by name, or by their beginning when there are many but rare
        ones. Empty when they are many and frequent: then messages are looked at, newest first."""
        if self._frequent(start):
            return []
        found: list[str] = []
        at, end = start, start + "\U0010ffff"
        query = f"SELECT term FROM {self._generation.vocabulary} WHERE term >= ? AND term < ? LIMIT 1"
        while len(found) <= EXPANDED:
            row = self._db.execute(query, (at, end)).fetchone()
            if row is None:
                return [_any(found)] if found else [_quoted(start)]
            found.append(row[0])
            at = row[0] + "\0"
        return [f"{_quoted(start)} *"]

    def _frequent(self, start: str) -> bool:
        begins = Term((start,), prefix=True)
        newest = "SELECT content FROM messages WHERE id <= ? AND role <> 'tool' ORDER BY id DESC LIMIT ?"
        rows = self._db.execute(newest, (self._generation.upto, SAMPLE)).fetchall()
        return SAMPLE_RATE * sum(next(begins.spots(fold(row[0])), None) is not None for row in rows) > len(rows)


def _split(piece: str) -> list[str]:
    """The words of a phrase; any other piece as it is."""
    if piece.startswith('"') and piece.endswith('"'):
        return [_quoted(word) for word in piece[1:-1].split(" ")]
    return [piece]


def _rarest(pieces: Iterable[str]) -> list[str]:
    """Those that few messages have, as far as that can be told: the longest."""
    return sorted(dict.fromkeys(pieces), key=len, reverse=True)[:WORDS]


def _any(listed: Iterable[str]) -> str:
    return f"({' OR '.join(map(_quoted, listed))})"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
