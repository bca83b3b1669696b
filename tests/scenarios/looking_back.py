"""What the scenarios about reviews share: a model that answers chats and reviews apart, and a house with both."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from gateway.config.schema import Settings
from gateway.models.client import HostInfo, Request
from gateway.models.host_state import REVIEW
from gateway.state.review_records import QueuedReview, ReviewResult
from gateway.tools.tool import Tool
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.scripted_model import Scripted, ScriptedModel

NOTHING = "nothing"


class Thinker(ScriptedModel):
    """Answers chats with `said`, reviews with what stands in `reviews`, the first one first, then with nothing."""

    def __init__(self, *reviews: Scripted, window: int = 32_768, model: str = "small") -> None:
        self.reviews: deque[Scripted] = deque(reviews)
        self.said: deque[Scripted] = deque()
        super().__init__(self._answer, host="local", model=model, info=HostInfo(window=window))

    def _answer(self, request: Request) -> Scripted:
        if request.task == REVIEW:
            return self.reviews.popleft() if self.reviews else NOTHING
        if request.messages[-1].role == "tool":
            return "Done."
        return self.said.popleft() if self.said else "Noted."

    @property
    def asked(self) -> list[Request]:
        """The requests of reviews."""
        return [each for each in self.requests if each.task == REVIEW]


def every(turns: int = 1, calls: int = 0, *, more: Mapping[str, Any] | None = None, **review: Any) -> Settings:
    """Reviews of memory after so many turns, of skills after so many tool calls; 0: never. `more` are further
    sections, `review` is `auxiliary.background_review`."""
    sections: dict[str, Any] = {
        "memory": {"nudge_interval": turns},
        "skills": {"creation_nudge_interval": calls},
        "auxiliary": {"background_review": review},
        "sessions": {"boundary_hint": False},
        "gateway": {"drain_seconds": 0},
    }
    for name, keys in (more or {}).items():
        sections[name] = {**sections.get(name, {}), **keys}
    return settings(**sections)


def open_house(
    folder: Path,
    thinker: Thinker,
    clock: FakeClock,
    rules: Settings,
    *,
    tools: Sequence[Tool] = (),
    others: Sequence[Thinker] = (),
) -> AbstractAsyncContextManager[Guesthouse]:
    """A house on `folder` that looks back."""
    return guesthouse(
        folder,
        thinker,
        clock=clock,
        with_settings=rules,
        tools=tools,
        hosts=others,
        with_memory=True,
        with_reviews=True,
    )


async def queue(house: Guesthouse) -> list[QueuedReview]:
    return await house.store.reviews.queue()


async def results(house: Guesthouse) -> list[ReviewResult]:
    """Ended reviews, the oldest first."""
    return (await house.store.review_books.results(100))[::-1]


async def queued(house: Guesthouse, clock: FakeClock, count: int = 1) -> list[QueuedReview]:
    """Wait until so many reviews wait or run."""
    found: list[QueuedReview] = []

    async def look() -> bool:
        found[:] = await queue(house)
        return len(found) == count

    await settled(clock, look, 0.0)
    return found


async def ended(house: Guesthouse, clock: FakeClock, count: int = 1, step: float = 1.0) -> list[ReviewResult]:
    """Let the clock run until so many reviews are over."""
    found: list[ReviewResult] = []

    async def look() -> bool:
        found[:] = await results(house)
        return len(found) >= count

    await settled(clock, look, step)
    return found


async def settled(clock: FakeClock, holds: Callable[[], Awaitable[bool]], step: float) -> None:
    """As `props.later`, for what has to be asked of the store."""
    async with asyncio.timeout(30):
        while not await holds():
            await asyncio.sleep(0.002)
            await clock.advance(step)
