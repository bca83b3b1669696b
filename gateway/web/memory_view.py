"""Memory's files and their journal, as pages show them. Reads files: off the event loop."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from commands.ports import Memory
from commands.reply import CommandReply
from gateway.web.sheets import EntryDiff, entry_diff
from memory.files import FileTrouble
from memory.journal import Dates, Record
from memory.model import Target
from memory.skills.diff import spelt_out
from memory.usage import Usage

TITLES = {Target.MEMORY: "What the assistant noted", Target.USER: "Who the person is"}

PER_PAGE = 30
_ORDER = re.compile(r"(?:^| )Undo: /memory undo \S+$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class EntryView:
    """An entry. `key` names its text in addresses and forms; `last` is the change that gave it this wording, None for
    one that was written into the file by hand."""

    key: str
    text: str
    dates: Dates | None
    last: Record | None


@dataclass(frozen=True, slots=True)
class StoreView:
    """A file; `usage` is None where it cannot be read."""

    name: str
    title: str
    file: str
    usage: Usage | None
    entries: tuple[EntryView, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A change with the whole texts before and after."""

    record: Record
    entries: tuple[EntryDiff, ...]


def key_of(text: str) -> str:
    """A name for an entry's text that may stand in an address and in a log."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def stores_of(memory: Memory) -> list[StoreView]:
    """The files that are on, in their fixed order."""
    records = _records(memory)
    return [_store(memory, target, records) for target in memory.stores.enabled]


def entry_of(memory: Memory, store: str, key: str) -> str | None:
    """The text of an entry that a page showed; None when it changed since, or is gone. Raises FileTrouble."""
    target = target_of(memory, store)
    entries: Iterable[str] = memory.stores.entries(target) if target is not None else ()
    return next((each for each in entries if key_of(each) == key), None)


def target_of(memory: Memory, store: str) -> Target | None:
    """The store of that name, if it is on."""
    return next((each for each in memory.stores.enabled if each.value == store), None)


def changes_of(memory: Memory, number: int, wanted: str = "") -> tuple[list[ChangeView], int, int]:
    """A page of the journal, the newest first; the page's number and how many there are. `wanted` is the id of a
    change that shall be on it. Raises FileTrouble."""
    records = memory.stores.history()
    last = max(1, -(-len(records) // PER_PAGE))
    at = next((place for place, each in enumerate(records) if each.id == wanted), None)
    number = at // PER_PAGE + 1 if at is not None else min(max(number, 1), last)
    shown = records[(number - 1) * PER_PAGE : number * PER_PAGE]
    return [change_view(each) for each in shown], number, last


def last_change(memory: Memory) -> ChangeView | None:
    """What was changed last. Raises FileTrouble."""
    return next(map(change_view, memory.stores.history(1)), None)


def change_view(record: Record) -> ChangeView:
    return ChangeView(record, tuple(map(entry_diff, record.changes)))


def record_of(memory: Memory, name: str) -> Record | None:
    """The change of exactly this id. Raises FileTrouble."""
    return next((each for each in memory.stores.history() if each.id == name), None)


def said(reply: CommandReply) -> CommandReply:
    """A reply as a page says it: without the order that undoes it, for which there is a button."""
    return CommandReply(_ORDER.sub("", reply.text), reply.data, ok=reply.ok)


def _store(memory: Memory, target: Target, records: Sequence[Record]) -> StoreView:
    file, title = memory.stores.file(target), TITLES[target]
    try:
        entries, usage = memory.stores.entries(target), memory.stores.usage(target)
        dates: Mapping[str, Dates] = memory.stores.dates(target)
    except FileTrouble:
        return StoreView(target.value, title, file, None)  # why is among the problems
    last: dict[str, Record] = {}
    for record in records:  # the newest first
        for change in record.changes:
            if record.file == file and change.after is not None:
                last.setdefault(change.after, record)
    shown = [EntryView(key_of(each), spelt_out(each), dates.get(each), last.get(each)) for each in entries]
    return StoreView(target.value, title, file, usage, tuple(shown))


def _records(memory: Memory) -> list[Record]:
    try:
        return memory.stores.history()
    except FileTrouble:
        return []  # entries are shown without their dates
