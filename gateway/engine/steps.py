"""How a step is taken that must not be cut in two by a cancellation, or given up because the disk is full."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

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


async def to_its_end(step: Coroutine[Any, Any, T]) -> T:
    """Run a step; when the caller is cancelled meanwhile, however often, the step is finished first and then the
    cancellation goes on."""
    task = asyncio.ensure_future(step)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait({task})
        if not task.cancelled():
            task.exception()  # looked at, so that nobody is told of a fault that the cancellation outranks
        raise
