"""How a step is taken that must not be given up because the disk is full."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from gateway.engine.house import House
from gateway.state.connection import DatabaseFault

T = TypeVar("T")

LONGEST_PAUSE = 30.0
"""Seconds between two tries at a store that takes nothing, at most."""


async def patiently(step: Callable[[], Awaitable[T]], house: House) -> T:
    """Take a step, again and again while the store cannot be used: what was taken in is not forgotten for that. The
    step must bear being begun anew."""
    pause = 1.0
    while True:
        try:
            return await step()
        except DatabaseFault as fault:
            house.report.error("store.fault", why=str(fault))
        await house.clock.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)
