"""From a change to the message that it came from, as an address of the dashboard."""

from __future__ import annotations

from urllib.parse import quote

from gateway.web.pages import Pages
from memory.model import Author


async def spot_of(pages: Pages, author: Author) -> str:
    """The page of the conversation, at the message if that is still there; empty when nothing is known."""
    memory = pages.ports.memory
    if memory is not None and (spot := await memory.spot(author.message)) is not None:
        session, message = spot
        return f"/sessions/{quote(session, safe='')}?at={message}#m{message}"
    return f"/sessions/{quote(author.session, safe='')}" if author.session else ""
