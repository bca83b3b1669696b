"""Jobs that ask a model: their answers come into their chats, people go on from there, and nobody is in the way."""

from __future__ import annotations

import asyncio
from pathlib import Path

from gateway.config.schema import Access
from gateway.config.sections import Gateway
from gateway.models.errors import HostDown
from platforms.messages import ChatRef
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.scripted_model import Script, ScriptedModel, Turn
from tests.scenarios.clerk import PROMPT, clerk

DIGEST = "1. Rain at noon.\n2. The boat is late."
TOPIC = ChatRef("inprocess", "g1", "7")


def words(house: Guesthouse, number: int = -1) -> list[str]:
    """What a request held after the prompt."""
    return [each.content for each in house.model.requests[number].messages[1:]]


def heard(house: Guesthouse) -> list[str]:
    """The last lines of what the last request held: without the gateway's notes."""
    return [each.splitlines()[-1] for each in words(house)]


async def talk(house: Guesthouse, text: str, chat: str | ChatRef = "c1") -> str:
    return await house.adapter.reply_to(text, chat=chat)


async def test_a_digest_is_gone_on_from(tmp_path: Path) -> None:
    script: Script = ["Hello.", DIGEST, "It is late because of the fog."]
    async with guesthouse(tmp_path, script, clock=FakeClock()) as house, clerk(house) as jobs:
        await talk(house, "hi")
        run = await jobs.run(await jobs.add())
        assert (run.state, run.delivery, run.answer) == ("done", "delivered", DIGEST)
        assert house.adapter.texts() == ["Hello.", DIGEST]
        assert await talk(house, "expand 2") == "It is late because of the fog."
        asked, going_on = words(house, 1), words(house, 2)
        assert asked[-1].endswith(f"[job digest] {PROMPT}")
        assert going_on == [*asked, DIGEST, "expand 2"], "each request begins with the bytes of the one before"
        first, second, third = (each.messages[0].content for each in house.model.requests)
        assert first == second == third
        assert [each.tools for each in house.model.requests] == [house.model.requests[0].tools] * 3


async def test_a_digest_goes_to_its_topic_and_opens_its_session(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, [DIGEST, "More."], clock=FakeClock()) as house, clerk(house) as jobs:
        run = await jobs.run(await jobs.add(chat_key=TOPIC.key))
        assert (run.state, house.adapter.texts(TOPIC)) == ("done", [DIGEST])
        await house.adapter.say("expand 2", chat=TOPIC)
        await house.adapter.until_text("More.", TOPIC)
        assert words(house)[-2:] == [DIGEST, "expand 2"]


async def test_who_has_nothing_to_say_says_nothing_and_leaves_nothing_behind(tmp_path: Path) -> None:
    clock, gate = FakeClock(), asyncio.Event()
    script: Script = ["Hello.", Turn(["[sil", gate, "ent]"]), "Yes."]
    async with guesthouse(tmp_path, script, clock=clock) as house, clerk(house) as jobs:
        await talk(house, "hi")
        run = await jobs.fire(await jobs.add(silent_unless="it rains"))
        await house.model.arrived(2)
        await clock.advance(10)
        assert (house.adapter.texts(), house.adapter.typed()) == (["Hello."], 0), "nobody sees that it is at work"
        gate.set()
        run = await jobs.ended(run)
        assert (run.state, run.delivery, run.answer) == ("silent", "none", "[silent]")
        assert run.tokens > 0
        assert "only if this holds: it rains" in words(house)[-1]
        assert await talk(house, "still there?") == "Yes."
        assert heard(house) == ["hi", "Hello.", "still there?"]
        assert house.adapter.texts() == ["Hello.", "Yes."]


async def test_a_job_waits_while_its_chat_is_talked_in(tmp_path: Path) -> None:
    gate = asyncio.Event()
    script: Script = [Turn(["Well, ", gate, "hello."]), DIGEST]
    async with guesthouse(tmp_path, script, clock=FakeClock()) as house, clerk(house) as jobs:
        await house.adapter.say("hi")
        await house.model.arrived(1)
        run = await jobs.fire(await jobs.add())
        await asyncio.sleep(0.1)
        assert len(house.model.requests) == 1
        gate.set()
        assert (await jobs.ended(run)).state == "done"
        assert house.model.most_active == 1
        assert house.adapter.texts() == ["Well, hello.", DIGEST]


async def test_nobody_interrupts_a_job_and_what_is_said_meanwhile_is_answered_after_it(tmp_path: Path) -> None:
    for busy in ("interrupt", "steer", "queue"):
        gate, folder = asyncio.Event(), tmp_path / busy
        folder.mkdir()
        held = settings(gateway=Gateway(busy=busy))
        script: Script = [Turn(["1. ", gate, "Rain."]), "Fine."]
        async with (
            guesthouse(folder, script, clock=FakeClock(), with_settings=held) as house,
            clerk(house) as jobs,
        ):
            run = await jobs.fire(await jobs.add())
            await house.model.arrived(1)
            await house.adapter.say("hi")
            await house.adapter.until_text("1")
            gate.set()
            assert (await jobs.ended(run)).state == "done"
            await house.adapter.until_text("Fine.")
            assert words(house)[-2:] == ["1. Rain.", "hi"]


