"""What a turn leaves behind for reviews: what was sent last, to the byte, and what it wrote itself.

Owns the two notes. What a review makes of them, and when there is one, is `gateway.reviews`' matter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal

from gateway.agent.conversation import INTERRUPTED, tool_answers
from gateway.agent.fingerprint import SENT, noted
from gateway.engine.house import House
from gateway.models.client import Reply, ToolSchema
from gateway.state.connection import DatabaseFault
from gateway.state.records import Row, Session
from gateway.tools.memory_guidance import NAME
from gateway.tools.memory_tool import SAVED
from gateway.tools.skill_guidance import MANAGE
from gateway.transcript import Message

Kind = Literal["memory", "skill"]


class Trail:
    """One turn's."""

    def __init__(self, house: House, session: Session) -> None:
        self._house = house
        self._session = session
        self._sent: tuple[tuple[Message, ...], tuple[ToolSchema, ...]] | None = None
        self._tokens = 0
        self._model = ""
        self._leaving: asyncio.Future[None] | None = None

    def sends(self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...]) -> None:
        """A request with these is about to leave. Nothing is worked out yet."""
        self._sent, self._tokens, self._model = (messages, tools), 0, ""

    def answered(self, reply: Reply) -> None:
        """That request was answered."""
        self._tokens, self._model = reply.usage.input, f"{reply.host}/{reply.model}"

    async def wrote(self, rows: Sequence[Row]) -> None:
        """The turn is about to end with these rows: what it wrote itself begins the count to a review of that kind
        anew. Before the end is stored, so that no crash comes between the two."""
        if self._house.looks_back is None:
            return
        for kind in kinds_written(rows):
            await self._house.looks_back.written(self._session.id, kind)

    def leave(self) -> None:
        """The turn is over, its answer is on its way: note what was sent."""
        if self._house.looks_back is not None and self._sent is not None:
            self._leaving = asyncio.ensure_future(self._leave(*self._sent))

    async def _leave(self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...]) -> None:
        await asyncio.sleep(0)
        try:
            fact = noted(messages, tools, self._tokens, self._model)
            await self._house.store.facts.put(self._session.id, SENT, fact)
        except DatabaseFault as fault:  # a review then only does not know whether the host has it in its cache
            self._house.report.warning("sent.unknown", session=self._session.id, why=str(fault))


def kinds_written(rows: Sequence[Row]) -> list[Kind]:
    """What a turn's own calls wrote, or put aside for a yes, by what the tools answered. A call that a crash cut off
    counts: it may have written."""
    found: list[Kind] = []
    if _cut_off(rows, NAME) or any(_saved(answer.get("message"), answer) for answer in tool_answers(rows, NAME)):
        found.append("memory")
    if _cut_off(rows, MANAGE) or any("change" in each or each.get("staged") for each in tool_answers(rows, MANAGE)):
        found.append("skill")
    return found


def _saved(message: object, answer: object) -> bool:
    return isinstance(answer, dict) and bool(answer.get("staged") or str(message).startswith(SAVED))


def _cut_off(rows: Sequence[Row], tool: str) -> bool:
    calls = {call.id for row in rows for call in row.tool_calls if call.name == tool}
    return any(row.tool_call_id in calls and row.content == INTERRUPTED for row in rows if row.role == "tool")
