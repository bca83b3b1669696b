"""The real local server with an ear at its door: what was asked of it, in which order, and how each request ended.

For tests and benches that let chats and reviews meet at its one slot. It is the very `LocalHost`, and adds nothing
to a request but a gate at which chats can be made to wait.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from gateway.clock import SystemClock
from gateway.models.catalogue import DEFAULT_MODEL, entry_named
from gateway.models.client import Delta, HostInfo, ReadingProgress, Reply, Request, TextDelta, Usage
from gateway.models.host_state import REVIEW
from gateway.models.local import LocalHost

STEPPED = "from gateway.models import local_child\nlocal_child.READ_AT_ONCE = {step}\nlocal_child.main()"


@dataclass(eq=False)
class Heard:
    """One request. Moments are seconds of `time.perf_counter`; `first` is that of the first word, None before it.
    `reads` is set while the prompt is read with more of it to come, `writes` at the first word, `over` at the end,
    also when it was given up."""

    request: Request
    began: float
    first: float | None = None
    usage: Usage | None = None
    reads: asyncio.Event = field(default_factory=asyncio.Event)
    writes: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def given_up(self) -> bool:
        return self.over.is_set() and self.usage is None


class Overheard(LocalHost):
    """The embedded model in a server process of its own; `heard` are its requests and `order` what befell them, as
    "chat begins", "background_review ends" and so on. While `gate` is closed, chats that have their turn wait in
    front of the server. `tools`: it is taken for a model that calls them. `step`: tokens that the server reads at
    once, where that is not to be what the house has it do."""

    def __init__(
        self, weights: Path, folder: Path, *, tools: bool = False, window: int | None = None, step: int | None = None
    ) -> None:
        entry = entry_named(DEFAULT_MODEL)
        assert entry is not None
        window = window or entry.window
        known = HostInfo(window=window, tools=tools, local=True)
        super().__init__(
            weights,
            folder,
            clock=SystemClock(),
            name=entry.name,
            window=window,
            temperature=0.0,
            known=known,
            command=None if step is None else (sys.executable, "-c", STEPPED.format(step=step)),
        )
        self.heard: list[Heard] = []
        self.order: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()

    @property
    def reviews(self) -> list[Heard]:
        return [each for each in self.heard if each.request.task == REVIEW]

    @property
    def chats(self) -> list[Heard]:
        return [each for each in self.heard if each.request.task == "chat"]

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        heard = Heard(request, time.perf_counter())
        self.heard.append(heard)
        self.order.append(f"{request.task} begins")
        try:
            if request.task != REVIEW:
                await self.gate.wait()
            async with aclosing(super().stream(request)) as deltas:
                async for delta in deltas:
                    _note(heard, delta)
                    yield delta
        finally:
            self.order.append(f"{request.task} ends" if heard.usage is not None else f"{request.task} given up")
            heard.over.set()

    async def at_work(self) -> bool:
        """What the server itself says of its one slot."""
        assert self.endpoint is not None
        address, key = self.endpoint
        async with httpx.AsyncClient(trust_env=False, headers={"Authorization": f"Bearer {key}"}) as web:
            (slot,) = (await web.get(f"{address}/slots", timeout=20)).json()
        return bool(slot["is_processing"])

    async def rests(self) -> None:
        """Returns when the slot has nothing to do."""
        while await self.at_work():
            await asyncio.sleep(0.01)


def _note(heard: Heard, delta: Delta) -> None:
    match delta:
        case ReadingProgress(done, total) if done < total:
            heard.reads.set()
        case TextDelta() | Reply():
            heard.first = heard.first or time.perf_counter()
            heard.writes.set()
            heard.usage = delta.usage if isinstance(delta, Reply) else heard.usage
        case _:
            pass
