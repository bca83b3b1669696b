"""The tables of the index: taking messages in, letting go of what was changed or deleted, a new generation beside the
old one. All functions run inside a transaction of the caller's; `search_upkeep` says when, `search` reads.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from gateway.state.search_prepare import PREPARATION, prepared

BLOCK = 1024
"""Message ids whose times are noted together."""

TRIES = 5
"""How often a message that cannot be indexed is tried again."""

WORDS = "USING fts5 (text, content = '', columnsize = 0, tokenize = 'ascii')"
"""How a table of words is made."""

PARTS = ("data", "idx", "config")
"""SQLite's own tables behind such a table."""

PIECES = 200
"""Pages of a table that leaves which one transaction gives back."""

State = Literal["serving", "damaged", "building", "leaving"]


@dataclass(frozen=True, slots=True)
class Generation:
    """One table of words; see the migration."""

    number: int
    preparation: str
    upto: int
    state: State
    reason: str

    @property
    def table(self) -> str:
        return f"search_words_{self.number}"

    @property
    def vocabulary(self) -> str:
        return f"search_vocabulary_{self.number}"

    @property
    def kept(self) -> bool:
        """Whether it goes along with what is said: it was prepared as this program does it."""
        return self.preparation == PREPARATION and self.state in ("serving", "building")


@dataclass(frozen=True, slots=True)
class _Said:
    """A message for the index."""

    id: int
    session: int
    chat: int
    content: str


def generations(db: sqlite3.Connection) -> list[Generation]:
    """All there are, the oldest first."""
    found = db.execute("SELECT number, preparation, upto, state, reason FROM search_generations ORDER BY number")
    return [Generation(*row) for row in found]


def serving(db: sqlite3.Connection) -> Generation | None:
    """The one that searches read, which may be damaged; None when there is none."""
    return next((each for each in generations(db) if each.state in ("serving", "damaged")), None)


def adopt(db: sqlite3.Connection) -> None:
    """Make sure that a generation of this program's preparation serves, or is being built."""
    all_of_them = generations(db)
    for each in all_of_them:
        if each.preparation == "" and each.upto == 0:
            db.execute("UPDATE search_generations SET preparation = ? WHERE number = ?", (PREPARATION, each.number))
        elif each.state == "building" and each.preparation != PREPARATION:
            _set(db, each, "leaving", "prepared by another version")
    current = [each for each in generations(db) if each.kept]
    if not current:
        begin(db, "prepared by another version")


def begin(db: sqlite3.Connection, reason: str) -> Generation:
    """Begin a generation beside the one that serves; the one that is being built already, if there is one."""
    for each in generations(db):
        if each.state == "building" and each.preparation == PREPARATION:
            return each
    added = db.execute(
        "INSERT INTO search_generations (preparation, state, reason) VALUES (?, 'building', ?)", (PREPARATION, reason)
    )
    new = Generation(int(added.lastrowid or 0), PREPARATION, 0, "building", reason)
    db.execute(f"CREATE VIRTUAL TABLE {new.table} {WORDS}")
    db.execute(f"INSERT INTO {new.table} ({new.table}, rank) VALUES ('automerge', 0)")
    db.execute(f"CREATE VIRTUAL TABLE {new.vocabulary} USING fts5vocab ({new.table}, instance)")
    return new


def damaged(db: sqlite3.Connection, number: int, reason: str) -> None:
    """A generation cannot be read or written: it is left alone, and another one is built."""
    for each in generations(db):
        if each.number == number and each.state in ("serving", "building"):
            _set(db, each, "damaged" if each.state == "serving" else "leaving", reason)
    begin(db, reason)


def settle(db: sqlite3.Connection, limit: int) -> int:
    """Let go of what was changed or deleted, oldest first, and take in what now stands there; how many messages.

    Nothing else may enter a generation while there is more: what it holds of such a message is known from here only.
    """
    gone = db.execute(
        "SELECT message_id, session, chat, content FROM search_gone ORDER BY message_id LIMIT ?", (limit,)
    ).fetchall()
    if not gone:
        return 0
    for each in generations(db):
        if each.kept:
            _exchange(db, each, [_Said(*row) for row in gone if row["message_id"] <= each.upto])
    db.executemany("DELETE FROM search_gone WHERE message_id = ?", [(row["message_id"],) for row in gone])
    return len(gone)


def _exchange(db: sqlite3.Connection, generation: Generation, gone: Sequence[_Said]) -> None:
    failed = _failed(db, generation)
    delete = f"INSERT INTO {generation.table} ({generation.table}, rowid, text) VALUES ('delete', ?, ?)"
    for said in gone:
        if said.id in failed:
            db.execute(
                "DELETE FROM search_failed WHERE generation = ? AND message_id = ?", (generation.number, said.id)
            )
        elif said.content:
            db.execute(delete, (said.id, prepared(said.content, said.id, said.session, said.chat)))
    _take_in(db, generation, _now_said(db, [said.id for said in gone]))


