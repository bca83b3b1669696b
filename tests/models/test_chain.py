"""Another host answers when the first cannot, and the person is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gateway.models.chain import Chain
from gateway.models.client import HostInfo, Message, Request, ToolCall, Waiting
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
    ("added", "asks_another"),
    [
        ([Message("assistant", "", (CALL,)), Message("tool", "done", tool_call_id="c")], False),
        ([Message("assistant", "", (CALL,))], False),
        ([Message("assistant", "", (CALL,)), Message("tool", "done"), Message("user", "and?")], True),
        ([Message("assistant", "Hello."), Message("user", "and?")], True),
    ],
)
async def test_a_tool_sequence_stays_with_its_model(added: list[Message], asks_another: bool) -> None:
    chain, other = two(HostDown("x"))
    request: Request = replace(asked(), messages=(*asked().messages, *added))
    try:
        await heard(chain, request)
    except HostDown:
        assert not asks_another
    else:
        assert asks_another
    assert bool(other.requests) is asks_another


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
