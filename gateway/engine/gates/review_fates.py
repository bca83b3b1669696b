"""What became of the writes of reviews, taken from receipts and journals and noted in the books of reviews.

Whoever decides or takes back has it noted at once; what a crash, another process or another way swallowed is noted
the next time. Nothing is decided here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from gateway.state.connection import DatabaseFault
from gateway.state.review_protocols import ReviewBooks
from gateway.state.review_records import ReviewKind, ReviewWrite, WriteFate
from memory.files import FileTrouble
from memory.pending.deciding import Decider
from memory.pending.outcomes import Decided
from memory.skills.journal import Deed

OPEN: tuple[WriteFate, ...] = ("waiting", "kept", "undone")
"""Fates that may still change: what was taken back can be restored."""

TakenBack = Callable[[], Mapping[str, bool]]
"""By the id of each change that a journal knows, whether it is taken back. Raises FileTrouble."""


class ReviewFates:
    """The writes of one kind."""

    def __init__(self, books: ReviewBooks, kind: ReviewKind, resolver: Decider[Any, Any], gone: TakenBack) -> None:
        self._books = books
        self._kind = kind
        self._resolver = resolver
        self._gone = gone

    async def settle(self) -> None:
        """Note what became of them by now. A fault only puts it off: the decision itself is made, and stands."""
        with suppress(DatabaseFault, FileTrouble):
            writes = await self._books.writes(self._kind, OPEN)
            for ref, fate, now_called in await asyncio.to_thread(self._changed, writes):
                await self._books.became(ref, fate, now_called=now_called)

    def _changed(self, writes: Sequence[ReviewWrite]) -> list[tuple[str, WriteFate, str]]:
        """Those with another fate than the books have: their ref, the fate and the ref from then on."""
        return list(self._moved(writes, self._gone())) if writes else []

    def _moved(self, writes: Sequence[ReviewWrite], gone: Mapping[str, bool]) -> Iterator[tuple[str, WriteFate, str]]:
        for each in writes:
            fate, ref = self._decided(each.ref) if each.fate == "waiting" else (each.fate, each.ref)
            if fate != "waiting" and ref in gone:
                fate = "undone" if gone[ref] else "kept"
            if (fate, ref) != (each.fate, each.ref):
                yield each.ref, fate, ref

    def _decided(self, name: str) -> tuple[WriteFate, str]:
        """What was decided about a pending write, or about the one that an edit put in its place."""
        seen = {name}
        while not self._resolver.pendings.there(name):
            found = self._resolver.became(name)
            if not isinstance(found, Decided):
                break
            receipt = found.receipt
            if receipt.result == "rejected":
                return "rejected", name
            if receipt.result == "approved":
                return "kept", receipt.detail or name
            if receipt.detail in seen:
                break
            name = receipt.detail
            seen.add(name)
        return "waiting", name


def deeds_taken_back(deeds: Sequence[Deed]) -> dict[str, bool]:
    """Deeds of the journal of skills, the newest first: by id, whether each is taken back."""
    gone: set[str] = set()
    for each in deeds:
        if each.undoes is not None and each.id not in gone:
            gone.add(each.undoes)
    return {each.id: each.id in gone for each in deeds}
