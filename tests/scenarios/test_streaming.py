"""What a chat shows while an answer is written, and what it shows at the end: exactly the full text, once."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gateway.config.sections import Gateway
from platforms.adapter import Capabilities
from platforms.chunking import join
from platforms.errors import NotSent, Refused, RetryAfter
from platforms.in_process import Fault, InProcess
from platforms.messages import Outbound
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.scripted_model import Script, Turn
from tests.scenarios.props import counter, later, until

LONG = "".join(f"Line {number} of a long answer that goes on.\n" for number in range(230)).strip()
PLAIN = Capabilities(limit=4096, unit="utf16", edit_seconds=0.0)


async def stored(house: Guesthouse) -> list[str]:
    session = await house.store.sessions.current("inprocess:c1")
    assert session is not None
    return [each.row.content for each in await house.store.turns.messages(session.id) if each.row.role == "assistant"]


def pieces(text: str, gate: asyncio.Event | None = None) -> list[str | asyncio.Event]:
    half = len(text) // 2
    cut: list[str | asyncio.Event] = [text[start : start + 500] for start in range(0, half, 500)]
    cut[-1] = str(cut[-1])[: half - 500 * (len(cut) - 1)]
    return [*cut, *([gate] if gate else []), text[half:]]


async def over(house: Guesthouse, count: int = 1) -> None:
    await house.adapter.until(lambda: len(house.adapter.summaries()) >= count)


async def test_text_then_a_tool_then_a_long_text(tmp_path: Path) -> None:
    gate = asyncio.Event()
    script: Script = [Turn("First I count.", calls=[("count", {"word": "a"})]), Turn(pieces(LONG, gate))]
    async with guesthouse(tmp_path, script, tools=[counter([])]) as house:
        await house.adapter.say("tell me everything")
        await house.adapter.until_text("Line 100")
        gate.set()
        await over(house)
        assert len(LONG) > 9000
        assert join(house.adapter.texts()) == f"First I count.\n\n{LONG}"
        assert await stored(house) == ["First I count.", LONG]


@pytest.mark.parametrize("faults", [1, 2, 5])
async def test_edits_that_fail(tmp_path: Path, faults: int) -> None:
    clock, gate = FakeClock(), asyncio.Event()
    async with guesthouse(tmp_path, [Turn(pieces(LONG, gate))], clock=clock) as house:
        await house.adapter.say("tell me everything")
        await house.adapter.until_text("Line 0")
        for _ in range(faults):
            house.adapter.fail_next(edit=NotSent("no route"))
        gate.set()
        await over(house)
        await later(clock, lambda: join(house.adapter.texts()) == LONG)
        assert await stored(house) == [LONG]


@pytest.mark.parametrize("nonces", [0.0, 120.0])
async def test_a_last_edit_that_is_refused_sends_the_text_anew(tmp_path: Path, nonces: float) -> None:
    gate = asyncio.Event()
    adapter = InProcess(capabilities=Capabilities(limit=4096, edit_seconds=0.0, nonce_seconds=nonces))
    async with guesthouse(tmp_path, [Turn(["Once upon", gate, " a time."])], adapter=adapter) as house:
        await house.adapter.say("a story")
        seen = await house.adapter.until_text("Once upon")
        house.adapter.remove("c1", seen.message_id)
        gate.set()
        await over(house)
        assert house.adapter.texts() == ["Once upon a time."]


async def test_the_first_of_several_messages_is_deleted_while_they_are_written(tmp_path: Path) -> None:
    """The text must still read in order: what stood behind the deleted part moves behind it again."""
    gate = asyncio.Event()
    async with guesthouse(tmp_path, [Turn(pieces(LONG, gate))]) as house:
        await house.adapter.say("tell me everything")
        await house.adapter.until(lambda: len(house.adapter.texts()) == 2)
        house.adapter.remove("c1", house.adapter.transcript()[0].message_id)
        gate.set()
        await over(house)
        assert join(house.adapter.texts()) == LONG


async def test_a_deleted_message_and_a_send_of_unknown_end(tmp_path: Path) -> None:
    """The edit is refused, the new message arrives, and its confirmation is lost: it is not sent a second time."""
    gate = asyncio.Event()
    async with guesthouse(tmp_path, [Turn(["Once upon", gate, " a time."])]) as house:
        await house.adapter.say("a story")
        seen = await house.adapter.until_text("Once upon")
        house.adapter.remove("c1", seen.message_id)
        house.adapter.fail_next(send=Fault.LOST_ANSWER)
        gate.set()
        await house.adapter.until_text("may not have arrived")
        assert house.adapter.texts().count("Once upon a time.") == 1


class Counting(InProcess):
    """Counts the calls on the wire."""

    calls: list[str]

    async def send(self, message: Outbound) -> str:
        self.calls.append("send")
        return await super().send(message)

    async def edit(self, message_id: str, message: Outbound) -> None:
        self.calls.append("edit")
        await super().edit(message_id, message)


def counting(clock: FakeClock, capabilities: Capabilities = PLAIN) -> Counting:
    adapter = Counting(now=clock.now, capabilities=capabilities)
    adapter.calls = []
    return adapter


async def test_flood_control_on_an_edit_silences_the_preview(tmp_path: Path) -> None:
    clock, gates = FakeClock(), [asyncio.Event() for _ in range(3)]
    adapter = counting(clock)
    script: Script = [Turn(["One, ", gates[0], "two, ", gates[1], "three, ", gates[2], "four."])]
    async with guesthouse(tmp_path, script, clock=clock, adapter=adapter) as house:
        await adapter.say("count")
        await adapter.until_text("One")
        adapter.fail_next(edit=RetryAfter(35))
        gates[0].set()
        await until(lambda: adapter.calls == ["send", "edit"])
        typed = adapter.typed()
        gates[1].set()
        for _ in range(30):
            await clock.advance(1)
        assert adapter.calls == ["send", "edit"]
        assert adapter.typed() == typed
        gates[2].set()
        await until(lambda: bool(house.model.active == 0))
        await clock.advance(3)
        assert adapter.calls == ["send", "edit"]
        await later(clock, lambda: adapter.texts() == ["One, two, three, four."])
        assert clock.monotonic() >= 35


async def test_flood_control_on_the_final_send(tmp_path: Path) -> None:
    clock = FakeClock()
    adapter = counting(clock)
    async with guesthouse(tmp_path, ["One.", "Two."], clock=clock, adapter=adapter) as house:
        adapter.fail_next(send=RetryAfter(149))
        await adapter.say("1")
        await until(lambda: len(adapter.calls) >= 1)
        await adapter.say("2")
        await until(lambda: len(house.model.requests) == 2)
        calls = list(adapter.calls)
        for _ in range(148):
            await clock.advance(1)
        assert adapter.calls == calls
        assert adapter.texts() == []
        await later(clock, lambda: adapter.texts()[:2] == ["One.", "Two."])


NO_EDITS = Capabilities(limit=100, unit="utf16", edits=False)
PARTS = "\n".join(f"{number} " + "x" * 80 for number in range(1, 5))


async def test_an_unknown_end_without_nonces(tmp_path: Path) -> None:
    """[1, 2, 3, 4] are all there once; the person is told that something may be missing."""
    adapter = InProcess(capabilities=NO_EDITS)
    async with guesthouse(tmp_path, [PARTS], adapter=adapter) as house:
        adapter.fail_next(send=RetryAfter(0))
        adapter.fail_next(send=Fault.LOST_ANSWER)
        await adapter.say("all")
        await adapter.until_text("may not have arrived")
        await over(house)
        assert [text[0] for text in adapter.texts()] == ["1", "2", "3", "4", "P"]
        before = len(adapter.texts())
        await adapter.say("/retry")
        await over(house, 2)
        assert [text[0] for text in adapter.texts()[before:]] == ["1", "2", "3", "4"]
        assert len(house.model.requests) == 1


@pytest.mark.parametrize("can", [{"nonce_seconds": 120.0}, {"finds": True}], ids=["nonces", "history"])
@pytest.mark.parametrize("fault", [Fault.LOST_ANSWER, NotSent("no route")], ids=["arrived", "did not arrive"])
async def test_an_unknown_end_that_can_be_cleared_up(tmp_path: Path, can: dict[str, float], fault: Fault) -> None:
    clock = FakeClock()
    able = Capabilities(limit=100, unit="utf16", edits=False, **can)  # type: ignore[arg-type]
    adapter = InProcess(capabilities=able, now=clock.now)
    async with guesthouse(tmp_path, [PARTS], adapter=adapter, clock=clock):
        adapter.fail_next(send=fault)
        await adapter.say("all")
        await later(clock, lambda: len(adapter.summaries()) == 1 and len(adapter.texts()) == 4)
        assert [text[0] for text in adapter.texts()] == ["1", "2", "3", "4"]


@pytest.mark.parametrize("can", [{}, {"nonce_seconds": 120.0}, {"finds": True}], ids=["plain", "nonces", "history"])
async def test_a_preview_of_unknown_end(tmp_path: Path, can: dict[str, float]) -> None:
    """The answer's first words may be there or not; the full answer is there once in any case."""
    clock, gate = FakeClock(), asyncio.Event()
    able = Capabilities(limit=4096, unit="utf16", edit_seconds=0.0, **can)  # type: ignore[arg-type]
    adapter = InProcess(capabilities=able, now=clock.now)
    async with guesthouse(tmp_path, [Turn(["Once upon", gate, " a time."])], adapter=adapter, clock=clock):
        adapter.fail_next(send=Fault.LOST_ANSWER)
        await adapter.say("a story")
        await later(clock, lambda: adapter.texts() == ["Once upon"])
        gate.set()
        await later(clock, lambda: len(adapter.summaries()) == 1)
        assert adapter.texts().count("Once upon a time.") == 1
        if can:
            assert adapter.texts() == ["Once upon a time."]


