"""The record of every change, as JSON lines that are only ever appended: `begun` before a file is touched, then
`done` (or `void`, when the change did not happen).

At most the last change is open, since writers hold the lock; whether it happened is told by the file's hash. Erasing
a text on a person's order is the one exception to appending.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory.files import append, cut, digest, read_bytes, write_bytes_atomic
from memory.model import ERASED, Author, Change, Origin, Target, change_fields, change_from
from memory.moments import moment_of

_BLOCK = 8192


@dataclass(frozen=True, slots=True)
class Record:
    """One change. `time` in seconds since the epoch; `file` is the store's, relative to the journal's folder;
    `undoes` names the change that it takes back, `undone_by` the one that took it back. `result` is the file's hash
    after it."""

    id: str
    time: float
    target: Target
    file: str
    author: Author
    changes: tuple[Change, ...]
    undoes: str | None = None
    undone_by: str | None = None
    result: str | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """How a pending write was decided: `approved` (`detail` is the change's id), `rejected`, or `edited` (`detail` is
    the id of the write in its place). `time` in seconds since the epoch. It holds no text."""

    pending: str
    result: str
    who: str
    time: float
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Begun:
    """A record with the file's hash before; None for no file."""

    record: Record
    before: str | None


@dataclass(frozen=True, slots=True)
class Dates:
    """When an entry was first kept, and when it last changed; seconds since the epoch."""

    created: float
    changed: float


