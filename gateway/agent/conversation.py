"""What a model is shown of a session: the frozen prompt, then the rows, as stored; pure.

The same rows always give the same messages, so that each request begins with the bytes of the one before.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gateway.state.records import Compaction, Row, StoredMessage
from gateway.transcript import Message

INTERRUPTED = '{"success": false, "error": "interrupted: this call may have run or not; it was not repeated"}'


def messages(
    prompt: str, stored: Sequence[StoredMessage], compaction: Compaction | None = None
) -> tuple[Message, ...]:
    """The conversation for a request. A summary stands before the first row that it does not cover."""
    shown = [each for each in stored if compaction is None or each.id > compaction.upto_message_id]
    talk = _answered([each.as_message() for each in shown])
    if compaction is not None:
        head = f"[Summary of the conversation so far]\n{compaction.summary}\n[End of the summary]"
        if talk and talk[0].role == "user":
            talk[0] = replace(talk[0], content=f"{head}\n\n{talk[0].content}")
        else:
            talk.insert(0, Message("user", head))
    return (Message("system", prompt), *_joined(talk))


def _answered(talk: Sequence[Message]) -> list[Message]:
    """Every tool call has a result right behind it, though a process may have died in between; no result stands
    alone."""
    out: list[Message] = []
    open_calls: list[str] = []
    for each in talk:
        if each.role == "tool":
            if each.tool_call_id in open_calls:
                open_calls.remove(str(each.tool_call_id))
                out.append(each)
            continue
        out += [Message("tool", INTERRUPTED, tool_call_id=call) for call in open_calls]
        open_calls = [call.id for call in each.tool_calls]
        out.append(each)
    return [*out, *(Message("tool", INTERRUPTED, tool_call_id=call) for call in open_calls)]


def _joined(talk: Sequence[Message]) -> list[Message]:
    """Neighbouring rows of one speaker as one message: some models accept nothing else."""
    out: list[Message] = []
    for each in talk:
        last = out[-1] if out else None
        plain = not each.tool_calls and last is not None and not last.tool_calls
        if last is not None and plain and each.role == last.role and each.role in ("user", "assistant"):
            out[-1] = replace(
                last, content=f"{last.content}\n\n{each.content}", pictures=(*last.pictures, *each.pictures)
            )
        else:
            out.append(each)
    return out


def dangling(rows: Sequence[Row]) -> list[Row]:
    """A result for each tool call of a turn that has none: the call is not made again."""
    answered = {row.tool_call_id for row in rows if row.role == "tool"}
    return [
        Row("tool", INTERRUPTED, tool_call_id=call.id)
        for row in rows
        for call in row.tool_calls
        if call.id not in answered
    ]


def tool_answers(rows: Sequence[Row], tool: str) -> Iterator[Mapping[str, Any]]:
    """What one tool answered in a turn, as objects; without what is none. What came of an interrupted call is told by
    the tool's own journal."""
    calls = {call.id for row in rows for call in row.tool_calls if call.name == tool}
    for row in rows:
        if row.role != "tool" or row.tool_call_id not in calls or row.content == INTERRUPTED:
            continue
        try:
            answer = json.loads(row.content)
        except ValueError:
            continue
        if isinstance(answer, dict):
            yield answer


def reply_text(rows: Sequence[Row]) -> str:
    """What the person has been told in one turn: all its texts in order. Chat and store agree on it."""
    return "\n\n".join(row.content.strip() for row in rows if row.role == "assistant" and row.content.strip())
