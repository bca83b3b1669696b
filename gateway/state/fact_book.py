"""The book of facts of the outside memory `holographic`: one SQLite file of its own, full-text search, trust.

Owns SQL and the arithmetic of trust. What a fact is, and when two of them exclude each other, is
gateway/providers/holographic.py's matter. Calls block, and all come from one thread.
"""

from __future__ import annotations

import math
import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from gateway.state.connection import BUSY_SECONDS, Connection, explained
from gateway.state.search_fold import fold
from gateway.state.search_prepare import WORD
from gateway.state.search_scripts import spaced

T = TypeVar("T")

LEAST, MOST = 0.05, 0.95
"""Trust never leaves these bounds, whatever is confirmed or contradicted."""

FLOOR = 0.5
"""Age alone takes at most this part of a fact's trust."""

DAY = 86_400.0
CANDIDATES = 60
VERSION = 1

KEEPER = "holographic"
"""The outside memory whose book it is."""

FILE = "facts.db"
"""In that memory's folder."""

ENDS = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")
"""Where a sentence ends: what was said is kept sentence by sentence."""

_TABLES = (
    "CREATE TABLE fact (id INTEGER PRIMARY KEY AUTOINCREMENT, subject TEXT NOT NULL,"
    " key TEXT NOT NULL, text TEXT NOT NULL,"
    " source TEXT NOT NULL, about TEXT NOT NULL, relation TEXT NOT NULL, value TEXT NOT NULL,"
    " denied INTEGER NOT NULL,"
    " trust REAL NOT NULL, made REAL NOT NULL, fresh REAL NOT NULL, used REAL NOT NULL, UNIQUE (subject, key))",
    "CREATE INDEX fact_claim ON fact (subject, about, relation, value)",
    "CREATE TABLE tag (fact INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (fact, name)) WITHOUT ROWID",
    "CREATE TABLE turn (subject TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (subject, id)) WITHOUT ROWID",
    'CREATE VIRTUAL TABLE word USING fts5 (words, tokenize = "unicode61 remove_diacritics 0")',
)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a fact says, as far as a rule can tell: of whom, in which respect, what, and whether it is denied."""

    about: str = ""
    relation: str = ""
    value: str = ""
    denied: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A fact to be kept. `key` is what makes it the same fact when it is said again."""

    text: str
    key: str
    source: str
    trust: float
    claim: Claim = Claim()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """A kept fact. `trust` is what is left of it now; `made` and `fresh` (said or confirmed last) are seconds
    since the epoch."""

    id: int
    text: str
    source: str
    trust: float
    made: float
    fresh: float
    claim: Claim


