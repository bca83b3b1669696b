"""The bytes of the system prompt: persona, standing instructions, memory, skills, guidance. Rendered once a session;
pure.

Moving facts never go here. The line with date and time goes with the user's row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

PERSONA = "You are a helpful AI assistant named Innkeeper. Give correct, short answers."


@dataclass(frozen=True, slots=True)
class PromptParts:
    """What a prompt is made of; empty parts leave no trace. `blocks` are the memory blocks in order,
    and the list of skills behind them."""

    persona: str
    standing: str = ""
    blocks: Sequence[str] = ()
    guidance: Sequence[str] = ()


def render(parts: PromptParts) -> str:
    """One text, parts separated by an empty line."""
    pieces = [parts.persona or PERSONA, parts.standing, *parts.blocks, *parts.guidance]
    return "\n\n".join(piece.strip() for piece in pieces if piece.strip())


def time_line(moment: datetime) -> str:
    """The line that stands before a user's text at the start of a session and after an hour's gap."""
    return f"[{moment:%A, %Y-%m-%d %H:%M} {moment.tzname() or ''}".rstrip() + "]"
