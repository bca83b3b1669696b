"""Time, from one place, so that a test can move it."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Wall time in seconds since the epoch, a monotonic reading, and sleep."""

    def now(self) -> float: ...

    def monotonic(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def iso(moment: float) -> str:
    """ISO 8601 in UTC, to the second, for lists and logs."""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")
