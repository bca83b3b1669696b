"""The seam between the agent and any model host: requests, what streams back, and what it cost.

A host speaks this protocol and nothing else; SDK types never leave the file that imports the SDK.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from gateway.transcript import Message, Role, ToolCall, Usage

__all__ = [
    "Delta",
    "HostInfo",
    "Message",
    "ModelClient",
    "ReadingProgress",
    "Reply",
    "Request",
    "Role",
    "TextDelta",
    "ToolCall",
    "ToolSchema",
    "Usage",
    "Waiting",
]


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool as offered: `parameters` is a JSON Schema object. Serialised once per session, in a fixed order."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """One call to a model.

    `messages[0]` is the frozen system prompt. `session` names the conversation for hosts that keep a cache per
    session. `schema` asks for an answer that is JSON of that schema, where the host can. `task` is who pays.
    `continues` says that tools ran since the person's message: only the model that called them goes on from there.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...] = ()
    session: str | None = None
    task: str = "chat"
    max_tokens: int | None = None
    temperature: float | None = None
    reasoning_effort: str | None = None
    schema: Mapping[str, Any] | None = None
    continues: bool = False


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More of the visible answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ReadingProgress:
    """The host is reading the prompt: `done` of `total` tokens."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing yet, and why ("loading model", "waiting for its turn at the host", "still reading")."""

    reason: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The end of a stream. `text` is the whole visible text; `tool_calls` name offered tools and fit their schema.

    `misfires` holds one line for each thing that looked like a call and was none (unknown tool, wrong arguments),
    with the right call shown; the loop hands them back to the model. `finish` is `stop`, `length`, `tool_calls`
    or `repetition`. `host` and `model` say who answered. `notice` is for the person, once: that another host than
    the asked one answered, and why.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    misfires: tuple[str, ...] = ()
    finish: str = "stop"
    usage: Usage = field(default_factory=Usage)
    host: str = ""
    model: str = ""
    notice: str = ""
    shape: str = ""
    """How the calls arrived: `native`, `json`, `fence` or `tag`; empty when there are none or nobody says."""


Delta = TextDelta | ReadingProgress | Waiting | Reply


@dataclass(frozen=True, slots=True)
class HostInfo:
    """What a host says of itself. `window` in tokens, None when unknown; `tools` False means assisted mode;
    `local` marks a host on this machine; `sees` whether it takes pictures."""

    window: int | None = None
    tools: bool = True
    local: bool = False
    sees: bool = False


class ModelClient(Protocol):
    """One model on one host. Calls may overlap; the host's own concurrency limit is the client's concern."""

    @property
    def host(self) -> str:
        """The host's name, as used in `host/model`."""

    @property
    def model(self) -> str:
        """The model's name there."""

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Send one request; yields deltas and ends with exactly one `Reply`.

        Closing the iterator ends the request on the wire. Raises `gateway.models.errors.ModelError`.
        """

    async def info(self) -> HostInfo:
        """What is known of the host; asks it at most once and never raises."""

    async def close(self) -> None:
        """Let go of connections and children."""
