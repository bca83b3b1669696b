"""In effect at once: what changed in memory since a session's prompt was frozen, told with the next message.

The prompt stays as it is. The note is stored with the person's row and never rewritten; a session is told again only
when memory changed again, or when the row that told it was summarised away.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence

from gateway.state.protocols import Facts
from memory.changes import Changes, changes_since, note
from memory.model import Target

Entries = Mapping[Target, Sequence[str]]
START, TOLD = "memory_start", "memory_told"


class SessionNotes:
    """`current()` reads the entries of the stores that are on, None when one cannot be read; `on()` says whether
    notes are wanted."""

    def __init__(self, facts: Facts, current: Callable[[], Entries | None], on: Callable[[], bool]) -> None:
        self._facts = facts
        self._current = current
        self._on = on

    async def opened(self, session_id: str, entries: Entries) -> None:
        """Remember what the session's prompt holds."""
        held = {target.value: list(each) for target, each in entries.items()}
        await self._facts.put(session_id, START, {"entries": held, "mark": mark(entries)})

    async def due(self, session_id: str) -> tuple[str, str] | None:
        """The note for the next message and the mark of the state that it tells; None when there is nothing new."""
        if not self._on():
            return None
        start, told = await self._facts.several([(session_id, START), (session_id, TOLD)])
        if start is None:
            return None
        now = await asyncio.to_thread(self._current)
        if now is None:
            return None  # nobody knows what changed
        fresh = mark(now)
        if fresh == (told or start["mark"]):
            return None
        return note(_changes(start["entries"], now)), fresh

    async def changed(self, session_id: str) -> int:
        """How many entries are not what the session's prompt says of them; 0 where that is not known."""
        start = await self._facts.get(session_id, START)
        now = await asyncio.to_thread(self._current) if start is not None else None
        if now is None or mark(now) == start["mark"]:
            return 0
        changes = _changes(start["entries"], now).values()
        return sum(len(each.added) + len(each.changed) + len(each.withdrawn) for each in changes)

    async def told(self, session_id: str, state: str) -> None:
        """The note was stored with a row."""
        await self._facts.put(session_id, TOLD, state)

    async def summarised(self, session_id: str) -> None:
        """Rows that may have told it are gone from the prompt: the next message tells it again."""
        await self._facts.put(session_id, TOLD, None)


def _changes(start: Mapping[str, Sequence[str]], now: Entries) -> dict[Target, Changes]:
    """What became different in each store; `start` as it is kept."""
    return {target: changes_since(start.get(target.value, ()), now.get(target, ())) for target in Target}


def mark(entries: Entries) -> str:
    """A name for the state of the stores."""
    held = {target.value: list(each) for target, each in entries.items()}
    return hashlib.sha256(json.dumps(held, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()[:16]
