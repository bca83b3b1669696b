"""What a host's stream is made of once its own format is left behind; answer.py builds the deltas from it.

Each client file turns its SDK's events into these; they never leave gateway.models.
"""

from __future__ import annotations

from dataclasses import dataclass

from gateway.models.client import Usage


@dataclass(frozen=True, slots=True)
class Words:
    """More of the answer's text, as the host sent it."""

    text: str


@dataclass(frozen=True, slots=True)
class Thought:
    """More of the model's reasoning: a sign of life, never shown."""

    text: str


@dataclass(frozen=True, slots=True)
class CallPart:
    """A part of a native tool call. Parts with the same `index` belong together; `arguments` are appended."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """The host is reading the prompt: `done` of `total` tokens."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Spent:
    """What the host says the call cost so far (`seconds` and `calls` are not the host's to say)."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class Ended:
    """The host's reason for stopping: `stop`, `length`, `tool_calls` or `filtered`."""

    finish: str


Piece = Words | Thought | CallPart | Reading | Spent | Ended


def joined_halves(text: str) -> str:
    """`text` as it can be encoded: surrogate pairs become their character, lone halves become U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