class Journal:
    """One file of changes. The caller holds the lock while it calls anything that writes.

    The records are kept as they were parsed, for as long as the file's bytes are the same ones.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: tuple[str | None, tuple[Record, ...]] = (None, ())

    def begin(self, begun: Begun) -> None:
        """On the disk when it returns. Raises `Unwritable`."""
        self._line(_begun_fields(begun), sync=True)

    def close(self, name: str, *, happened: bool) -> None:
        """Raises `Unwritable`. Not synced: a line that is lost in a power cut is found again by the hash."""
        self._line({"id": name, "state": "done" if happened else "void"}, sync=False)

    def decided(self, receipt: Receipt) -> None:
        """Keep how a pending write was decided; on the disk when it returns. No change may be open. Raises
        `Unwritable`."""
        time = datetime.fromtimestamp(receipt.time, UTC).isoformat(timespec="milliseconds")
        self._line(
            {
                "pending": receipt.pending,
                "state": "decided",
                "result": receipt.result,
                "who": receipt.who,
                "time": time,
                "detail": receipt.detail,
            },
            sync=True,
        )

    def receipt(self, pending: str) -> Receipt | None:
        """How a pending write was decided, the last one of that id. Raises `Unreadable`."""
        found = [each for each in map(_receipt, self._all()) if each is not None and each.pending == pending]
        return found[-1] if found else None

    def open(self) -> Begun | None:
        """The change that was begun and not closed, after mending what a killed writer left of a last line.

        Raises `Unreadable`, `Unwritable`.
        """
        tail = self._tail()
        if not tail:
            return None
        if not tail.endswith(b"\n"):
            if _fields(tail) is None:
                # Half a line was never acknowledged, and nothing had been done on the strength of it.
                cut(self._path, self._path.stat().st_size - len(tail))
                return self.open()
            append(self._path, b"\n", sync=False)
        fields = _fields(tail)
        return _begun(fields) if fields is not None and fields.get("state") == "begun" else None

    def records(self) -> list[Record]:
        """Every change that happened, the oldest first. Lines that are no records are passed over.

        Raises `Unreadable`.
        """
        data = read_bytes(self._path)
        # By what it holds: an edit in place may leave size and times alone, and hashing is cheap beside parsing.
        name = digest(data)
        kept, records = self._kept
        if name != kept:
            records = tuple(_happened(data or b""))
            self._kept = (name, records)
        return list(records)

    def erase(self, gone: Callable[[str], bool], *, dry: bool = False) -> int:
        """Put `[erased]` in place of each text that `gone` names, and of the earlier wordings of the same entry.

        The number of texts. A dry one changes nothing. Raises `Unreadable`, `Unwritable`.
        """
        data = read_bytes(self._path)
        if data is None:
            return 0
        lines = data.splitlines(keepends=True)
        forgotten: set[str] = set()
        erased = 0
        for number in range(len(lines) - 1, -1, -1):
            fields = _fields(lines[number])
            if fields is None or fields.get("state") != "begun":
                continue
            count = sum(_erase(change, gone, forgotten) for change in reversed(fields.get("changes", [])))
            if count:
                # The hashes of a closed change serve nothing any more, and speak of the text.
                lines[number] = _encoded({**fields, "hash_before": None, "hash_after": None})
                erased += count
        if erased and not dry:
            self._kept = (None, ())
            write_bytes_atomic(self._path, b"".join(lines))
        return erased

    def _line(self, fields: Mapping[str, Any], *, sync: bool) -> None:
        append(self._path, _encoded(fields), sync=sync)

    def _all(self) -> Iterator[dict[str, Any]]:
        yield from _lines(read_bytes(self._path) or b"")

    def _tail(self) -> bytes:
        """The last line, with its line end if it has one."""
        try:
            with self._path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                taken = 0
                data = b""
                while taken < size and b"\n" not in data[:-1]:
                    taken = min(size, max(_BLOCK, 2 * taken))
                    file.seek(size - taken)
                    data = file.read(taken)
        except OSError:
            # Says what is wrong, or that there is no file.
            data = read_bytes(self._path) or b""
        return data[data[:-1].rfind(b"\n") + 1 :]


def journal(folder: Path) -> Journal:
    """The journal of a memories folder."""
    return Journal(folder / "journal.jsonl")


def dates(records: Iterable[Record], file: str) -> dict[str, Dates]:
    """When each entry of a store's file was kept and changed, by its text. Entries that were only ever edited by hand
    have none."""
    living: dict[str, Dates] = {}
    gone: dict[str, Dates] = {}
    for record in records:
        if record.file != file:
            continue
        for change in record.changes:
            before = None if change.before is None else living.pop(change.before, None)
            if before is not None and change.before is not None:
                gone[change.before] = before
            if change.after is None:
                continue
            if record.undoes is not None and change.after in gone:
                living[change.after] = gone[change.after]
            else:
                living[change.after] = Dates(before.created if before else record.time, record.time)
    return living


def _lines(data: bytes) -> Iterator[dict[str, Any]]:
    for line in data.split(b"\n"):
        if (fields := _fields(line)) is not None:
            yield fields


def _happened(data: bytes) -> list[Record]:
    """The changes that a journal says happened, the oldest first."""
    begun: dict[str, Record] = {}
    done: list[Record] = []
    for fields in _lines(data):
        name = fields.get("id")
        if (opened := _begun(fields)) is not None:
            begun[opened.record.id] = opened.record
        elif fields.get("state") == "done" and isinstance(name, str) and name in begun:
            done.append(begun.pop(name))
    undone: dict[str, str] = {}
    for record in reversed(done):
        # What was taken back and then restored counts as never taken back.
        if record.undoes is not None and record.id not in undone:
            undone[record.undoes] = record.id
    return [replace(record, undone_by=undone.get(record.id)) for record in done]


def _erase(change: Any, gone: Callable[[str], bool], forgotten: set[str]) -> int:
    """Erase in one change as it stands in the file. `forgotten` collects texts whose earlier wordings go as well."""
    if not isinstance(change, dict):
        return 0
    count = 0
    for side in ("after", "before"):
        text = change.get(side)
        if isinstance(text, str) and text != ERASED and (text in forgotten or gone(text)):
            if side == "after" and isinstance(change.get("before"), str):
                forgotten.add(change["before"])
            change[side] = ERASED
            count += 1
    return count


def _encoded(fields: Mapping[str, Any]) -> bytes:
    return json.dumps(fields, ensure_ascii=False, separators=(", ", ": ")).encode("utf-8", "replace") + b"\n"


def _fields(line: bytes) -> dict[str, Any] | None:
    try:
        fields = json.loads(line)
    except ValueError:
        return None
    return fields if isinstance(fields, dict) else None


def _receipt(fields: Mapping[str, Any]) -> Receipt | None:
    """The receipt in a line; None for a line of another kind, or one that people made unusable."""
    if fields.get("state") != "decided":
        return None
    try:
        time = moment_of(fields["time"])
        return Receipt(fields["pending"], fields["result"], fields["who"], time, fields.get("detail", ""))
    except (KeyError, TypeError, ValueError):
        return None


def _begun_fields(begun: Begun) -> dict[str, Any]:
    record = begun.record
    author = record.author
    more = {"undoes": record.undoes, "chat": author.chat, "flags": list(author.flags), "pending": author.pending}
    return {
        "id": record.id,
        "state": "begun",
        "time": datetime.fromtimestamp(record.time, UTC).isoformat(timespec="milliseconds"),
        "target": record.target.value,
        "file": record.file,
        "origin": record.author.origin.value,
        "session": record.author.session,
        "message": record.author.message,
        "who": record.author.who,
        **{key: value for key, value in more.items() if value},
        "hash_before": begun.before,
        "hash_after": record.result,
        "changes": [change_fields(change) for change in record.changes],
    }


def _begun(fields: Mapping[str, Any]) -> Begun | None:
    """The record in a line; None for a line of another kind, or one that people made unusable."""
    if fields.get("state") != "begun":
        return None
    try:
        author = Author(
            Origin(fields["origin"]),
            fields["session"],
            fields["message"],
            fields["who"],
            chat=fields.get("chat"),
            flags=tuple(fields.get("flags", ())),
            pending=fields.get("pending"),
        )
        changes = tuple(change_from(each) for each in fields["changes"])
        time = moment_of(fields["time"])
        target, undoes = Target(fields["target"]), fields.get("undoes")
        record = Record(
            fields["id"], time, target, fields["file"], author, changes, undoes, result=fields["hash_after"]
        )
        return Begun(record, fields["hash_before"])
    except (KeyError, TypeError, ValueError):
        return None
