"""Deciders of changes of skills are killed in the middle of it: all or nothing, nothing lost, nothing twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.memory.skills.pending_desk import SkillDesk

ROOT = Path(__file__).parents[3]


class Siege:
    """One folder, one restless decider after the other, each killed at a moment of no one's choice."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.seed = folder, seed
        self.dice = random.Random(seed)
        self.staged: set[str] = set()
        self.acknowledged: dict[str, str] = {}

    def kill_round(self) -> None:
        command = (sys.executable, "-m", "tests.fakes.skill_decider", "restless", str(self.folder), str(self.seed))
        decider = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert decider.stdout is not None
        self._hear(decider.stdout.readline())
        time.sleep(self.dice.random() * 0.25)
        os.kill(decider.pid, signal.SIGKILL)
        for line in decider.stdout:
            self._hear(line)
        decider.wait()
        decider.stdout.close()

    def _hear(self, line: str) -> None:
        if not line.endswith("\n"):
            return  # it died while it spoke
        word, name = line.split()
        if word == "staged":
            self.staged.add(name)
        else:
            self.acknowledged[name] = word

    def faults(self) -> list[str]:
        """What the next start finds wrong."""
        desk, found = SkillDesk(self.folder), []
        desk.store.repair()
        desk.resolver.mend()
        waiting = set(desk.waiting())
        found += [f"{name} is broken: {why}" for name, why in desk.broken().items()]
        found += [f"left behind: {each}" for each in desk.names() if each.endswith(".claimed")]
        for name in self.staged | waiting:
            receipt = desk.receipts.receipt(name)
            result = receipt.result if receipt is not None else None
            if (name in waiting) == (result is not None):
                found.append(f"{name} waits: {name in waiting}, and was {result}")
            if (desk.store.carried_out(name) is not None) != (result == "approved"):
                found.append(f"{name} was {result}, and the journal says {desk.store.carried_out(name)}")
            if (said := self.acknowledged.get(name)) not in (None, result):
                found.append(f"{name} was said to be {said}, and was {result}")
        return found + half_made(desk)


def half_made(desk: SkillDesk) -> list[str]:
    """Skills whose files do not all carry one stamp, wherever they lie."""
    found = []
    for archive in (False, True):
        stamps: dict[str, set[str]] = {}
        counts: dict[str, int] = {}
        for path, data in desk.tree(archive=archive).items():
            place = path.partition("/")[0]
            stamps.setdefault(place, set()).add(data.decode().rpartition("stamp ")[2].strip())
            counts[place] = counts.get(place, 0) + 1
        found += [f"{place}: {sorted(each)}" for place, each in stamps.items() if len(each) != 1]
        found += [f"{place} has {count} files" for place, count in counts.items() if count != 4]
    return found


def killed(folder: Path, rounds: int, seed: int) -> None:
    seed += int(os.environ.get("INNKEEPER_TEST_SEED", "0"))
    siege = Siege(folder, seed)
    for number in range(rounds):
        siege.kill_round()
        faults = siege.faults()
        assert not faults, "\n".join([f"seed {seed}, round {number}", *faults])
    assert len(siege.staged) >= rounds
    print(f"\n{rounds} kills, {len(siege.staged)} staged, {len(siege.acknowledged)} told")


def test_a_decider_that_is_killed_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    killed(tmp_path, rounds=4, seed=1)


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_fifty_kills(tmp_path: Path) -> None:
    killed(tmp_path, rounds=50, seed=2)


def stopped(folder: Path, decision: str, stride: int) -> list[str]:
    """Die before each step of a decision, or some of them; the steps."""
    command = (sys.executable, "-m", "tests.fakes.skill_stops", str(folder), decision, str(stride))
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    stops = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = [f"{number} before {step}: {faults}" for number, step, faults in stops if faults]
    assert not wrong, "\n".join(wrong)
    return [step for _, step, _ in stops]


def test_a_death_before_some_steps_of_an_approval(tmp_path: Path) -> None:
    assert len(stopped(tmp_path, "approve", stride=23)) > 8


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_a_death_before_each_step_of_an_approval(tmp_path: Path) -> None:
    steps = stopped(tmp_path, "approve", stride=1)
    assert any(step.startswith("os.rename") for step in steps)
    assert any(step.startswith("os.remove") for step in steps)


def test_a_death_before_each_step_of_a_rejection(tmp_path: Path) -> None:
    assert len(stopped(tmp_path, "reject", stride=1)) > 5
