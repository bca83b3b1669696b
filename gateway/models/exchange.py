"""One request and its answer, the same for every host: patience around the pieces, deltas out of them, a Reply.

The client files give the pieces; trying again and asking others are retrying.py's and chain.py's.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from gateway.clock import Clock
from gateway.models.answer import Answer
from gateway.models.client import Delta, Request, TextDelta, Waiting
from gateway.models.errors import RequestRefused, StreamBroken
from gateway.models.faults import Place
from gateway.models.patience import Patience, patiently
from gateway.models.pieces import Piece


async def exchange(
    pieces: AsyncGenerator[Piece, None], request: Request, place: Place, patience: Patience, clock: Clock
) -> AsyncGenerator[Delta, None]:
    """Deltas and the final Reply. `pieces` is closed with this iterator.

    Raises StreamBroken when the stream ended without a reason, HostDown when it ended without a word,
    RequestRefused when the host's filter withheld everything, and whatever `pieces` raises.
    """
    began = clock.monotonic()
    answer = Answer(request)
    async with aclosing(patiently(pieces, place.host, patience, clock)) as arriving:
        async for piece in arriving:
            if isinstance(piece, Waiting):
                yield piece
                continue
            for delta in answer.feed(piece):
                yield delta
            if answer.stopped:
                break
    if answer.finish is None and not answer.stopped:
        if answer.begun:
            raise StreamBroken(f"{place.host} broke off in the middle of its answer")
        raise place.down("it closed the connection without an answer")
    deltas = answer.end(place.host, place.model, clock.monotonic() - began)
    if answer.finish == "filtered" and not answer.begun:
        raise RequestRefused(f"{place.host} withheld its answer (content filter)")
    for delta in deltas:
        if not isinstance(delta, TextDelta) or delta.text:
            yield delta
