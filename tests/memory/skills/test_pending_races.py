"""Two taps, a tap and a command, phone and console at once: one wins, and everybody else learns who."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fakes.skill_decider import decide, told
from tests.memory.pending.test_races import Rival
from tests.memory.skills.pending_desk import SkillDesk, create, patch, text

WON = {"approve": "Approved", "reject": "Rejected"}
RESULTS = {"approve": "approved", "reject": "rejected"}


@contextmanager
def rivals(folder: Path, count: int) -> Iterator[list[Rival]]:
    found = [Rival(folder, f"process:{number}", "tests.fakes.skill_decider") for number in range(count)]
    try:
        yield found
    finally:
        for each in found:
            each.end()


def settled(desk: SkillDesk, name: str, skill: str, said: dict[str, tuple[str, list[str]]]) -> None:
    """One winner; every loser knows it; and the skills show what the winner did."""
    winners = {who: order for who, (order, answer) in said.items() if answer == [WON[order]]}
    assert len(winners) == 1, said
    [(winner, order)] = winners.items()
    losers = [answer for who, (_, answer) in said.items() if who != winner]
    assert losers == [["Decided", RESULTS[order], winner]] * len(losers), said
    assert (desk.store.carried_out(name) is not None) == (order == "approve")
    assert (f"{skill}/SKILL.md" in desk.tree()) == (order == "approve")
    assert desk.names() == []


def race(folder: Path, rounds: int, seed: int, processes: int, threads: int) -> None:
    dice = random.Random(seed)
    desk = SkillDesk(folder)
    with rivals(folder, processes) as others, ThreadPoolExecutor(processes + threads) as pool:
        for number in range(rounds):
            name = desk.stage(create(f"skill-{number}"))
            orders = [dice.choice(list(WON)) for _ in range(processes + threads)]
            running: dict[str, tuple[str, Future[list[str]]]] = {}
            for other, order in zip(others, orders, strict=False):
                running[other.who] = order, pool.submit(other.decide, order, name)
            for at, order in enumerate(orders[processes:]):
                running[f"thread:{at}"] = order, pool.submit(decided, folder, order, name, f"thread:{at}")
            said = {who: (order, future.result()) for who, (order, future) in running.items()}
            settled(desk, name, f"skill-{number}", said)


def decided(folder: Path, order: str, name: str, who: str) -> list[str]:
    return told(decide(SkillDesk(folder), order, name, who))


def test_deciders_in_one_process_at_once(tmp_path: Path) -> None:
    race(tmp_path, rounds=6, seed=1, processes=0, threads=4)


def test_deciders_in_two_processes_and_here_at_once(tmp_path: Path) -> None:
    race(tmp_path, rounds=6, seed=2, processes=2, threads=1)


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("processes", "threads"), [(0, 6), (2, 1)])
def test_two_hundred_races(tmp_path: Path, processes: int, threads: int) -> None:
    race(tmp_path, rounds=200, seed=3, processes=processes, threads=threads)


def test_what_cannot_be_carried_out_is_refused_to_everybody_at_once(tmp_path: Path) -> None:
    """Claims that are given back hide the file for a moment; nobody may take it for gone."""
    desk = SkillDesk(tmp_path)
    desk.save(create("deploy"))
    name = desk.stage(patch("deploy", "copy it", "ship it"))
    desk.write("deploy/SKILL.md", text("deploy", "Otherwise.\n"))
    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            said = list(pool.map(lambda at: decided(tmp_path, "approve", name, f"thread:{at}"), range(4)))
            assert said == [["Kept"]] * 4
            assert desk.waiting() == [name]


def test_a_claim_left_behind_is_mended_by_the_next_decision_about_anything(tmp_path: Path) -> None:
    desk = SkillDesk(tmp_path)
    name, other = desk.stage(create("deploy")), desk.stage(create("tidy"))
    with SkillDesk(tmp_path).pendings.claimed(name, "approve", "console:1") as claim:
        assert claim is not None
        assert desk.resolver.mend() == []  # one that is at work is left alone
        assert desk.waiting() == [other]
    desk.approved(other)
    assert desk.waiting() == [name]
    desk.approved(name)
    assert sorted(desk.tree()) == ["deploy/SKILL.md", "tidy/SKILL.md"]
