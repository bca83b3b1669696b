"""Searching the archive as commands see it; needs no running engine."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo

from commands.search_ports import FoundView, HitView, SaidView, SearchTrouble, StretchView
from gateway.engine.sessions.archive import StoredArchive
from gateway.state.connection import DatabaseFault
from gateway.state.protocols import Store
from gateway.state.search_records import Hit, Said, SearchFault


class StoredFinder:
    """`commands.search_ports.Finder` on the store. `zone` is the person's clock, None the machine's."""

    def __init__(self, store: Store, now: Callable[[], float], zone: Callable[[], tzinfo | None]) -> None:
        self._store = store
        self._archive = StoredArchive(store)
        self._now = now
        self._zone = zone

    async def find(
        self, query: str, keys: tuple[str, ...] | None, *, limit: int, more: str | None = None
    ) -> FoundView:
        try:
            found = await self._store.search.discover(
                query, now=self._now(), visible=keys, limit=limit, more=more, zone=self._zone()
            )
        except (SearchFault, DatabaseFault) as fault:
            raise SearchTrouble(str(fault)) from fault
        hits = [hit for each in found.hits if (hit := await self._hit(each)) is not None]
        return FoundView(tuple(hits), found.bounded, found.more, found.note)

    async def around(
        self, session_id: str, message_id: int, window: int, keys: tuple[str, ...] | None
    ) -> StretchView | None:
        try:
            found = await self._store.search.scroll(session_id, message_id, window, visible=keys)
        except (SearchFault, DatabaseFault) as fault:
            raise SearchTrouble(str(fault)) from fault
        if found is None:
            return None
        return StretchView(tuple(map(_said, found.messages)), found.earlier, found.later)

    async def asked(self, item_id: int, key: str | None) -> str:
        item = await self._store.inbox.get(item_id)
        return item.event.text if item is not None and item.session_key == key else ""

    async def _hit(self, hit: Hit) -> HitView | None:
        session = await self._archive.view(hit.session.id)
        return HitView(session, _said(hit.message), hit.snippet, hit.matches) if session is not None else None


def _said(each: Said) -> SaidView:
    return SaidView(each.id, each.role, each.text, each.at)
