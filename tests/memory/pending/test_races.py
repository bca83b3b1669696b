"""Two taps, a tap and a command, phone and console at once: one wins, and everybody else learns who."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fakes.memory_decider import decide, told
from tests.memory.pending.desk import Desk
from tests.memory.shelf import add, patch

ROOT = Path(__file__).parents[3]
ORDERS = ("approve", "reject", "edit")
WON = {"approve": "Approved", "reject": "Rejected", "edit": "Edited"}
RESULTS = {"approve": "approved", "reject": "rejected", "edit": "edited"}


class Rival:
    """Another process that decides, as `module` does it."""

    def __init__(self, folder: Path, who: str, module: str = "tests.fakes.memory_decider") -> None:
        command = (sys.executable, "-m", module, "contend", str(folder), who)
        self.who = who
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert self._line() == "ready"

    def decide(self, order: str, name: str) -> list[str]:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{order} {name}\n")
        said: list[str] = json.loads(self._line())
        return said

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def end(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        assert self.process.wait() == 0
        self.process.stdout.close()


@contextmanager
def rivals(folder: Path, count: int) -> Iterator[list[Rival]]:
    found = [Rival(folder, f"process:{number}") for number in range(count)]
    try:
        yield found
    finally:
        for each in found:
            each.end()


def settled(desk: Desk, name: str, text: str, said: dict[str, tuple[str, list[str]]]) -> None:
    """One winner; every loser knows it; and the store shows what the winner did, once."""
    winners = {who: order for who, (order, answer) in said.items() if answer == [WON[order]]}
    assert len(winners) == 1, said
    [(winner, order)] = winners.items()
    losers = [answer for who, (_, answer) in said.items() if who != winner]
    assert losers == [["Decided", RESULTS[order], winner]] * len(losers), said
    approved = order == "approve"
    assert desk.applied(name) == approved
    assert desk.entries().count(text) == approved
    assert desk.pendings.get(name) is None
    assert not [each for each in desk.names() if each.endswith(".claimed")]


def race(folder: Path, rounds: int, seed: int, processes: int, threads: int) -> None:
    dice = random.Random(seed)
    desk = Desk(folder)
    with rivals(folder, processes) as others, ThreadPoolExecutor(processes + threads) as pool:
        for number in range(rounds):
            text = f"tea {number}"
            name = desk.stage(add(text))
            orders = [dice.choice(ORDERS) for _ in range(processes + threads)]
            running = {}
            for other, order in zip(others, orders, strict=False):
                running[other.who] = order, pool.submit(other.decide, order, name)
            for at, order in enumerate(orders[processes:]):
                who = f"thread:{at}"
                running[who] = order, pool.submit(decide, Desk(folder), order, name, who)
            said = {
                who: (order, answer if isinstance(answer := future.result(), list) else told(answer))
                for who, (order, future) in running.items()
            }
            settled(desk, name, text, said)
            for left in desk.waiting():  # what an edit put in its place
                desk.resolver.reject(left, "tidy:1")
            desk.write("")


def test_deciders_in_one_process_at_once(tmp_path: Path) -> None:
    race(tmp_path, rounds=10, seed=1, processes=0, threads=4)


def test_deciders_in_two_processes_and_here_at_once(tmp_path: Path) -> None:
    race(tmp_path, rounds=10, seed=2, processes=2, threads=1)


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("processes", "threads"), [(0, 6), (2, 1)])
def test_two_hundred_races(tmp_path: Path, processes: int, threads: int) -> None:
    race(tmp_path, rounds=200, seed=3, processes=processes, threads=threads)


def test_what_cannot_be_carried_out_is_refused_to_everybody_at_once(tmp_path: Path) -> None:
    """Claims that are given back hide the file for a moment; nobody may take it for gone."""
    desk = Desk(tmp_path)
    desk.save(add("tea"))
    name = desk.stage(patch("tea", "milk"))
    desk.write("coffee")
    with ThreadPoolExecutor(4) as pool:
        for _ in range(10):
            said = list(pool.map(lambda at: told(decide(Desk(tmp_path), "approve", name, f"thread:{at}")), range(4)))
            assert said == [["Kept"]] * 4
            assert desk.waiting() == [name]


def test_listing_while_others_decide_never_shows_a_whole_file_as_broken(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    names = [desk.stage(add(f"tea {number}")) for number in range(15)]
    with ThreadPoolExecutor(1) as pool:
        deciding = pool.submit(lambda: [decide(Desk(tmp_path), "reject", name, "thread:0") for name in names])
        while not deciding.done():
            assert desk.broken() == {}
            assert {each.id for each in desk.pendings.waiting()} <= set(names)
    assert desk.waiting() == []


def test_a_claim_that_is_at_work_is_not_mended(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    name, other = desk.stage(add("tea")), desk.stage(add("milk"))
    with Desk(tmp_path).pendings.claimed(name, "approve", "console:1") as claim:
        assert claim is not None
        assert desk.resolver.mend() == []
        assert claim.path.exists()
        assert desk.waiting() == [other]
        desk.approved(other)  # one that is at work holds nobody up
    # Its block ended, and nothing was said of it: as if the process had died.
    assert desk.resolver.mend() == [f"{name} was claimed by console:1 and not decided; it waits again"]
    assert desk.waiting() == [name]


def test_a_claim_left_behind_is_mended_by_the_next_decision_about_anything(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    name, other = desk.stage(add("tea")), desk.stage(add("milk"))
    with desk.pendings.claimed(name, "approve", "console:1"):
        pass
    assert desk.waiting() == [other]
    desk.approved(other)
    assert desk.waiting() == [name]
    desk.approved(name)
    assert desk.entries() == ["milk", "tea"]
