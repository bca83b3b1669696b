"""A query as a question to the index: for which of its words it is asked, so that it takes as little as may be.

A message that is handed out is compared with the whole query anyway; so of many words the rarest are asked for, and
never too few messages are handed out. When the index is asked, and about which ids, is for `search_candidates`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from gateway.state.search_fold import fold
from gateway.state.search_index import Generation
from gateway.state.search_prepare import AFTER_DOT, chat_word, session_word, sign_words, words
from gateway.state.search_query import Query, Term

EXPANDED = 16
"""Words that begin as asked for are looked up one by one, up to so many."""

SAMPLE, SAMPLE_RATE = 150, 40
"""Messages that are looked at to tell whether what many words begin with is frequent: in one of so many, it is."""

WORDS, PHRASE = 10, 5
"""Words of a query that the index is asked for, and words beside each other; the message is compared with all."""

WEIGHED = 24
"""Words of which it is looked up how many messages have them, the longest of a query."""

LEAP, STRIDE = 4e-6, 3e-8
"""Seconds from one message that has a word to the next one that also has another word: by looking that up, or by
going through all that have it."""

COMPARING = 4e-5
"""Seconds for a message that is read and compared with the query."""

BESIDE = 5
"""Of so many messages that have two words, one has them beside each other, at most."""

COUNTED = 256
"""Messages by which it is estimated how many have a word."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which part of the index is asked: numbers of chats (None: any) and sessions, and ids as [low, high) runs,
    newest first."""

    chats: tuple[int, ...] | None
    sessions: tuple[int, ...]
    without: tuple[int, ...]
    runs: tuple[tuple[int, int], ...]

    @property
    def top(self) -> int:
        """Above all ids that are asked about."""
        return self.runs[0][1] if self.runs else 0


class Counts:
    """How many messages below an id have a word, as the newest of them let suppose; each is looked up once."""

    def __init__(self, db: sqlite3.Connection, table: str, top: int) -> None:
        self._db, self._top = db, top
        newest = f"SELECT rowid FROM {table} WHERE {table} MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT {COUNTED}"
        self._query = f"SELECT count(*), min(rowid) FROM ({newest})"
        self._known: dict[str, float] = {}

    def of(self, word: str) -> float:
        """Exact when they are few. `word` is a word, or a few of them, in the index's own language."""
        if word not in self._known:
            self._known[word] = self._counted(word)
        return self._known[word]

    def _counted(self, word: str) -> float:
        if word.endswith("*"):
            return self._top / SAMPLE_RATE  # looking that up takes as long as the question itself
        count, lowest = self._db.execute(self._query, (word, self._top)).fetchone()
        return float(count) if count < COUNTED else COUNTED * self._top / (self._top - lowest)

    def reading(self, wanted: Iterable[str], unwanted: Sequence[str] = ()) -> float:
        """Seconds, more or less, in which the index finds all messages that have all of these words and phrases, and
        leaves out those with unwanted ones: a rare one of these makes it no less work."""
        counts = [self.of(word) for each in wanted for word in _split(each)]
        leaps = min(counts, default=float(self._top)) * (len(counts) - 1 + len(unwanted))
        return max(0.0, min(leaps * LEAP, (sum(counts) + sum(map(self.of, unwanted))) * STRIDE))

    def answering(self, wanted: Sequence[str]) -> float:
        """Seconds, more or less, for finding them and comparing them, if no word comes rather with another one."""
        return self.reading(wanted) + COMPARING * self._top * prod(map(self._share, wanted))

    def _share(self, piece: str) -> float:
        """In which part of all messages a word is, or a phrase."""
        shares = [min(1.0, self.of(each) / max(1, self._top)) for each in _split(piece)]
        return float(prod(shares)) / float(BESIDE ** (len(shares) - 1))


@dataclass(frozen=True, slots=True)
class Question:
    """What the index is asked: for all of one of `either`, all of `also`, none of `unwanted`. `direct`: matches
    follow each other without much in between, so it needs no stretches."""

    either: tuple[tuple[str, ...], ...]
    also: tuple[str, ...]
    unwanted: tuple[str, ...]
    direct: bool

    def cost(self, counts: Counts) -> float:
        """Seconds, more or less, that it takes for all ids when it finds little."""
        unwanted = [quoted(word) for word in self.unwanted]
        return sum(counts.reading([*group, *self.also], unwanted) for group in self.either or ((),))

    def text(self, within: list[str]) -> str:
        """In the index's own language, within stretches of ids if there are any; empty when everything is meant."""
        also = (*self.also, *([_any(within)] if within and (self.either or self.also) else ()))
        # Each alternative has its own end: they are looked for one by one.
        groups = [" AND ".join((*group, *also)) for group in self.either or ((),)]
        asked = " OR ".join(f"({group})" for group in groups if group)
        return f"({asked}) NOT {_any(self.unwanted)}" if asked and self.unwanted else asked


