"""One search from a text to ranked hits: candidates by recency, each compared with the query; one hit a session.
Who may see few messages has all of them compared.

Owns what bounds a search (matches that are ranked, time) and how the next page goes on. The index is asked in
`search_candidates`, messages are compared in `search_match`.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from gateway.state.search_candidates import CHATS, Candidates, Patience, runs
from gateway.state.search_fold import fold, fold_name
from gateway.state.search_index import Generation
from gateway.state.search_match import Judged, judge
from gateway.state.search_pages import Best, hit, session
from gateway.state.search_prepare import PREPARATION
from gateway.state.search_query import Query, Term
from gateway.state.search_question import Scope
from gateway.state.search_records import Found

ENOUGH = 100
"""Messages that fit and are ranked together; older ones are for the next page, unless they are few."""

ALL = 300
"""When the index has no more than so many, all of them are looked at, however long that takes."""

FEW = 600
"""An asker who may see no more messages than this has all of them compared: no question is too common for him."""

WORK, WALL = 0.006, 0.25
"""Seconds for finding candidates: of its own work once something was found, and on the wall in any case. What has not
been looked at by then is for the next page."""

BATCH = 25
LETTERS = 3
"""The beginning of a session's id is longer than that."""

TAIL = 400
"""Messages that are not in the index yet and are looked at one by one."""

SEEN = 60
"""Sessions of earlier pages that are left out; of more, the first ones may come again with an older message."""

NOTHING = "There is nothing to search for in this query: give a word, a name or a number."
WAITING = "The index is being built; of the messages that are not in it yet, only the newest were looked at."
ANOTHER = "The index is of another version and is being built anew; until then, odd spellings may be missed."
NOWHERE = "No chat or session that you may see is called {}."

UNKNOWN = "SELECT id, session_key, chat FROM sessions WHERE id NOT IN (SELECT session_id FROM search_sessions)"
NAMED = re.compile(r"[^:\n]{0,60}: ")
"""What follows the beginning of a name where a line of a room says who speaks."""

ROW = "SELECT messages.id, session_id, role, content, created_at, session_key, chat"
SPOKEN = "role <> 'tool' AND content <> ''"
ROWS = (
    f"{ROW} FROM messages CROSS JOIN sessions ON sessions.id = session_id"
    f" WHERE messages.id IN (SELECT value FROM json_each(?)) AND {SPOKEN} ORDER BY messages.id DESC"
)
THEIRS = (
    "FROM sessions CROSS JOIN messages INDEXED BY messages_session ON messages.session_id = sessions.id"
    " WHERE session_key IN (SELECT value FROM json_each(?)) AND messages.id < ?"
)
"""The messages of an asker; whether they are many is told by the index alone."""


@dataclass(frozen=True, slots=True)
class Page:
    """Where a page goes on: messages in [low, top) that were ranked, without its first `offset` sessions; `seen` are
    places in their table of the sessions of pages before. A `low` of None leaves open how far down it goes."""

    top: int
    low: int | None = None
    offset: int = 0
    seen: tuple[int, ...] = ()

    def __str__(self) -> str:
        low = "" if self.low is None else self.low
        return f"{self.top}.{low}.{self.offset}.{'-'.join(map(str, self.seen))}"

    @staticmethod
    def parse(text: str) -> Page | None:
        """The inverse of `str`; None for anything else."""
        if not re.fullmatch(r"\d{1,18}\.\d{0,18}\.\d{1,9}\.(\d{1,18}(-\d{1,18})*)?", text):
            return None
        top, low, offset, seen = text.split(".")
        numbers = tuple(int(each) for each in seen.split("-") if each)
        return Page(int(top), int(low) if low else None, int(offset), numbers)


@dataclass(frozen=True, slots=True)
class Haste:
    """Seconds that a search has: as WORK and WALL. A quick one keeps to its work also when nothing was found by then,
    and says so; who asks for more, asks for an answer."""

    work: float = WORK
    wall: float = WALL
    quick: bool = False


