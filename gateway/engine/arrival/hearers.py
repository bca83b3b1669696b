"""Who hears a chat, for what happens there without a message: the person who opened its last session, and whether
others heard it. Kept as a fact of the session's key, so that it moves with its chat.
"""

from __future__ import annotations

from typing import Any

from gateway.state.protocols import Facts
from platforms.messages import ChatKind, Inbound, Sender

HEARER = "hearer"


async def note_hearer(facts: Facts, key: str, event: Inbound) -> None:
    """A session of this key begins with this event."""
    found = [event.kind.value, event.sender.id, event.sender.name]
    if await facts.get(key, HEARER) != found:
        await facts.put(key, HEARER, found)


async def hearer(facts: Facts, key: str) -> tuple[ChatKind, Sender] | None:
    """What is known of it."""
    known: Any = await facts.get(key, HEARER)
    return None if known is None else (ChatKind(known[0]), Sender(known[1], known[2]))
