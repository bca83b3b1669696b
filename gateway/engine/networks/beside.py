"""What runs beside the engine for as long as the house is open: a fault is reported and the work begun again.

Owns the restart. What the work is, and in which order it is ended, is the composition root's matter.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from gateway.clock import Clock
from gateway.engine.house import Report

LONGEST_PAUSE = 300.0
"""Seconds between a fault and the next try at most; the first pause is one second, each further one twice as long."""


async def kept(name: str, run: Callable[[], Awaitable[None]], clock: Clock, report: Report) -> None:
    """Run until it ends by itself or is cancelled. One that ran for long before its fault begins anew at once."""
    pause = 1.0
    while True:
        began = clock.monotonic()
        try:
            return await run()
        except Exception as fault:  # noqa: BLE001 - a job beside the engine: report, pause, begin again
            report.error("beside.fault", work=name, why=f"{type(fault).__name__}: {fault}")
        if clock.monotonic() - began > LONGEST_PAUSE:
            pause = 1.0
        await clock.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)
