"""A host that takes one request at a time: first come, first served."""

from __future__ import annotations

import asyncio

from gateway.models.client import Delta, TextDelta, Waiting
from gateway.models.contract import asked, heard, raised
from gateway.models.errors import HostDown
from gateway.models.host_limits import HostLimit, Limited
from tests.fakes.clock import settle
from tests.fakes.scripted_model import ScriptedModel, Turn


async def test_one_after_the_other_in_the_order_of_asking() -> None:
    gates = [asyncio.Event() for _ in range(3)]
    model = ScriptedModel([Turn([f"answer {number}", gate]) for number, gate in enumerate(gates)])
    limit = HostLimit(1)
    client = Limited(model, limit)
    answers = [asyncio.create_task(heard(client, asked(f"guest {number}"))) for number in range(3)]
    await settle()
    assert (limit.in_flight, limit.waiting, model.active) == (1, 2, 1)
    for gate in gates:
        gate.set()
    assert [(await answer)[0] for answer in answers] == ["answer 0", "answer 1", "answer 2"]
    assert [request.messages[-1].content for request in model.requests] == ["guest 0", "guest 1", "guest 2"]
    assert model.most_active == 1
    assert (limit.in_flight, limit.waiting) == (0, 0)


async def test_who_waits_is_told_and_may_leave() -> None:
    gate = asyncio.Event()
    model = ScriptedModel([Turn(["slow", gate]), "third"])
    limit = HostLimit(1)
    client = Limited(model, limit)
    first = asyncio.create_task(heard(client))
    await settle()
    told: list[Delta] = []

    async def second() -> None:
        async for delta in client.stream(asked()):
            told.append(delta)

    waiting = asyncio.create_task(second())
    third = asyncio.create_task(heard(client))
    await settle()
    assert told == [Waiting("waiting for its turn at the host")]
    waiting.cancel()
    await asyncio.wait({waiting})
    gate.set()
    assert (await third)[0] == "third"
    assert (await first)[0] == "slow"
    assert (limit.in_flight, limit.waiting) == (0, 0)


async def test_an_error_or_a_closed_stream_gives_the_turn_back() -> None:
    limit = HostLimit(1)
    client = Limited(ScriptedModel([HostDown("x"), Turn(["a", asyncio.Event()]), "b"]), limit)
    assert isinstance((await raised(client))[1], HostDown)
    stream = client.stream(asked())
    assert await anext(stream) == TextDelta("a")
    await stream.aclose()
    assert limit.in_flight == 0
    assert (await heard(client))[0] == "b"


async def test_without_a_limit_all_go_at_once_and_are_counted() -> None:
    gate = asyncio.Event()
    limit = HostLimit(None)
    client = Limited(ScriptedModel([Turn([gate, "x"]) for _ in range(5)]), limit)
    answers = [asyncio.create_task(heard(client)) for _ in range(5)]
    await settle()
    assert limit.in_flight == 5
    gate.set()
    await asyncio.gather(*answers)
    assert limit.in_flight == 0
