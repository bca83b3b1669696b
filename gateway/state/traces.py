"""Erasing a text from everything that is stored, when a person asked for it to be gone everywhere.

Only what people and models said is touched: ids, kinds and the names of fields stay, whatever the text is.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gateway.state.database import Database
from gateway.state.records import Touched
from gateway.state.review_queue import taken_away
from gateway.state.search_damage import carefully
from gateway.state.search_index import merge, settle, write_anew
from memory.model import ERASED
from memory.spellings import spellings

BATCH = 200
"""Messages that leave the search's index at a time."""

PAGES = 500
"""Pages of the search's index that are written anew at a time."""

Cut = Callable[[str], str]
"""A string without the texts."""


class SqliteTraces:
    """See `protocols.Traces`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, texts: Sequence[str]) -> Touched:
        return await self._database.read(lambda db: _summed(list(_found(db, texts))))

    async def erase(self, texts: Sequence[str]) -> Touched:
        def work(db: sqlite3.Connection) -> Touched:
            found = list(_found(db, texts))
            for each in found:
                where = " AND ".join(f"{name} = ?" for name in each.place.key)
                db.execute(
                    f"UPDATE {each.place.table} SET {each.place.column} = ? WHERE {where}", (each.shorter, *each.key)
                )
            while carefully(db, lambda: settle(db, BATCH)):
                pass  # what the search's index still has to let go of holds the text, too
            if found:
                carefully(db, lambda: write_anew(db, PAGES))
            touched = _summed(found)
            for session in touched.sessions:
                taken_away(db, session)
            return touched

        def go_on(db: sqlite3.Connection) -> int:
            return carefully(db, lambda: int(merge(db, PAGES)))

        touched = await self._database.write(work, durable=True)
        while touched.messages and await self._database.write(go_on, durable=True):
            pass  # a large index is written anew piece by piece: others write in between
        return touched


@dataclass(frozen=True, slots=True)
class _Place:
    """A column that holds what was said, the table's key, how it is cut out of a value, and which column names the
    session."""

    table: str
    column: str
    cut: Callable[[str, Cut], str]
    key: tuple[str, ...] = ("id",)
    only: str = "1"
    session: str = "NULL"


@dataclass(frozen=True, slots=True)
class _Found:
    """A value that holds one of the texts, and the value without them."""

    place: _Place
    key: tuple[Any, ...]
    session: str | None
    shorter: str


def _found(db: sqlite3.Connection, texts: Sequence[str]) -> Iterator[_Found]:
    # The longest first: of what contains another text nothing stays.
    gone = sorted({each for text in texts if text.strip() for each in spellings(text)}, key=len, reverse=True)

    def cut(said: str) -> str:
        for text in gone:
            said = said.replace(text, ERASED)
        return said

    for place in PLACES if gone else ():
        holds = " OR ".join(f"instr({place.column}, ?) > 0" for _ in gone)
        names = ", ".join((*place.key, place.session, place.column))
        query = f"SELECT {names} FROM {place.table} WHERE {place.only} AND ({holds})"
        for *key, session, value in db.execute(query, gone).fetchall():
            shorter = place.cut(value, cut)
            if shorter != value:
                yield _Found(place, tuple(key), session, shorter)


def _summed(found: Sequence[_Found]) -> Touched:
    messages = {each.key for each in found if each.place.table == "messages"}
    return Touched(len(messages), frozenset(each.session for each in found if each.session is not None))


def _text(value: str, cut: Cut) -> str:
    return cut(value)


def _calls(value: str, cut: Cut) -> str:
    """Tool calls: ids and names stay, and arguments that are an object stay one."""
    return json.dumps([[number, name, _arguments(raw, cut)] for number, name, raw in json.loads(value)])


def _arguments(raw: str, cut: Cut) -> str:
    try:
        return json.dumps(_values(json.loads(raw), cut), ensure_ascii=False)
    except ValueError:
        return cut(raw)


def _event(value: str, cut: Cut) -> str:
    """An inbound event: its text, the words that it answers, and the names of its files."""
    event = json.loads(value)
    event["text"] = cut(event["text"])
    if "quoted" in event:
        event["quoted"] = cut(event["quoted"])
    for attachment in event["attachments"]:
        attachment["name"] = cut(attachment["name"])
    return json.dumps(event, separators=(",", ":"))


def _files(value: str, cut: Cut) -> str:
    """A row's files: what they are called; where they lie is named by their bytes."""
    return json.dumps([[kind, cut(name), media_type, path] for kind, name, media_type, path in json.loads(value)])


def _buttons(value: str, cut: Cut) -> str:
    """What stands on buttons; what they do stays."""
    return json.dumps([[[cut(label), action] for label, action in row] for row in json.loads(value)])


def _letter(value: str, cut: Cut) -> str:
    """A dead letter: an event, or whatever it was."""
    try:
        return json.dumps(_values(json.loads(value), cut))
    except ValueError:
        return cut(value)


def _start(value: str, cut: Cut) -> str:
    """What a session's prompt held."""
    start = json.loads(value)
    return json.dumps(start | {"entries": _values(start["entries"], cut)})


def _spec(value: str, cut: Cut) -> str:
    """What a job was: its words; how it is called and when it runs stay."""
    spec = json.loads(value)
    return json.dumps(spec | {name: cut(spec[name]) for name in ("prompt", "silent_unless")})


def _values(value: Any, cut: Cut) -> Any:
    """JSON with the strings cut, the names of fields left alone."""
    match value:
        case str():
            return cut(value)
        case list():
            return [_values(each, cut) for each in value]
        case dict():
            return {name: _values(each, cut) for name, each in value.items()}
        case _:
            return value


PLACES = (
    _Place("messages", "content", _text, session="session_id"),
    _Place("messages", "note", _text, session="session_id"),
    _Place("messages", "tool_calls", _calls, only="tool_calls IS NOT NULL", session="session_id"),
    _Place("messages", "files", _files, only="files <> ''", session="session_id"),
    _Place("compactions", "summary", _text, session="session_id"),
    _Place("sessions", "prompt", _text, session="id"),
    _Place("sessions", "title", _text, only="title IS NOT NULL"),
    _Place("outbox", "text", _text),
    _Place("outbox", "buttons", _buttons),
    _Place("inbox", "body", _event),
    _Place("facts", "value", _start, ("scope", "name"), only="name = 'memory_start'"),
    _Place("facts", "value", _letter, ("scope", "name"), only="name = 'next_title'"),
    _Place("dead_letters", "body", _letter),
    _Place("review_queue", "focus", _text, session="session_id"),
    _Place("review_queue", "progress", _letter, session="session_id"),
    _Place("review_queue", "reason", _text),
    _Place("review_results", "reason", _text),
    _Place("jobs", "prompt", _text),
    _Place("jobs", "silent_unless", _text),
    _Place("job_edits", "before", _spec),
    _Place("job_runs", "answer", _text),
    _Place("job_runs", "error", _text),
)
"""Every column that may hold what a person said."""
