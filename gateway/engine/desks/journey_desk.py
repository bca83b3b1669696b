"""What commands ask about the journey: whose part of it somebody may see in a chat, and a picture of it.

What was learnt when, and changing it, is `memory.journey`'s.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from datetime import tzinfo
from typing import TypeVar

from gateway.agent.scopes import OWNERS, ScopeOf, target_of
from gateway.config.own_zone import own_zone
from gateway.config.schema import Settings
from gateway.engine.house import House
from gateway.state.protocols import Facts
from memory.journey.book import Book, Files, Workshop
from memory.journey.edit import delete, done_already, edit, text_of, undo
from memory.journey.meant import Changed, Done, Unknown, node_of
from memory.journey.model import Node, Timeline
from memory.journey.traces import HAND
from memory.model import Author, Target
from memory.shelf import OWN, Shelf
from platforms.messages import ChatRef

SEEN = ("journey", "seen")
"""The fact that says when entries were first noticed that people wrote into the files; by their short names."""

SEEN_KEPT = 2000

T = TypeVar("T")


class JourneyDesk:
    """`commands.journey_ports.Journey` on the profile's own memory and skills."""

    def __init__(
        self,
        shelf: Shelf,
        skills: Workshop | None,
        facts: Facts,
        scope: ScopeOf,
        settings: Callable[[], Settings],
        now: Callable[[], float],
    ) -> None:
        """`now()` in seconds since the epoch."""
        self._shelf = shelf
        self._skills = skills
        self._facts = facts
        self._scope = scope
        self._settings = settings
        self._now = now
        self._files: Mapping[Target, str] | None = None

    @classmethod
    def of(cls, house: House) -> JourneyDesk | None:
        """The desk of a running house; None when it has no memory."""
        if house.memories is None:
            return None
        now = house.clock.now
        return cls(house.memories.shelf, house.skills, house.store.facts, house.scope, house.settings, now)

    def at(self, chat: ChatRef | None, who: str, *, direct: bool) -> JourneyDesk | None:
        if chat is None:
            return self
        scope = self._scope(chat, who, direct)
        if scope == OWNERS:
            return self
        if not direct or not scope.files:
            return None
        theirs = copy(self)
        theirs._files, theirs._skills = scope.files, None
        return theirs

    async def timeline(self, *, gone: bool = False) -> Timeline:
        return await self._read(lambda book, found: found, gone=gone)

    async def text(self, name: str) -> str | Unknown:
        return await self._on(name, lambda book, node: text_of(book, node))

    async def edit(self, name: str, text: str, by: Author, *, was: str | None = None) -> Changed | Unknown:
        return await self._on(name, lambda book, node: edit(book, node, text, by, was))

    async def delete(self, name: str, by: Author, *, was: str | None = None) -> Changed | Unknown:
        return await self._on(name, lambda book, node: delete(book, node, by, was))

    async def undo(self, name: str, by: Author) -> Changed | Unknown:
        return await self._read(lambda book, found: undo(book, found, name, by))

    async def done(self, by: Author) -> Done | None:
        return await asyncio.to_thread(done_already, self._book(), by)

    async def drawn(self, timeline: Timeline, numbered: Sequence[str]) -> bytes:
        from gateway.drawing.picture import picture  # nobody else pays for it

        return await asyncio.to_thread(picture, timeline, self.zone(), numbered=numbered)

    def zone(self) -> tzinfo:
        return own_zone(self._settings())

    # Inside

    async def _on(self, name: str, step: Callable[[Book, Node], T | Unknown]) -> T | Unknown:
        def found(book: Book, timeline: Timeline) -> T | Unknown:
            node = node_of(timeline, name)
            return node if isinstance(node, Unknown) else step(book, node)

        return await self._read(found)

    async def _read(self, step: Callable[[Book, Timeline], T], *, gone: bool = True) -> T:
        """Do something with the timeline as it is now, off the event loop."""
        seen: Mapping[str, float] = await self._facts.get(*SEEN) or {}
        book, now = self._book(), self._now()

        def look() -> tuple[Timeline, T]:
            timeline = book.timeline(seen, now, gone=gone)
            return timeline, step(book, timeline)

        timeline, result = await asyncio.to_thread(look)
        fresh = {each.id: each.at for each in timeline.nodes if each.id.startswith(HAND) and each.id not in seen}
        if fresh:
            await self._facts.put(*SEEN, dict([*seen.items(), *fresh.items()][-SEEN_KEPT:]))
        return result

    def _book(self) -> Book:
        return Book(self._shelf, self._shown, self._skills)

    def _shown(self) -> Files:
        """The files of stores that are on: the asker's own, or all that there are."""
        on = self._shelf.own.enabled
        if self._files is not None:
            return [(target, file) for target, file in self._files.items() if target in on]
        others = [(target_of(file), file) for file in self._shelf.others()]
        return [(target, file) for target, file in (*OWN.items(), *others) if target in on]
