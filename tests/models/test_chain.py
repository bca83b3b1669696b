"""Another host answers when the first cannot, and the person is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gateway.models.chain import Chain
from gateway.models.client import HostInfo, Message, ToolCall, ToolSchema, Waiting
from gateway.models.contract import asked, heard, raised
from gateway.models.errors import (
    ContextTooLong,
    FirstTokenLate,
    HostBusy,
    HostDown,
    KeyRefused,
    ModelError,
    QuotaExhausted,
    StreamBroken,
)
from tests.fakes.scripted_model import ScriptedModel, Turn

CALL = ToolCall("c", "note", '{"action":"add","content":"x"}')


def two(first: ModelError | Turn | str, second: str | ModelError = "At your service.") -> tuple[Chain, ScriptedModel]:
    other = ScriptedModel([second], host="cloud", model="big")
    return Chain([ScriptedModel([first], host="home"), other]), other


async def test_the_first_host_answers_and_nothing_is_said() -> None:
    chain, other = two("Good day.")
    seen, reply = await heard(chain)
    assert (seen, reply.notice, reply.host) == ("Good day.", "", "home")
    assert other.requests == []


@pytest.mark.parametrize("error", [HostDown, HostBusy, QuotaExhausted, KeyRefused, FirstTokenLate])
async def test_the_next_host_is_asked_and_the_reply_says_so(error: type[ModelError]) -> None:
    chain, _ = two(error("home has trouble"))
    seen, reply = await heard(chain)
    assert seen == "At your service."
    assert reply.notice == "home did not answer (home has trouble); cloud/big answered"
    assert (reply.host, reply.model) == ("cloud", "big")


async def test_the_person_sees_whom_is_asked_next() -> None:
    chain, _ = two(HostDown("x"))
    waits = [delta.reason async for delta in chain.stream(asked()) if isinstance(delta, Waiting)]
    assert waits == ["home did not answer; asking cloud/big"]


@pytest.mark.parametrize("error", [ContextTooLong("x"), StreamBroken("x")])
async def test_what_another_host_would_not_mend_stays(error: ModelError) -> None:
    chain, other = two(error)
    assert (await raised(chain))[1] is error
    assert other.requests == []


async def test_after_the_first_word_nobody_else_is_asked() -> None:
    chain, other = two(Turn("Half", error=HostDown("x")))
    seen, error = await raised(chain)
    assert (seen, type(error)) == ("Half", HostDown)
    assert other.requests == []


@pytest.mark.parametrize(
    "added",
    [
        [Message("assistant", "", (CALL,)), Message("tool", "done", tool_call_id="c")],
        [Message("assistant", "", (CALL,)), Message("tool", "done", tool_call_id="c"), Message("user", "and?")],
    ],
)
async def test_a_tool_sequence_stays_with_its_model(added: list[Message]) -> None:
    """Whether it is one, the caller says: the last row may be a person's, and the sequence goes on."""
    chain, other = two(HostDown("x"))
    request = replace(asked(), messages=(*asked().messages, *added))
    with pytest.raises(HostDown):
        await heard(chain, replace(request, continues=True))
    assert other.requests == []
    chain, other = two(HostDown("x"))
    await heard(chain, request)
    assert len(other.requests) == 1


async def test_a_review_beside_a_chat_takes_no_sequence_away_from_it() -> None:
    """The chat's sequence began at the second host; a review of the same session, at the first."""
    calling = Turn(calls=[("memory", {})])
    tools = (ToolSchema("memory", "Keeps.", {"type": "object", "properties": {}}),)
    main, other = ScriptedModel([HostDown("x"), calling]), ScriptedModel([calling, "There."], host="other")
    chain = Chain([main, other])
    chat = replace(asked(), tools=tools, session="s1")
    await heard(chain, chat)
    await heard(chain, replace(chat, task="background_review"))
    _, reply = await heard(chain, replace(chat, continues=True))
    assert (reply.text, reply.host) == ("There.", "other")


async def test_how_long_to_think_is_said_to_the_main_model_only() -> None:
    first, second = ScriptedModel([HostDown("x")]), ScriptedModel(["Here."])
    await heard(Chain([first, second]), replace(asked(), reasoning_effort="high"))
    assert [first.requests[0].reasoning_effort, second.requests[0].reasoning_effort] == ["high", None]


async def test_when_nobody_answers_the_error_names_all() -> None:
    chain, _ = two(HostBusy("home is busy", 5), QuotaExhausted("cloud is out of credit"))
    _, error = await raised(chain)
    assert type(error) is HostBusy
    assert str(error) == "home is busy. Also tried: cloud is out of credit"


async def test_a_chain_is_its_first_client_and_closes_all() -> None:
    first = ScriptedModel(host="home", info=HostInfo(window=5))
    second = ScriptedModel(host="cloud")
    chain = Chain([first, second])
    assert (chain.host, chain.model, await chain.info()) == ("home", "script", HostInfo(window=5))
    await chain.close()
    assert first.closed
    assert second.closed
    with pytest.raises(ValueError, match="at least one"):
        Chain([])
