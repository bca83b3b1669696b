"""A process that is killed at any moment of asking for reviews and doing them: each is committed once still."""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path

import pytest

from gateway.reviews.cadence import Intervals
from gateway.reviews.queue import Patience
from gateway.state.review_records import ReviewKind
from gateway.state.store import SqliteStore
from gateway.transcript import Usage
from tests.fakes.clock import FakeClock
from tests.reviews.house import House, Inn
from tests.state.house import DEADLINE, beside

EVERY = 3
KINDS: tuple[ReviewKind, ...] = ("memory", "skill")
LIFE = """
import asyncio, pathlib, random, sys, time
from gateway.reviews.cadence import Intervals
from gateway.reviews.queue import Patience
from gateway.state.review_records import ReviewWrite
from gateway.state.store import SqliteStore
from gateway.transcript import Usage
from tests.reviews.house import House, Inn
path, life, every = sys.argv[1], sys.argv[2], int(sys.argv[3])
class Quick:  # a thousand seconds a second
    def now(self): return time.time() * 1000
    def monotonic(self): return time.monotonic() * 1000
    async def sleep(self, seconds): await asyncio.sleep(seconds / 1000)
async def talk(inn, name, chance):
    while True:
        await inn.turn(calls=chance.randrange(3), name=name)
        await asyncio.sleep(chance.uniform(0, 0.004))
async def look_back(inn, chance):
    while True:
        review = await inn.queue.next()
        if review is None:
            await asyncio.sleep(0.001)
            continue
        print("claimed", review.id, review.epoch, flush=True)
        for step in range(chance.randrange(4)):
            await inn.store.reviews.keep(review, f"step {step}", Usage(calls=1))
            await inn.store.reviews.wrote(review, ReviewWrite(f"{review.id}-{step}", "memory", "kept"))
            await asyncio.sleep(chance.uniform(0, 0.004))
        end = chance.randrange(5)
        if end == 0:
            await inn.queue.gave_way(review, Usage(calls=1))
        else:
            await inn.queue.done(review, "memory", host="h", model="m", spent=Usage(calls=1))
            print("done", review.id, review.epoch, flush=True)
async def main():
    chance = random.Random(life)
    store = await SqliteStore.open(pathlib.Path(path))
    inn = Inn(store, Quick(), House(how=Patience(max_age_s=1e9)), Intervals(every, every), "life " + life)
    for turn in await store.turns.running():  # as the engine does with what a dead process left
        await store.turns.finish(await store.turns.take_over(turn), "failed", inn.clock.now())
    await inn.queue.open()
    await inn.cadence.catch_up(1e12)
    print("open", 0, 0, flush=True)
    await asyncio.gather(*(talk(inn, name, chance) for name in "abc"), look_back(inn, chance))
asyncio.run(main())
"""


async def killed(path: Path, lives: int) -> None:
    chance, said = random.Random(lives), set[tuple[str, int, int]]()
    for life in range(lives):
        process = beside(LIFE, path, life, EVERY)
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.startswith("open"), first
        time.sleep(chance.uniform(0, 0.25))
        process.send_signal(signal.SIGKILL)
        for line in process.communicate(timeout=DEADLINE)[0].splitlines(keepends=True):
            if line.endswith("\n"):  # it did not die while it said this
                verb, review, epoch = line.split()
                said.add((verb, int(review), int(epoch)))
    done = [review for verb, review, _ in said if verb == "done"]
    assert len(done) == len(set(done)), "no review ended twice"
    assert len(done) >= lives / 5
    await settled(path, set(done))


async def settled(path: Path, done: set[int]) -> None:
    """A last process, which nobody kills, does what is owed. Then nothing is, and every row was seen once."""
    store = await SqliteStore.open(path)
    for turn in await store.turns.running():
        await store.turns.finish(await store.turns.take_over(turn), "failed", 0)
    clock = FakeClock(start=time.time() * 1000)
    dead = Inn(store, clock, House(how=Patience(max_age_s=1e9)), Intervals(EVERY, EVERY), "dead")
    inn = await dead.restarted("last")
    for name in "abc":
        standing = await store.reviews.standing(name, KINDS)
        queued = {kind for each in await store.reviews.queue() if each.session_id == name for kind in each.kinds}
        due = {kind for kind in KINDS if standing.counts[kind] >= EVERY}
        assert due <= queued or not standing.answered, "what is due waits"
    await clock.advance(1e6)  # past every pause
    while (review := await inn.queue.next()) is not None:
        await inn.queue.done(review, "none", host="h", model="m", spent=Usage())
    results = [each for each in await store.review_books.results(100_000) if each.outcome != "dropped"]
    assert done <= {each.id for each in results}
    for name in "abc":
        rows = await store.turns.messages(name)
        for kind, role in zip(KINDS, ("user", "tool"), strict=True):
            mine = [each for each in results if each.session_id == name and kind in each.kinds]
            mine.sort(key=lambda each: each.upto)
            ends = [0, *(each.upto for each in mine)]
            assert [each.after[kind] for each in mine] == ends[:-1], "each begins where the one before ended"
            assert ends == sorted(set(ends))
            left = [row for row in rows if row.id > ends[-1] and row.row.role == role]
            assert (await store.reviews.standing(name, [kind])).counts[kind] == len(left)
    await store.close()


async def test_each_review_is_committed_once_whenever_the_process_dies(tmp_path: Path) -> None:
    await killed(tmp_path / "state.db", 5)


@pytest.mark.soak
@pytest.mark.timeout(600)
async def test_fifty_deaths(tmp_path: Path) -> None:
    await killed(tmp_path / "state.db", 50)
