"""What must hold of reviews after any number of ends: books, marks, journals, the network and the host agree.

Owns the comparison. A fault is a line of text, so that a run shows all of them.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path

from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.engine.gates.gatekeeper import memories
from gateway.engine.gates.skill_gatekeeper import gated_skills
from tests.fakes.postal.office import PostOffice
from tests.scenarios.ledger import reading
from tests.scenarios.reviewer import Reviewer

FACT = re.compile(r"fact-\d+-of-\w+")
COUNT = {
    "memory": "SELECT count(DISTINCT turn_id) FROM messages WHERE session_id = ? AND id > ? AND id <= ?"
    " AND role = 'user'",
    "skill": "SELECT count(*) FROM messages WHERE session_id = ? AND id > ? AND id <= ? AND role = 'tool'",
}
END = 1 << 60


def owed(database: Path, every: Mapping[str, int]) -> int:
    """Reviews of a running house that are due, wait or run, and ends of reviews that nobody was told of."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
        db.row_factory = sqlite3.Row
        due = sum(len(list(_left(db, each, every))) for each in db.execute("SELECT * FROM sessions").fetchall())
        queued = db.execute("SELECT count(*) FROM review_queue").fetchone()[0]
        told = _told(db)
        ended = [row[0] for row in db.execute("SELECT id FROM review_results")]
        return due + int(queued) + len(set(ended) - set(told))


def running(database: Path) -> int:
    """Reviews that a house that has ended still claims."""
    with reading(database) as db:
        return int(db.execute("SELECT count(*) FROM review_queue WHERE state = 'running'").fetchone()[0])


class ReviewLedger:
    """Reads everything once; `faults()` lists what does not agree. `every` are the intervals of the cadence."""

    def __init__(
        self, home: Path, host: Reviewer, office: PostOffice, counted: Sequence[str], *, every: Mapping[str, int]
    ) -> None:
        with reading(home / "state.db") as db:
            self._results = db.execute("SELECT * FROM review_results ORDER BY session_id, upto, id").fetchall()
            self._parts = db.execute("SELECT * FROM outbox WHERE source LIKE 'review:%' ORDER BY id").fetchall()
            self._writes = db.execute("SELECT * FROM review_writes").fetchall()
            self._sessions = db.execute("SELECT * FROM sessions").fetchall()
            self._queue = db.execute("SELECT * FROM review_queue").fetchall()
            self._marks = {each["id"]: _marks(db, each["id"]) for each in self._sessions}
            self._left = {each["id"]: list(_left(db, each, every)) for each in self._sessions}
            self._covered = {each["id"]: _covered(db, each) for each in self._results}
            self._booked = db.execute(
                "SELECT coalesce(sum(calls), 0) FROM session_model_usage WHERE task = 'background_review'"
            ).fetchone()[0]
        profile = Profile("default", home, home)
        records = memories(profile, Settings, time.time).shelf.changes()
        deeds = gated_skills(profile, Settings, time.time).store.history()
        self._journal: dict[str, tuple[str, str]] = {}
        """What was written by reviews: id to text and review."""
        for record in records:
            self._journal[record.id] = (record.changes[0].after or "", record.author.message or "")
        for deed in deeds:
            if deed.created and deed.author.message:
                self._journal[deed.id] = (deed.created[0], deed.author.message)
        self._host = host
        self._office = office
        self._counted = counted
        self._every = every

    @property
    def died(self) -> int:
        return sum(each["died"] for each in self._results)

    @property
    def unbooked(self) -> int:
        """Calls that are on the bill, and on no review's account."""
        return int(self._booked) - sum(int(each["calls"]) for each in self._results)

    def summary(self) -> str:
        outcomes = Counter(each["outcome"] for each in self._results)
        cancelled = sum(each["cancelled"] for each in self._results)
        return (
            f"{len(self._results)} reviews {dict(sorted(outcomes.items()))} with {self._host.reviews} answered calls,"
            f" {len(self._journal)} writes of {len(self._host.called)} called for; {self.died} times a review's"
            f" process died, {cancelled} times one gave way, {len(self._host.doubtful)} calls in doubt;"
            f" {len(self._parts)} notices"
        )

    def faults(self) -> list[str]:
        return [*self._committed(), *self._counters(), *self._wrote(), *self._noticed(), *self._spent()]

    def _committed(self) -> Iterator[str]:
        """Each was due, and begins where the one before it ended."""
        for kind in self._every:
            mine = [each for each in self._results if each[f"{kind}_after"] is not None]
            for one, other in pairwise(mine):
                same = one["session_id"] == other["session_id"]
                if same and other[f"{kind}_after"] != one["upto"]:
                    yield (
                        f"{kind}: review {other['id']} begins at {other[f'{kind}_after']}, the one before it"
                        f" ({one['id']}) ended at {one['upto']}"
                    )
                if not same and other[f"{kind}_after"] != 0:
                    yield f"{kind}: the first review {other['id']} of its session begins at {other[f'{kind}_after']}"
            for each in mine:
                least = self._every[kind] if each["cause"] == "cadence" else 1
                if (covered := self._covered[each["id"]][kind]) < least:
                    yield f"{kind}: review {each['id']} ({each['cause']}) was not due: {covered} of {least}"
        for each in self._queue:
            yield f"review {each['id']} is {each['state']} still: {each['reason']}"
        for each in self._results:
            if each["outcome"] in ("dropped", "error") or each["failed"]:
                yield f"review {each['id']} is {each['outcome']}, failed {each['failed']}: {each['reason']}"

    def _counters(self) -> Iterator[str]:
        """The marks stand where the last review ended; what is left is not due, and of what is closed nothing is
        left."""
        for session in self._sessions:
            yield from self._left[session["id"]]
            for kind, marks in self._marks[session["id"]].items():
                mine = [each for each in self._results if each["session_id"] == session["id"]]
                ends = [each["upto"] for each in mine if each[f"{kind}_after"] is not None]
                if marks != (max(ends, default=0),) * 2:
                    yield f"{kind} of {session['session_key']}: counted and seen up to {marks}, reviewed up to {ends}"

    def _wrote(self) -> Iterator[str]:
        """What was called for is in the journals at most once, what was said to be kept is, and the books know it."""
        texts = Counter(text for text, _ in self._journal.values())
        yield from (f"{text} is in the journals {count} times" for text, count in texts.items() if count > 1)
        yield from (f"nobody called for {text}" for text in texts.keys() - set(self._host.called))
        yield from (f"{text} was said to be kept, and is not there" for text in self._host.kept - texts.keys())
        booked = {each["ref"]: each["review_id"] for each in self._writes}
        ended = {each["id"]: each["outcome"] for each in self._results}
        for ref, (text, review) in self._journal.items():
            if ref not in booked:
                yield f"{text} of {review} is in no books"
            elif ended.get(booked[ref]) in (None, "none"):
                end = ended.get(booked[ref])
                yield f"{text} of {review} is booked for review {booked[ref]}, which ended as {end}"
        yield from (f"{ref} is booked, and in no journal" for ref in booked.keys() - self._journal.keys())
        yield from self._counted_once()

    def _counted_once(self) -> Iterator[str]:
        """What a review may call beside its own tools, and what it may not."""
        counts = Counter(each for each in self._counted if each.startswith("fact-"))
        yield from (f"a review counted {text} {count} times" for text, count in counts.items() if count > 1)
        yield from (f"{text} was said to be counted, and was not" for text in self._host.counted - counts.keys())
        for box in self._office.boxes.values():
            yield from (f"a file was sent: {each.text}" for each in box.letters.values() if "📎" in each.text)

    def _noticed(self) -> Iterator[str]:
        """Each write is told once; each review that wrote has one notice, and no other has."""
        wrote = {f"review:{each['id']}" for each in self._results if each["outcome"] != "none"}
        sources = Counter(each["source"] for each in self._parts)
        yield from (f"{each} wrote, and nobody was told" for each in wrote - sources.keys())
        yield from (f"{each} wrote nothing, and has a notice" for each in sources.keys() - wrote)
        yield from (f"{each} has {count} notices" for each, count in sources.items() if count > 1)
        yield from (
            f"the notice of {each['source']} is {each['state']}" for each in self._parts if each["state"] != "sent"
        )
        shown = Counter(
            fact
            for box in self._office.boxes.values()
            for letter in box.letters.values()
            for fact in set(FACT.findall(letter.text))
        )
        for text, review in self._journal.values():
            if shown[text] != 1:
                yield f"{text} of {review} was told {shown[text]} times"

    def _spent(self) -> Iterator[str]:
        if self.unbooked < 0:
            yield f"reviews account for {-self.unbooked} calls that are not on the bill"
        if self._booked > self._host.reviews:
            yield f"{self._booked} calls are on the bill, and the host answered {self._host.reviews}"


