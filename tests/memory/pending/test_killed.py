"""Deciders are killed in the middle of it: nothing is lost, and nothing is carried out twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.memory.pending.desk import Desk

ROOT = Path(__file__).parents[3]


class Siege:
    """One folder, one restless decider after the other, each killed at a moment of no one's choice."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.seed = folder, seed
        self.dice = random.Random(seed)
        self.staged: set[str] = set()
        self.acknowledged: dict[str, str] = {}
        self.mended: Counter[str] = Counter()

    def kill_round(self) -> None:
        command = (sys.executable, "-m", "tests.fakes.memory_decider", "restless", str(self.folder), str(self.seed))
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
        elif word != "approving":
            self.acknowledged[name] = word

    def faults(self) -> list[str]:
        """What the next start finds wrong."""
        desk, found = Desk(self.folder), []
        desk.stores.repair()
        self.mended.update(line.partition(" ")[2].partition(" by ")[0] for line in desk.resolver.mend())
        waiting, broken = set(desk.waiting()), desk.broken()
        applied = Counter(each.author.pending for each in desk.stores.history())
        found += [f"{name} is broken: {why}" for name, why in broken.items()]
        found += [f"left behind: {each}" for each in desk.names() if each.endswith(".claimed")]
        for name in self.staged | waiting:
            receipt = desk.stores.receipt(name)
            result = receipt.result if receipt is not None else None
            if (name in waiting) == (result is not None):
                found.append(f"{name} waits: {name in waiting}, and was {result}")
            if applied[name] > 1 or (applied[name] == 1) != (result == "approved"):
                found.append(f"{name} was {result}, and carried out {applied[name]} times")
            if (said := self.acknowledged.get(name)) not in (None, result):
                found.append(f"{name} was said to be {said}, and was {result}")
        return found


def killed(folder: Path, rounds: int, seed: int) -> None:
    seed += int(os.environ.get("INNKEEPER_TEST_SEED", "0"))
    siege = Siege(folder, seed)
    for number in range(rounds):
        siege.kill_round()
        faults = siege.faults()
        assert not faults, "\n".join([f"seed {seed}, round {number}", *faults])
    assert len(siege.staged) >= rounds
    print(f"\n{rounds} kills, {len(siege.staged)} staged, {len(siege.acknowledged)} told; mended: {siege.mended}")


def test_a_decider_that_is_killed_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    killed(tmp_path, rounds=5, seed=1)


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_fifty_kills(tmp_path: Path) -> None:
    killed(tmp_path, rounds=50, seed=2)


@pytest.mark.parametrize("decision", ["approve", "reject", "edit"])
def test_a_death_before_each_step_of_a_decision(tmp_path: Path, decision: str) -> None:
    command = (sys.executable, "-m", "tests.fakes.memory_stops", str(tmp_path), decision)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    stops = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = [f"{number} before {step}: {faults}" for number, step, faults in stops if faults]
    assert not wrong, "\n".join(wrong)
    assert len(stops) > 10
    steps = " ".join(step for _, step, _ in stops)
    assert "os.rename" in steps
    assert "os.remove" in steps
