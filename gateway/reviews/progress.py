"""How far a review is, as the queue keeps it: what was said, what it cost, what it wrote. Pure.

Read back, it gives the same requests again, to the byte.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from gateway.reviews.budget import Counted
from gateway.state.review_records import ReviewKind
from gateway.transcript import Message, ToolCall, Usage

VERSION = 1


@dataclass(frozen=True, slots=True)
class Ended:
    """How a review came to its end. `bad`: without having answered what it was asked."""

    reason: str = ""
    bad: bool = False
    said: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """`talk` begins with the closing instruction. `untrusted` says what tools of the review read that nobody vouches
    for. `begun` is the open call that may have done something already. `counted` holds for a request whose first
    messages have the fingerprint `head`."""

    talk: tuple[Message, ...]
    calls: int = 0
    misfires: int = 0
    spent: Usage = field(default_factory=Usage)
    untrusted: str = ""
    wrote: frozenset[ReviewKind] = frozenset()
    begun: str = ""
    head: str = ""
    counted: Counted = (0, 0)
    ended: Ended | None = None

    @property
    def open_calls(self) -> tuple[ToolCall, ...]:
        """Calls of the last reply without a result, in order. (Hosts may use an id again in another reply.)"""
        waiting: list[ToolCall] = []
        for each in self.talk:
            if each.role == "tool":
                waiting = [call for call in waiting if call.id != each.tool_call_id]
            elif each.role == "assistant":
                waiting = list(each.tool_calls)
        return tuple(waiting)


def dumped(progress: Progress) -> str:
    """The progress as JSON of ASCII: half a surrogate pair stays what it is."""
    fields = {
        "version": VERSION,
        "talk": [_row(each) for each in progress.talk],
        "calls": progress.calls,
        "misfires": progress.misfires,
        "spent": asdict(progress.spent),
        "untrusted": progress.untrusted,
        "wrote": sorted(progress.wrote),
        "begun": progress.begun,
        "head": progress.head,
        "counted": list(progress.counted),
        "ended": None if progress.ended is None else asdict(progress.ended),
    }
    return json.dumps(fields, separators=(",", ":"))


def loaded(text: str) -> Progress | None:
    """The progress; None when there is none, or none that this version can read: then the review begins anew."""
    if not text:
        return None
    try:
        fields = json.loads(text)
        if fields["version"] != VERSION:
            return None
        return Progress(
            talk=tuple(_message(each) for each in fields["talk"]),
            calls=fields["calls"],
            misfires=fields["misfires"],
            spent=Usage(**fields["spent"]),
            untrusted=fields["untrusted"],
            wrote=frozenset(fields["wrote"]),
            begun=fields["begun"],
            head=fields["head"],
            counted=(fields["counted"][0], fields["counted"][1]),
            ended=None if fields["ended"] is None else Ended(**fields["ended"]),
        )
    except (ValueError, KeyError, TypeError, IndexError):
        return None


def _row(message: Message) -> dict[str, Any]:
    row: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        row["calls"] = [[call.id, call.name, call.arguments] for call in message.tool_calls]
    if message.tool_call_id is not None:
        row["answers"] = message.tool_call_id
    return row


def _message(row: dict[str, Any]) -> Message:
    calls: Sequence[Sequence[str]] = row.get("calls", ())
    return Message(row["role"], row["content"], tuple(ToolCall(*each) for each in calls), row.get("answers"))