def _told(db: sqlite3.Connection) -> list[int]:
    row = db.execute("SELECT value FROM facts WHERE scope = 'reviews' AND name = 'told'").fetchone()
    found: list[int] = json.loads(row[0]) if row else []
    return found


def _marks(db: sqlite3.Connection, session: str) -> dict[str, tuple[int, int]]:
    """By kind: up to where it is counted, and seen."""
    found = {}
    for kind in COUNT:
        query = "SELECT counted, seen FROM review_marks WHERE session_id = ? AND kind = ?"
        row = db.execute(query, (session, kind)).fetchone()
        found[kind] = (row["counted"], row["seen"]) if row else (0, 0)
    return found


def _left(db: sqlite3.Connection, session: sqlite3.Row, every: Mapping[str, int]) -> Iterator[str]:
    """What there is that no review has seen, and should have."""
    query = "SELECT state FROM turns WHERE session_id = ? ORDER BY id DESC LIMIT 1"
    last = db.execute(query, (session["id"],)).fetchone()
    for kind, (_, seen) in _marks(db, session["id"]).items():
        left = db.execute(COUNT[kind], (session["id"], seen, END)).fetchone()[0]
        if session["ended_at"] is not None and left:
            yield f"{kind} of {session['session_key']}: {left} were not looked at, and the conversation is over"
        elif left >= every[kind] and last is not None and last["state"] == "answered":
            yield f"{kind} of {session['session_key']}: {left} are due"


def _covered(db: sqlite3.Connection, result: sqlite3.Row) -> dict[str, int]:
    """By kind: what there was in the rows that a review looked at."""
    return {
        kind: db.execute(query, (result["session_id"], result[f"{kind}_after"], result["upto"])).fetchone()[0]
        for kind, query in COUNT.items()
        if result[f"{kind}_after"] is not None
    }