def advance(db: sqlite3.Connection, limit: int) -> int:
    """Take the next messages into each generation that goes along; how many rows were looked at. Settles first."""
    if settle(db, limit) == limit:
        return limit
    looked_at = 0
    for each in generations(db):
        if each.kept:
            looked_at += _next(db, each, limit)
    return looked_at


def _next(db: sqlite3.Connection, generation: Generation, limit: int) -> int:
    rows = db.execute(
        "SELECT id, session_id, created_at, CASE role WHEN 'tool' THEN '' ELSE content END AS content FROM messages"
        " WHERE id > ? ORDER BY id LIMIT ?",
        (generation.upto, limit),
    ).fetchall()
    if not rows:
        return 0
    _take_in(db, generation, _numbered(db, rows))
    _note_times(db, rows)
    db.execute("UPDATE search_generations SET upto = ? WHERE number = ?", (rows[-1]["id"], generation.number))
    return len(rows)


def _take_in(db: sqlite3.Connection, generation: Generation, rows: Iterable[_Said]) -> None:
    insert = f"INSERT INTO {generation.table} (rowid, text) VALUES (?, ?)"
    for said in rows:
        try:
            text = prepared(said.content, said.id, said.session, said.chat)
        except (ValueError, ArithmeticError, LookupError, RecursionError) as error:
            note_failed(db, generation, said.id, f"{type(error).__name__}: {error}")
        else:
            db.execute(insert, (said.id, text))


def note_failed(db: sqlite3.Connection, generation: Generation, message_id: int, error: str) -> None:
    """A message could not be indexed: searches read it by itself from now on."""
    db.execute(
        "INSERT INTO search_failed (generation, message_id, error, tries) VALUES (?, ?, ?, 1)"
        " ON CONFLICT DO UPDATE SET error = excluded.error, tries = tries + 1",
        (generation.number, message_id, error),
    )


def retry(db: sqlite3.Connection) -> int:
    """Try again what could not be indexed; how many messages came in."""
    mended = 0
    for each in generations(db):
        if not each.kept:
            continue
        waiting = [number for number, tries in _failed(db, each).items() if tries < TRIES]
        failed = "DELETE FROM search_failed WHERE generation = ? AND message_id = ? AND tries = ?"
        for said in _now_said(db, waiting):
            tries = _failed(db, each)[said.id]
            _take_in(db, each, [said])
            mended += db.execute(failed, (each.number, said.id, tries)).rowcount
    return mended


def waits(db: sqlite3.Connection) -> bool:
    """Whether anything is to be taken in, let go of, built or given back."""
    newest = db.execute("SELECT coalesce(max(id), 0) FROM messages").fetchone()[0]
    return (
        any(each.state != "serving" or not each.kept or each.upto < newest for each in generations(db))
        or db.execute("SELECT 1 FROM search_gone LIMIT 1").fetchone() is not None
        or db.execute("SELECT 1 FROM search_failed WHERE tries < ? LIMIT 1", (TRIES,)).fetchone() is not None
    )


def merge(db: sqlite3.Connection, pages: int) -> bool:
    """Bring parts of each table together, about so many pages, so that fewer have to be read; whether there was
    something to do. SQLite would do it by itself at times, but then in large pieces, for which others would wait."""
    merged = False
    for each in generations(db):
        if each.kept:
            before = db.total_changes
            merging = f"INSERT INTO {each.table} ({each.table}, rank) VALUES ('merge', ?)"
            db.execute(merging, (pages,))
            merged = merged or db.total_changes - before > 1
    return merged


def write_anew(db: sqlite3.Connection, pages: int) -> int:
    """Begin to bring all parts of each table into one, about so many pages of it; `merge` goes on with it. Only then
    the words of what was let go of are gone: until they are brought together, the older parts hold them, and a
    newer one says that they do not count. How many tables there are."""
    kept = [each for each in generations(db) if each.kept]
    for each in kept:
        db.execute(f"INSERT INTO {each.table} ({each.table}, rank) VALUES ('merge', ?)", (-pages,))
    return len(kept)


def swap(db: sqlite3.Connection) -> bool:
    """Let the generation that is being built serve, if it has everything; whether it does now."""
    building = next((each for each in generations(db) if each.state == "building"), None)
    if building is None or not building.kept or db.execute("SELECT 1 FROM search_gone LIMIT 1").fetchone():
        return False
    if db.execute("SELECT 1 FROM messages WHERE id > ? LIMIT 1", (building.upto,)).fetchone():
        return False
    for each in generations(db):
        if each.state in ("serving", "damaged"):
            _set(db, each, "leaving", each.reason)
    _set(db, building, "serving", "")
    return True


