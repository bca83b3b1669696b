"""The platform in memory misbehaves on request, and its helpers wait for what they are told to wait for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from platforms.adapter import Capabilities
from platforms.errors import RetryAfter, Uncertain
from platforms.in_process import Fault, InProcess
from platforms.messages import Button, ChatRef, Inbound, Outbound, TurnSummary

C1 = ChatRef("inprocess", "c1")


class Echo:
    """Answers every message with itself, in a task of its own."""

    def __init__(self, adapter: InProcess) -> None:
        self._adapter = adapter
        self._tasks: set[asyncio.Task[None]] = set()

    async def __call__(self, event: Inbound) -> None:
        self._tasks.add(asyncio.create_task(self._answer(event)))

    async def _answer(self, event: Inbound) -> None:
        message_id = await self._adapter.send(Outbound(event.chat, "..."))
        await self._adapter.edit(message_id, Outbound(event.chat, f"echo: {event.text}"))
        await self._adapter.finished(event.chat, TurnSummary((event.event_id,), "s1", f"echo: {event.text}"))


@pytest.fixture
async def adapter() -> AsyncIterator[InProcess]:
    time = [1000.0]
    adapter = InProcess(
        capabilities=Capabilities(limit=4096, unit="utf16", nonce_seconds=120, finds=True), now=lambda: time[0]
    )
    adapter.time = time  # type: ignore[attr-defined]
    running = asyncio.create_task(adapter.run(Echo(adapter)))
    yield adapter
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_conversation_reads_as_it_does_at_the_end(adapter: InProcess) -> None:
    assert await adapter.reply_to("hello") == "echo: hello"
    assert await adapter.reply_to("again") == "echo: again"
    assert adapter.texts() == ["echo: hello", "echo: again"]
    assert [seen.edits for seen in adapter.transcript()] == [1, 1]


async def test_chats_are_apart(adapter: InProcess) -> None:
    await adapter.reply_to("here", chat="c1")
    await adapter.reply_to("there", chat=ChatRef("inprocess", "c2", "topic-7"), sender="bob")
    assert adapter.texts("c1") == ["echo: here"]
    assert adapter.texts("c2") == []
    assert adapter.texts(ChatRef("inprocess", "c2", "topic-7")) == ["echo: there"]


async def test_an_event_can_be_delivered_again(adapter: InProcess) -> None:
    event = await adapter.say("hello", event_id="e-7")
    await adapter.redeliver()
    assert [heard.event_id for heard in adapter.heard] == ["e-7", "e-7"]
    assert event.units == 5


async def test_a_refusal_to_send_leaves_nothing_behind(adapter: InProcess) -> None:
    adapter.fail_next(send=RetryAfter(35))
    with pytest.raises(RetryAfter) as refusal:
        await adapter.send(Outbound(C1, "hello"))
    assert refusal.value.seconds == 35
    assert adapter.texts() == []
    await adapter.send(Outbound(C1, "hello"))
    assert adapter.texts() == ["hello"]


async def test_a_lost_answer_leaves_the_message_there_to_be_found(adapter: InProcess) -> None:
    adapter.fail_next(send=Fault.LOST_ANSWER)
    with pytest.raises(Uncertain):
        await adapter.send(Outbound(C1, "hello", nonce="n1"))
    assert adapter.texts() == ["hello"]
    assert await adapter.find(C1, "n1") == adapter.transcript()[0].message_id


async def test_hanging_sends_are_told_apart(adapter: InProcess) -> None:
    for fault, shown in ((Fault.HANG, []), (Fault.ACCEPT_AND_HANG, ["hello"])):
        adapter.fail_next(send=fault)
        sending = asyncio.create_task(adapter.send(Outbound(C1, "hello")))
        for _ in range(5):
            await asyncio.sleep(0)
        assert not sending.done()
        assert adapter.texts() == shown
        sending.cancel()


async def test_a_nonce_holds_for_its_time_and_no_longer(adapter: InProcess) -> None:
    time: list[float] = adapter.time  # type: ignore[attr-defined]
    first = await adapter.send(Outbound(C1, "part", nonce="n1"))
    time[0] += 119
    assert await adapter.send(Outbound(C1, "part", nonce="n1")) == first
    time[0] += 2
    assert await adapter.send(Outbound(C1, "part", nonce="n1")) != first
    assert adapter.texts() == ["part", "part"]


async def test_the_newest_button_with_a_label_is_pressed(adapter: InProcess) -> None:
    for action in ("/memory undo 1", "/memory undo 2"):
        await adapter.send(Outbound(C1, "saved", ((Button("Undo", action),),)))
    event = await adapter.press("c1", "Undo")
    assert (event.text, event.pressed) == ("/memory undo 2", True)
    with pytest.raises(LookupError, match="no button 'Redo'"):
        await adapter.press("c1", "Redo")


async def test_waiting_in_vain_shows_what_the_chats_read(adapter: InProcess) -> None:
    await adapter.send(Outbound(C1, "something else"))
    with pytest.raises(TimeoutError, match="something else"):
        await adapter.until_text("never", seconds=0.01)


async def test_a_message_that_a_person_removed_is_not_shown_any_more(adapter: InProcess) -> None:
    message_id = await adapter.send(Outbound(C1, "hello"))
    adapter.remove("c1", message_id)
    assert adapter.texts() == []
