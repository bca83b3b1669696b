"""In effect at once: what changed in memory since a session's prompt was frozen, told with the next message.

The prompt stays as it is. The note is stored with the person's row and never rewritten; a session is told again only
when memory changed again, or when the row that told it was summarised away.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gateway.agent.scopes import NOWHERE, OWNERS, Scope, Shown
from gateway.state.protocols import Facts
from memory.changes import Changes, changes_since, note
from memory.model import Target
from memory.scan.scanner import verdict

Entries = Mapping[str, Sequence[str]]
"""Entries by file."""

START, TOLD = "memory_start", "memory_told"
Start = Mapping[str, Any]
"""The fact START."""


class SessionNotes:
    """`current(scope)` reads the entries that a scope shows, None when a file cannot be read; `on()` says whether
    notes are wanted."""

    def __init__(self, facts: Facts, current: Callable[[Scope], Entries | None], on: Callable[[], bool]) -> None:
        self._facts = facts
        self._current = current
        self._on = on

    async def opened(self, session_id: str, scope: Scope, entries: Entries) -> None:
        """Remember what the session's prompt holds, and for whom it was made."""
        if scope != NOWHERE:
            held = {file: list(each) for file, each in entries.items()}
            await self._facts.put(session_id, START, {"entries": held, "scope": scope.seal})

    async def seal(self, session_id: str) -> Mapping[str, list[str]]:
        """What the session's scope was when it was opened, as `Scope.seal` gives it."""
        return _seal(await self._facts.get(session_id, START))

    async def due(self, session_id: str) -> tuple[str, str] | None:
        """The note for the next message and the mark of the state that it tells; None when there is nothing new."""
        return await self.unread(session_id) if self._on() else None

    async def unread(self, session_id: str) -> tuple[str, str] | None:
        """The same, whether notes are wanted or not: for whoever works on memory from what the session knows."""
        start, told = await self._facts.several([(session_id, START), (session_id, TOLD)])
        if start is None:
            return None
        now = await self._now(start)
        if now is None:
            return None  # nobody knows what changed
        fresh = mark(now)
        if fresh == (told or mark(kept(start))):
            return None
        return note(_changes(start, now), verdict), fresh

    async def changed(self, session_id: str) -> int:
        """How many entries are not what the session's prompt says of them; 0 where that is not known."""
        start = await self._facts.get(session_id, START)
        now = await self._now(start) if start is not None else None
        if now is None or mark(now) == mark(kept(start)):
            return 0
        changes = _changes(start, now).values()
        return sum(len(each.added) + len(each.changed) + len(each.withdrawn) for each in changes)

    async def _now(self, start: Start) -> Entries | None:
        """What stands in the files of the session's own scope."""
        return await asyncio.to_thread(self._current, Scope(shown=_shown(start)))

    async def told(self, session_id: str, state: str) -> None:
        """The note was stored with a row."""
        await self._facts.put(session_id, TOLD, state)

    async def summarised(self, session_id: str) -> None:
        """Rows that may have told it are gone from the prompt: the next message tells it again."""
        await self._facts.put(session_id, TOLD, None)


def kept(start: Start | None) -> dict[str, list[str]]:
    """The entries that the session's prompt holds, by file. (Older sessions have them by store.)"""
    held: Mapping[str, list[str]] = start["entries"] if start is not None else {}
    names = {target.value: target.file_name for target in Target}
    return {names.get(key, key): each for key, each in held.items()}


async def sealed(facts: Facts, session_id: str) -> Mapping[str, list[str]]:
    """For whom a session was made, as `Scope.seal` gives it."""
    start: Start | None = await facts.get(session_id, START)
    return _seal(start)


async def sealed_for_owners(facts: Facts, session_id: str) -> bool:
    """Whether a session was made for owners' ears alone."""
    return await sealed(facts, session_id) == OWNERS.seal


def _seal(start: Start | None) -> Mapping[str, list[str]]:
    """(Older sessions have none: the owner's direct chats alone had memory.)"""
    if start is None:
        return NOWHERE.seal
    found: Mapping[str, list[str]] = start.get("scope", OWNERS.seal)
    return found


def _shown(start: Start) -> tuple[Shown, ...]:
    named = (each.partition(" ") for each in _seal(start)["shown"])
    return tuple(Shown(Target(target), file) for target, _, file in named)


def _changes(start: Start, now: Entries) -> dict[Target, Changes]:
    """What became different in each store."""
    before = kept(start)
    found = {target: Changes() for target in Target}
    for each in _shown(start):
        new, old = changes_since(before.get(each.file, ()), now.get(each.file, ())), found[each.target]
        found[each.target] = Changes(old.added + new.added, old.changed + new.changed, old.withdrawn + new.withdrawn)
    return found


def mark(entries: Entries) -> str:
    """A name for the state of the files."""
    held = {file: list(each) for file, each in entries.items()}
    return hashlib.sha256(json.dumps(held, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()[:16]
