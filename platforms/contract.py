"""The suite that every adapter passes, for this house and for authors of plugins.

Subclass `AdapterContract` in a test module and give it a pytest fixture `stage`, which yields an object with the
shape of `Stage` whose adapter has not run yet; the tests are coroutines (pytest-asyncio in mode auto). Owns what
"an adapter" promises; leaves to each platform's own tests how its network misbehaves.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

from platforms.adapter import Adapter
from platforms.chunking import length
from platforms.errors import DeliveryError, Refused
from platforms.messages import Button, ChatRef, Inbound, Outbound, TurnSummary

PATIENCE = 10.0
"""Real seconds to wait for something that must happen."""


class Stage(Protocol):
    """One chat of one platform with a person in it, and the adapter under test."""

    @property
    def adapter(self) -> Adapter: ...

    @property
    def chat(self) -> ChatRef:
        """The direct chat in which the person talks and reads."""

    async def opened(self) -> None:
        """Returns once the adapter, which is running by now, hears the person."""

    async def say(self, text: str) -> None:
        """The person writes. Returns at once or when the adapter has heard; never raises what the sink raised."""

    async def press(self, label: str) -> None:
        """The person taps the button with this label."""

    async def redeliver(self) -> bool:
        """The platform delivers the person's last event once more. False when this platform never does."""

    async def shows(self) -> Sequence[str]:
        """The bot's messages as the person reads them now, top to bottom, without markup."""

    async def labels(self) -> Sequence[str]:
        """The labels of the buttons that are shown now."""


class Listening:
    """The engine's part in these tests: keeps what it hears; fails once when told to."""

    def __init__(self) -> None:
        self.heard: list[Inbound] = []
        self.fail_with: Exception | None = None
        self.tried = 0

    async def __call__(self, event: Inbound) -> None:
        self.tried += 1
        if self.fail_with is not None:
            fault, self.fail_with = self.fail_with, None
            raise fault
        self.heard.append(event)

    async def until_heard(self, count: int) -> list[Inbound]:
        await eventually(lambda: len(self.heard) >= count)
        return self.heard


async def eventually(holds: Callable[[], bool]) -> None:
    """Wait until `holds()`; raises TimeoutError after `PATIENCE`."""
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110 - the platform is opaque: there is no event to wait for
            await asyncio.sleep(0.01)


@asynccontextmanager
async def running(stage: Stage) -> AsyncIterator[Listening]:
    """The adapter runs for the length of the block, and is cancelled and closed after it."""
    listening = Listening()
    task = asyncio.create_task(stage.adapter.run(listening))
    try:
        async with asyncio.timeout(PATIENCE):
            await stage.opened()
        yield listening
        assert not task.done(), "run() ended by itself"
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await stage.adapter.close()


async def failure_of(call: Awaitable[object]) -> DeliveryError:
    """The delivery error that the call ends with; an AssertionError when it succeeds."""
    try:
        await call
    except DeliveryError as error:
        return error
    raise AssertionError("the call succeeded")


async def until_shown(stage: Stage, expected: Sequence[str]) -> None:
    """Wait until the person reads exactly these messages."""
    shown: list[str] = []
    try:
        async with asyncio.timeout(PATIENCE):
            while (shown := list(await stage.shows())) != list(expected):  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise AssertionError(f"expected {list(expected)!r}, the person reads {shown!r}") from None


