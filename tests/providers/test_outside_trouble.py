"""An outside memory that hangs, blocks, dies, answers garbage or far too much, or injects instructions: the person is
answered all the same, the log and /status say what happened, and nothing of it enters memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.config.sections import Memory
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import settings
from tests.fakes.parrot import INJECTION
from tests.fakes.scripted_model import Turn
from tests.providers.houses import inn, parrot, read, roomy, with_parrot
from tests.providers.waiting import until

QUESTION = "What do I like to drink?"


def files(folder: Path) -> dict[str, str]:
    return {str(each.relative_to(folder)): each.read_text() for each in folder.rglob("*") if each.is_file()}


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
    model = roomy(["Tea, I think.", "As I said."])
    clock = FakeClock()
    async with inn(tmp_path, model, with_parrot(manner=manner), clock=clock, full_status=True) as house:
        before = files(tmp_path / "memories") if (tmp_path / "memories").exists() else {}
        await house.adapter.say(QUESTION)
        if "did not answer" in why:
            await until(lambda: bool(parrot(tmp_path, "prefetch")))
            await clock.advance(0.31)
        await house.adapter.until_text("Tea, I think.")
        (said,) = read(house)
        assert said.endswith(QUESTION)
        assert "Recalled" not in said
        told = await house.adapter.reply_to("/status")
        assert "**Outside memory**: ⚠️ parrot is left alone" in told
        assert why in told
        what, _, reason = why.partition(": ")
        (fault,) = [each for each in house.notes.named("provider.fault") if each["what"] == what]
        assert (fault["provider"], fault["why"], fault["pause"]) == ("parrot", reason, 30.0)
        # While it is left alone, nobody waits for it again.
        questions = len(parrot(tmp_path, "prefetch"))
        assert await house.adapter.reply_to("What did you say?") == "As I said."
        assert len(parrot(tmp_path, "prefetch")) == questions
        now = files(tmp_path / "memories") if (tmp_path / "memories").exists() else {}
        assert now == before


async def test_instructions_in_it_are_withheld(tmp_path: Path) -> None:
    call = Turn(calls=[("memory", {"target": "user", "action": "add", "content": INJECTION})])
    model = roomy([call, "Tea."])
    async with inn(tmp_path, model, with_parrot(manner="injects"), full_status=True) as house:
        await house.adapter.reply_to(QUESTION)
        said = read(house, 0)[0]
        assert "withheld by the threat scan" in said
        assert "previous instructions" not in said
        (line,) = house.notes.named("provider.withheld")
        assert (line["provider"], line["what"]) == ("parrot", "prefetch")
        assert line["rules"]
        outside = house.house.outside
        assert outside is not None
        await until(lambda: outside.data["handed_over"] == 1)
        told = await house.adapter.reply_to("/status")
        assert "parrot, 1 handed over since the start, the threat scan withheld passages of 1 answer" in told
        assert not any("previous instructions" in each for each in files(tmp_path / "memories").values())


async def test_five_megabytes_are_a_file_and_a_preview(tmp_path: Path) -> None:
    model = roomy(["Dull."])
    async with inn(tmp_path, model, with_parrot(manner="huge"), full_status=True) as house:
        assert await house.adapter.reply_to(QUESTION) == "Dull."
        (said,) = read(house)
        assert len(said) < 4_000
        (path,) = (tmp_path / "cache" / "spill").iterdir()
        assert str(path) in said
        assert path.stat().st_size > 4_900_000
        assert path.stat().st_mode & 0o777 == 0o600
        (line,) = house.notes.named("provider.large")
        assert line["characters"] == path.stat().st_size
        assert "1 recall too large to be read whole" in await house.adapter.reply_to("/status")


async def test_the_model_is_asked_when_the_deadline_is_over_and_not_before(tmp_path: Path) -> None:
    clock = FakeClock()
    model = roomy(["Here."])
    async with inn(tmp_path, model, with_parrot(manner="hangs"), clock=clock) as house:
        await house.adapter.say(QUESTION)
        await until(lambda: bool(parrot(tmp_path, "prefetch")))
        await clock.advance(0.29)
        assert house.model.requests == []
        await clock.advance(0.02)
        await house.model.arrived(1)
        assert [each["what"] for each in house.notes.named("provider.fault")] == ["prefetch"]


async def test_after_its_pause_it_is_asked_again(tmp_path: Path) -> None:
    clock = FakeClock()
    async with inn(tmp_path, ["One."], with_parrot(manner="down"), clock=clock) as house:
        await until(lambda: len(house.notes.named("provider.fault")) == 1)
        await clock.advance(29.0)
        assert len(parrot(tmp_path, "start")) == 1
        await clock.advance(2.0)
        await until(lambda: len(house.notes.named("provider.fault")) == 2)
        assert [each["pause"] for each in house.notes.named("provider.fault")] == [30.0, 60.0]
        assert len(parrot(tmp_path, "start")) == 2


async def test_a_person_who_says_stop_waits_for_no_recall(tmp_path: Path) -> None:
    async with inn(tmp_path, ["Never."], with_parrot(manner="hangs")) as house:
        await house.adapter.say(QUESTION)
        await until(lambda: bool(parrot(tmp_path, "prefetch")))
        await house.adapter.reply_to("/stop")
        assert house.model.requests == []


async def test_one_that_is_not_installed_is_said_to_be_missing(tmp_path: Path) -> None:
    chosen = settings(memory=Memory(provider="retaindb"))
    async with inn(tmp_path, ["Hello."], chosen, full_status=True) as house:
        assert await house.adapter.reply_to("Are you there?") == "Hello."
        assert "retaindb cannot be used: no outside memory named retaindb" in await house.adapter.reply_to("/status")
