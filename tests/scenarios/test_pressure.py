"""A platform that asks to be left alone is left alone, and the answer comes when it may; what nobody needs is dropped
first."""

from __future__ import annotations

import asyncio
import re
from itertools import pairwise
from pathlib import Path

import pytest

from gateway.engine.outgoing.lane import Lane
from gateway.models.client import ReadingProgress
from gateway.models.errors import HostDown
from platforms.adapter import Capabilities
from platforms.errors import DeliveryError, NotSent, RetryAfter, Uncertain
from platforms.in_process import InProcess
from platforms.messages import ChatKind, ChatRef, Outbound
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import guesthouse
from tests.fakes.scripted_model import Script, Turn
from tests.scenarios.props import later, until

NETWORK = Capabilities(limit=4096, unit="utf16", edit_seconds=1.0, group_edit_seconds=3.0)


class Busy(InProcess):
    """Notes each call with its moment; signs fail when told to."""

    def __init__(self, clock: FakeClock, capabilities: Capabilities = NETWORK) -> None:
        super().__init__(now=clock.now, capabilities=capabilities)
        self._clock = clock
        self.calls: list[tuple[str, float]] = []
        self.signs: list[DeliveryError] = []

    def _call(self, name: str) -> None:
        self.calls.append((name, self._clock.monotonic()))

    def named(self, name: str) -> list[float]:
        return [at for each, at in self.calls if each == name]

    async def send(self, message: Outbound) -> str:
        self._call("send")
        return await super().send(message)

    async def edit(self, message_id: str, message: Outbound) -> None:
        self._call("edit")
        await super().edit(message_id, message)

    async def typing(self, chat: ChatRef) -> None:
        self._call("typing")
        if self.signs:
            raise self.signs.pop(0)
        await super().typing(chat)

    async def progress(self, chat: ChatRef, text: str) -> None:
        self._call("progress")
        await super().progress(chat, text)


async def stream(gates: list[asyncio.Event], clock: FakeClock, seconds: float = 1.0) -> None:
    """The model says the next word."""
    gates.pop(0).set()
    await clock.advance(seconds)
    await asyncio.sleep(0.01)


def words(count: int) -> tuple[Script, list[asyncio.Event], str]:
    """A model that says so many words, each when its gate opens."""
    gates = [asyncio.Event() for _ in range(count)]
    pieces = [piece for number, gate in enumerate(gates) for piece in (f"word {number} ", gate)]
    return [Turn([*pieces, "end."])], gates, "".join(f"word {number} " for number in range(count)) + "end."


async def test_no_call_at_all_until_the_wait_is_over_then_the_whole_text_once(tmp_path: Path) -> None:
    """35 seconds on the fourth edit, 149 on the final text."""
    clock = FakeClock()
    adapter = Busy(clock)
    script, gates, whole = words(12)
    async with guesthouse(tmp_path, script, clock=clock, adapter=adapter) as house:
        await adapter.say("count")
        await later(clock, lambda: bool(adapter.texts()))
        while len(adapter.named("edit")) < 3:
            await stream(gates, clock)
        adapter.fail_next(edit=RetryAfter(35))
        while len(adapter.named("edit")) < 4:
            await stream(gates, clock)
        calls, began = list(adapter.calls), adapter.named("edit")[-1]
        await adapter.say("/status")  # asked for meanwhile: answered when the platform allows
        while clock.monotonic() - began < 33:
            await stream(gates, clock) if gates else await clock.advance(1)
        assert adapter.calls == calls
        adapter.fail_next(edit=RetryAfter(149))
        while gates:
            await stream(gates, clock)
        await until(lambda: bool(house.model.active == 0))
        await later(clock, lambda: len(adapter.named("edit")) == 5, step=1.0)
        again, calls = adapter.named("edit")[-1], list(adapter.calls)
        assert again - began >= 35
        while clock.monotonic() - again < 147:
            await clock.advance(1)
        assert [each for each in adapter.calls if each not in calls and each[0] != "send"] == []
        await later(clock, lambda: whole in adapter.texts(), step=1.0)
        assert adapter.texts().count(whole) == 1
        assert adapter.named("edit")[-1] - again >= 149


async def test_a_long_wait_is_explained_once_and_a_short_one_is_not(tmp_path: Path) -> None:
    clock = FakeClock()
    adapter = Busy(clock)
    async with guesthouse(tmp_path, lambda request: "Good day.", clock=clock, adapter=adapter):
        for wait, texts in ((20, ["Good day."]), (149, ["Good day.", "Good day."])):
            adapter.fail_next(send=RetryAfter(wait))
            await adapter.say("hello")
            await later(clock, lambda texts=texts: adapter.texts()[: len(texts)] == texts, 2.0)  # type: ignore[misc]
        await later(clock, lambda: len(adapter.texts()) == 3)
        # The clock is moved in steps, and the house may come to the next try a step later.
        words = r"⏳ Inprocess made me wait 2 min [2-5]\d s before I could write here again\."
        assert re.fullmatch(words, adapter.texts()[-1])
        await adapter.say("hello")
        await later(clock, lambda: len(adapter.texts()) == 4)
        assert adapter.texts()[-1] == "Good day."


async def test_a_sign_that_is_told_to_wait_holds_the_next_ones_back(tmp_path: Path) -> None:
    clock, gate = FakeClock(), asyncio.Event()
    adapter = Busy(clock)
    adapter.signs = [RetryAfter(60)]
    async with guesthouse(tmp_path, [Turn([gate, "Good day."])], clock=clock, adapter=adapter) as house:
        await adapter.say("hello")
        await house.model.arrived(1)
        await later(clock, lambda: bool(adapter.calls))
        for _ in range(55):
            await clock.advance(1)
        assert adapter.calls == [("typing", adapter.calls[0][1])]
        gate.set()
        await later(clock, lambda: adapter.texts() == ["Good day."])
        assert adapter.named("send")[0] - adapter.calls[0][1] >= 60