async def test_a_platform_without_edits_gets_the_answer_at_the_end(tmp_path: Path) -> None:
    gate = asyncio.Event()
    adapter = InProcess(capabilities=Capabilities(limit=4096, unit="utf16", edits=False))
    async with guesthouse(tmp_path, [Turn(["Once upon", gate, " a time."])], adapter=adapter) as house:
        await adapter.say("a story")
        await house.model.arrived(1)
        await adapter.until(lambda: adapter.typed() >= 1)
        assert adapter.texts() == []
        gate.set()
        await over(house)
        assert adapter.texts() == ["Once upon a time."]


async def test_a_chat_that_refuses_everything_does_not_stop_the_next_turn(tmp_path: Path) -> None:
    adapter = InProcess(capabilities=Capabilities(limit=4096, edits=False))
    async with guesthouse(tmp_path, ["One.", "Two."], adapter=adapter) as house:
        adapter.fail_next(send=Refused("blocked"))
        await house.adapter.say("1")
        await over(house)
        assert await house.adapter.reply_to("2") == "Two."


async def test_an_answer_that_grows_shorter(tmp_path: Path) -> None:
    """Two messages were streamed; then the person begins a new session: nothing of the preview is sent on."""
    gate = asyncio.Event()
    async with guesthouse(tmp_path, [Turn(pieces(LONG, gate)), "Hello."]) as house:
        await house.adapter.say("tell me everything")
        await house.adapter.until(lambda: len(house.adapter.texts()) == 2)
        await house.adapter.reply_to("/new")
        assert not any("Line" in text for text in house.adapter.texts())
        assert await house.adapter.reply_to("hi") == "Hello."


