"""What must hold after any number of ends: the gateway's database, the network's record and the tool's file agree.

Owns the comparison. A fault is a line of text, so that a run shows all of them; who made them happen is elsewhere.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from tests.fakes.postal.office import Box, PostOffice
from tests.scenarios.storyteller import NAME

RECEIPT = "⏳"


@dataclass(frozen=True, slots=True)
class Posted:
    """A message that a person wrote: `name` is its own, `event` the network's number for it."""

    event: int
    chat: str
    name: str
    text: str


@dataclass(slots=True)
class InFlight:
    """What was under way when a process ended: nonces of sends whose end the house did not know, of final parts and
    of previews; the number of turns that ran, and of events that waited."""

    parts: set[str] = field(default_factory=set)
    previews: set[str] = field(default_factory=set)
    turns: int = 0
    events: int = 0

    def add(self, other: InFlight) -> None:
        self.parts |= other.parts
        self.previews |= other.previews
        self.turns += other.turns
        self.events += other.events


@contextmanager
def reading(database: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a copy: the house that comes next must find the file as the last one left it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / database.name
        for suffix in ("", "-wal"):
            file = database.with_name(database.name + suffix)
            if file.exists():
                shutil.copyfile(file, copy.with_name(copy.name + suffix))
        with closing(sqlite3.connect(copy)) as connection:
            connection.row_factory = sqlite3.Row
            yield connection


def in_flight(database: Path) -> InFlight:
    """What the house had under way, as its database tells after its end."""
    with reading(database) as db:
        sending = db.execute("SELECT nonce, preview FROM outbox WHERE state = 'sending'").fetchall()
        return InFlight(
            parts={row["nonce"] for row in sending if not row["preview"]},
            previews={row["nonce"] for row in sending if row["preview"]},
            turns=db.execute("SELECT count(*) FROM turns WHERE state = 'running'").fetchone()[0],
            events=db.execute("SELECT count(*) FROM inbox WHERE state = 'new'").fetchone()[0],
        )


def settled(database: Path, events: int) -> bool:
    """Whether a running house has answered so many events and delivered all that it will."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
        open_events = db.execute("SELECT count(*) FROM inbox WHERE state IN ('new', 'held', 'taken')").fetchone()[0]
        stored = db.execute("SELECT count(*) FROM inbox").fetchone()[0]
        parts = db.execute("SELECT count(*) FROM outbox WHERE state IN ('preview', 'queued', 'sending')").fetchone()[
            0
        ]
    return bool(stored >= events and not open_events and not parts)


class Ledger:
    """Reads everything once; `faults()` lists what does not agree. `unknown` is what was in flight at some end, and
    `certain` says that this network can always find out what became of a send. `key` names a chat as the gateway
    does."""

    def __init__(
        self,
        database: Path,
        posted: Sequence[Posted],
        office: PostOffice,
        counted: Sequence[str],
        unknown: InFlight,
        *,
        certain: bool,
        key: Callable[[str], str] = "post:{}".format,
    ) -> None:
        with reading(database) as db:
            self._inbox = db.execute("SELECT * FROM inbox ORDER BY id").fetchall()
            self._turns = {row["id"]: row for row in db.execute("SELECT * FROM turns ORDER BY id")}
            self._rows = db.execute("SELECT * FROM messages ORDER BY id").fetchall()
            self._parts = db.execute("SELECT * FROM outbox ORDER BY id").fetchall()
            self._sessions = db.execute("SELECT * FROM sessions").fetchall()
            self._dead = db.execute("SELECT * FROM dead_letters").fetchall()
        self._posted = posted
        self._office = office
        self._counted = Counter(counted)
        self._unknown = unknown
        self._certain = certain
        self._key = key
        self.orphans = 0
        """Previews that stand beside their answer because nobody can know whether they arrived."""

    @property
    def uncertain(self) -> list[sqlite3.Row]:
        return [part for part in self._parts if part["state"] == "uncertain"]

    def faults(self) -> list[str]:
        found = [f"dead letter: {row['error']}" for row in self._dead]
        found += [f"event {number} was never acknowledged" for number in self._office.waiting]
        turns = self._turn_of_each(found)
        for posted in self._posted:
            if (turn := turns.get(posted.event)) is not None:
                found += [f"#{posted.name}: {line}" for line in self._of_message(posted, turn)]
        found += self._order(turns)
        found += self._sessions_and_tools()
        found += self._delivery()
        for chat in sorted({posted.chat for posted in self._posted}):
            found += [f"{chat}: {line}" for line in self._of_box(chat, turns)]
        return found

    def _turn_of_each(self, found: list[str]) -> dict[int, int]:
        """The turn that answered each event; each has one, and no turn answered two."""
        rows = {int(row["event_id"]): row for row in self._inbox}
        found += [f"event {posted.event} is not stored" for posted in self._posted if posted.event not in rows]
        if len(self._inbox) != len(self._posted):
            found.append(f"{len(self._inbox)} events stored, {len(self._posted)} sent")
        found += [f"event {event} is {row['state']}" for event, row in rows.items() if row["state"] != "done"]
        found += [f"event {event} has no turn" for event, row in rows.items() if row["turn_id"] is None]
        turns = {event: int(row["turn_id"]) for event, row in rows.items() if row["turn_id"] is not None}
        found += [f"turn {turn} took {many} events" for turn, many in Counter(turns.values()).items() if many > 1]
        found += [f"turn {turn} belongs to no event" for turn in self._turns if turn not in turns.values()]
        return turns

    def _of_message(self, posted: Posted, turn: int) -> Iterator[str]:
        """One user row, valid rows after it, and a reply that is this message's own."""
        state = self._turns[turn]["state"]
        if state != "answered":
            yield f"its turn is {state}: {self._turns[turn]['reason']}"
        rows = [row for row in self._rows if row["turn_id"] == turn]
        shape = " ".join("call" if row["tool_calls"] else row["role"] for row in rows)
        if not re.fullmatch(r"user( call( tool)+)* assistant", shape):
            yield f"its rows are: {shape}"
        same = [row for row in self._rows if row["role"] == "user" and row["content"] == posted.text]
        if len(same) != 1:
            yield f"there are {len(same)} user rows of it"
        reply = self._reply(turn)
        if set(NAME.findall(reply)) != {posted.name}:
            yield f"its answer is about {set(NAME.findall(reply))}"
        if (
            len(re.findall(rf"Answer to #{posted.name}\.", reply)) != 1
            or len(set(re.findall(r"take \d+", reply))) != 1
        ):
            yield f"its answer is not one answer: {reply!r}"
        parts = [row for row in self._parts if row["source"] == f"turn:{turn}" and row["text"]]
        if "".join(part["text"] for part in parts) != reply:
            yield f"its parts are not its reply: {[part['text'] for part in parts]} for {reply!r}"

    def _reply(self, turn: int) -> str:
        said = [row["content"] for row in self._rows if row["turn_id"] == turn and row["role"] == "assistant"]
        return "\n\n".join(text for text in said if text)

    def _order(self, turns: dict[int, int]) -> Iterator[str]:
        """In each chat, turns began in the order of the messages, and no turn before the former one had ended."""
        for chat in {posted.chat for posted in self._posted}:
            mine = [turns[posted.event] for posted in self._posted if posted.chat == chat and posted.event in turns]
            if mine != sorted(mine):
                yield f"{chat}: messages were answered in the order {mine}"
            spans = [self._turns[turn] for turn in mine]
            for former, later in pairwise(spans):
                if former["ended_at"] is None or former["ended_at"] > later["began_at"]:
                    yield f"{chat}: turns {former['id']} and {later['id']} ran at the same time"

    def _sessions_and_tools(self) -> Iterator[str]:
        for chat, many in Counter(row["session_key"] for row in self._sessions).items():
            if many > 1:
                yield f"{chat} has {many} sessions"
        for key, many in self._counted.items():
            if many > 1:
                yield f"the tool was called {many} times for {key}"
        results = [json.loads(row["content"]) for row in self._rows if row["role"] == "tool"]
        for result in results:
            if result["success"] and not self._counted[result["counted"]]:
                yield f"a result says that {result['counted']} was counted, and the file does not"
        called = {call for row in self._rows if row["tool_calls"] for call in _calls(row["tool_calls"])}
        answered = Counter(row["tool_call_id"] for row in self._rows if row["role"] == "tool")
        for call in called ^ answered.keys():
            yield f"call {call} has no partner"
        yield from (f"call {call} has {many} results" for call, many in answered.items() if many > 1)

    def _delivery(self) -> Iterator[str]:
        """Every part is settled; a doubt only about what was in flight, and then the person knows."""
        doubts = {part["source"] for part in self._parts if part["source"].startswith("doubt:")}
        for part in self._parts:
            name = f"{part['source']}/{part['part']}"
            if part["state"] not in ("sent", "uncertain", "dropped"):
                yield f"part {name} is {part['state']}: {part['error']}"
            if part["state"] != "uncertain":
                continue
            if self._certain:
                yield f"part {name} is uncertain, though this network can tell"
            if part["nonce"] not in self._unknown.parts:
                yield f"part {name} is uncertain, though nothing ended while it was in flight"
            if part["source"].startswith("turn:") and f"doubt:{part['source']}" not in doubts:
                yield f"part {name} is uncertain, and nobody was told"

    def _of_box(self, chat: str, turns: dict[int, int]) -> Iterator[str]:
        """What the chat shows is the parts, each once, in order, and receipts."""
        box = self._office.box(chat)
        parts = [part for part in self._parts if part["chat"] == self._key(chat)]
        known = {part["remote_id"] for part in parts if part["remote_id"]}
        places: list[tuple[int, int, int]] = []
        for part in parts:
            letter = box.letters.get(part["remote_id"] or "")
            if part["state"] == "sent" and (letter is None or letter.text != part["text"]):
                yield f"part {part['source']}/{part['part']} reads {letter and letter.text!r}, not {part['text']!r}"
            if part["state"] == "sent" and letter is not None and part["source"].startswith("turn:"):
                places.append((int(part["source"][5:]), part["part"], letter.number))
            if part["state"] == "uncertain":
                yield from self._of_doubt(part, box)
        mine = set(turns.values())
        numbers = [number for turn, _, number in sorted(places) if turn in mine]
        if numbers != sorted(numbers):
            yield f"parts stand in the order {numbers}"
        yield from self._others(box, known)

    def _of_doubt(self, part: sqlite3.Row, box: Box) -> Iterator[str]:
        """One try, and one before it when that was a preview's: the answer itself had not been sent then."""
        tries = 2 if part["nonce"] in self._unknown.previews else 1
        shown = [letter for letter in box.letters.values() if letter.nonce == part["nonce"]]
        if box.tries.get(part["nonce"], 0) > tries or len(shown) > tries:
            yield f"part {part['source']}/{part['part']} of unknown delivery was sent again"

    def _others(self, box: Box, known: set[str]) -> Iterator[str]:
        """Letters that belong to no delivered part: receipts, parts in doubt, and orphaned previews."""
        doubtful = {part["nonce"] for part in self.uncertain}
        for message_id, letter in box.letters.items():
            if message_id in known or letter.nonce in doubtful:
                continue
            if letter.nonce is None and letter.text.startswith(RECEIPT):
                continue
            if not self._certain and letter.nonce in self._unknown.previews and letter.edits == 0:
                self.orphans += 1
                continue
            yield f"it shows {letter.text!r} beside the answers"


def _calls(body: str) -> list[str]:
    """The ids of the calls in a row."""
    return [str(call[0]) for call in json.loads(body)]
