"""How a step is taken that a cancellation must not cut in two. What such a step does is its caller's."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


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
