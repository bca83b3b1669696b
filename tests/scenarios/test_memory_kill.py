"""Writers of memory are killed in the middle of it: what was acknowledged is there, and nothing is torn."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memory.entries import round_trips
from memory.files import read
from memory.model import Limits, Target, replay
from memory.store import Stores

ROOT = Path(__file__).parents[2]


@dataclass
class Said:
    """What one writer's entries were at its last acknowledgement, and what they would be after its last attempt."""

    sure: list[str] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)
    acknowledged: int = 0


class Siege:
    """One memory folder, several writers, many deaths."""

    def __init__(self, folder: Path, writers: int, seed: int) -> None:
        self.folder = folder / "memories"
        self.dice = random.Random(seed)
        self.repaired: Counter[str] = Counter()
        self.said = {f"w{number}": Said() for number in range(writers)}

    def start(self, count: int = 0) -> dict[str, subprocess.Popen[str]]:
        return {
            name: subprocess.Popen(
                (sys.executable, "-m", "tests.fakes.memory_writer", str(self.folder), name, str(count), "7"),
                cwd=ROOT,
                stdout=subprocess.PIPE,
                text=True,
            )
            for name in self.said
        }

    def kill_round(self) -> None:
        """Let every writer have been heard once, then kill them all at a moment of no one's choice."""
        writers = self.start()
        for name, writer in writers.items():
            self._hear(name, writer, until="ok")
        time.sleep(self.dice.random() * 0.01)
        for writer in writers.values():
            os.kill(writer.pid, signal.SIGKILL)
        self._listen(writers)

    def work_round(self, count: int) -> None:
        """Let every writer do its work and end."""
        writers = self.start(count)
        self._listen(writers)
        assert [writer.returncode for writer in writers.values()] == [0] * len(writers)

    def faults(self) -> list[str]:
        """What the next start finds wrong, after it has repaired."""
        stores = Stores(self.folder, lambda: Limits(memory=100_000), time.time)
        self.repaired.update(line.lstrip("0123456789 ") for line in stores.repair())
        found = []
        names = sorted(path.name for path in self.folder.iterdir())
        if names != [".lock", "MEMORY.md", "journal.jsonl"]:
            found.append(f"the folder holds {names}")
        if not round_trips(read(stores.path(Target.MEMORY)) or ""):
            found.append("the file is torn")
        entries = stores.entries(Target.MEMORY)
        now: tuple[str, ...] = ()
        for record in reversed(stores.history()):
            now = replay(now, record.changes)
        if now != entries:
            found.append("journal and file disagree")
        for name, said in self.said.items():
            there = [entry for entry in entries if entry.startswith(f"{name}-")]
            if there not in (said.sure, said.tried):
                found.append(f"{name}: {there} is neither {said.sure} nor {said.tried}")
            said.sure = said.tried = there
        return found

    def _listen(self, writers: dict[str, subprocess.Popen[str]]) -> None:
        for name, writer in writers.items():
            self._hear(name, writer)
            writer.wait()
            assert writer.stdout is not None
            writer.stdout.close()

    def _hear(self, name: str, writer: subprocess.Popen[str], until: str | None = None) -> None:
        assert writer.stdout is not None
        for line in writer.stdout:
            word, _, entries = line.partition(" ")
            if not line.endswith("\n"):
                break  # it died while it spoke: what it tried is known from the line before
            said = self.said[name]
            said.tried = json.loads(entries)
            if word == "ok":
                said.sure = said.tried
                said.acknowledged += 1
            if word == until:
                break


def killed(folder: Path, writers: int, rounds: int, seed: int) -> None:
    seed += int(os.environ.get("INNKEEPER_TEST_SEED", "0"))
    siege = Siege(folder, writers, seed)
    for number in range(rounds):
        siege.kill_round()
        faults = siege.faults()
        assert not faults, "\n".join([f"seed {seed}, round {number}", *faults])
    acknowledged = sum(said.acknowledged for said in siege.said.values())
    print(f"\n{rounds} kills of {writers}: {acknowledged} acknowledged, repaired: {dict(siege.repaired)}")


def test_a_writer_that_is_killed_leaves_whole_files(tmp_path: Path) -> None:
    killed(tmp_path, writers=1, rounds=10, seed=1)


def test_eight_writers_that_are_killed_at_once_leave_whole_files(tmp_path: Path) -> None:
    killed(tmp_path, writers=8, rounds=1, seed=2)


def test_eight_processes_writing_at_once_lose_nothing(tmp_path: Path) -> None:
    siege = Siege(tmp_path, 8, 3)
    siege.work_round(6)
    assert siege.faults() == []
    assert [said.acknowledged for said in siege.said.values()] == [6] * 8


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("writers", "rounds"), [(1, 150), (8, 50)])
def test_two_hundred_kills(tmp_path: Path, writers: int, rounds: int) -> None:
    killed(tmp_path, writers, rounds, seed=4)