class Slow(InProcess):
    """A message arrives at once; that it did is told when the gate opens."""

    gate: asyncio.Event

    async def send(self, message: Outbound) -> str:
        sent = await super().send(message)
        await self.gate.wait()
        return sent


async def test_a_house_that_closes_sees_the_call_on_the_wire_to_its_end_and_makes_no_further_one(
    tmp_path: Path,
) -> None:
    adapter, never = Slow(capabilities=PLAIN), asyncio.Event()
    adapter.gate = asyncio.Event()
    no_wait = settings(gateway=Gateway(drain_seconds=0))
    async with guesthouse(tmp_path, [Turn([LONG, never])], adapter=adapter, with_settings=no_wait):
        await adapter.say("tell me everything")
        await adapter.until_text("Line 0")
        asyncio.get_running_loop().call_later(0.05, adapter.gate.set)
    with closing(sqlite3.connect(tmp_path / "state.db")) as db:
        assert db.execute("SELECT state FROM outbox").fetchall() == [("preview",)]
    assert len(adapter.texts()) == 1


async def test_a_code_fence_that_is_cut_stays_code_on_both_sides(tmp_path: Path) -> None:
    code = "```python\n" + "\n".join(f"print({number})" for number in range(500)) + "\n```"
    async with guesthouse(tmp_path, [Turn(pieces(code))]) as house:
        await house.adapter.say("code")
        await over(house)
        assert len(house.adapter.texts()) > 1
        assert all(text.count("```") == 2 for text in house.adapter.texts())
        assert join(house.adapter.texts()) == code
        assert await stored(house) == [code]
        await house.adapter.say("/retry")
        await over(house, 2)
        parts = house.adapter.texts()
        assert join(parts[len(parts) // 2 :]) == code
