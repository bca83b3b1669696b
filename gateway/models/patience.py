"""How long a host may be silent, and what is said meanwhile. Slow hosts are normal: reading a prompt takes minutes.

Owns the task that reads from the host, so that closing the consumer's end closes the request on the wire at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from gateway.clock import Clock
from gateway.models.client import Waiting
from gateway.models.errors import FirstTokenLate, ModelError, StreamBroken
from gateway.models.pieces import Piece, Reading, Spent

_Queue = asyncio.Queue[Piece | Waiting | ModelError | None]


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds of silence before the request is given up: for the first token, and between two; and between notices.

    Reading progress is a sign of life: the wait for the first token begins anew with it.
    """

    first_token: float = 300.0
    between_tokens: float = 120.0
    notice: float = 15.0

    @classmethod
    def standard(cls, *, local: bool) -> Patience:
        """Half an hour for the first token of a host on this machine, five minutes elsewhere."""
        return cls(first_token=1800.0 if local else 300.0)


class _Silence:
    """When the host last gave a sign of life, and whether it has begun to answer."""

    __slots__ = ("begun", "last")

    def __init__(self, now: float) -> None:
        self.last = now
        self.begun = False


async def patiently(
    source: AsyncGenerator[Piece, None], host: str, patience: Patience, clock: Clock
) -> AsyncGenerator[Piece | Waiting, None]:
    """`source` with `Waiting` in its silences. Raises FirstTokenLate or StreamBroken when patience runs out.

    Closing this iterator cancels `source` and waits until it has let go of the connection.
    """
    queue: _Queue = asyncio.Queue()
    silence = _Silence(clock.monotonic())
    reader = asyncio.create_task(_read(source, silence, queue, clock))
    watcher = asyncio.create_task(_watch(host, silence, queue, patience, clock))
    reader.add_done_callback(lambda _: queue.put_nowait(None))
    try:
        while (item := await queue.get()) is not None:
            if isinstance(item, ModelError):
                raise item
            yield item
        await reader  # raises what ended it
    finally:
        reader.cancel()
        watcher.cancel()
        await asyncio.gather(reader, watcher, return_exceptions=True)


async def _read(source: AsyncGenerator[Piece, None], silence: _Silence, queue: _Queue, clock: Clock) -> None:
    async with aclosing(source) as pieces:
        async for piece in pieces:
            silence.last = clock.monotonic()
            silence.begun = silence.begun or not isinstance(piece, Reading | Spent)
            queue.put_nowait(piece)


async def _watch(host: str, silence: _Silence, queue: _Queue, patience: Patience, clock: Clock) -> None:
    notified = silence.last
    while True:
        limit = patience.between_tokens if silence.begun else patience.first_token
        due = min(silence.last + limit, max(silence.last, notified) + patience.notice)
        await clock.sleep(max(due - clock.monotonic(), 0.05))
        now = clock.monotonic()
        # Patience is looked up again: the first token may have come during the sleep.
        limit = patience.between_tokens if silence.begun else patience.first_token
        if now - silence.last >= limit:
            queue.put_nowait(_out_of_patience(host, limit, silence.begun))
            return
        if now - max(silence.last, notified) >= patience.notice:
            notified = now
            queue.put_nowait(Waiting("still waiting for more" if silence.begun else "still reading"))


def _out_of_patience(host: str, limit: float, begun: bool) -> FirstTokenLate | StreamBroken:
    if begun:
        return StreamBroken(f"{host} stopped in the middle of its answer: nothing came for {limit:g} seconds")
    return FirstTokenLate(f"{host} gave no answer within {limit:g} seconds; the request was cancelled")
