"""A call of another program's tool that waits for a yes, as a value and as the JSON that people can read. Pure.

What a person decides by is made out of the call itself, never taken from what the file says of itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memory.model import Author, Origin
from memory.pending.fields import author_from, dumped, loaded, moment, whence
from memory.scan.characters import unseen

KIND = "calls"
_GIST = 80
_LINES = str.maketrans({each: f"\\u{ord(each):04x}" for each in "\x85\u2028\u2029"})
"""What ends a line without being a line break."""


@dataclass(frozen=True, slots=True)
class PendingCall:
    """What waits. `tool` is the name at its `server`, `offered` the name by which the model called it. `direct`: the
    chat is one person's. `created_at` in seconds since the epoch."""

    id: str
    author: Author
    created_at: float
    server: str
    tool: str
    offered: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    direct: bool = True

    @property
    def gist(self) -> str:
        """The call in a few words, on one line."""
        flat = " ".join(f"{self.server}: {self.tool} {_seen(json.dumps(self.arguments, ensure_ascii=False))}".split())
        return flat if len(flat) <= _GIST else flat[: _GIST - 1] + "…"

    @property
    def shown(self) -> str:
        """All arguments, to the letter; what nobody sees, or what turns the order of letters, by its number."""
        return _seen(json.dumps(self.arguments, ensure_ascii=False, indent=2))

    @property
    def flags(self) -> tuple[str, ...]:
        return self.author.flags

    @property
    def unattended(self) -> bool:
        """Whether nobody asked for it: a job's, marked `[auto]`."""
        return self.author.origin is not Origin.FOREGROUND

    @property
    def unpinned(self) -> str | None:
        """A call says everything that it would do."""
        return None

    def same_as(self, other: PendingCall) -> bool:
        """Whether both are the same call, wished for in the same session."""
        mine = (self.server, self.tool, self.arguments, self.author.session)
        return mine == (other.server, other.tool, other.arguments, other.author.session)


def call_fields(call: PendingCall) -> dict[str, Any]:
    """The call as fields."""
    return {
        "id": call.id,
        "kind": KIND,
        "action": "call",
        "gist": call.gist,
        **whence(call.author, call.created_at),
        "payload": {
            "server": call.server,
            "tool": call.tool,
            "offered": call.offered,
            "direct": call.direct,
            "arguments": call.arguments,
        },
    }


def dump(call: PendingCall) -> str:
    """The file's text."""
    return dumped(call_fields(call))


def load(text: str, name: str) -> PendingCall:
    """The call in a file of that name (without suffix). Raises Unusable."""
    return loaded(text, lambda fields: call_from(fields, name))


def call_from(fields: Mapping[str, Any], name: str) -> PendingCall:
    """The inverse of `call_fields`. Raises KeyError, TypeError, ValueError."""
    payload = fields["payload"]
    if fields.get("kind") != KIND:
        raise ValueError("it is no call of a tool")
    arguments, direct = payload["arguments"], payload["direct"]
    if not isinstance(arguments, dict) or not isinstance(direct, bool):
        raise ValueError("its arguments are no object, or it does not say whose chat it is from")
    server, tool, offered = payload["server"], payload["tool"], payload["offered"]
    if not all(isinstance(each, str) and each for each in (server, tool, offered)):
        raise ValueError("it does not say which tool it calls")
    author, at = author_from(fields), moment(fields["created_at"])
    return PendingCall(name, author, at, server, tool, offered, arguments, direct)


def _seen(text: str) -> str:
    """JSON whose strings hide nothing: the same value, with such characters written as JSON writes them by number."""
    pieces, at = [], 0
    for each in unseen(text):
        pieces += [text[at : each.start], json.dumps(text[each.start : each.end])[1:-1].replace("\x7f", "\\u007f")]
        at = each.end
    return "".join([*pieces, text[at:]]).translate(_LINES)
