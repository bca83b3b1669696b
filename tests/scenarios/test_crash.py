"""After a crash: what a dead process left in the store is taken up, valid, in order, and once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from gateway.state.records import InboxItem, PartDraft, Row, Session, Turn
from gateway.state.store import SqliteStore
from gateway.transcript import ToolCall
from platforms.in_process import Fault, InProcess
from platforms.messages import ChatRef, Outbound
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse
from tests.fakes.scripted_model import Script
from tests.fakes.scripted_model import Turn as Says
from tests.scenarios.props import CHAT, START, counter, event, gateway, held, later

CALL = ToolCall("call-1", "count", '{"word": "a"}')
CALLED = Row("assistant", "I count.", tool_calls=(CALL,))
RESULT = Row("tool", "counted a", tool_call_id="call-1")


async def open_session(store: SqliteStore, chat: ChatRef = CHAT) -> Session:
    tools = (
        '[{"description":"Counts a word.","name":"count","parameters":{"properties":{"word":{"type":"string"}},'
        '"required":["word"],"type":"object"}}]'
    )
    session = Session("20270115-0a0b0c0d", chat.key, chat, "The prompt.", tools, None, 0, False, START, START)
    return await store.sessions.open(session)


async def left_behind(folder: Path, rows: Sequence[Row], text: str = "count a") -> tuple[InboxItem, Turn]:
    """The store of a process that died in a turn after these rows."""
    store = await SqliteStore.open(folder / "state.db")
    session = await open_session(store)
    item = await store.inbox.accept(event(text, "x1"), CHAT.key, START)
    assert item is not None
    turn = await store.turns.begin(session.id, CHAT, [item.id], [Row("user", text)], START)
    if rows:
        await store.turns.add(turn, rows, START)
    await store.close()
    return item, turn


def answered(house: Guesthouse) -> set[str]:
    """The events of which the platform heard that they are over."""
    return {each for summary in house.adapter.summaries() for each in summary.event_ids}


@pytest.mark.parametrize(
    ("rows", "roles"),
    [
        ((), ["system", "user"]),
        ((CALLED,), ["system", "user", "assistant", "tool"]),
        ((CALLED, RESULT), ["system", "user", "assistant", "tool"]),
    ],
    ids=["user row", "tool call row", "tool result row"],
)
async def test_a_turn_goes_on_from_its_rows(tmp_path: Path, rows: tuple[Row, ...], roles: list[str]) -> None:
    await left_behind(tmp_path, rows)
    counted: list[str] = []
    async with guesthouse(tmp_path, ["Done.", "Still here."], tools=[counter(counted)]) as house:
        await house.adapter.until_text("Done.")
        assert [each.role for each in house.model.requests[0].messages] == roles
        if rows == (CALLED,):
            assert "interrupted" in house.model.requests[0].messages[3].content
        assert counted == []
        await house.adapter.until(lambda: len(house.adapter.summaries()) == 1)
        assert house.adapter.summaries()[0].event_ids == ("x1",)
        assert house.adapter.texts() == ["I count.\n\nDone." if rows else "Done."]
        await house.adapter.reply_to("continue")
        assert [each.role for each in house.model.requests[1].messages] == [*roles, "assistant", "user"]
        assert [each.content for each in house.model.requests[1].messages].count("count a") == 1
    async with guesthouse(tmp_path, []) as house:
        await house.adapter.reply_to("/status")
        assert house.model.requests == []
        assert len(house.adapter.texts()) == 1


async def test_a_stored_reply_is_sent_and_the_model_is_not_asked_again(tmp_path: Path) -> None:
    _, turn = await left_behind(tmp_path, ())
    store = await SqliteStore.open(tmp_path / "state.db")
    rows, parts = [Row("assistant", "Done.")], [PartDraft("Done.")]
    await store.turns.finish(turn, "answered", START, rows=rows, parts=parts)
    await store.close()
    async with guesthouse(tmp_path, [], clock=FakeClock(START + 5)) as house:
        await house.adapter.until_text("Done.")
        assert house.model.requests == []
    async with guesthouse(tmp_path, [], clock=FakeClock(START + 9)) as house:
        assert await house.adapter.reply_to("/status") == "**state**: fine"
        assert len(house.adapter.texts()) == 1


async def test_a_streamed_message_is_edited_by_the_second_run(tmp_path: Path) -> None:
    _, turn = await left_behind(tmp_path, ())
    store = await SqliteStore.open(tmp_path / "state.db")
    part = await store.outbox.preview(CHAT, f"turn:{turn.id}", 0, PartDraft("Onc"), START)
    await store.outbox.mark(part.id, "preview", START, remote_id="m1")
    await store.close()
    adapter = InProcess()
    assert await adapter.send(Outbound(CHAT, "Onc")) == "m1"
    async with guesthouse(tmp_path, ["Once upon a time."], adapter=adapter) as house:
        await house.adapter.until_text("Once upon a time.")
        await house.adapter.until(lambda: len(house.adapter.summaries()) == 1)
        assert house.adapter.texts() == ["Once upon a time."]


async def test_a_resumed_turn_and_a_new_message_never_run_together(tmp_path: Path) -> None:
    await left_behind(tmp_path, ())
    for mode in ("queue", "interrupt", "steer"):
        folder = tmp_path / mode
        await left_behind(folder, ())
        counted: list[str] = []
        script: Script = [
            Says(calls=[("count", {"word": word})]) if word else "Ready." for word in ("a", "", "b", "")
        ]
        tools = [counter(counted)]
        async with guesthouse(folder, script, tools=tools, with_settings=gateway(busy=mode)) as house:
            asked = await house.adapter.say("count b")
            done = {"x1", asked.event_id}.issubset
            await house.adapter.until(lambda done=done: done(answered(house)))  # type: ignore[misc]
            assert house.model.most_active == 1, mode
            assert len(counted) == len(set(counted)), mode
            assert await house.store.turns.running() == [], mode


async def test_two_turns_left_behind_in_two_chats(tmp_path: Path) -> None:
    await left_behind(tmp_path, ())
    store = await SqliteStore.open(tmp_path / "state.db")
    other = ChatRef("inprocess", "c2")
    session = Session("20270115-ffffffff", other.key, other, "The prompt.", "[]", None, 0, False, START, START)
    await store.sessions.open(session)
    item = await store.inbox.accept(event("hello", "x2", other), other.key, START)
    assert item is not None
    await store.turns.begin(session.id, other, [item.id], [Row("user", "hello")], START)
    await store.close()
    async with guesthouse(tmp_path, lambda request: f"To {request.messages[-1].content}.") as house:
        await house.adapter.until_text("To count a.")
        await house.adapter.until_text("To hello.", "c2")


async def test_a_turn_of_a_closed_session_is_not_resumed(tmp_path: Path) -> None:
    _, turn = await left_behind(tmp_path, ())
    store = await SqliteStore.open(tmp_path / "state.db")
    await store.sessions.close(turn.session_id, "new", START)
    await store.close()
    async with guesthouse(tmp_path, []) as house:
        await house.adapter.reply_to("/status")
        assert house.model.requests == []


async def test_what_kills_the_process_each_time_is_given_up(tmp_path: Path) -> None:
    """A turn that ten processes died of is put aside by the eleventh, and the person is told."""
    _, turn = await left_behind(tmp_path, ())
    store = await SqliteStore.open(tmp_path / "state.db")
    for _ in range(10):
        turn = await store.turns.take_over(turn)
    await store.close()
    clock = FakeClock(START + 60)
    async with guesthouse(tmp_path, ["Hello!"], clock=clock) as house:
        await later(clock, lambda: any("put aside" in text for text in house.adapter.texts()))
        assert await house.adapter.reply_to("hello") == "Hello!"


async def test_a_turn_that_ends_within_the_drain_is_answered_before_the_end(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with guesthouse(tmp_path, [Says(["One", gate, "."])]) as house:
        await house.adapter.say("1")
        await house.adapter.until_text("One")
        stopping = asyncio.ensure_future(house.engine.stop())
        await asyncio.sleep(0)
        gate.set()
        await stopping
        assert house.adapter.texts() == ["One."]
        assert house.adapter.summaries()[0].reply == "One."


async def test_a_turn_that_outlasts_the_drain_is_resumed(tmp_path: Path) -> None:
    gate = asyncio.Event()
    script: Script = [Says(["One", gate, "."])]
    async with guesthouse(tmp_path, script, with_settings=gateway(drain_seconds=0)) as house:
        await house.adapter.say("1")
        await house.adapter.until_text("One")
        adapter = house.adapter
    async with guesthouse(tmp_path, ["One, again."], adapter=adapter) as house:
        await house.adapter.until(lambda: len(house.adapter.summaries()) == 1)
        assert house.adapter.texts() == ["One, again."]
    async with guesthouse(tmp_path, []) as house:
        await house.adapter.reply_to("/status")
        assert house.model.requests == []


async def test_nothing_new_begins_during_the_drain(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with guesthouse(tmp_path, [Says(["One", gate, "."])]) as house:
        sink = house.engine.reception
        await house.adapter.say("1")
        await house.adapter.until_text("One")
        stopping = asyncio.ensure_future(house.engine.stop())
        await asyncio.sleep(0.01)
        await sink(event("two", "x2"))
        await sink(event("/new", "x3"))
        await sink(event("other chat", "x4", ChatRef("inprocess", "c2")))
        gate.set()
        await stopping
        assert len(house.model.requests) == 1
    async with guesthouse(tmp_path, lambda request: "Now.") as house:
        await house.adapter.until_text("Now.")
        await house.adapter.until_text("Now.", "c2")


async def test_a_hung_platform_does_not_keep_the_house_open(tmp_path: Path) -> None:
    clock, states = FakeClock(), list[str]()
    async with guesthouse(tmp_path, ["One."], clock=clock) as house:
        house.adapter.fail_next(send=Fault.HANG)
        await house.adapter.say("1")
        async with asyncio.timeout(30):
            while not states:
                states = [
                    each.state for each in await house.store.outbox.of_source("turn:1") if each.state == "sending"
                ]
        stopping: asyncio.Future[object] = asyncio.ensure_future(house.engine.stop())
        await clock.advance_until(stopping, limit=60)
        states = [each.state for each in await house.store.outbox.of_source("turn:1")]
    assert states == ["sending"]


async def test_a_turn_stopped_in_the_middle_of_a_tool_by_the_end_of_the_process(tmp_path: Path) -> None:
    """Cut off by SIGTERM while a tool runs: the tool is not called again."""
    started, gate, counted = asyncio.Event(), asyncio.Event(), list[str]()
    script: Script = [Says(calls=[("count", {"word": "a"})])]
    rules = gateway(drain_seconds=0)
    async with guesthouse(tmp_path, script, tools=[held(started, gate)], with_settings=rules) as house:
        await house.adapter.say("count a")
        await started.wait()
    async with guesthouse(tmp_path, ["It was interrupted."], tools=[counter(counted)]) as house:
        await house.adapter.until_text("It was interrupted.")
        assert counted == []
        assert "interrupted" in house.model.requests[0].messages[-1].content
