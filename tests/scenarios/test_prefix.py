"""Each request of a session begins with the bytes of the one before."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

from gateway.models.client import Request
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import guesthouse
from tests.fakes.scripted_model import Script, Turn
from tests.scenarios.props import counter


def written(request: Request) -> str:
    """A request as a host reads it: tools first, then the messages, one line each."""
    tools = json.dumps([asdict(each) for each in request.tools])
    return "\n".join([tools, *(json.dumps(asdict(each)) for each in request.messages)])


async def test_the_prefix_outlives_turns_hours_restarts_and_a_new_persona(tmp_path: Path) -> None:
    clock, seen = FakeClock(), list[Request]()
    for number, persona in enumerate(("You are calm.", "You are wild.", "You are gone.")):
        script: Script = [Turn("I count.", calls=[("count", {"word": "a"})]), f"Done {number}.", f"And {number}."]
        async with guesthouse(tmp_path, script, clock=clock, tools=[counter([])], prompt=persona) as house:
            await house.adapter.reply_to(f"count {number}")
            await clock.advance(4000 if number else 61)
            await house.adapter.reply_to(f"more {number}")
            seen += house.model.requests
        await clock.advance(61)
    assert len(seen) == 9
    for earlier, following in pairwise(seen):
        assert written(following).startswith(written(earlier))
    assert seen[-1].messages[0].content == "You are calm."


async def test_a_tool_that_is_gone_stays_in_the_prefix_and_says_so_when_called(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["Hello."], tools=[counter([])]) as house:
        await house.adapter.reply_to("hi")
        first = house.model.requests[0]
    script: Script = [Turn(calls=[("count", {"word": "a"})]), "It is gone."]
    async with guesthouse(tmp_path, script) as house:
        await house.adapter.reply_to("count a")
        assert written(house.model.requests[0]).startswith(written(first))
        assert "there is no tool 'count' any more" in house.model.requests[1].messages[-1].content
