"""What a conversation is made of, for models and store alike: messages, tool calls, and what they cost."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to run a tool. `arguments` is always a valid JSON object, serialised canonically."""

    id: str
    name: str
    arguments: str

    def parsed(self) -> dict[str, Any]:
        loaded = json.loads(self.arguments)
        return loaded if isinstance(loaded, dict) else {}


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that a model may look at; its bytes lie at `path` until they are cleaned up."""

    media_type: str
    path: str


@dataclass(frozen=True, slots=True)
class Message:
    """One row of a conversation as the model sees it. `tool_call_id` belongs to role `tool`; `pictures` are shown to
    hosts that see, and `content` tells the others of them in words."""

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more calls. `input` counts the whole prompt, `cached` the share of it that was not read
    again; `cost` in US dollars, None when unknown; `seconds` from request to end."""

    input: int = 0
    cached: int = 0
    output: int = 0
    calls: int = 0
    cost: float | None = None
    seconds: float = 0.0

    def plus(self, other: Usage) -> Usage:
        cost = None if self.cost is None and other.cost is None else (self.cost or 0) + (other.cost or 0)
        return Usage(
            self.input + other.input,
            self.cached + other.cached,
            self.output + other.output,
            self.calls + other.calls,
            cost,
            self.seconds + other.seconds,
        )