def question(db: sqlite3.Connection, generation: Generation, query: Query, scope: Scope, counts: Counts) -> Question:
    """What the index is asked for a query. A query whose words are in no message has a question without answers."""
    also = [_any(map(session_word, scope.sessions))] if scope.sessions else []
    if scope.chats is not None:
        also.append(_any(map(chat_word, scope.chats)))
    vocabulary = _Vocabulary(db, generation)
    groups = [_cheapest(_pieces(vocabulary, counts, group), _single(group), also, counts) for group in query.either]
    either = tuple(groups) if all(groups) else ()
    unwanted = [session_word(each) for each in scope.without]
    unwanted += [term.chunks[0] for term in query.without if _plain(term)]
    single = all(len(group) == 1 and " " not in group[0] for group in either)
    direct = not unwanted and (not also if either else len(also) <= 1) and single
    return Question(either, tuple(also), tuple(unwanted), direct)


def _cheapest(pieces: Sequence[str], single: Sequence[str], also: Sequence[str], counts: Counts) -> tuple[str, ...]:
    """The pieces, or else the rarest words among them: so many that hardly a message is compared in vain."""
    each_word = dict.fromkeys([*(word for piece in pieces for word in _split(piece)), *single])
    if len(each_word) < 2:
        return tuple(pieces)
    rarest = sorted(_longest(each_word, WEIGHED), key=counts.of)
    ways = [tuple(pieces), *(tuple(rarest[:size]) for size in range(1, min(len(rarest), WORDS) + 1))]
    return min(ways, key=lambda way: counts.answering([*way, *also]))


def _beside(listed: Sequence[str], counts: Counts) -> str:
    """A few of these words, beside each other: so few and so rare that asking for them costs least."""
    if len(listed) == 1:
        return quoted(listed[0])
    begin = max(range(max(1, len(listed) - WEIGHED + 1)), key=lambda at: len("".join(listed[at : at + WEIGHED])))
    weighed = listed[begin : begin + WEIGHED]
    ways = [
        quoted(" ".join(weighed[at : at + size]))
        for size in range(2, min(PHRASE, len(weighed)) + 1)
        for at in range(len(weighed) - size + 1)
    ]
    return min(ways, key=lambda way: counts.answering([way]))


def _single(group: Iterable[Term]) -> list[str]:
    """Words that every message has which holds these terms: of a phrase, all."""
    found = []
    for term in group:
        listed = words(" ".join(term.chunks))
        found += listed[:-1] if term.prefix else listed
    return [quoted(each) for each in found]


def _plain(term: Term) -> bool:
    """Whether the index has the term exactly where messages hold it: one word of a script with spaces."""
    return len(term.chunks) == 1 and not term.prefix and words(term.chunks[0]) == [term.chunks[0]]


def _pieces(vocabulary: _Vocabulary, counts: Counts, group: Iterable[Term]) -> list[str]:
    """What the index has of each message that holds these terms, as pieces of a question: those that few messages
    have, as far as that can be told without asking, the longest."""
    return _longest((piece for term in group for piece in _pieces_of(vocabulary, counts, term)), WORDS)


def _pieces_of(vocabulary: _Vocabulary, counts: Counts, term: Term) -> list[str]:
    """Everything that the index has of each message that holds the term."""
    pieces = []
    listed = words(" ".join(term.chunks))
    if term.prefix and listed:
        pieces += vocabulary.beginning(listed.pop())
    if listed:
        pieces.append(_beside(listed, counts))
    elif not term.prefix and (run := term.chunks[-1]) and run.isalnum():
        pieces += vocabulary.beginning(run)
    if len(listed) > 1:
        return pieces  # words beside each other are rare enough
    signs = [word for chunk in term.chunks for word in sign_words(chunk)]
    return [*pieces, *(quoted(word) for word in signs if not (term.prefix and word.startswith(AFTER_DOT)))]


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
                return [_any(found)] if found else [quoted(start)]
            found.append(row[0])
            at = row[0] + "\0"
        return [f"{quoted(start)} *"]

    def _frequent(self, start: str) -> bool:
        begins = Term((start,), prefix=True)
        newest = "SELECT content FROM messages WHERE id <= ? AND role <> 'tool' ORDER BY id DESC LIMIT ?"
        rows = self._db.execute(newest, (self._generation.upto, SAMPLE)).fetchall()
        return SAMPLE_RATE * sum(next(begins.spots(fold(row[0])), None) is not None for row in rows) > len(rows)


def _split(piece: str) -> list[str]:
    """The words of a phrase; any other piece as it is."""
    if piece.startswith('"') and piece.endswith('"'):
        return [quoted(word) for word in piece[1:-1].split(" ")]
    return [piece]


def _longest(pieces: Iterable[str], most: int) -> list[str]:
    return sorted(dict.fromkeys(pieces), key=len, reverse=True)[:most]


def _any(listed: Iterable[str]) -> str:
    return f"({' OR '.join(map(quoted, listed))})"


def quoted(text: str) -> str:
    """A word, or words beside each other, in the index's own language."""
    return '"' + text.replace('"', '""') + '"'
