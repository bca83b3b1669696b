"""A message that cannot be handled is put aside after three tries; the person and the owner hear of it; all else
goes on."""

from __future__ import annotations

from pathlib import Path

from commands.ports import StatusView
from gateway.agent.snapshot import Opening
from gateway.models.client import Request
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.scenarios.props import gateway, later, until

HOME = settings(access={"home_chats": ["inprocess:home"]})


def told(house: Guesthouse, chat: str = "c1") -> bool:
    return any("put aside" in text for text in house.adapter.texts(chat))


async def test_a_lone_surrogate_is_a_message_like_any_other(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["Hello."]) as house:
        assert await house.adapter.reply_to("\ud83d") == "Hello."
        assert "\ufffd" in house.model.requests[0].messages[-1].content
    async with guesthouse(tmp_path, ["Again."]) as house:
        assert await house.adapter.reply_to("hi") == "Again."


def faulty(request: Request) -> str | Exception:
    return RuntimeError("boom") if "poison" in request.messages[-1].content else "Hello."


async def test_three_equal_faults_are_the_end(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, faulty, clock=clock, with_settings=HOME) as house:
        bad = await house.adapter.say("poison")
        await later(clock, lambda: told(house) and told(house, "home"))
        assert sum("poison" in request.messages[-1].content for request in house.model.requests) == 3
        assert [each.event_id for each in await house.store.inbox.dead()] == [bad.event_id]
        assert "RuntimeError: boom" in house.adapter.texts("home")[0]
        assert "poison" not in house.adapter.texts("home")[0]
        await house.adapter.until(lambda: house.adapter.summaries()[0].outcome == "failed")
        assert await house.adapter.reply_to("hello") == "Hello."
        roles = [each.role for each in house.model.requests[-1].messages]
        assert roles == ["system", "user", "assistant", "user"]
        assert house.model.most_active == 1
    async with guesthouse(tmp_path, faulty, clock=clock) as house:
        await house.adapter.reply_to("/status")
        assert house.model.requests == []


async def test_other_chats_are_not_affected(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, faulty, clock=clock) as house:
        await house.adapter.say("poison")
        assert await house.adapter.reply_to("hello", chat="c2", sender="bob") == "Hello."
        await later(clock, lambda: told(house))


async def test_faults_that_never_read_the_same_end_too(tmp_path: Path) -> None:
    clock, count = FakeClock(), [0]

    def answers(request: Request) -> str | Exception:
        count[0] += 1
        return RuntimeError(f"object at {count[0]:#x}") if "poison" in request.messages[-1].content else "Hello."

    async with guesthouse(tmp_path, answers, clock=clock) as house:
        await house.adapter.say("poison")
        await later(clock, lambda: told(house))
        assert count[0] <= 10
        assert await house.adapter.reply_to("hello") == "Hello."


async def test_a_fault_that_passes_is_not_noticed(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, [RuntimeError("boom"), "Hello."], clock=clock) as house:
        await house.adapter.say("hi")
        await later(clock, lambda: "Hello." in house.adapter.texts())
        assert house.adapter.texts() == ["Hello."]
        assert await house.store.inbox.dead() == []


async def test_the_tries_before_a_restart_count(tmp_path: Path) -> None:
    clock = FakeClock()
    rules = gateway(drain_seconds=0)
    async with guesthouse(tmp_path, [RuntimeError("boom")], clock=clock, with_settings=rules) as house:
        await house.adapter.say("poison")
        await until(lambda: bool(house.notes.named("turn.fault")))
    async with guesthouse(tmp_path, [RuntimeError("boom"), RuntimeError("boom")], clock=clock) as house:
        await later(clock, lambda: told(house))


async def test_a_prompt_that_cannot_be_rendered(tmp_path: Path) -> None:
    """The fault comes before there is a turn: the person is told all the same."""
    clock = FakeClock()
    async with guesthouse(tmp_path, ["Hello."], clock=clock) as house:
        broken = [True]

        def render(event: object) -> Opening:
            if broken[0]:
                raise ValueError("no prompt")
            return Opening("You are a helpful assistant.", "[]")

        object.__setattr__(house.house, "opening", render)
        await house.adapter.say("hi")
        await later(clock, lambda: told(house))
        broken[0] = False
        assert await house.adapter.reply_to("hi again") == "Hello."


async def test_a_command_that_fails_is_reported_as_what_it_is(tmp_path: Path) -> None:
    """Once is not three times, and what a fault says of the house is for its owner alone."""

    class Broken:
        async def view(self, key: str | None) -> StatusView:
            raise RuntimeError("/home/secret is not there")

    async with guesthouse(tmp_path, [], with_settings=HOME) as house:
        object.__setattr__(house.engine.ports, "status", Broken())
        said = await house.adapter.reply_to("/status", sender="bob")
        assert "put aside" in said
        assert "secret" not in said
        report = (await house.adapter.until_text("put aside", "home")).text
        assert "RuntimeError: /home/secret is not there" in report
        assert "three times" not in report
