"""Trying models out: good ones, bad ones, unreachable ones, and remembering the grade."""

from __future__ import annotations

import json
from typing import Any

from gateway.models.client import HostInfo, Request, Usage
from gateway.models.errors import HostDown, StreamBroken
from gateway.models.trial import try_out
from tests.fakes.clock import FakeClock
from tests.fakes.scripted_model import ScriptedModel, Turn

RIGHT: dict[str, tuple[str, dict[str, Any]]] = {
    "weather": ("weather", {"city": "Oslo"}),
    "timer": ("timer", {"minutes": 15}),
    "remember": ("memory", {"action": "add", "content": "The favourite colour is green."}),
}


def call_for(request: Request) -> tuple[str, dict[str, Any]] | None:
    """The right call for a probe; None for a question that is none."""
    text = request.messages[-1].content
    return next((call for word, call in RIGHT.items() if word in text), None) if request.tools else None


def a_model_with_native_calls(request: Request) -> Turn:
    call = call_for(request)
    if call is not None:
        return Turn(calls=[call])
    if len(request.messages) > 2:
        return Turn("thirty-one", usage=Usage(input=120, cached=100, output=2, calls=1))
    return Turn("one, two, three", usage=Usage(input=100, cached=0, output=5, calls=1))


def one_that_writes_calls_as_text(request: Request) -> Turn:
    call = call_for(request)
    return Turn(json.dumps({"name": call[0], "arguments": call[1]})) if call is not None else Turn("one, two")


def one_that_only_talks(request: Request) -> Turn:
    return Turn("Sure! I've saved that to my memory." if "remember" in request.messages[-1].content else "one, two")


def one_that_invents_tools(request: Request) -> Turn:
    return Turn(calls=[("internet", {"q": "?"})]) if request.tools else Turn("one, two")


async def test_a_good_model_gets_tools_and_its_cache_share() -> None:
    grade = await try_out(ScriptedModel(a_model_with_native_calls), FakeClock())
    assert (grade.reachable, grade.tools, grade.right_calls) == (True, True, 3)
    assert grade.window == 8192
    assert grade.cached_share == 1.0
    assert grade.claims_saves is False
    assert len(grade.shapes) == 3
    assert set(grade.shapes) <= {"native", "called"}


async def test_calls_that_are_written_as_text_count_as_well() -> None:
    grade = await try_out(ScriptedModel(one_that_writes_calls_as_text), FakeClock())
    assert (grade.tools, grade.right_calls) == (True, 3)
    assert set(grade.shapes) <= {"json", "called"}


async def test_one_that_only_talks_gets_assisted_mode_and_its_claim_is_noticed() -> None:
    grade = await try_out(ScriptedModel(one_that_only_talks), FakeClock())
    assert (grade.tools, grade.shapes) == (False, ("none", "none", "none"))
    assert grade.claims_saves is True


async def test_one_that_invents_tools_gets_assisted_mode() -> None:
    grade = await try_out(ScriptedModel(one_that_invents_tools), FakeClock())
    assert (grade.tools, grade.shapes) == (False, ("misfire", "misfire", "misfire"))


async def test_one_whose_host_takes_no_tools_is_not_offered_any() -> None:
    model = ScriptedModel(one_that_only_talks, info=HostInfo(window=2048, tools=False))
    grade = await try_out(model, FakeClock())
    assert (grade.tools, grade.shapes, grade.window) == (False, (), 2048)
    assert not any(request.tools for request in model.requests)


async def test_speed_is_measured_from_request_to_first_word_and_from_there_to_the_end() -> None:
    clock = FakeClock()

    class Slow(ScriptedModel):
        async def stream(self, request: Request) -> Any:
            await clock.advance(2)
            async for delta in super().stream(request):
                yield delta
                await clock.advance(1)

    grade = await try_out(Slow(a_model_with_native_calls), clock)
    assert (grade.first_token, grade.reading, grade.writing) == (2.0, 50.0, 4.0)


async def test_one_that_cannot_be_reached_says_why() -> None:
    grade = await try_out(ScriptedModel([HostDown("nothing answers at 127.0.0.1")]), FakeClock())
    assert (grade.reachable, grade.error, grade.tools) == (False, "nothing answers at 127.0.0.1", False)


async def test_what_was_measured_before_it_broke_is_kept() -> None:
    good, more = Turn("one", usage=Usage(input=10, output=1)), Turn("two", usage=Usage(input=12, cached=10, output=1))
    grade = await try_out(ScriptedModel(["hello", good, more, StreamBroken("it broke off")]), FakeClock())
    assert (grade.reachable, grade.cached_share, grade.error) == (True, 1.0, "it broke off")