async def test_without_a_chat_it_goes_home(tmp_path: Path) -> None:
    homes = settings(access=Access(owners=("inprocess:ada",), home_chats=("inprocess:c5",)))
    async with (
        guesthouse(tmp_path, [DIGEST], clock=FakeClock(), with_settings=homes) as house,
        clerk(house) as jobs,
    ):
        assert (await jobs.run(await jobs.add(chat_key=""))).delivery == "delivered"
        assert house.adapter.texts("c5") == [DIGEST]


async def test_without_any_chat_it_fails_and_says_so(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, [], clock=FakeClock()) as house, clerk(house) as jobs:
        run = await jobs.run(await jobs.add(chat_key=""))
        assert run.state == "failed"
        assert "/sethome" in run.error
        absent = await jobs.run(await jobs.add("away", chat_key="telegram:111"))
        assert (absent.state, "telegram is not running" in absent.error) == ("failed", True)


async def test_a_failure_is_the_owners_and_no_part_of_the_chat(tmp_path: Path) -> None:
    homes = settings(access=Access(owners=("inprocess:ada",), home_chats=("inprocess:c5",)))
    script: Script = ["Hello.", HostDown("no route"), "Yes."]
    async with (
        guesthouse(tmp_path, script, clock=FakeClock(), with_settings=homes) as house,
        clerk(house) as jobs,
    ):
        await talk(house, "hi")
        run = await jobs.run(await jobs.add())
        assert (run.state, run.delivery) == ("failed", "none")
        told = await house.adapter.until_text("digest", "c5")
        assert "failed" in told.text
        assert run.error.split()[0] in told.text
        assert await talk(house, "still there?") == "Yes."
        assert house.adapter.texts() == ["Hello.", "Yes."]
        assert heard(house) == ["hi", "Hello.", "still there?"]


async def test_a_new_session_does_not_swallow_a_running_job(tmp_path: Path) -> None:
    never = asyncio.Event()
    script: Script = ["Hello.", Turn(["1. ", never]), DIGEST]
    async with guesthouse(tmp_path, script, clock=FakeClock()) as house, clerk(house) as jobs:
        await talk(house, "hi")
        run = await jobs.fire(await jobs.add())
        await house.model.arrived(2)
        await house.adapter.say("/new")
        assert (await jobs.ended(run)).delivery == "delivered"
        assert house.adapter.texts().count(DIGEST) == 1
        assert len(words(house)) == 1, "it was asked again behind the boundary"


async def test_who_stops_a_job_is_told_of_no_failure(tmp_path: Path) -> None:
    never = asyncio.Event()
    homes = settings(access=Access(owners=("inprocess:ada",), home_chats=("inprocess:c5",)))
    script: Script = [Turn(["1. ", never]), "Yes."]
    async with (
        guesthouse(tmp_path, script, clock=FakeClock(), with_settings=homes) as house,
        clerk(house) as jobs,
    ):
        run = await jobs.fire(await jobs.add())
        await house.model.arrived(1)
        await house.adapter.say("/stop")
        await house.adapter.until_text("Stopped")
        assert (await jobs.ended(run)).state == "skipped"
        assert await talk(house, "still there?") == "Yes."
        assert house.adapter.texts("c5") == []
        assert heard(house) == ["still there?"]


async def test_what_is_removed_while_it_runs_is_not_said(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with guesthouse(tmp_path, [Turn(["1. ", gate, "Rain."])], clock=FakeClock()) as house, clerk(house) as jobs:
        job = await jobs.add()
        run = await jobs.fire(job)
        await house.model.arrived(1)
        await house.store.jobs.remove(job.id, "ada", house.house.clock.now())
        gate.set()
        assert (await jobs.ended(run)).delivery != "delivered"
        assert house.adapter.texts() == []


async def test_a_model_of_its_own(tmp_path: Path) -> None:
    other = ScriptedModel([DIGEST], host="other", model="large")
    main = ScriptedModel(["Hello.", "Yes."])
    async with (
        guesthouse(tmp_path, main, clock=FakeClock(), hosts=[main, other]) as house,
        clerk(house) as jobs,
    ):
        await talk(house, "hi")
        assert (await jobs.run(await jobs.add(model="other/large"))).state == "done"
        assert await talk(house, "and?") == "Yes."
        assert (len(main.requests), len(other.requests)) == (2, 1)
        gone = await jobs.run(await jobs.add("gone", model="nowhere/small"))
        assert (gone.state, len(main.requests)) == ("failed", 2)


async def test_budgets(tmp_path: Path) -> None:
    tight = settings(gateway=Gateway(budgets={"cron": 1}))
    async with (
        guesthouse(tmp_path, [DIGEST, "Yes."], clock=FakeClock(), with_settings=tight) as house,
        clerk(house) as jobs,
    ):
        small = await jobs.run(await jobs.add("small", budget=3))
        assert (small.state, len(house.model.requests)) == ("failed", 0)
        assert "3 tokens a run" in small.error
        assert (await jobs.run(await jobs.add())).state == "done"
        assert set(await house.store.usage.tokens_today(house.house.clock.now())) == {"cron"}
        spent = await jobs.run(await jobs.add("second"))
        assert (spent.state, len(house.model.requests)) == ("failed", 1)
        assert "cron" in spent.error
        assert await talk(house, "hi") == "Yes.", "people have a budget of their own"
