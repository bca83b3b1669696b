"""The gateway is killed while a job that fell due is carried out: the next process says its answer, and it is there
once. On Telegram, where a part whose delivery is unknown is not sent again."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pytest

from gateway.schedule import times
from gateway.state.job_records import JobRun, JobSpec
from gateway.state.store import SqliteStore
from tests.fakes.gateway_process import GatewayProcess
from tests.fakes.openai_server import OpenAIServer, Step
from tests.fakes.postal import counting
from tests.scenarios.clerk import ENDED
from tests.scenarios.siege import ENTRY_POINTS, PATIENCE, Moments
from tests.scenarios.telegram_siege import Telegram
from tests.scenarios.test_kill import Say, say, seed_for

__all__ = ["say"]  # the fixture

ADA = 1001
Moment = Literal["begun", "asked", "called", "sent", "later"]
MOMENTS: tuple[Moment, ...] = ("begun", "asked", "called", "sent", "later")


class Inn:
    """Ada's chat, a model that counts before it answers, and a gateway that is killed."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.moments = Moments()
        self.server = Telegram(self.moments.note, lambda: self.random.uniform(0, 0.05), lambda: False)
        self.host = OpenAIServer(otherwise=self._answer, window=100_000)
        self.counts = folder / "counts.jsonl"
        self._folder = folder
        self.gateway: GatewayProcess

    def _answer(self, given: dict[str, Any]) -> Step:
        last = max(at for at, each in enumerate(given["messages"]) if each["role"] == "user")
        name = given["messages"][last]["content"].rsplit(" ", 1)[1]
        if any(each["role"] == "tool" for each in given["messages"][last:]):
            self.moments.note("called")
            return Step(pieces=["This is ", "digest ", name], delay=0.05)
        self.moments.note("asked")
        return Step(calls=[{"id": f"call_{name}", "name": "count", "arguments": {"key": name}}], silence=0.05)

    def furnish(self) -> None:
        telegram = {"token": self.server.token, "base_url": self.server.root, "allowed_users": [ADA]}
        config = {
            "model": {"provider": "openai", "model": "m", "base_url": self.host.base_url, "api_key": "k"},
            "platforms": {"telegram": telegram},
            "access": {"home_chats": [f"telegram:{ADA}"]},
            "auxiliary": {"background_review": {"enabled": False}},
            "gateway": {"drain_seconds": 0},
        }
        tools = {"innkeeper.tools": ENTRY_POINTS["innkeeper.tools"]}
        environment = {counting.FILE: str(self.counts), "HOME": str(self._folder)}
        self.gateway = GatewayProcess(self._folder, config, entry_points=tools, environment=environment)

    async def due(self, name: str) -> int:
        """A job that fell due while no gateway ran; its number."""
        store = await SqliteStore.open(self.gateway.database)
        try:
            now = time.time()
            spec = JobSpec(
                name, "prompt", times.dump(_once(now - 60)), "UTC", f"Count {name}", chat_key=f"telegram:{ADA}"
            )
            return (await store.jobs.add(spec, "person", f"telegram:{ADA}", now - 120)).id
        finally:
            await store.close()

    async def run_of(self, job_id: int) -> JobRun | None:
        store = await SqliteStore.open(self.gateway.database)
        try:
            found = await store.job_runs.history(1, job_id)
            return found[0] if found else None
        finally:
            await store.close()

    async def ended(self, job_id: int) -> JobRun:
        async with asyncio.timeout(PATIENCE):
            while (run := await self.run_of(job_id)) is None or run.state not in ENDED:
                await asyncio.sleep(0.1)
        return run

    async def kill_at(self, moment: Moment) -> None:
        """Start, and kill at this moment of the job's run."""
        sign = {"begun": "listening", "later": "sent"}.get(moment, moment)
        comes = self.moments.next(sign)
        await self.gateway.start()
        await asyncio.wait_for(comes, PATIENCE)
        await asyncio.sleep(self.random.uniform(0.0, 0.3 if moment in ("begun", "later") else 0.04))
        await self.gateway.kill()


def _once(at: float) -> times.Once:
    return times.Once(datetime.fromtimestamp(int(at), UTC))


@asynccontextmanager
async def inn(folder: Path, seed: int) -> AsyncIterator[Inn]:
    made = Inn(folder, seed)
    made.server.user(ADA)
    async with made.server, made.host:
        made.furnish()
        try:
            yield made
        finally:
            await made.gateway.discard()


async def rounds(folder: Path, seed: int, moments: list[Moment], say: Say) -> None:
    """Kill one run a round; then the next process ends it."""
    doubtful = 0
    async with inn(folder, seed) as made:
        for number, moment in enumerate(moments):
            name = f"n{number}"
            job = await made.due(name)
            await made.kill_at(moment)
            listens = made.moments.next("listening")
            await made.gateway.start()
            await asyncio.wait_for(listens, PATIENCE)
            run = await made.ended(job)
            chat = made.server.world.seen(made.server.world.chats[ADA])
            copies = [each.text for each in chat].count(f"This is digest {name}")
            where = f"seed {seed}, round {number}, killed when {moment}: {run}\n{made.gateway.said()}"
            assert run.state == "done", where
            if run.delivery == "failed":  # it was on the wire when the process died
                assert run.error == "nobody knows whether the answer arrived", where
                doubtful += 1
                assert copies <= 1, where
            else:
                assert (run.delivery, copies) == ("delivered", 1), where
            assert await made.gateway.terminate() == 0, where
        calls = counting.counted(made.counts)
        assert len(calls) == len(set(calls)), "no tool is called twice"
    say(f"kill -9 in a job, seed {seed}: {len(moments)} rounds, {doubtful} answers in doubt")


async def test_a_job_goes_on_after_the_gateway_was_killed(tmp_path: Path, say: Say) -> None:
    await rounds(tmp_path, seed_for(91), ["called", "sent"], say)


@pytest.mark.soak
@pytest.mark.timeout(900)
async def test_forty_kills(tmp_path: Path, say: Say) -> None:
    seed = seed_for(92)
    picks = random.Random(seed)
    await rounds(tmp_path, seed, [picks.choice(MOMENTS) for _ in range(40)], say)