class FactBook:
    """`half_life`: days after which half of what age can take of trust is gone; 0: age takes nothing. Raises
    DatabaseFault when the file cannot be used."""

    def __init__(self, path: Path, half_life: float = 90.0, most: int = 10_000) -> None:
        self._path = path
        self._half_life = half_life
        self._most = most
        self._open: Connection | None = None

    def open(self) -> None:
        """Opens the file, and makes it when there is none."""
        with self._explained():
            self._db()

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def keep(self, subject: str, drafts: Sequence[Draft], now: float, turn: str = "") -> list[int]:
        """Keep facts: a new one lowers the trust in those that it excludes, one that is there already is confirmed.
        A `turn` that was kept before is left alone. Their ids."""
        return self._write(lambda db: self._keep(db, subject, drafts, now, turn))

    def drop(self, subject: str, keys: Sequence[str], source: str) -> None:
        """Forget facts that came from this source alone."""

        def work(db: sqlite3.Connection) -> None:
            for key in keys:
                found = "SELECT id FROM fact WHERE subject = ? AND key = ? AND source = ?"
                for row in db.execute(found, (subject, key, source)).fetchall():
                    _forget(db, row["id"])

        self._write(work)

    def holding(self, texts: Sequence[str]) -> int:
        """How many facts of anybody's hold one of these texts, or are a sentence of it."""
        with self._explained():
            return len(_holding(self._db(), texts))

    def erase(self, texts: Sequence[str]) -> int:
        """Forget the facts that `holding` counts, and leave nothing of them in the file; how many."""

        def work(db: sqlite3.Connection) -> int:
            found = _holding(db, texts)
            for number in found:
                _forget(db, number)
            if found:
                db.execute(
                    "INSERT INTO word (word) VALUES ('optimize')"
                )  # what left the index stands in it till then
            return len(found)

        return self._write(work)

    def find(self, subject: str, words: Sequence[str], now: float, limit: int, tag: str = "") -> list[Fact]:
        """Those that hold one of the words (see `words_of`), and the tag where one is named; best first, by how well
        they fit and how far they are trusted. Without words: those with the tag."""
        with self._explained():
            return self._find(self._db(), subject, words, now, limit, tag)

    def rivals(self, subject: str, fact: Fact, now: float) -> list[Fact]:
        """Facts that exclude this one."""
        with self._explained():
            return [self._fact(row, now) for row in _rivals(self._db(), subject, fact.claim) if row["id"] != fact.id]

    def get(self, subject: str, number: int, now: float) -> Fact | None:
        with self._explained():
            row = _one(self._db(), subject, number)
            return None if row is None else self._fact(row, now)

    def judge(self, subject: str, number: int, right: bool, now: float) -> Fact | None:
        """Somebody says that the fact is right, or wrong. None when there is no such fact."""

        def work(db: sqlite3.Connection) -> Fact | None:
            row = _one(db, subject, number)
            if row is None:
                return None
            trust = raised(row["trust"], 0.3) if right else lowered(row["trust"], 0.5)
            fresh = now if right else row["fresh"]
            db.execute("UPDATE fact SET trust = ?, fresh = ? WHERE id = ?", (trust, fresh, number))
            changed = _one(db, subject, number)
            return None if changed is None else self._fact(changed, now)

        return self._write(work)

    def used(self, numbers: Sequence[int], now: float) -> None:
        """They were recalled: a little more trust, once a day at most."""

        def work(db: sqlite3.Connection) -> None:
            for number in numbers:
                row = db.execute("SELECT trust, used FROM fact WHERE id = ?", (number,)).fetchone()
                if row is not None and now - row["used"] >= DAY:
                    db.execute(
                        "UPDATE fact SET trust = ?, used = ? WHERE id = ?",
                        (raised(row["trust"], 0.02), now, number),
                    )

        self._write(work)

    def _keep(
        self, db: sqlite3.Connection, subject: str, drafts: Sequence[Draft], now: float, turn: str
    ) -> list[int]:
        if turn and not db.execute("INSERT OR IGNORE INTO turn VALUES (?, ?)", (subject, turn)).rowcount:
            return []
        kept = [self._one_more(db, subject, draft, now) for draft in drafts]
        over = db.execute("SELECT count(*) FROM fact WHERE subject = ?", (subject,)).fetchone()[0] - self._most
        if over > 0:
            least = "SELECT id FROM fact WHERE subject = ? ORDER BY trust, fresh LIMIT ?"
            for row in db.execute(least, (subject, over)).fetchall():
                _forget(db, row["id"])
        return kept

    def _one_more(self, db: sqlite3.Connection, subject: str, draft: Draft, now: float) -> int:
        row = db.execute("SELECT * FROM fact WHERE subject = ? AND key = ?", (subject, draft.key)).fetchone()
        if row is None:
            number = _insert(db, subject, draft, now)
        else:
            number = int(row["id"])
            trust = max(raised(row["trust"], 0.2), draft.trust)
            db.execute("UPDATE fact SET trust = ?, fresh = ? WHERE id = ?", (trust, now, number))
        for rival in _rivals(db, subject, draft.claim):
            if rival["id"] != number:
                db.execute("UPDATE fact SET trust = ? WHERE id = ?", (lowered(rival["trust"], 0.3), rival["id"]))
        return number

    def _find(
        self, db: sqlite3.Connection, subject: str, words: Sequence[str], now: float, limit: int, tag: str
    ) -> list[Fact]:
        tagged = "AND EXISTS (SELECT 1 FROM tag WHERE tag.fact = fact.id AND tag.name = ?)" if tag else ""
        more = (fold(tag),) if tag else ()
        if words:
            asked = " OR ".join(f'"{word}"' for word in words)
            rows = db.execute(
                "SELECT fact.*, -bm25(word) AS fits FROM word JOIN fact ON fact.id = word.rowid"
                f" WHERE word MATCH ? AND subject = ? {tagged} ORDER BY bm25(word) LIMIT ?",
                (asked, subject, *more, CANDIDATES),
            ).fetchall()
        else:
            rows = db.execute(
                f"SELECT fact.*, 1.0 AS fits FROM fact WHERE subject = ? {tagged}"
                " ORDER BY trust DESC, fresh DESC LIMIT ?",
                (subject, *more, CANDIDATES),
            ).fetchall()
        # In a book with few facts the measure of rare words is no measure: everything that fits counts a little.
        ranked = [(max(row["fits"], 0.01), self._fact(row, now)) for row in rows]
        ranked.sort(key=lambda each: (-each[0] * each[1].trust, -each[1].fresh, each[1].id))
        return [fact for _, fact in ranked[:limit]]

    def _fact(self, row: sqlite3.Row, now: float) -> Fact:
        claim = Claim(row["about"], row["relation"], row["value"], bool(row["denied"]))
        trust = faded(row["trust"], now - max(row["fresh"], row["used"]), self._half_life)
        return Fact(row["id"], row["text"], row["source"], trust, row["made"], row["fresh"], claim)

    def _db(self) -> Connection:
        if self._open is None:
            self._open = _opened(self._path)
        return self._open

    def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """One transaction."""
        with self._explained():
            db = self._db()
            db.execute("BEGIN IMMEDIATE")
            try:
                done = work(db)
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
            return done

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise explained(error, str(self._path)) from error


