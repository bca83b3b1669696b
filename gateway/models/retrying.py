"""Tries a host again where that is safe: while it loads its model, is busy, or did not get as far as a word.

Owns every retry of model calls. One request is on the wire at a time: the former one is closed before a pause, and
there is always a pause. Nothing is tried again once the person has seen a part of the answer.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from gateway.clock import Clock
from gateway.models.client import Delta, HostInfo, ModelClient, Request, TextDelta, Waiting
from gateway.models.errors import HostBusy, HostDown, HostLoading, ModelError, StreamBroken
from gateway.models.streams import opened

TRIES = 3
FIRST_PAUSE = 2.0
GROWTH = 4.0
LONGEST_LOADING_PAUSE = 15.0
LOADING_PATIENCE = 600.0
LONGEST_BUSY_PAUSE = 60.0
"""A host that asks for more than this is given up for now, so that another may be asked."""


class Retrying:
    """A client that is asked up to three times, with pauses of 2 and 8 seconds or as the host says.

    A loading host is waited for up to ten minutes, looking again after 1, 2, 4, 8, then every 15 seconds.
    """

    def __init__(self, client: ModelClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock

    @property
    def host(self) -> str:
        return self._client.host

    @property
    def model(self) -> str:
        return self._client.model

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        began = self._clock.monotonic()
        failures = 0
        loading_pause = 1.0
        while True:
            shown = False
            try:
                async with aclosing(opened(self._client, request)) as deltas:
                    async for delta in deltas:
                        shown = shown or isinstance(delta, TextDelta)
                        yield delta
                return
            except HostLoading:
                if shown or self._clock.monotonic() - began >= LOADING_PATIENCE:
                    raise
                notice, pause = "loading model", loading_pause
                loading_pause = min(loading_pause * 2, LONGEST_LOADING_PAUSE)
            except (HostDown, HostBusy, StreamBroken) as error:
                failures += 1
                again = None if shown or failures >= TRIES else _pause(error, failures)
                if again is None:
                    raise
                notice, pause = f"{self.host} {_state(error)}; trying again in {again:.0f} s", again
            # The request is closed by now: its `aclosing` ended with the try block.
            yield Waiting(notice)
            await self._clock.sleep(pause)

    async def info(self) -> HostInfo:
        return await self._client.info()

    async def close(self) -> None:
        await self._client.close()


def _pause(error: ModelError, failures: int) -> float | None:
    """Seconds until the next try; None when the host wants to be left alone for longer than is sensible here."""
    grown = FIRST_PAUSE * GROWTH ** (failures - 1)
    asked = error.retry_after if isinstance(error, HostBusy) else None
    if asked is None:
        return grown
    return None if asked > LONGEST_BUSY_PAUSE else max(asked, 1.0)


def _state(error: ModelError) -> str:
    if isinstance(error, HostBusy):
        return "is busy"
    return "broke off" if isinstance(error, StreamBroken) else "does not answer"
