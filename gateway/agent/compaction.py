"""Keeps a long conversation within a model's window: the older part is summarised, its rows stay in the archive.

A summary counts only when it is not empty and shorter than what it stands for; anything else changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass

from gateway.models.client import ModelClient, Reply, Request
from gateway.models.tokens import PER_MESSAGE, PER_PICTURE, weight
from gateway.state.records import Compaction, StoredMessage
from gateway.transcript import Message

FULL = 0.8
"""Share of the window at which a conversation is compacted before the next turn."""

KEPT = 0.3
"""Share of the window that the verbatim tail may fill afterwards."""

INSTRUCTION = (
    "You summarise a conversation so that it can go on without its older part. Keep names, numbers, decisions, open"
    " questions, promises and what the person wants. Write short declarative sentences. No preamble."
)


@dataclass(frozen=True, slots=True)
class Plan:
    """Which rows the summary will stand for, and the former summary that it takes in."""

    covered: tuple[StoredMessage, ...]
    former: str | None

    @property
    def upto(self) -> int:
        return self.covered[-1].id


def plan(stored: Sequence[StoredMessage], former: Compaction | None, window: int) -> Plan | None:
    """What to summarise, or None when there is nothing that could go.

    The cut is before a person's row, so never between a tool call and its result; the tail fits `KEPT` of the window.
    """
    shown = [each for each in stored if former is None or each.id > former.upto_message_id]
    cuts = [index for index, each in enumerate(shown) if each.row.role == "user" and each.row.content and index > 0]
    if not cuts:
        return None
    budget = int(window * KEPT)
    fitting = [cut for cut in cuts if sum(_tokens(each) for each in shown[cut:]) <= budget]
    cut = fitting[0] if fitting else cuts[-1]
    return Plan(tuple(shown[:cut]), former.summary if former else None)


async def summarise(client: ModelClient, planned: Plan, window: int) -> tuple[Compaction | None, Reply | None]:
    """Ask for the summary. None instead of it when it is empty or not shorter. Raises ModelError."""
    body = _transcript(planned, window)
    request = Request((Message("system", INSTRUCTION), Message("user", body)), task="compaction", max_tokens=800)
    reply: Reply | None = None
    async with aclosing(client.stream(request)) as deltas:
        async for delta in deltas:
            if isinstance(delta, Reply):
                reply = delta
    if reply is None or not reply.text.strip() or reply.finish in ("repetition", "length"):
        return None, reply
    summary = reply.text.strip()
    before = sum(_tokens(each) for each in planned.covered) + weight(planned.former or "")
    if weight(summary) >= before:
        return None, reply
    return Compaction(planned.upto, summary), reply


def _transcript(planned: Plan, window: int) -> str:
    """The covered rows as text, the oldest shortened first when even they would not fit."""
    room = int(window * 0.6)
    lines: list[str] = []
    for each in reversed(planned.covered):
        line = f"{each.row.role}: {each.row.content or each.row.note}"
        room -= round(weight(line))
        if room < 0:
            lines.append("(older lines left out here)")
            break
        lines.append(line)
    lines.reverse()
    head = f"Earlier summary: {planned.former}\n\n" if planned.former else ""
    return f"{head}{chr(10).join(lines)}\n\nSummarise the above."


def _tokens(each: StoredMessage) -> int:
    calls = "".join(call.arguments for call in each.row.tool_calls)
    pictures = PER_PICTURE * len(each.as_message().pictures)
    return round(weight(each.row.note + each.row.content + calls)) + pictures + PER_MESSAGE
