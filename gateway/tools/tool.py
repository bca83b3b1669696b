"""What a tool is: a schema that a model sees, and a function that runs when it calls.

A tool's answer is a value, also when it refuses; exceptions are faults and become a plain error result.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gateway.models.client import ToolSchema
from gateway.state.records import KeptFile
from memory.model import Origin
from platforms.messages import ChatRef


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Where a call comes from: the chat, its session and turn, and who spoke (`platform:id`). `direct`: nobody else
    reads along. `untrusted` says where text came from that nobody vouches for and that this turn has read
    (`document`, `web`, `mcp`, `job`); empty when there is none. `message` is what a write's author is booked with
    where that is no turn (`review:12`). `origin` is who wants what the call does, where it is nobody who speaks here
    (a job); None for what the tool was made for."""

    chat: ChatRef
    session_id: str
    turn_id: int
    speaker: str
    direct: bool = True
    untrusted: str = ""
    message: str = ""
    origin: Origin | None = None

    @property
    def booked(self) -> str:
        """What came of which message: the name by which journals and pending writes know it."""
        return self.message or f"turn:{self.turn_id}"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the model reads. `untrusted` says where it comes from when nobody vouches for it: `document`, `web`,
    `mcp`. Whatever the model wants to keep after reading such text waits for a person's yes."""

    text: str
    ok: bool = True
    untrusted: str = ""
    files: tuple[KeptFile, ...] = ()
    """What is to be sent to the person with the answer."""

    @classmethod
    def error(cls, message: str, **more: Any) -> ToolResult:
        """A refusal that the model can act on."""
        return cls(json.dumps({"success": False, "error": message, **more}, ensure_ascii=False), ok=False)


Run = Callable[[Mapping[str, Any], ToolContext], Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `toolset` is the name under which `agent.disabled_toolsets` hides it; `seconds` bounds one call."""

    schema: ToolSchema
    run: Run
    toolset: str = "builtin"
    seconds: float = 120.0
    spills: bool = True
    """Whether a large result goes to a file of which a preview is read; not where the tool bounds its answers."""
    listed: bool = True
    """Whether sessions that begin are offered it; what is not offered can be called all the same."""

    @property
    def name(self) -> str:
        return self.schema.name
