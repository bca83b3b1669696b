"""Questions and what must be found, written by somebody who had not seen the index; half of them are held out."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import unicodedata
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gateway.state.contract_search import indexed
from gateway.state.store import SqliteStore

FOLDER = Path(__file__).parent / "search_corpus"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp()
EVERYTHING = 1_000
"""More sessions than there are, so that one page shows all."""


@dataclass(frozen=True)
class Question:
    id: str
    kind: str
    query: str
    expect: frozenset[str]
    never: frozenset[str]
    open: bool
    """Whether ids in neither list are right as well: the note says so, or the query is of signs only."""

    def counted(self, found: frozenset[str]) -> frozenset[str]:
        """What was found, without what is neither right nor wrong."""
        return found & (self.expect | self.never) if self.open else found


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def questions(*, held: bool) -> list[Question]:
    """One half, chosen by the hash of the id."""
    found = [
        Question(
            raw["id"],
            raw["kind"],
            raw["query"],
            frozenset(raw["expect"]),
            frozenset(raw["never"]),
            "left open" in raw["note"] or not any(map(_tells, raw["query"])),
        )
        for raw in lines("queries.jsonl")
    ]
    return [each for each in found if int(hashlib.sha256(each.id.encode()).hexdigest(), 16) % 2 == held]


def _tells(sign: str) -> bool:
    """Whether this is a sign of a word, or a picture."""
    return sign.isalnum() or unicodedata.category(sign) == "So"


class Archive:
    """The corpus in a store, each message in a session of its own chat, so that every match is a hit."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store
        self.names: dict[int, str] = {}

    async def fill(self) -> None:
        def work(db: sqlite3.Connection) -> None:
            for raw in lines("messages.jsonl"):
                at = datetime.fromisoformat(raw["at"]).timestamp()
                db.execute(
                    "INSERT INTO sessions (id, session_key, chat, prompt, tools, started_at, active_at, ended_at)"
                    " VALUES (?, ?, ?, '', '[]', ?, ?, ?)",
                    (f"session-{raw['id']}", raw["chat"], raw["chat"], at, at, at),
                )
                added = db.execute(
                    "INSERT INTO messages (session_id, role, content, created_at) VALUES (?, ?, ?, ?)",
                    (f"session-{raw['id']}", raw["role"], raw["text"], at),
                )
                self.names[added.lastrowid or 0] = raw["id"]

        await self.store.database.write(work)

    async def found(self, query: str) -> frozenset[str]:
        names: set[str] = set()
        more = None
        while True:
            got = await self.store.search.discover(query, now=NOW, limit=EVERYTHING, more=more)
            names |= {self.names[hit.message.id] for hit in got.hits}
            if (more := got.more) is None:
                return frozenset(names)


@pytest.fixture(params=["indexed", "waiting"])
async def archive(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Archive]:
    """Once with the index, once without any: the answers are the same."""
    store = await SqliteStore.open(tmp_path / "state.db")
    archive = Archive(store)
    await archive.fill()
    if request.param == "indexed":
        await indexed(store)
    yield archive
    await store.close()


async def test_every_question_of_the_open_half_is_answered(archive: Archive) -> None:
    asked = questions(held=False)
    assert len(asked) >= 60
    wrong = []
    for each in asked:
        found = await archive.found(each.query)
        if missing := each.expect - found:
            wrong.append(f"{each.id} {each.query!r} misses {sorted(missing)}")
        if false := each.counted(found) - each.expect:
            wrong.append(f"{each.id} {each.query!r} finds {sorted(false)}")
    assert not wrong, "\n".join(wrong)


async def test_the_half_that_was_held_out_is_answered_as_well(archive: Archive) -> None:
    """Rates only: whoever works on the index does not look at these. Everything that is found and was not to be is
    wrong, whether anybody thought of it or not."""
    asked = questions(held=True)
    assert len(asked) >= 60
    assert sum(each.open for each in asked) < len(asked) / 8
    expected = hit = right = returned = 0
    for each in asked:
        found = await archive.found(each.query)
        expected += len(each.expect)
        hit += len(each.expect & found)
        returned += len(each.counted(found))
        right += len(each.expect & found)
    print(f"recall {hit} of {expected}, precision {right} of {returned}")
    assert hit == expected, f"recall {hit / expected:.3f}"
    assert right >= 0.95 * returned, f"precision {right / returned:.3f}"
