"""Keeping the search's index up while the house is open: in small steps, with pauses in which others write."""

from __future__ import annotations

from gateway.clock import Clock
from gateway.state.search_protocols import Search

PAUSE = 0.01
"""Seconds between two steps while there is something to do."""

LOOK = 1.0
"""Seconds until it is looked again whether there is."""


async def keep_up(search: Search, clock: Clock) -> None:
    """Runs until it is cancelled. Raises DatabaseFault; nothing is lost, and it may simply be begun again."""
    while True:
        await clock.sleep(PAUSE if await search.index() else LOOK)
