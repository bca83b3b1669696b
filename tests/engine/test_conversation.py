"""A person talks, and the engine answers: the plain course of things."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.guesthouse import guesthouse


async def test_a_question_is_answered_once(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["Paris."]) as house:
        assert await house.adapter.reply_to("What is the capital of France?") == "Paris."
        assert house.adapter.texts() == ["Paris."]


async def test_the_second_turn_sees_the_first(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["Hello Ada.", "You are Ada."]) as house:
        await house.adapter.reply_to("I am Ada.")
        await house.adapter.reply_to("Who am I?")
        first, second = house.model.requests
        assert second.messages[: len(first.messages)] == first.messages
        assert [each.role for each in second.messages] == ["system", "user", "assistant", "user"]


async def test_a_session_goes_on_after_a_restart(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["Hello Ada."]) as house:
        await house.adapter.reply_to("I am Ada.")
        before = house.model.requests[0].messages
    async with guesthouse(tmp_path, ["You are Ada."], prompt="another prompt") as house:
        await house.adapter.reply_to("Who am I?")
        assert house.model.requests[0].messages[: len(before)] == before


async def test_new_draws_a_boundary(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["Hello.", "Hello again."]) as house:
        await house.adapter.reply_to("hi")
        said = await house.adapter.reply_to("/new")
        assert "/resume" in said
        await house.adapter.reply_to("hi")
        assert [each.role for each in house.model.requests[1].messages] == ["system", "user"]
