"""What every ModelClient does, as a suite that runs over any of them: subclass `ModelClientContract` in a test file
and give it a `stage` fixture.

The suite asserts with plain `assert` and needs no more than an asyncio-aware pytest.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, Literal, Protocol, cast

from gateway.models.client import Delta, Message, ModelClient, Reply, Request, TextDelta, ToolSchema
from gateway.models.errors import (
    ContextTooLong,
    HostBusy,
    HostDown,
    KeyRefused,
    ModelError,
    ModelMissing,
    StreamBroken,
)

NOTE = ToolSchema(
    "note",
    "Keep a note.",
    {
        "type": "object",
        "properties": {"action": {"enum": ["add", "remove"]}, "content": {"type": "string"}},
        "required": ["action", "content"],
        "additionalProperties": False,
    },
)
"""The tool that the suite offers."""

Trouble = Literal["key", "missing", "busy", "down", "too_long"]
MEANINGS: dict[Trouble, type[ModelError]] = {
    "key": KeyRefused,
    "missing": ModelMissing,
    "busy": HostBusy,
    "down": HostDown,
    "too_long": ContextTooLong,
}


class Stage(Protocol):
    """A client and the host behind it, which does next what it is told, once for each call of these."""

    @property
    def client(self) -> ModelClient: ...

    def says(self, *pieces: str) -> None:
        """Answer with this text, in these pieces."""

    def calls(self, name: str, arguments: str) -> None:
        """Answer with one native tool call; `arguments` is the raw text of them."""

    def repeats(self, unit: str) -> None:
        """Say `unit` until the client hangs up (or very often)."""

    def hangs(self, *pieces: str) -> None:
        """Say the pieces, then nothing more."""

    def breaks(self, *pieces: str) -> None:
        """Say the pieces, then lose the connection."""

    def fails(self, trouble: Trouble) -> None:
        """Answer with an error."""

    async def quiet(self) -> None:
        """Return when the host has no request open; it waits for that a few seconds at most, then raises."""


def asked(text: str = "Hello?", *, tools: tuple[ToolSchema, ...] = (NOTE,)) -> Request:
    """A small request."""
    return Request((Message("system", "You are helpful."), Message("user", text)), tools)


async def heard(client: ModelClient, request: Request | None = None) -> tuple[str, Reply]:
    """The text that a person saw while it streamed, and the reply. Asserts that the reply came once, at the end."""
    deltas = [delta async for delta in client.stream(request or asked())]
    assert [isinstance(delta, Reply) for delta in deltas].count(True) == 1
    reply = deltas[-1]
    assert isinstance(reply, Reply)
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)), reply


async def raised(client: ModelClient) -> tuple[str, ModelError | None]:
    """The text that came before the error, and the error; None when the answer was whole."""
    seen = ""
    try:
        async for delta in client.stream(asked()):
            seen += delta.text if isinstance(delta, TextDelta) else ""
    except ModelError as error:
        return seen, error
    return seen, None


class ModelClientContract:
    """The suite. `stage` is a fixture of the subclass, fresh for each test."""

    async def test_text_streams_and_ends_in_one_reply(self, stage: Stage) -> None:
        stage.says("Good ", "morning", ", guest.\n", "Tea?")
        seen, reply = await heard(stage.client)
        assert seen == reply.text == "Good morning, guest.\nTea?"
        assert (reply.finish, reply.tool_calls, reply.misfires) == ("stop", (), ())
        assert (reply.host, reply.model) == (stage.client.host, stage.client.model)
        assert reply.usage.calls == 1
        assert reply.usage.input > 0
        assert reply.usage.output > 0

    async def test_the_second_request_is_answered_like_the_first(self, stage: Stage) -> None:
        stage.says("one")
        stage.says("two")
        assert [(await heard(stage.client))[0] for _ in range(2)] == ["one", "two"]

    async def test_requests_may_overlap(self, stage: Stage) -> None:
        for _ in range(3):
            stage.says("yes", " indeed")
        answers = await asyncio.gather(*(heard(stage.client) for _ in range(3)))
        assert [seen for seen, _ in answers] == ["yes indeed"] * 3

    async def test_a_native_call_is_put_right_and_canonical(self, stage: Stage) -> None:
        stage.calls("Note", '{ "action": "add",\n "content": "née 茶" }')
        seen, reply = await heard(stage.client)
        assert seen == reply.text == ""
        [call] = reply.tool_calls
        assert (call.name, call.arguments) == ("note", '{"action":"add","content":"née 茶"}')
        assert call.id
        assert (reply.finish, reply.shape) == ("tool_calls", "native")

    async def test_a_wrong_call_becomes_a_misfire_that_shows_the_right_one(self, stage: Stage) -> None:
        stage.calls("note", '{"action": "burn"}')
        _, reply = await heard(stage.client)
        assert reply.tool_calls == ()
        [line] = reply.misfires
        assert "burn" in line
        assert '{"name": "note", "arguments": {"action": "add"' in line

    async def test_a_call_of_an_unknown_tool_becomes_a_misfire(self, stage: Stage) -> None:
        stage.calls("launch", "{}")
        _, reply = await heard(stage.client)
        assert reply.tool_calls == ()
        assert "launch" in reply.misfires[0]

    async def test_a_call_written_as_text_is_made_and_never_shown(self, stage: Stage) -> None:
        stage.says(
            "```js", 'on\n{"name": "note", "argum', 'ents": {"action": "add", "content": "tea"}}\n```', "\n" * 40
        )
        seen, reply = await heard(stage.client)
        assert seen == reply.text == ""
        assert [call.arguments for call in reply.tool_calls] == ['{"action":"add","content":"tea"}']
        assert (reply.finish, reply.shape) == ("tool_calls", "fence")

    async def test_json_that_is_no_call_stays_text(self, stage: Stage) -> None:
        stage.says('{"name": "An', 'na", "age": 3}')
        seen, reply = await heard(stage.client)
        assert seen == reply.text == '{"name": "Anna", "age": 3}'
        assert not reply.tool_calls
        assert not reply.misfires

    async def test_reasoning_at_the_start_is_hidden(self, stage: Stage) -> None:
        stage.says("<thin", "k>They want tea.</th", "ink>\n\nTea, then.")
        seen, reply = await heard(stage.client)
        assert seen == reply.text == "Tea, then."

    async def test_endless_repetition_is_cut(self, stage: Stage) -> None:
        stage.repeats("la ")
        seen, reply = await heard(stage.client)
        assert (reply.text, reply.finish) == ("la", "repetition")
        assert len(seen) < 2000
        await stage.quiet()

    async def test_closing_the_stream_ends_the_request(self, stage: Stage) -> None:
        stage.hangs("One moment")
        stream = cast(Any, stage.client.stream(asked()))
        async with aclosing(stream):
            async for delta in cast(AsyncIterator[Delta], stream):
                if isinstance(delta, TextDelta):
                    break
        await stage.quiet()

    async def test_cancelling_the_reader_ends_the_request(self, stage: Stage) -> None:
        stage.hangs("One moment")
        begun = asyncio.Event()

        async def read() -> None:
            async for delta in stage.client.stream(asked()):
                if isinstance(delta, TextDelta):
                    begun.set()

        reading = asyncio.create_task(read())
        async with asyncio.timeout(5):
            await begun.wait()
        reading.cancel()
        await asyncio.wait({reading})
        assert reading.cancelled()
        await stage.quiet()

    async def test_a_broken_connection_is_told_apart_from_an_end(self, stage: Stage) -> None:
        stage.breaks("Half of ")
        seen, error = await raised(stage.client)
        assert type(error) is StreamBroken
        assert stage.client.host in str(error)
        assert seen == "Half of "

    async def test_errors_say_what_they_mean(self, stage: Stage) -> None:
        for trouble, meaning in MEANINGS.items():
            stage.fails(trouble)
            _, error = await raised(stage.client)
            assert type(error) is meaning, f"{trouble}: {error!r}"
            assert stage.client.host in str(error)
            await stage.quiet()

    async def test_any_text_can_be_sent(self, stage: Stage) -> None:
        stage.says("fine")
        odd = "half \ud83d a pair, \ude00, NUL \x00, joined \U0001f600"
        seen, _ = await heard(stage.client, asked(odd))
        assert seen == "fine"

    async def test_info_and_close_never_fail(self, stage: Stage) -> None:
        assert await stage.client.info() == await stage.client.info()
        await stage.client.close()
        await stage.client.close()
