"""Steps that must not be cut in two by a cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def to_its_end(step: Coroutine[Any, Any, T]) -> T:
    """Run a step; when the caller is cancelled meanwhile, the step is finished first and then the cancellation
    goes on."""
    task = asyncio.ensure_future(step)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            await asyncio.wait({task})
        if not task.cancelled():
            task.exception()  # looked at, so that nobody is told of a fault that the cancellation outranks
        raise