def clear_away(db: sqlite3.Connection) -> bool:
    """Give back a piece of a generation that is no longer read; whether there was one. In pieces, so that nobody
    waits long: a large table is dropped in seconds."""
    leaving = next((each for each in generations(db) if each.state == "leaving"), None)
    if leaving is None:
        return False
    pages = f"{leaving.table}_data"
    if db.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (pages,)).fetchone():
        piece = f"DELETE FROM {pages} WHERE id IN (SELECT id FROM {pages} WHERE id > 10 LIMIT ?)"
        if db.execute(piece, (PIECES,)).rowcount == PIECES:
            return True
    db.execute(f"DROP TABLE IF EXISTS {leaving.vocabulary}")
    try:
        db.execute(f"DROP TABLE IF EXISTS {leaving.table}")
    except sqlite3.DatabaseError:
        _emptied(db, leaving)
        db.execute(f"DROP TABLE {leaving.table}")
    db.execute("DELETE FROM search_failed WHERE generation = ?", (leaving.number,))
    db.execute("DELETE FROM search_generations WHERE number = ?", (leaving.number,))
    return True


def _emptied(db: sqlite3.Connection, generation: Generation) -> None:
    """Make a broken table one without words: SQLite reads of a table that it is to drop."""
    new = f"{generation.table}_new"
    db.execute(f"CREATE VIRTUAL TABLE {new} {WORDS}")
    for part in PARTS:
        (made,) = db.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (f"{new}_{part}",)).fetchone()
        db.execute(f"DROP TABLE IF EXISTS {generation.table}_{part}")
        db.execute(made.replace(new, generation.table))
        db.execute(f"INSERT INTO {generation.table}_{part} SELECT * FROM {new}_{part}")
    db.execute(f"DROP TABLE {new}")


def _now_said(db: sqlite3.Connection, ids: Sequence[int]) -> Iterator[_Said]:
    """What now stands in these messages, of those that are to be found."""
    query = (
        "SELECT id, session_id, CASE role WHEN 'tool' THEN '' ELSE content END AS content FROM messages WHERE id = ?"
    )
    rows = [row for each in ids if (row := db.execute(query, (each,)).fetchone()) is not None]
    return _numbered(db, rows)


def _numbered(db: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> Iterator[_Said]:
    known: dict[str, tuple[int, int]] = {}
    for row in rows:
        if row["content"]:
            name = row["session_id"]
            session, chat = known[name] if name in known else known.setdefault(name, _numbers(db, name))
            yield _Said(row["id"], session, chat, row["content"])


def _numbers(db: sqlite3.Connection, session_id: str) -> tuple[int, int]:
    """The numbers of a session and its chat in the index, given for good when its first message comes in."""
    find = "SELECT number, chat FROM search_sessions WHERE session_id = ?"
    if (row := db.execute(find, (session_id,)).fetchone()) is not None:
        return int(row[0]), int(row[1])
    key = db.execute("SELECT session_key FROM sessions WHERE id = ?", (session_id,)).fetchone()[0]
    chat = db.execute("SELECT min(number) FROM search_chats WHERE session_key = ?", (key,)).fetchone()[0]
    added = db.execute("INSERT INTO search_sessions (session_id, chat) VALUES (?, ?)", (session_id, chat or 0))
    number = int(added.lastrowid or 0)
    if chat is None:
        chat = number  # a session begins only one chat, so its own number is free
        db.execute("UPDATE search_sessions SET chat = ? WHERE number = ?", (chat, number))
        db.execute("INSERT INTO search_chats (session_key, number) VALUES (?, ?)", (key, chat))
    return number, int(chat)


def _note_times(db: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> None:
    blocks: dict[int, tuple[float, float]] = {}
    for row in rows:
        block, at = row["id"] // BLOCK, row["created_at"]
        earliest, latest = blocks.get(block, (at, at))
        blocks[block] = (min(earliest, at), max(latest, at))
    db.executemany(
        "INSERT INTO search_times VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET"
        " earliest = min(earliest, excluded.earliest), latest = max(latest, excluded.latest)",
        [(block, *times) for block, times in blocks.items()],
    )


def _failed(db: sqlite3.Connection, generation: Generation) -> dict[int, int]:
    query = "SELECT message_id, tries FROM search_failed WHERE generation = ?"
    return {row[0]: row[1] for row in db.execute(query, (generation.number,))}


def _set(db: sqlite3.Connection, generation: Generation, state: State, reason: str) -> None:
    db.execute(
        "UPDATE search_generations SET state = ?, reason = ? WHERE number = ?", (state, reason, generation.number)
    )