class AdapterContract:
    """What every adapter does."""

    async def test_a_message_is_heard_with_all_that_the_engine_needs(self, stage: Stage) -> None:
        async with running(stage) as engine:
            await stage.say("hello")
            (event,) = await engine.until_heard(1)
        assert event.text == "hello"
        assert event.chat == stage.chat
        assert event.chat.platform == stage.adapter.name
        assert event.account == stage.adapter.account
        assert event.event_id
        assert event.sender.id
        assert not event.sender.is_bot
        assert event.addressed
        assert not event.pressed
        assert event.sent_at > 0
        assert event.units in (0, length("hello", stage.adapter.capabilities.unit))

    async def test_messages_are_heard_in_order_each_with_an_event_id_of_its_own(self, stage: Stage) -> None:
        async with running(stage) as engine:
            for text in ("one", "two", "three 😀 漢字"):
                await stage.say(text)
            events = await engine.until_heard(3)
        assert [event.text for event in events] == ["one", "two", "three 😀 漢字"]
        assert len({event.event_id for event in events}) == 3

    async def test_an_event_that_comes_again_has_the_same_id(self, stage: Stage) -> None:
        async with running(stage) as engine:
            await stage.say("hello")
            await engine.until_heard(1)
            if await stage.redeliver():
                first, second = await engine.until_heard(2)
                assert (first.event_id, first.text) == (second.event_id, second.text)

    async def test_a_sink_that_fails_does_not_make_the_platform_deaf(self, stage: Stage) -> None:
        async with running(stage) as engine:
            engine.fail_with = RuntimeError("the disk is full")
            await stage.say("lost?")
            await eventually(lambda: engine.tried >= 1)
            await stage.say("still there?")
            await eventually(lambda: any(event.text == "still there?" for event in engine.heard))

    async def test_what_is_sent_is_shown_once_and_in_order(self, stage: Stage) -> None:
        async with running(stage):
            ids = [await stage.adapter.send(Outbound(stage.chat, text)) for text in ("first", "second 😀", "third")]
            await until_shown(stage, ["first", "second 😀", "third"])
        assert len(set(ids)) == 3
        assert all(ids)

    async def test_a_message_of_exactly_the_limit_is_sent_and_a_longer_one_is_refused(self, stage: Stage) -> None:
        limit, unit = stage.adapter.capabilities.limit, stage.adapter.capabilities.unit
        fits = "😀" * (limit // length("😀", unit))
        async with running(stage):
            await stage.adapter.send(Outbound(stage.chat, fits))
            await until_shown(stage, [fits])
            await self._refuses(stage, Outbound(stage.chat, fits + "😀"))
            await until_shown(stage, [fits])

    async def test_an_empty_message_is_refused(self, stage: Stage) -> None:
        async with running(stage):
            await self._refuses(stage, Outbound(stage.chat, ""))
            assert list(await stage.shows()) == []

    async def test_an_edit_changes_the_message_and_the_same_text_again_is_success(self, stage: Stage) -> None:
        if not stage.adapter.capabilities.edits:
            return
        async with running(stage):
            message_id = await stage.adapter.send(Outbound(stage.chat, "thinking"))
            await stage.adapter.send(Outbound(stage.chat, "beside"))
            for _ in range(2):
                await stage.adapter.edit(message_id, Outbound(stage.chat, "the answer"))
            await until_shown(stage, ["the answer", "beside"])

    async def test_a_message_that_was_taken_back_is_gone_and_cannot_be_edited(self, stage: Stage) -> None:
        async with running(stage):
            message_id = await stage.adapter.send(Outbound(stage.chat, "oops"))
            await stage.adapter.send(Outbound(stage.chat, "stays"))
            for _ in range(2):
                await stage.adapter.delete(stage.chat, message_id)
            await until_shown(stage, ["stays"])
            if stage.adapter.capabilities.edits:
                error = await failure_of(stage.adapter.edit(message_id, Outbound(stage.chat, "back")))
                assert str(error)
            assert list(await stage.shows()) == ["stays"]

    async def test_a_button_press_is_an_event_with_the_action_and_the_card(self, stage: Stage) -> None:
        if not stage.adapter.capabilities.buttons:
            return
        buttons = ((Button("Approve", "/memory approve 1a2b"), Button("Reject", "/memory reject 1a2b")),)
        async with running(stage) as engine:
            message_id = await stage.adapter.send(Outbound(stage.chat, "A write waits", buttons))
            await until_shown(stage, ["A write waits"])
            assert list(await stage.labels()) == ["Approve", "Reject"]
            await stage.press("Reject")
            (event,) = await engine.until_heard(1)
            assert (event.text, event.pressed, event.message_id) == ("/memory reject 1a2b", True, message_id)
            assert event.chat == stage.chat
            assert event.sender.id
            if stage.adapter.capabilities.edits:
                await stage.adapter.edit(message_id, Outbound(stage.chat, "Rejected."))
                await until_shown(stage, ["Rejected."])
                assert list(await stage.labels()) == []

    async def test_a_nonce_makes_a_repeated_send_harmless(self, stage: Stage) -> None:
        if not stage.adapter.capabilities.nonce_seconds:
            return
        async with running(stage):
            part = Outbound(stage.chat, "once", nonce="part-1")
            assert await stage.adapter.send(part) == await stage.adapter.send(part)
            await until_shown(stage, ["once"])

    async def test_a_part_is_found_again_by_its_nonce(self, stage: Stage) -> None:
        async with running(stage):
            message_id = await stage.adapter.send(Outbound(stage.chat, "here", nonce="part-2"))
            found = await stage.adapter.find(stage.chat, "part-2")
            assert found == (message_id if stage.adapter.capabilities.finds else None)
            assert await stage.adapter.find(stage.chat, "never sent") is None

    async def test_passing_signs_never_fail_and_leave_nothing(self, stage: Stage) -> None:
        nowhere = ChatRef(stage.adapter.name, "999999999")
        summary = TurnSummary(("e-unknown",), "s1", "done")
        async with running(stage):
            for chat in (stage.chat, nowhere):
                await stage.adapter.typing(chat)
                await stage.adapter.progress(chat, "reading 10 %")
                await stage.adapter.finished(chat, summary)
            await stage.adapter.send(Outbound(stage.chat, "after"))
            await eventually_last(stage, "after")

    async def test_the_adapter_can_be_stopped_and_closed_at_any_time(self, stage: Stage) -> None:
        async with running(stage) as engine:
            await stage.say("hello")
            await engine.until_heard(1)

    async def _refuses(self, stage: Stage, message: Outbound) -> None:
        error = await failure_of(stage.adapter.send(message))
        assert isinstance(error, Refused)
        assert str(error)


async def eventually_last(stage: Stage, text: str) -> None:
    """Wait until the last message reads `text`."""
    async with asyncio.timeout(PATIENCE):
        while list(await stage.shows())[-1:] != [text]:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.01)