def words_of(text: str) -> list[str]:
    """The words of a text as the index takes them, pairs of signs where a script writes no spaces; no word twice."""
    return list(dict.fromkeys(WORD.findall(spaced(fold(text)))))


def raised(trust: float, by: float) -> float:
    """Nearer to certainty by this part of what is missing."""
    return min(MOST, trust + by * (1.0 - trust))


def lowered(trust: float, by: float) -> float:
    """Less by this part of itself."""
    return max(LEAST, trust * (1.0 - by))


def faded(trust: float, age: float, half_life: float) -> float:
    """What is left of trust that nothing refreshed for `age` seconds; never less than half of it."""
    if half_life <= 0 or age <= 0:
        return trust
    left = math.pow(0.5, age / DAY / half_life)
    return max(LEAST, trust * (FLOOR + (1.0 - FLOOR) * left))


def _opened(path: Path) -> Connection:
    """With a rollback journal: a copy of the one file, taken between transactions, is whole."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, factory=Connection)
    try:
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA secure_delete = ON")  # what was erased is not to be found in free pages
        db.execute("BEGIN IMMEDIATE")
        if db.execute("PRAGMA user_version").fetchone()[0] == 0:
            for table in _TABLES:
                db.execute(table)
            db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    except BaseException:
        db.close()
        raise
    return db


def _insert(db: sqlite3.Connection, subject: str, draft: Draft, now: float) -> int:
    claim = draft.claim
    row = (subject, draft.key, draft.text, draft.source, claim.about, claim.relation, claim.value, claim.denied)
    number = db.execute(
        "INSERT INTO fact (subject, key, text, source, about, relation, value, denied, trust, made, fresh, used)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
        (*row, draft.trust, now, now),
    ).lastrowid
    assert number is not None, "a row was inserted"
    words = " ".join(words_of(" ".join((draft.text, *draft.tags))))
    db.execute("INSERT INTO word (rowid, words) VALUES (?, ?)", (number, words))
    for tag in draft.tags:
        db.execute("INSERT OR IGNORE INTO tag VALUES (?, ?)", (number, fold(tag)))
    return number


def _rivals(db: sqlite3.Connection, subject: str, claim: Claim) -> list[sqlite3.Row]:
    """Rows that say something else where only one thing can be so, or deny what is claimed here."""
    if not claim.value:
        return []
    among, by = "subject = ? AND about = ? AND relation = ?", [subject, claim.about, claim.relation]
    if not claim.relation:
        among, by = f"{among} AND value = ?", [*by, claim.value]
    rows = db.execute(f"SELECT * FROM fact WHERE {among}", by).fetchall()
    return [row for row in rows if _excludes(claim, row["value"], bool(row["denied"]))]


def _excludes(claim: Claim, value: str, denied: bool) -> bool:
    same = value == claim.value or value.startswith(f"{claim.value} ") or claim.value.startswith(f"{value} ")
    if same:
        return denied != claim.denied
    return bool(claim.relation) and not denied and not claim.denied


def _one(db: sqlite3.Connection, subject: str, number: int) -> sqlite3.Row | None:
    row: sqlite3.Row | None = db.execute(
        "SELECT * FROM fact WHERE subject = ? AND id = ?", (subject, number)
    ).fetchone()
    return row


def _holding(db: sqlite3.Connection, texts: Sequence[str]) -> list[int]:
    """By the text, which stands there with single spaces, or a sentence of it; and by tags, which are folded."""
    found: set[int] = set()
    for text in filter(str.strip, texts):
        whole, *sentences = (" ".join(each.split()) for each in (text, *ENDS.split(text)))
        query = f"SELECT id FROM fact WHERE instr(text, ?) > 0 OR text IN ({', '.join('?' * len(sentences))})"
        found.update(row[0] for row in db.execute(query, (whole, *sentences)).fetchall())
        if folded := fold(whole):  # nothing is left of invisible signs, and every tag would hold that
            tagged = db.execute("SELECT fact FROM tag WHERE instr(name, ?) > 0", (folded,)).fetchall()
            found.update(row[0] for row in tagged)
    return sorted(found)


def _forget(db: sqlite3.Connection, number: int) -> None:
    for statement in (
        "DELETE FROM tag WHERE fact = ?",
        "DELETE FROM word WHERE rowid = ?",
        "DELETE FROM fact WHERE id = ?",
    ):
        db.execute(statement, (number,))
