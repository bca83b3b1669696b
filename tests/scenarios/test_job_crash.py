"""A process dies in the middle of a job, wherever that is: the next one says the answer once, and books it once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from gateway.schedule import phrases, times
from gateway.scheduling import taken_back
from gateway.state.job_records import JobRun, JobSpec
from gateway.state.records import PartDraft, Row, Session, Turn
from gateway.state.store import SqliteStore
from gateway.transcript import ToolCall
from platforms.errors import NotSent
from platforms.in_process import Fault, InProcess
from platforms.messages import Outbound
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse
from tests.fakes.scripted_model import Script
from tests.fakes.scripted_model import Turn as Says
from tests.scenarios.clerk import clerk, ended
from tests.scenarios.props import CHAT, START, counter

DIGEST = "1. Rain."
ASKED = Row("user", "[job digest] What is new?", untrusted="job")
CALLED = Row("assistant", "I count.", tool_calls=(ToolCall("call-1", "count", '{"word": "a"}'),))
RESULT = Row("tool", "counted a", tool_call_id="call-1")
TOOLS = '[{"description":"Counts a word.","name":"count","parameters":{"properties":{"word":{"type":"string"}}}}]'
DAILY = times.dump(phrases.parse("daily at 7:00", ZoneInfo("UTC"), datetime.fromtimestamp(START, UTC)))
SPEC = JobSpec("digest", "prompt", DAILY, "UTC", "What is new?", chat_key=CHAT.key)

Step = Callable[[SqliteStore, JobRun, Turn], Awaitable[object]]


async def left_behind(folder: Path, *steps: Step, turn: bool = True, deaths: int = 1) -> JobRun:
    """The store of a process that died after these steps of a run, as the next process finds it."""
    store = await SqliteStore.open(folder / "state.db")
    session = Session("20270115-0a0b0c0d", CHAT.key, CHAT, "The prompt.", TOOLS, None, 0, False, START, START)
    await store.sessions.open(session)
    await store.facts.put(CHAT.key, "hearer", ["direct", "ada", "Ada"])
    job = await store.jobs.add(SPEC, "person", "inprocess:ada", START)
    run = await store.job_runs.ask(job.id, "ada", START)
    for number in range(deaths):
        if number:
            await store.job_runs.take_back("next", START, everyone=True)
        assert run is not None
        run = await store.job_runs.claim(run.id, f"dead {number}", START + 120, START)
    assert run is not None
    if turn:
        begun = await store.turns.begin(session.id, CHAT, [], [ASKED], START, run=run.id)
        for step in steps:
            await step(store, run, begun)
    await taken_back(store, FakeClock(START))
    await store.close()
    return run


async def counts(store: SqliteStore, run: JobRun, turn: Turn) -> None:
    await store.turns.add(turn, [CALLED], START)


async def counted(store: SqliteStore, run: JobRun, turn: Turn) -> None:
    await store.turns.add(turn, [RESULT], START)


async def answers(store: SqliteStore, run: JobRun, turn: Turn) -> None:
    said = [Row("assistant", DIGEST)]
    await store.turns.finish(turn, "answered", START, rows=said, parts=[PartDraft(DIGEST)])


async def stays_silent(store: SqliteStore, run: JobRun, turn: Turn) -> None:
    await store.turns.finish(turn, "answered", START, rows=[Row("assistant", "[silent]")], unsaid=True)


async def is_booked(store: SqliteStore, run: JobRun, turn: Turn) -> None:
    await store.job_runs.answered(run, DIGEST, 7)


async def goes_out(store: SqliteStore, run: JobRun, turn: Turn) -> None:
    (part,) = await store.outbox.of_source(f"turn:{turn.id}")
    await store.outbox.mark(part.id, "sent", START, remote_id="m1")


async def next_process(folder: Path, run: JobRun, script: Script) -> tuple[JobRun, list[str], Guesthouse]:
    calls: list[str] = []
    tool = counter(calls)
    async with guesthouse(folder, script, clock=FakeClock(START), tools=[tool]) as house, clerk(house):
        found = await ended(house.store, run.id)
        assert calls == []
        await house.house.delivery.flushed(CHAT)
        assert await house.store.turns.running() == []
        return found, house.adapter.texts(), house


@pytest.mark.parametrize(
    ("steps", "script", "said"),
    [
        ((), [DIGEST], [DIGEST]),
        ((counts,), [DIGEST], [f"I count.\n\n{DIGEST}"]),
        ((counts, counted), [DIGEST], [f"I count.\n\n{DIGEST}"]),
        ((answers,), [], [DIGEST]),
        ((answers, is_booked), [], [DIGEST]),
        ((answers, goes_out), [], []),
        ((answers, goes_out, is_booked), [], []),
    ],
)
async def test_its_answer_is_said_once(
    tmp_path: Path, steps: tuple[Step, ...], script: list[str], said: list[str]
) -> None:
    run = await left_behind(tmp_path, *steps)
    found, texts, house = await next_process(tmp_path, run, script)
    assert (found.state, found.delivery, found.starts) == ("done", "delivered", 2)
    assert texts == said
    assert found.answer.endswith(DIGEST)
    assert len(house.model.requests) == len(script)


async def test_a_run_that_had_not_begun_begins(tmp_path: Path) -> None:
    run = await left_behind(tmp_path, turn=False)
    found, texts, _ = await next_process(tmp_path, run, [DIGEST])
    assert (found.state, found.delivery, texts) == ("done", "delivered", [DIGEST])


async def test_silence_is_kept(tmp_path: Path) -> None:
    run = await left_behind(tmp_path, stays_silent)
    found, texts, _ = await next_process(tmp_path, run, [])
    assert (found.state, found.delivery, texts) == ("silent", "none", [])


async def test_a_run_that_kills_its_process_twice_is_given_up_with_its_turn(tmp_path: Path) -> None:
    run = await left_behind(tmp_path, counts, deaths=2)
    found, texts, house = await next_process(tmp_path, run, [])
    assert (found.state, found.error) == ("failed", "the process ended while it ran")
    assert (texts, house.model.requests) == ([], [])


async def test_a_person_who_comes_first_after_the_crash_waits_for_the_job(tmp_path: Path) -> None:
    run = await left_behind(tmp_path, counts)
    script: Script = [DIGEST, "Fine."]
    tool = counter([])
    async with guesthouse(tmp_path, script, clock=FakeClock(START), tools=[tool]) as house, clerk(house):
        await house.adapter.say("hi")
        await house.adapter.until_text("Fine.")
        assert (await ended(house.store, run.id)).state == "done"
        assert [each.content for each in house.model.requests[1].messages[-2:]] == [DIGEST, "hi"]


async def test_an_orderly_end_in_the_middle_gives_it_back(tmp_path: Path) -> None:
    never = asyncio.Event()
    clock = FakeClock(START)
    async with guesthouse(tmp_path, [Says(["1. ", never])], clock=clock) as house:
        async with clerk(house) as jobs:
            run = await jobs.fire(await jobs.add())
            await house.model.arrived(1)
        ending = asyncio.ensure_future(house.engine.workers.close(1))
        await clock.advance_until(ending)
    async with guesthouse(tmp_path, [DIGEST], clock=FakeClock(START)) as house, clerk(house):
        found = await ended(house.store, run.id)
        assert (found.state, found.delivery, found.starts) == ("done", "delivered", 1)
        assert house.adapter.texts() == [DIGEST]


class Deaf(InProcess):
    """Cannot be reached until `hears`."""

    hears = False

    async def send(self, message: Outbound) -> str:
        if not self.hears:
            raise NotSent("no route")
        return await super().send(message)


async def test_what_cannot_be_delivered_is_told_and_goes_out_when_it_can(tmp_path: Path) -> None:
    clock = FakeClock(START)
    adapter = Deaf(now=clock.now)
    async with guesthouse(tmp_path, [DIGEST], clock=clock, adapter=adapter) as house, clerk(house) as jobs:
        run = await jobs.fire(await jobs.add())
        await house.model.arrived(1)
        waits = asyncio.ensure_future(jobs.ended(run))
        while not waits.done():
            await clock.advance(5)
            await asyncio.sleep(0.01)
        found = waits.result()
        assert (found.state, found.delivery, found.answer) == ("done", "failed", DIGEST)
        assert "goes out once inprocess can be reached" in found.error
        adapter.hears = True
        while not adapter.texts():
            await clock.advance(5)
            await asyncio.sleep(0.01)
        assert adapter.texts() == [DIGEST]


async def test_an_answer_of_which_nobody_knows_whether_it_arrived_is_not_repeated(tmp_path: Path) -> None:
    clock = FakeClock(START)
    adapter = InProcess(now=clock.now)
    adapter.fail_next(send=Fault.LOST_ANSWER)
    async with guesthouse(tmp_path, [DIGEST], clock=clock, adapter=adapter) as house, clerk(house) as jobs:
        waits = asyncio.ensure_future(jobs.run(await jobs.add()))
        while not waits.done():
            await clock.advance(1)
            await asyncio.sleep(0.01)
        found = waits.result()
        assert (found.delivery, found.error) == ("failed", "nobody knows whether the answer arrived")
        assert adapter.texts().count(DIGEST) == 1
