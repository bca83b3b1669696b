"""What a tool is: a schema that a model sees, and a function that runs when it calls.

A tool's answer is a value, also when it refuses; exceptions are faults and become a plain error result.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gateway.models.client import ToolSchema
from platforms.messages import ChatRef


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Where a call comes from: the chat, its session and turn, and who spoke (`platform:id`)."""

    chat: ChatRef
    session_id: str
    turn_id: int
    speaker: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the model reads. `untrusted` marks text that came from a document, the web or a stranger's server."""

    text: str
    ok: bool = True
    untrusted: bool = False

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

    @property
    def name(self) -> str:
        return self.schema.name
