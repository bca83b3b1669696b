"""Jobs between processes: two that race, one that is killed in the middle of a run, and what is erased."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path

from gateway.state.job_records import JobSpec
from gateway.state.store import SqliteStore
from platforms.messages import ChatRef
from tests.state.house import beside, told

CHAT = ChatRef("telegram", "-100", "7")
JOBS = 40

RACER = """
import asyncio, json, sys, time
from pathlib import Path
from gateway.state.store import SqliteStore

async def main(path, name):
    store = await SqliteStore.open(Path(path))
    jobs = await store.jobs.all()
    print("ready", flush=True)
    sys.stdin.readline()
    noted, claimed = [], []
    for job in jobs:
        run = await store.job_runs.due(job, 2000.0, 2000.0)
        noted += [run.id] if run else []
    for run in (await store.job_runs.standing()).runs:
        mine = await store.job_runs.claim(run.id, name, 9e9, 2000.0)
        claimed += [mine.id] if mine else []
    await store.close()
    print(json.dumps([noted, claimed]))

asyncio.run(main(*sys.argv[1:]))
"""

WORKER = """
import asyncio, sys, time
from pathlib import Path
from gateway.clock import SystemClock
from gateway.schedule.clockwork import ApsClockwork
from gateway.schedule.runner import Answer, Runner
from gateway.schedule.scheduler import Scheduler
from gateway.state.records import PartDraft
from gateway.state.store import SqliteStore
from platforms.messages import ChatRef

class Report:
    def info(self, event, **fields): pass
    error = info

class House:
    def __init__(self, store, stuck): self.store, self.stuck = store, stuck
    async def answer(self, job, run):
        print("asked", flush=True)
        if self.stuck == "answer": await asyncio.Event().wait()
        return Answer(f"answer of start {run.starts}", 5)
    async def deliver(self, job, run):
        chat = ChatRef.parse(job.spec.chat_key)
        await self.store.outbox.put(chat, run.source, [PartDraft(run.answer)], time.time())
        print("stored", flush=True)
        if self.stuck == "deliver": await asyncio.Event().wait()
    async def tell(self, notice): print("told", flush=True)

async def quiet(): return True

async def main(path, stuck):
    store = await SqliteStore.open(Path(path))
    house, report = House(store, stuck), Report()
    runner = Runner(store.job_runs, SystemClock(), report, house, house)
    scheduler = Scheduler(store, SystemClock(), ApsClockwork(report), runner, report, quiet)
    running = asyncio.ensure_future(scheduler.run())
    while not any(each.state == "done" for each in await store.job_runs.history(9)):
        await asyncio.sleep(0.02)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await store.close()
    print("over", flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


async def test_two_processes_race_and_each_run_goes_to_one(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "state.db")
    for number in range(JOBS):
        await store.jobs.add(JobSpec(f"job {number}", "prompt", "{}", "UTC"), "person", "", 1000.0)
    await store.close()
    racers = [beside(RACER, tmp_path / "state.db", name) for name in ("one", "two")]
    for each in racers:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in racers:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    (noted, claimed), (noted_too, claimed_too) = [told(each) for each in racers]
    assert not set(noted) & set(noted_too)
    assert len(noted) + len(noted_too) == JOBS
    assert not set(claimed) & set(claimed_too)
    assert sorted([*claimed, *claimed_too]) == sorted([*noted, *noted_too])


def said_until(process: subprocess.Popen[str], word: str) -> list[str]:
    """What the process prints, up to a word."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line.strip())
        if lines[-1] == word:
            return lines
    raise AssertionError(f"it ended without {word!r}: {lines}")


async def test_killed_twice_in_a_run_its_answer_is_said_once(tmp_path: Path) -> None:
    """First while the model was asked, then when the parts were stored and nobody knew."""
    path = tmp_path / "state.db"
    store = await SqliteStore.open(path)
    at = '{"v":1,"kind":"once","at":"2026-01-01T00:00:00+00:00"}'
    spec = JobSpec("digest", "prompt", at, "UTC", "Say what is new", chat_key=CHAT.key)
    job = await store.jobs.add(spec, "person", "telegram:7", 1_700_000_000.0)
    heard = []
    for stuck, word in (("answer", "asked"), ("deliver", "stored"), ("", "over")):
        process = beside(WORKER, path, stuck)
        try:
            heard += await asyncio.to_thread(said_until, process, word)
        finally:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
    assert heard == ["asked", "asked", "stored", "stored", "over"], "the model twice, the chat once"
    (run,) = await store.job_runs.history(9, job.id)
    assert (run.state, run.delivery, run.answer, run.starts) == ("done", "delivered", "answer of start 2", 3)
    assert [part.text for part in await store.outbox.queued(CHAT)] == ["answer of start 2"]
    await store.close()


async def test_what_is_erased_everywhere_is_gone_from_jobs_too(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "state.db")
    secret = 'the "blue" door\n4711'
    spec = JobSpec("digest", "prompt", "{}", "UTC", f"Say {secret}!", ("prompt",), silent_unless=f"unless {secret}")
    job = await store.jobs.add(spec, "person", "telegram:7", 1000.0)
    edited = await store.jobs.edit(job.id, JobSpec("digest", "prompt", "{}", "UTC", f"Only {secret}"), "ada", 1001.0)
    assert edited is not None
    noted = await store.job_runs.due(edited, 2000.0, 2000.0)
    assert noted is not None
    run = await store.job_runs.claim(noted.id, "me", 9e9, 2000.0)
    assert run is not None
    await store.job_runs.finish(run, "failed", 2000.0, answer=f"It is {secret}.", error=f"no {secret}")
    await store.traces.erase([secret])

    def everything(db: object) -> str:
        tables = ("jobs", "job_edits", "job_runs")
        return json.dumps([[tuple(row) for row in db.execute(f"SELECT * FROM {each}")] for each in tables])  # type: ignore[attr-defined]

    assert "4711" not in await store.database.read(everything)
    (edit,) = await store.jobs.edits(job.id)
    assert (edit.before.name, edit.before.skills) == ("digest", ("prompt",))
    assert (await store.job_runs.history(1))[0].answer.startswith("It is ")
    await store.close()
