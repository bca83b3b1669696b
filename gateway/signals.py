"""What the process is asked from outside, as events that a running house waits for."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Signals:
    """What the process was asked from outside: to end, or to read its settings again."""

    ended: asyncio.Event
    again: asyncio.Event


@contextmanager
def heeding() -> Iterator[Signals]:
    """SIGTERM and SIGINT ask for an orderly end, SIGHUP for a fresh look at the settings. To be opened around
    `running`: a signal that comes while the house opens or closes must not cut it off. Only a second SIGINT does."""
    loop, signals = asyncio.get_running_loop(), Signals(asyncio.Event(), asyncio.Event())

    def interrupted() -> None:
        signals.ended.set()
        loop.remove_signal_handler(signal.SIGINT)

    handlers = {signal.SIGTERM: signals.ended.set, signal.SIGINT: interrupted, signal.SIGHUP: signals.again.set}
    for name, handler in handlers.items():
        loop.add_signal_handler(name, handler)
    try:
        yield signals
    finally:
        for name in handlers:
            loop.remove_signal_handler(name)
