"""A turn whose conversation outgrows the window: the older part gives way to a summary, when one can be had.

Owns which model is asked, how often that is tried, and what is seen to before and after it. What a summary is, and
what it may cover, is compaction.py's matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from gateway.agent import compaction
from gateway.engine.house import House
from gateway.models.client import ModelClient, Reply
from gateway.models.errors import ModelError
from gateway.state.records import Compaction, Session, StoredMessage

PAUSE = 600.0
"""Seconds after a failed summary before another is tried."""

UNSUMMARISED = "This conversation is long and could not be summarised; nothing was lost. /new?"


class Desk(Protocol):
    """The turn that needs room."""

    async def over_budget(self, task: str) -> str | None:
        """Why no further call of this task may be made today, or None."""

    async def progress(self, text: str) -> None:
        """A passing line for the person."""

    async def book(self, reply: Reply, task: str) -> None:
        """Note what a call cost."""

    def tell(self, notice: str) -> None:
        """A line that goes out with the answer."""


class Shortening:
    """One turn's."""

    def __init__(self, house: House, session: Session, client: ModelClient, desk: Desk) -> None:
        self._house = house
        self._session = session
        self._client = client
        self._desk = desk

    async def summary(
        self, stored: Sequence[StoredMessage], former: Compaction | None, window: int
    ) -> Compaction | None:
        """A summary that now stands for the older part; None when there is none. The try is noted before it is made:
        whatever becomes of it, of this process too, there is not another one right after it."""
        facts, now = self._house.store.facts, self._house.clock.now()
        planned = compaction.plan(stored, former, window)
        if planned is None or await self._desk.over_budget("compaction") is not None:
            return None
        tried = await facts.get(self._session.id, "compaction_tried")
        if tried is not None and now - tried < PAUSE:
            return None
        await facts.put(self._session.id, "compaction_tried", now)
        await self._desk.progress("summarising the older part of this conversation")
        try:
            made, reply = await compaction.summarise(self._summariser(), planned, window)
        except ModelError as error:
            self._house.report.warning("compaction.failed", session=self._session.id, error=str(error))
            made, reply = None, None
        if reply is not None:
            await self._desk.book(reply, "compaction")
        if made is None:
            if tried is None:
                self._desk.tell(UNSUMMARISED)
            return None
        await self._put(made, now)
        return made

    async def _put(self, made: Compaction, now: float) -> None:
        """What no review has seen is put down for one before it goes."""
        if self._house.looks_back is not None:
            await self._house.looks_back.before_summary(self._session.id)
        await self._house.store.turns.compact(self._session.id, made, now)
        if self._house.notes is not None:
            await self._house.notes.summarised(self._session.id)
        if self._house.outside is not None:
            self._house.outside.compacting(self._session.id)
        await self._house.store.facts.put(self._session.id, "compaction_tried", None)

    def _summariser(self) -> ModelClient:
        """The model for summaries: the chat's own, unless another is configured."""
        chosen = self._house.settings().auxiliary.compaction
        if chosen.provider == "auto" and chosen.model == "auto":
            return self._client
        return self._house.hosts.resolve_for(chosen.provider, chosen.model)