@dataclass(slots=True)
class Discovery:
    """One search on one connection. `visible` and `exclude` as in the protocol."""

    db: sqlite3.Connection
    generation: Generation
    query: Query
    visible: Collection[str] | None
    exclude: str | None
    page: Page
    limit: int
    haste: Haste = Haste()
    left_out: set[str] = field(default_factory=set)
    fits: dict[str, list[tuple[int, Judged]]] = field(default_factory=dict)
    count: int = 0
    _leaving: frozenset[str] = frozenset()
    """Sessions of which some is gone already."""

    def run(self) -> Found:
        """Raises sqlite3.Error when the index cannot be read."""
        self.left_out = {*self._names(self.page.seen), *([self.exclude] if self.exclude else ())}
        self._leaving = frozenset(row[0] for row in self.db.execute("SELECT id FROM sessions WHERE leaving > 0"))
        if (few := self._few()) is not None and self._look_at_all(few):
            return self._found(0, ended=True, note="" if self.fits or self._scope() is not None else self._nowhere())
        note = "" if self.generation.preparation in ("", PREPARATION) else ANOTHER
        stopped_at = self._look_at(self._rows(waiting := self._waiting()), ENOUGH)
        note = WAITING if len(waiting) == TAIL else note
        if stopped_at is not None:
            return self._found(stopped_at, ended=False, note=note)
        self._look_at(self._rows(self._failed()), None)
        self.count = 0
        scope = self._scope()
        if scope is None:
            return self._found(0, ended=True, note=note if self.fits else self._nowhere() or note)
        lowest, ended = self._gather(scope)
        return self._found(lowest, ended, note)

    def _nowhere(self) -> str:
        """What is said when the index knows no chat by what was asked for, nor is one among those that it is to learn
        of."""
        for row in self.db.execute(UNKNOWN) if self.query.places else ():
            if self._seen(row["session_key"]) and self._lies_there(row["id"], row["session_key"], row["chat"]):
                return ""
        return NOWHERE.format(", ".join(self.query.places)) if self.query.places else ""

    def _gather(self, scope: Scope) -> tuple[int, bool]:
        """Look at candidates until there is enough; down to which id that was, and whether nothing is below it."""
        work, wall = self.haste.work, self.haste.wall
        hungry = not self.haste.quick
        patience = Patience(work if self.page.low is None else wall, wall, lambda: hungry and not self.fits)
        low, top = self.page.low or 0, min(self.page.top, self.generation.upto + 1)
        while True:
            here = replace(scope, runs=runs(self.db, self.query, low, top))
            candidates = Candidates(self.db, self.generation, self.query, here, patience)
            stopped_at = self._look_through(candidates, patience)
            if stopped_at is None:
                return (low, low == 0) if candidates.ended else (candidates.lowest, False)
            if len(self.fits) >= self.page.offset + self.limit or not patience.lasts():
                return stopped_at, False
            # A few long sessions hold all of these: what else there is comes from below, without them.
            self.left_out |= set(self.fits)
            scope = replace(scope, without=(*scope.without, *self._numbers(self.fits)))
            self.count, top = 0, stopped_at

    def _look_through(self, candidates: Candidates, patience: Patience) -> int | None:
        """The message at which there was enough, or time ran out; None when the candidates came to an end first."""
        for ids in candidates.batches(ALL):
            if candidates.ended and not self.page.low:
                self._look_at(self._rows(ids), None)
                continue
            for at in range(0, len(ids), BATCH):
                piece = ids[at : at + BATCH]
                if (stopped_at := self._look_at(self._rows(piece), ENOUGH)) is not None:
                    return stopped_at
                if not patience.lasts() and piece[-1] != ids[-1]:
                    return piece[-1]
        return None

    def _look_at(self, rows: Iterable[sqlite3.Row], enough: int | None) -> int | None:
        """Compare messages with the query; the one at which there was enough, if there was."""
        for row in rows:
            if not self._allowed(row):
                continue
            folded = fold(row["content"])
            if self.query.sender and not _says(self.query, row["role"], folded):
                continue
            if (judged := judge(self.query, folded)) is None:
                continue
            name = row["session_id"]
            if name not in self.fits:
                if not self._shown(name):
                    self.left_out.add(name)
                    continue
                self.fits[name] = []
            self.fits[name].append((row["id"], judged))
            self.count += 1
            if enough is not None and self.count >= enough:
                return int(row["id"])
        return None

    def _allowed(self, row: sqlite3.Row) -> bool:
        query, at, name = self.query, row["created_at"], row["session_id"]
        return (
            name not in self.left_out
            and self._seen(row["session_key"])
            and (query.before is None or at < query.before)
            and (query.after is None or at >= query.after)
            and self._lies_there(name, row["session_key"], row["chat"])
        )

    def _seen(self, key: str) -> bool:
        return self.visible is None or key in self.visible

    def _lies_there(self, session_id: str, key: str, chat: str) -> bool:
        return all(_lies_in(place, session_id, key, chat) for place in self.query.places)

    def _shown(self, name: str) -> bool:
        """Whether a session is not about to leave, and this asker's as a whole."""
        whole = self.visible is None or session(self.db, name, self.visible) is not None
        return whole and name not in self._leaving

    def _rows(self, ids: Sequence[int]) -> Iterable[sqlite3.Row]:
        """The messages with these ids, the newest first."""
        return self.db.execute(ROWS, (json.dumps(ids),)) if ids else ()

    def _look_at_all(self, rows: Iterator[sqlite3.Row]) -> bool:
        """Compare all of an asker's messages; False, and nothing done, if they are so long that it takes too long."""
        patience = Patience(self.haste.wall, self.haste.wall)
        while piece := list(islice(rows, BATCH)):
            self._look_at(piece, None)
            if patience.left <= 0:
                self.fits.clear()
                self.count = 0
                return False
        return True

    def _few(self) -> Iterator[sqlite3.Row] | None:
        """All messages that this asker may see, unless they are many."""
        if self.visible is None:
            return None
        theirs = (json.dumps(sorted(self.visible)), self.page.top)
        count = self.db.execute(f"SELECT count(*) FROM (SELECT 1 {THEIRS} LIMIT ?)", (*theirs, FEW + 1)).fetchone()[0]
        if count > FEW:
            return None
        return self.db.execute(f"{ROW} {THEIRS} AND {SPOKEN}", theirs)

    def _waiting(self) -> list[int]:
        """Messages behind the end of the index."""
        low = max(self.generation.upto, (self.page.low or 0) - 1)
        newest = (
            "SELECT id FROM messages WHERE id > ? AND id < ? AND role <> 'tool' AND content <> ''"
            " ORDER BY id DESC LIMIT ?"
        )
        return [row[0] for row in self.db.execute(newest, (low, self.page.top, TAIL))]

    def _failed(self) -> list[int]:
        """Messages that the index could not take in."""
        query = (
            "SELECT message_id FROM search_failed WHERE generation = ? AND message_id < ? AND message_id >= ? LIMIT ?"
        )
        wanted = (self.generation.number, self.page.top, self.page.low or 0, TAIL)
        return [row[0] for row in self.db.execute(query, wanted)]

    def _scope(self) -> Scope | None:
        """The part of the index that is asked; None when nothing in it can be meant."""
        sessions: list[int] = []
        chats: set[int] | None = None
        if self.visible is not None:
            chats = self._chats("session_key = ?", [(each,) for each in self.visible])
        for place in self.query.places:
            named = self._named(place)
            if not named:
                there = self._chats_at(place)
                chats = there if chats is None else chats & there
            elif len(named) <= CHATS:
                sessions += named
        if chats is not None and not chats:
            return None
        listed = None if chats is None or len(chats) > CHATS else tuple(sorted(chats))
        without = tuple(self._numbers(self.left_out))
        return Scope(listed, tuple(sessions), without, ())

    def _named(self, place: str) -> list[int]:
        """Sessions whose id begins so, of those in chats that may be seen: of others it is not told that they are."""
        if len(place) <= LETTERS:
            return []
        theirs = "" if self.visible is None else "AND session_key IN (SELECT value FROM json_each(?))"
        query = (
            "SELECT number FROM search_sessions JOIN sessions ON sessions.id = session_id"
            f" WHERE session_id >= ? AND session_id < ? {theirs} LIMIT ?"
        )
        keys = [] if self.visible is None else [json.dumps(sorted(self.visible))]
        return [row[0] for row in self.db.execute(query, (place, place + "\U0010ffff", *keys, CHATS + 1))]

    def _chats_at(self, place: str) -> set[int]:
        """Chats of a platform, or with this key; topics and the people in it count as the chat."""
        key = "lower(session_key)"
        where = f"{key} = ? OR ({key} >= ? AND {key} < ?) OR ({key} >= ? AND {key} < ?)"
        plain = self._chats(where, [(place, place + ":", place + ";", place + "#", place + "$")])
        others = self.db.execute("SELECT session_key, number FROM search_chats WHERE session_key GLOB '*[^ -~]*'")
        return plain | {row["number"] for row in others if _is_at(place, row["session_key"])}

    def _chats(self, where: str, wanted: Iterable[tuple[str, ...]]) -> set[int]:
        query = f"SELECT number FROM search_chats WHERE {where}"
        return {row[0] for each in wanted for row in self.db.execute(query, each)}

    def _numbers(self, names: Iterable[str]) -> list[int]:
        query = "SELECT number FROM search_sessions WHERE session_id = ?"
        return [row[0] for each in names if (row := self.db.execute(query, (each,)).fetchone()) is not None]

    def _names(self, places: Iterable[int]) -> list[str]:
        """The inverse of `_places`."""
        query = "SELECT id FROM sessions WHERE rowid = ?"
        return [row[0] for each in places if (row := self.db.execute(query, (each,)).fetchone()) is not None]

    def _places(self, names: Iterable[str]) -> list[int]:
        """Where sessions stand in their table: short, and also known of one that the index does not know yet."""
        query = "SELECT rowid FROM sessions WHERE id = ?"
        return [row[0] for each in names if (row := self.db.execute(query, (each,)).fetchone()) is not None]

    def _found(self, lowest: int, ended: bool, note: str) -> Found:
        ranked = sorted(self._best(), key=lambda each: (-each.score, -each.message_id))
        offset = self.page.offset
        shown = ranked[offset : offset + self.limit]
        hits = tuple(found for best in shown if (found := hit(self.db, best, self.visible)) is not None)
        more = None
        if offset + len(shown) < len(ranked):
            more = str(replace(self.page, low=lowest if not ended else 0, offset=offset + len(shown)))
        elif not ended:
            seen = (*self.page.seen, *self._places(self.fits))[-SEEN:]
            more = str(Page(lowest, seen=seen))
        return Found(hits, not ended or note == WAITING, more, note)

    def _best(self) -> Iterable[Best]:
        newest = self.page.top
        oldest = min((each[0] for fits in self.fits.values() for each in fits), default=0)
        for session_id, fits in self.fits.items():
            scored = [(judged.score + (each - oldest) / (newest - oldest + 1), each, judged) for each, judged in fits]
            score, best, judged = max(scored, key=lambda each: each[:2])
            yield Best(session_id, best, _unique(judged.held), len(fits), score)


def _unique(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    return tuple(dict.fromkeys(terms))


def _says(query: Query, role: str, folded: str) -> bool:
    """Whether this role, or in a room whoever is named at the beginning of the line, is the sender meant."""
    if query.role is not None:
        return role == query.role
    if role != "user" or not folded.startswith(query.sender):
        return False
    start, end = next(Term((query.sender,)).spots(folded), (-1, -1))
    return start == 0 and NAMED.match(folded, end) is not None


def _lies_in(place: str, session_id: str, session_key: str, chat: str) -> bool:
    """Whether this is a platform, a chat, or the beginning of an id of a session that the message stands in."""
    if len(place) > LETTERS and session_id.startswith(place):
        return True
    return _is_at(place, session_key) or _is_at(place, chat)


def _is_at(place: str, key: str) -> bool:
    name = fold_name(key)
    return name == place or name.startswith((place + ":", place + "#"))