@pytest.mark.parametrize("fails", [False, True], ids=["answered", "failed"])
async def test_typing_ends_with_the_work(tmp_path: Path, fails: bool) -> None:
    clock, gate = FakeClock(), asyncio.Event()
    adapter = Busy(clock)
    end: Turn = Turn([gate], error=HostDown("gone")) if fails else Turn([gate, "Good day."])
    async with guesthouse(tmp_path, [end], clock=clock, adapter=adapter) as house:
        await adapter.say("hello")
        await house.model.arrived(1)
        await later(clock, lambda: adapter.typed() >= 2)
        gate.set()
        await later(clock, lambda: len(adapter.summaries()) == 1, step=0.1)
        typed, answered = adapter.typed(), adapter.named("send")[0]
        await clock.advance(60)
        assert adapter.typed() == typed
        assert max(adapter.named("typing")) <= answered


async def test_what_changes_before_everybodys_eyes_needs_no_sign(tmp_path: Path) -> None:
    clock = FakeClock()
    adapter = Busy(clock)
    script, gates, _ = words(12)
    async with guesthouse(tmp_path, script, clock=clock, adapter=adapter):
        await adapter.say("count")
        await later(clock, lambda: bool(adapter.texts()))
        typed = adapter.typed()
        while len(gates) > 1:
            await stream(gates, clock, 1.5)
        assert len(adapter.named("edit")) >= 8
        assert adapter.typed() == typed
        await clock.advance(10)  # it thinks
        assert adapter.typed() > typed
        gates[0].set()


async def test_a_stream_slows_down_under_pressure_and_in_rooms(tmp_path: Path) -> None:
    clock = FakeClock()
    gaps = {}
    for place in ("alone", "room", "pressed"):
        adapter = Busy(clock)
        script, gates, _ = words(25)
        async with guesthouse(tmp_path / place, script, clock=clock, adapter=adapter) as house:
            kind = ChatKind.GROUP if place == "room" else ChatKind.DIRECT
            if place == "pressed":
                house.house.delivery.hush(ChatRef("inprocess", "c1"), 0.1)
                house.house.delivery.hush(ChatRef("inprocess", "c1"), 0.1)
            await adapter.say("count", kind=kind)
            await later(clock, lambda adapter=adapter: bool(adapter.texts()))  # type: ignore[misc]
            while len(gates) > 1:
                await stream(gates, clock, 0.5)
            gates[0].set()
            edits = adapter.named("edit")
            gaps[place] = min(later - sooner for sooner, later in pairwise(edits))
    assert gaps["alone"] == pytest.approx(1.0, abs=0.6)
    # Differences of a clock's readings are a hair more or less than what was waited.
    assert round(gaps["room"], 6) >= 3.0
    assert round(gaps["pressed"], 6) >= 4.0


@pytest.mark.parametrize("fault", [NotSent("no route"), Uncertain("no answer")], ids=["unsent", "uncertain"])
async def test_an_edit_that_fails_once_does_not_freeze_the_stream(tmp_path: Path, fault: DeliveryError) -> None:
    clock = FakeClock()
    adapter = Busy(clock)
    script, gates, whole = words(8)
    async with guesthouse(tmp_path, script, clock=clock, adapter=adapter):
        await adapter.say("count")
        await later(clock, lambda: bool(adapter.texts()))
        adapter.fail_next(edit=fault)
        await stream(gates, clock, 2)
        while len(gates) > 1:
            await stream(gates, clock, 2)
        assert "word 4" in adapter.texts()[0]
        gates[0].set()
        await later(clock, lambda: adapter.texts() == [whole])


async def test_passing_lines_keep_the_pace(tmp_path: Path) -> None:
    clock = FakeClock()
    adapter, gate = Busy(clock), asyncio.Event()
    turn = Turn([gate, "Good day."], before=[ReadingProgress(number, 100) for number in range(100)])
    async with guesthouse(tmp_path, [turn], clock=clock, adapter=adapter) as house:
        await adapter.say("hello")
        await house.model.arrived(1)
        await later(clock, lambda: len(adapter.named("progress")) > 0)
        assert len(adapter.named("progress")) == 1
        gate.set()
        await later(clock, lambda: adapter.texts() == ["Good day."])
        assert len(adapter.named("progress")) <= 2


async def test_a_wake_does_not_end_a_wait_that_the_platform_asked_for() -> None:
    clock = FakeClock()
    lane = Lane(clock)
    lane.hush(10)
    resting = asyncio.ensure_future(lane.rest(1.0, lambda: False))
    await clock.advance(5)
    lane.wake.set()
    await clock.advance(4)
    assert not resting.done()
    assert lane.resting
    await clock.advance(1)
    assert resting.done()
    assert lane.held == 10


async def test_a_part_that_never_left_is_tried_again_and_no_doubt_is_said(tmp_path: Path) -> None:
    clock = FakeClock()
    adapter = InProcess(now=clock.now, capabilities=Capabilities(limit=100, edits=False))
    parts = "\n".join(f"{number} " + "x" * 80 for number in range(1, 5))
    async with guesthouse(tmp_path, [parts], clock=clock, adapter=adapter):
        adapter.fail_next(send=RetryAfter(0))
        for _ in range(3):
            adapter.fail_next(send=NotSent("the connection was not made in time"))
        await adapter.say("all")
        await later(clock, lambda: len(adapter.summaries()) == 1 and len(adapter.texts()) == 4)
        assert [text[0] for text in adapter.texts()] == ["1", "2", "3", "4"]
