"""An outside memory that hangs, blocks, dies, answers garbage or far too much, or injects instructions: the person is
answered all the same, the log and /status say what happened, and nothing of it enters memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gateway.config.sections import Memory
from gateway.models.client import HostInfo
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.parrot import INJECTION, ParrotSettings, heard, register
from tests.fakes.scripted_model import ScriptedModel, Turn

QUESTION = "What do I like to drink?"
ROOMY = HostInfo(window=None)


def with_parrot(**own: Any) -> Any:
    return settings(memory=Memory(provider="parrot", providers={"parrot": ParrotSettings(**own)}))


def files(folder: Path) -> dict[str, str]:
    return {str(each.relative_to(folder)): each.read_text() for each in folder.rglob("*") if each.is_file()}


async def well(house: Guesthouse) -> None:
    """Returns once the outside memory was started, or could not be."""
    outside = house.house.outside
    assert outside is not None
    await until(lambda: "being started" not in outside.words)


def asked(house: Guesthouse, number: int = -1) -> str:
    """What the person said, as the model read it."""
    return next(each.content for each in reversed(house.model.requests[number].messages) if each.role == "user")


@pytest.mark.parametrize(
    ("manner", "why"),
    [
        ("hangs", "prefetch: did not answer within 0.3 s"),
        ("blocks", "prefetch: did not answer within 0.3 s"),
        ("deaf", "prefetch: did not answer within 0.3 s"),
        ("dies", "prefetch: ConnectionResetError: the other side hung up"),
        ("garbage", "prefetch: ValueError: it answered with a dict instead of text"),
        ("down", "start: nobody answers at 127.0.0.1:1"),
    ],
)
async def test_the_turn_goes_on_without_it(tmp_path: Path, manner: str, why: str) -> None:
    model = ScriptedModel(["Tea, I think.", "As I said."], info=ROOMY)
    async with guesthouse(
        tmp_path,
        model,
        with_memory=True,
        full_status=True,
        with_settings=with_parrot(manner=manner),
        providers=register(),
    ) as house:
        await well(house)
        before = files(tmp_path / "memories") if (tmp_path / "memories").exists() else {}
        assert await house.adapter.reply_to(QUESTION) == "Tea, I think."
        assert QUESTION in asked(house)
        assert "Recalled" not in asked(house)
        told = await house.adapter.reply_to("/status")
        assert "**Outside memory**: ⚠️ parrot is left alone" in told
        assert why in told
        what, _, reason = why.partition(": ")
        (fault,) = [each for each in house.notes.named("provider.fault") if each["what"] == what]
        assert (fault["provider"], fault["why"], fault["pause"]) == ("parrot", reason, 30.0)
        # While it is left alone, nobody waits for it again.
        questions = len(heard(tmp_path / "providers/parrot", "prefetch"))
        assert await house.adapter.reply_to("What did you say?") == "As I said."
        assert len(heard(tmp_path / "providers/parrot", "prefetch")) == questions
        now = files(tmp_path / "memories") if (tmp_path / "memories").exists() else {}
        assert now == before


async def test_instructions_in_it_are_withheld(tmp_path: Path) -> None:
    call = Turn(calls=[("memory", {"target": "user", "action": "add", "content": INJECTION})])
    model = ScriptedModel([call, "Tea."], info=ROOMY)
    async with guesthouse(
        tmp_path,
        model,
        with_memory=True,
        full_status=True,
        with_settings=with_parrot(manner="injects"),
        providers=register(),
    ) as house:
        await well(house)
        await house.adapter.reply_to(QUESTION)
        read = asked(house, 0)
        assert "withheld by the threat scan" in read
        assert "previous instructions" not in read
        (line,) = house.notes.named("provider.withheld")
        assert (line["provider"], line["what"]) == ("parrot", "prefetch")
        assert line["rules"]
        told = await house.adapter.reply_to("/status")
        assert "parrot, 1 handed over since the start, the threat scan withheld passages of 1 answer" in told
        assert not any("previous instructions" in each for each in files(tmp_path / "memories").values())


async def test_five_megabytes_are_a_file_and_a_preview(tmp_path: Path) -> None:
    model = ScriptedModel(["Dull."], info=ROOMY)
    async with guesthouse(
        tmp_path,
        model,
        with_memory=True,
        full_status=True,
        with_settings=with_parrot(manner="huge"),
        providers=register(),
    ) as house:
        await well(house)
        assert await house.adapter.reply_to(QUESTION) == "Dull."
        read = asked(house)
        assert len(read) < 4_000
        (path,) = (tmp_path / "cache" / "spill").iterdir()
        assert str(path) in read
        assert path.stat().st_size > 4_900_000
        assert path.stat().st_mode & 0o777 == 0o600
        (line,) = house.notes.named("provider.large")
        assert line["characters"] == path.stat().st_size
        assert "1 recall too large to be read whole" in await house.adapter.reply_to("/status")


async def test_the_model_is_asked_when_the_deadline_is_over_and_not_before(tmp_path: Path) -> None:
    clock = FakeClock()
    model = ScriptedModel(["Here."], info=ROOMY)
    async with guesthouse(
        tmp_path,
        model,
        clock=clock,
        with_memory=True,
        with_settings=with_parrot(manner="hangs"),
        providers=register(),
    ) as house:
        await well(house)
        await house.adapter.say(QUESTION)
        await until(lambda: bool(heard(tmp_path / "providers/parrot", "prefetch")))
        await clock.advance(0.29)
        assert house.model.requests == []
        await clock.advance(0.02)
        await house.model.arrived(1)
        assert [each["what"] for each in house.notes.named("provider.fault")] == ["prefetch"]


async def test_after_its_pause_it_is_asked_again(tmp_path: Path) -> None:
    clock = FakeClock()
    folder = tmp_path / "providers/parrot"
    async with guesthouse(
        tmp_path,
        ScriptedModel(["One."], info=ROOMY),
        clock=clock,
        with_memory=True,
        with_settings=with_parrot(manner="down"),
        providers=register(),
    ) as house:
        await until(lambda: len(house.notes.named("provider.fault")) == 1)
        await clock.advance(29.0)
        assert len(heard(folder, "start")) == 1
        await clock.advance(2.0)
        await until(lambda: len(house.notes.named("provider.fault")) == 2)
        assert [each["pause"] for each in house.notes.named("provider.fault")] == [30.0, 60.0]
        assert len(heard(folder, "start")) == 2


async def test_a_person_who_says_stop_waits_for_no_recall(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(
        tmp_path,
        ScriptedModel(["Never."], info=ROOMY),
        clock=clock,
        with_memory=True,
        with_settings=with_parrot(manner="hangs"),
        providers=register(),
    ) as house:
        await well(house)
        await house.adapter.say(QUESTION)
        await until(lambda: bool(heard(tmp_path / "providers/parrot", "prefetch")))
        await house.adapter.reply_to("/stop")
        assert house.model.requests == []


async def test_one_that_is_not_installed_is_said_to_be_missing(tmp_path: Path) -> None:
    chosen = settings(memory=Memory(provider="retaindb"))
    async with guesthouse(
        tmp_path, ["Hello."], with_memory=True, full_status=True, with_settings=chosen, providers=register()
    ) as house:
        assert await house.adapter.reply_to("Are you there?") == "Hello."
        assert "retaindb cannot be used: no outside memory named retaindb" in await house.adapter.reply_to("/status")


async def until(holds: Callable[[], bool]) -> None:
    """Wait in real time for what the parrot's thread brings."""
    async with asyncio.timeout(10):
        while not holds():
            await asyncio.sleep(0.005)
