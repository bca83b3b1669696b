"""What of the house is a person's to see: whose memory, whose journey. Pages and the navigation ask the same."""

from __future__ import annotations

from commands.context import Context
from commands.journey_ports import Journey
from commands.ports import Memory
from commands.spec import Role


def memory_of(context: Context) -> Memory | None:
    """Memory as this person may see it; None for nothing."""
    memory = context.ports.memory
    return memory.at(context.chat, context.who, direct=context.direct) if memory is not None else None


def journey_of(context: Context) -> Journey | None:
    """The journey as this person may see it; None for nothing."""
    journey = context.ports.journey
    if journey is None or (context.chat is None and context.role < Role.OWNER):
        return None
    return journey.at(context.chat, context.who, direct=context.direct)
