"""Whether two requests begin alike: one short name for messages and tools as a model gets them; pure.

Made of paths for pictures, not of their bytes: a file that was kept does not change. Who compares is others' matter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from gateway.models.client import ToolSchema
from gateway.tools.toolset import dump_schemas
from gateway.transcript import Message

SENT = "sent"
"""The fact of a session about the last request that a turn of it sent, as `noted` makes it."""


def noted(
    messages: Sequence[Message], tools: Sequence[ToolSchema] = (), tokens: int = 0, model: str = ""
) -> dict[str, Any]:
    """The fact SENT: the number `n` of messages, their fingerprint with the tools as `sum`, as `in` the tokens that
    the host counted of them, 0 when it did not say, and as `by` the `host/model` that answered, empty when nobody
    did."""
    return {"n": len(messages), "sum": fingerprint(messages, tools), "in": tokens, "by": model}


def fingerprint(messages: Sequence[Message], tools: Sequence[ToolSchema] = ()) -> str:
    """64 hex digits: the same for the same messages and tools in the same order, and for no others. Half a
    millisecond for three hundred messages."""
    pieces = [dump_schemas(tuple(tools))]
    for each in messages:
        pieces.extend(_pieces(each))
    # Each piece tells its length, so that no two conversations run together to the same text.
    joined = "".join([f"{len(piece)}:{piece}" for piece in pieces])
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()


def _pieces(message: Message) -> Iterator[str]:
    yield f"{message.role} {len(message.tool_calls)} {len(message.pictures)}"
    yield message.content
    yield message.tool_call_id or ""
    for call in message.tool_calls:
        yield call.id
        yield call.name
        yield call.arguments
    for picture in message.pictures:
        yield picture.media_type
        yield picture.path
