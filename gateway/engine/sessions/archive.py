"""The archive as commands see it: sessions and their rows from the store; needs no running engine.

What leaves the house has its secrets masked; what is stored, and what its own chat reads again, has not.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from commands.ports import Line, Listed, SessionView
from commands.session_ports import CallView, Entry
from gateway.engine.notices import gist
from gateway.observability.redact import Redactor
from gateway.state.protocols import Store
from gateway.state.records import SessionLine, StoredMessage

ROWS = 200
"""Rows that are held at a time."""

Mask = Callable[[str], str]


class StoredArchive:
    """`commands.ports.Archive` on the store. `mask` takes secrets out of what is exported."""

    def __init__(self, store: Store, mask: Mask | None = None) -> None:
        self._store = store
        self._mask = mask or Redactor()

    async def recent(
        self, limit: int, keys: tuple[str, ...] | None, offset: int = 0, *, only: Listed = "all"
    ) -> list[SessionView]:
        return [seen(each) for each in await self._store.sessions.recent(limit, keys, offset, only=only)]

    async def keys(self) -> list[str]:
        return await self._store.sessions.keys()

    async def find(self, prefix: str, keys: tuple[str, ...] | None) -> list[SessionView]:
        return [seen(each) for each in await self._store.sessions.matching(prefix, keys)]

    async def transcript(self, session_id: str) -> list[Line]:
        stored = await self._store.turns.messages(session_id)
        return [
            Line(each.id, each.row.role, each.row.content, each.created_at)
            for each in stored
            if each.row.content and each.row.role != "tool"
        ]

    async def head(self, session_id: str) -> SessionView | None:
        line = await self._store.sessions.line(session_id)
        return seen(line, self._mask) if line is not None else None

    async def rows(self, session_id: str) -> list[int]:
        return await self._store.turns.ids(session_id)

    async def entries(self, session_id: str, after: int = 0) -> AsyncIterator[Entry]:
        last = after
        while rows := await self._store.turns.messages(session_id, last, ROWS):
            for each in rows:
                yield _entry(each, self._mask)
            last = rows[-1].id

    async def rename(self, session_id: str, title: str) -> None:
        await self._store.sessions.rename(session_id, title)

    async def pin(self, session_id: str, pinned: bool) -> None:
        await self._store.sessions.pin(session_id, pinned)

    async def view(self, session_id: str) -> SessionView | None:
        """One session as people see it."""
        line = await self._store.sessions.line(session_id)
        return seen(line) if line is not None else None


def seen(line: SessionLine, mask: Mask = str) -> SessionView:
    """A session as people see it; its title, else the first words said in it, after `mask` saw all of it."""
    session = line.session
    return SessionView(
        id=session.id,
        chat=session.chat.key,
        title=mask(session.title or "") or gist(mask(line.opening), 40) or "untitled",
        messages=line.messages,
        started_at=session.started_at,
        active_at=session.active_at,
        open=session.ended_at is None,
        end_reason=session.end_reason,
        pinned=session.pinned,
    )


def _entry(stored: StoredMessage, mask: Mask) -> Entry:
    row = stored.row
    return Entry(
        id=stored.id,
        role=row.role,
        text=mask(row.content),
        time=stored.created_at,
        note=mask(row.note),
        calls=tuple(CallView(each.id, each.name, mask(each.arguments)) for each in row.tool_calls),
        answers=row.tool_call_id,
        model=row.model,
        untrusted=row.untrusted,
        files=tuple(mask(each.name) for each in row.files),
    )
