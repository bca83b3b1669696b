"""The attendant alone: order, tries, a bounded queue, a bounded end."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from gateway.providers.attendant import FIRST_PAUSE, QUEUE, TRIES, Attendant, Errand, bounded, checked
from gateway.providers.own_tools import tools_of
from memory.providers.protocol import (
    Conversation,
    Patience,
    ProviderManifest,
    ProviderTool,
    Question,
    Refused,
    Silent,
    Unreachable,
)
from tests.fakes.clock import FakeClock, settle
from tests.fakes.guesthouse import Notes
from tests.providers.waiting import until

WHERE = Conversation("owner", "s1")


class Quiet(Silent):
    """Notes in which loop it is called."""

    name = "quiet"

    def __init__(self) -> None:
        self.loops: set[int] = set()

    async def start(self) -> None:
        self.loops.add(id(asyncio.get_running_loop()))


def attendant(provider: Silent, clock: Any, **patience: float) -> tuple[Attendant, Notes]:
    notes = Notes()
    manifest = ProviderManifest(provider.name, "nowhere:Nobody", patience=Patience(**patience))
    return Attendant(provider, manifest, clock, notes.info, notes.warning), notes


async def test_it_runs_in_a_loop_of_its_own_and_ends_with_the_house() -> None:
    provider = Quiet()
    one, notes = attendant(provider, FakeClock())
    one.begin()
    await until(lambda: one.well)
    assert id(asyncio.get_running_loop()) not in provider.loops
    await one.close()
    assert [event for event, _ in notes.lines] == ["provider.started"]


async def test_a_failed_errand_is_tried_again_before_the_next_and_then_given_up() -> None:
    clock, done = FakeClock(), []
    one, notes = attendant(Quiet(), clock)

    def errand(name: str, *, fails: bool) -> Errand:
        async def step() -> None:
            done.append(name)
            if fails:
                raise Unreachable("the line is dead")

        return Errand("sync", step)

    one.begin()
    await until(lambda: one.well)
    one.hand_over(errand("first", fails=True))
    one.hand_over(errand("second", fails=False))
    for number in range(1, TRIES + 1):
        await until(lambda want=number: len(notes.named("provider.fault")) == want)  # type: ignore[misc]
        await clock.advance(FIRST_PAUSE * 2 ** (number - 1))
    await until(lambda: "second" in done)
    assert done == ["first"] * TRIES + ["second"]
    assert [each["what"] for each in notes.named("provider.given_up")] == ["sync"]
    await until(lambda: one.standing.kept == 1)
    await one.close()


async def test_the_queue_is_bounded_and_the_oldest_goes() -> None:
    clock, done = FakeClock(), []
    one, notes = attendant(Quiet(), clock)

    def errand(number: int) -> Errand:
        async def step() -> None:
            done.append(number)

        return Errand("sync", step)

    for number in range(QUEUE + 3):
        one.hand_over(errand(number))
    assert one.waiting == QUEUE
    assert len(notes.named("provider.given_up")) == 3
    one.begin()
    await until(lambda: not one.waiting)
    assert done == list(range(3, QUEUE + 3))
    await one.close()


async def test_the_end_waits_for_what_is_handed_over_but_not_for_ever() -> None:
    clock = FakeClock()
    one, notes = attendant(Quiet(), clock, sync=100.0)
    held = asyncio.Event()

    async def step() -> None:
        held.set()
        await asyncio.sleep(3600)

    one.begin()
    await until(lambda: one.well)
    one.hand_over(Errand("sync", step))
    await until(held.is_set)
    closing = asyncio.ensure_future(one.close())
    await clock.advance(4.9)
    assert not closing.done()
    await clock.advance(0.2)
    await until(closing.done)
    assert notes.named("provider.left") == [{"provider": "quiet", "errands": 1}]


async def test_the_end_does_not_wait_for_one_that_fails_meanwhile() -> None:
    """The clock stands still: nothing is waited for."""
    one, notes = attendant(Quiet(), FakeClock(), sync=100.0)
    held, go_on = asyncio.Event(), threading.Event()

    async def step() -> None:
        held.set()
        await asyncio.to_thread(go_on.wait, 60)
        raise Unreachable("the line is dead")

    one.begin()
    await until(lambda: one.well)
    one.hand_over(Errand("sync", step))
    await until(held.is_set)
    closing = asyncio.ensure_future(one.close())
    await settle()
    assert not closing.done()
    go_on.set()
    await until(closing.done)
    assert notes.named("provider.left") == [{"provider": "quiet", "errands": 1}]


async def test_one_that_raises_a_cancellation_cancels_nobody() -> None:
    class Odd(Quiet):
        async def prefetch(self, question: Question) -> str:
            raise asyncio.CancelledError

    one, notes = attendant(Odd(), FakeClock())
    one.begin()
    await until(lambda: one.well)
    assert await one.recall(Question(WHERE, "Who are you?")) == ""
    assert notes.named("provider.fault")[0]["why"] == "RuntimeError: it cancelled itself"
    await one.close()


@pytest.mark.parametrize(
    ("fault", "says"),
    [(Refused("text is missing"), "text is missing"), (KeyError("x"), "quiet: quiet_find: KeyError: 'x'")],
)
async def test_a_tool_that_fails_is_an_answer(fault: Exception, says: str) -> None:
    async def run(arguments: Any, where: Conversation) -> str:
        raise fault

    one, _ = attendant(Quiet(), FakeClock())
    tool = ProviderTool("quiet_find", "finds", {"type": "object"}, run)
    assert await one.use(tool, {}, WHERE) == (False, "quiet cannot be asked now: it is not ready")
    one.begin()
    await until(lambda: one.well)
    assert await one.use(tool, {}, WHERE) == (False, says)
    assert one.well is isinstance(fault, Refused)
    await one.close()


def test_patience_is_cut_at_the_houses_ceilings() -> None:
    assert bounded(Patience(prefetch=600.0, block=1.0)).prefetch == 15.0
    assert bounded(Patience(prefetch=600.0, block=1.0)).block == 1.0


async def test_whoever_asks_while_it_starts_waits_for_that_once() -> None:
    clock, begun = FakeClock(), asyncio.Event()
    loop = asyncio.get_running_loop()

    class Slow(Quiet):
        async def start(self) -> None:
            loop.call_soon_threadsafe(begun.set)
            await asyncio.sleep(3600)

    one, notes = attendant(Slow(), clock, prefetch=4.0)
    one.begin()
    await begun.wait()
    asking = asyncio.ensure_future(one.recall(Question(WHERE, "Who are you?")))
    await clock.advance(3.9)
    assert not asking.done()
    await clock.advance(0.2)
    assert await asking == ""
    assert not one.promising
    assert notes.named("provider.fault") == []
    await one.close()


async def test_the_first_question_finds_one_that_starts_in_time() -> None:
    begun = threading.Event()

    class Brisk(Quiet):
        async def start(self) -> None:
            await asyncio.to_thread(begun.wait)

        async def prefetch(self, question: Question) -> str:
            return "something"

    one, _ = attendant(Brisk(), FakeClock())
    one.begin()
    asking = asyncio.ensure_future(one.recall(Question(WHERE, "Who are you?")))
    await settle()
    assert not asking.done()
    begun.set()
    assert await asking == "something"
    await one.close()


@pytest.mark.parametrize(
    ("name", "parameters", "says"),
    [
        ("find", {"type": "object"}, "'find' is no tool named quiet_…"),
        ("quiet_find", {"type": "string"}, "is not that of an object"),
        ("quiet_find", {"type": "object", "default": object()}, "the schema of quiet_find is none: TypeError"),
        ("quiet_find", {"type": "object", "default": float("nan")}, "the schema of quiet_find is none: ValueError"),
        ("quiet_find", {"type": "object", "properties": ["x"]}, "is not that of an object"),
        ("quiet_find", {"type": "object", "required": "x"}, "is not that of an object"),
        ("quiet_find it", {"type": "object"}, "'quiet_find it' is no tool"),
        (f"quiet_{'x' * 60}", {"type": "object"}, "is no tool named quiet_…"),
        (None, {"type": "object"}, "None is no tool named quiet_…"),
    ],
)
def test_tools_that_are_none_are_left_out_with_the_reason(name: str, parameters: dict[str, Any], says: str) -> None:
    async def run(arguments: Any, where: Conversation) -> str:
        return ""

    class Handy(Quiet):
        def tools(self) -> tuple[ProviderTool, ...]:
            return (ProviderTool(name, "finds", parameters, run),)

    tools, why = tools_of(Handy())
    assert tools == ()
    assert says in why


def test_two_tools_of_one_name_are_none() -> None:
    async def run(arguments: Any, where: Conversation) -> str:
        return ""

    class Handy(Quiet):
        def tools(self) -> tuple[ProviderTool, ...]:
            return (ProviderTool("quiet_find", "finds", {"type": "object"}, run),) * 2

    assert tools_of(Handy()) == ((), "two of its tools have one name")


def test_what_no_terminal_should_obey_is_taken_out_of_an_answer() -> None:
    answer = "\x1b[2J\x9b1m Tea,\ta pot.\r\n\ud83dGood \x00night 🍵 "
    assert checked(answer) == "[2J1m Tea,\ta pot.\nGood night 🍵"


class Hasty(Quiet):
    """Its recall fails until it is told to go well; handing over goes well."""

    def __init__(self) -> None:
        super().__init__()
        self.fails = True

    async def prefetch(self, question: Question) -> str:
        if self.fails:
            raise Unreachable("\x1b[2Jnobody\nis there")
        return "something"


async def test_questions_that_fail_together_are_one_fault_for_the_pause() -> None:
    clock = FakeClock()
    one, notes = attendant(Hasty(), clock)
    one.begin()
    await until(lambda: one.well)
    said = await asyncio.gather(*(one.recall(Question(WHERE, f"Who is {number}?")) for number in range(20)))
    assert set(said) == {""}
    assert one.standing.pause == FIRST_PAUSE
    assert {(each["why"], each["pause"]) for each in notes.named("provider.fault")} == {("?[2Jnobody is there", 30.0)}
    await one.close()


async def test_what_goes_well_beside_a_recall_that_fails_shortens_no_pause() -> None:
    clock, provider = FakeClock(), Hasty()
    one, _ = attendant(provider, clock)

    async def step() -> None:
        return

    one.begin()
    for number in range(3):
        await until(lambda: one.well)
        one.hand_over(Errand("sync", step))
        await until(lambda want=number: one.standing.kept == want + 1)  # type: ignore[misc]
        assert await one.recall(Question(WHERE, "Who are you?")) == ""
        assert one.standing.pause == FIRST_PAUSE * 2**number
        await clock.advance(one.standing.pause)
    await until(lambda: one.well)
    provider.fails = False
    assert await one.recall(Question(WHERE, "Who are you?")) == "something"
    assert one.standing.pause == 0
    await one.close()


async def test_it_may_let_go_of_everything_also_when_handing_over_was_cut_off() -> None:
    clock, closed, held = FakeClock(), asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    class Careful(Quiet):
        async def close(self) -> None:
            loop.call_soon_threadsafe(closed.set)

    async def step() -> None:
        loop.call_soon_threadsafe(held.set)
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0.05)  # as clients close their connections

    one, _ = attendant(Careful(), clock, sync=100.0)
    one.begin()
    await until(lambda: one.well)
    one.hand_over(Errand("sync", step))
    await held.wait()
    closing = asyncio.ensure_future(one.close())
    await clock.advance(5.1)
    await closing
    assert closed.is_set()
