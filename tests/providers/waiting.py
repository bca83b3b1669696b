"""Waiting, in real time, for what a provider's thread brings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

PATIENCE = 60.0
"""Real seconds after which something will not come any more, however busy the machine is."""


async def until(holds: Callable[[], bool]) -> None:
    """Returns once it holds; raises TimeoutError when it never does."""
    async with asyncio.timeout(PATIENCE):
        while not holds():
            await asyncio.sleep(0.005)
