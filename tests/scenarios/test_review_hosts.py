"""What a model host says of its work, through the whole house: a review waits for it, or starts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from gateway.models.host_state import HostState
from gateway.state.review_records import ReviewResult
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse
from tests.fakes.openai_server import Step
from tests.fakes.working_host import TalkingHost
from tests.models.test_host_state import SAYING, WAKING
from tests.scenarios.looking_back import Thinker, ended, every, open_house, queue, results, settled
from tests.scenarios.reviewer import looks_back

QUIET = 15
TWELVE = (
    "no answer at all",
    "a web page for everything",
    "loading, as newer versions say it",
    "loading, as older versions say it",
    "no key",
    "slots hidden by a proxy",
    "llama.cpp, slots not shown",
    "no slots in the list",
    "llama.cpp before November 2024, idle",
    "llama.cpp before November 2024, reading",
    "llama.cpp, idle",
    "llama.cpp, one of two slots at work",
    "torn connections",
    "llama.cpp asleep",
    "a router, all asleep",
)
RESTS, WORKS = SAYING["llama.cpp, idle"][0], SAYING["llama.cpp, one of two slots at work"][0]


@asynccontextmanager
async def inn(folder: Path, host: TalkingHost, clock: FakeClock, **review: Any) -> AsyncIterator[Guesthouse]:
    """A house whose model is on that host, and that looks back after each turn."""
    model = {"base_url": host.base_url, "model": "q", "api_key": "none"}
    rules = every(1, more={"model": model}, quiet_s=QUIET, **review)
    async with open_house(folder, Thinker(), clock, rules) as house:
        yield house


def talking(clock: FakeClock | None = None) -> TalkingHost:
    host = TalkingHost(otherwise=lambda given: Step(text="Noted."), clock=clock)
    host.pages = dict(RESTS)
    return host


def asked(host: TalkingHost) -> int:
    """How often a review asked."""
    return sum(looks_back(each.json()) for each in host.chats)


async def passes(clock: FakeClock, seconds: int, until: Callable[[], bool] = lambda: False, step: int = 1) -> None:
    """Seconds go by one by one, or in larger steps, each long enough for a question to the host."""
    for _ in range(0, seconds, step):
        await clock.advance(step)
        await asyncio.sleep(0.01)
        if until():
            return


async def why(house: Guesthouse) -> str:
    assert house.reviews is not None
    (waiting,) = await house.reviews.waiting()
    return waiting.why


@pytest.mark.parametrize("case", TWELVE)
async def test_a_review_starts_on_a_host_that_is_idle_and_awake(case: str, tmp_path: Path) -> None:
    clock = FakeClock()
    async with talking() as host, inn(tmp_path, host, clock) as house:
        assert await house.adapter.reply_to("one") == "Noted."
        host.pages, state = SAYING[case]
        host.requests.clear()
        starts = state is HostState.IDLE and "asleep" not in case
        await passes(clock, 4 * QUIET, lambda: asked(host) > 0)
        assert bool(asked(host)) is starts
        if starts:
            assert [each.outcome for each in await ended(house, clock)] == ["none"]
            return
        assert host.asked, "it was looked at"
        assert await why(house) == "the model host is not known to be idle"
        if "asleep" in case:
            assert not [path for path in host.asked if path.startswith(WAKING)]
        host.pages = RESTS
        assert [each.cancelled for each in await ended(house, clock)] == [0]


async def test_a_host_that_has_work_in_between_is_waited_for(tmp_path: Path) -> None:
    clock = FakeClock()
    async with talking() as host, inn(tmp_path, host, clock) as house:
        await house.adapter.reply_to("one")
        host.pages = WORKS
        await passes(clock, 3 * QUIET)
        host.pages = RESTS
        looks = len(host.asked)
        await passes(clock, 60, lambda: len(host.asked) > looks)  # it is seen idle
        host.pages = WORKS
        await passes(clock, 60)
        assert asked(host) == 0
        host.pages = RESTS
        await ended(house, clock)
        # The router that the host is now lets its models sleep: what is said next is reviewed when they are awake.
        await house.adapter.reply_to("two")
        host.pages, _ = SAYING["a router, all asleep"]
        host.requests.clear()
        await passes(clock, 600, step=10)
        assert asked(host) == 0
        assert not [path for path in host.asked if path.startswith(WAKING)]
        host.pages, _ = SAYING["a router, its model idle"]
        assert len(await ended(house, clock, 2)) == 2


async def test_what_has_waited_long_enough_wakes_the_model(tmp_path: Path) -> None:
    clock = FakeClock()
    async with talking() as host, inn(tmp_path, host, clock, defer_max_age_s=120) as house:
        await house.adapter.reply_to("one")
        host.pages, _ = SAYING["llama.cpp asleep"]
        await passes(clock, 110)
        assert asked(host) == 0
        assert (await ended(house, clock))[0].outcome == "none"


async def test_a_slow_host_is_not_given_up_by_its_review(tmp_path: Path) -> None:
    """It reads the prompt for longer than a claim holds, and answers in the end: asked once, claimed all along."""
    clock = FakeClock()
    async with talking(clock) as host, inn(tmp_path, host, clock) as house:
        await house.adapter.reply_to("one")
        host.script.append(Step(text="nothing", silence=600))
        await passes(clock, 60, lambda: asked(host) > 0)
        for _ in range(55):
            await passes(clock, 1)
            await clock.advance(9)
        (running,) = await queue(house)
        assert (running.running, running.epoch, asked(host)) == (True, 1, 1)
        (result,) = await ended(house, clock)
        assert (result.outcome, result.failed, result.cancelled, result.died) == ("none", 0, 0, 0)
        assert asked(host) == 1
        assert host.most_active <= 2, "one request, and questions about it"


async def test_a_host_that_loads_when_the_review_asks_is_waited_for(tmp_path: Path) -> None:
    clock = FakeClock()
    async with talking(clock) as host, inn(tmp_path, host, clock) as house:
        await house.adapter.reply_to("one")
        host.script.extend(Step(loading=shape) for shape in ("error", "status", "error"))
        (result,) = await ended(house, clock)
        assert (result.outcome, result.failed, result.spent.calls) == ("none", 0, 1)
        assert asked(host) == 4


async def test_a_connection_that_is_torn_in_a_review_costs_another_try(tmp_path: Path) -> None:
    clock = FakeClock()
    async with talking(clock) as host, inn(tmp_path, host, clock) as house:
        await house.adapter.reply_to("one")
        host.script.append(Step(silence=599, reset_after=0))
        found: list[ReviewResult] = []

        async def over() -> bool:
            found[:] = await results(house)
            return bool(found)

        await _settled(clock, over)
        assert (found[0].outcome, found[0].spent.calls) == ("none", 1)
        assert asked(host) == 2


async def _settled(clock: FakeClock, holds: Callable[[], Awaitable[bool]]) -> None:
    await settled(clock, holds, 5.0)
