"""A writer is killed in the middle of a change: afterwards all of it is there, or nothing."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.memory.skills.shed import Shed
from tests.memory.skills.writer import NAMES

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Told:
    """Of one round: how the change ended, what was there then, what the repair left, and what the journal holds."""

    code: int
    state: str
    settled: str
    open: int
    history: int
    lines: list[str]


def every_step(folder: Path, manner: str, stride: int = 1) -> list[list[Told]]:
    done = subprocess.run(
        (sys.executable, "-m", "tests.memory.skills.dying", str(folder), manner, str(stride)),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rounds = [[Told(*each) for each in json.loads(line)["told"]] for line in done.stdout.splitlines()]
    assert len(rounds) > 30
    return rounds


def check_kills(folder: Path, stride: int) -> None:
    *killed, whole = every_step(folder, "kill", stride)
    assert {each.code for told in killed for each in told} == {signal.SIGKILL}
    # All or nothing, nothing left over in the journal, and a history that says the same.
    assert {(each.settled, each.open, each.history) for told in killed for each in told} == {
        ("nothing", 0, 0),
        ("all", 0, 1),
    }
    assert [(each.code, each.settled, each.lines) for each in whole] == [(0, "all", [])]


def test_a_kill_at_any_step_leaves_all_or_nothing(tmp_path: Path) -> None:
    check_kills(tmp_path, 9)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_a_kill_at_any_step_and_at_any_step_of_the_repair(tmp_path: Path) -> None:
    check_kills(tmp_path, 1)


def test_a_disk_that_fails_at_any_step_leaves_what_was_told(tmp_path: Path) -> None:
    """A refusal is a tree that is byte for byte what it was, at once; and applied is applied."""
    rounds = every_step(tmp_path, "fault")
    assert {(each.code, each.state, each.settled, each.open) for told in rounds for each in told} == {
        (0, "all", "all", 0),
        (3, "nothing", "nothing", 0),
    }


def kill_rounds(folder: Path, rounds: int) -> None:
    dice = random.Random(6)
    sure = -1
    for _ in range(rounds):
        writer = subprocess.Popen(
            (sys.executable, "-m", "tests.memory.skills.writer", str(folder)),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert writer.stdout is not None
        sure = int(writer.stdout.readline())
        time.sleep(dice.random() * 0.08)
        os.kill(writer.pid, signal.SIGKILL)
        for line in writer.stdout:
            sure = int(line) if line.endswith("\n") else sure
        writer.wait()
        writer.stdout.close()
        shed = Shed(folder)
        shed.store.repair()
        number = int((shed.root / "one/references/number.md").read_text())
        assert number in (sure, sure + 1)
        for name in NAMES:
            assert (shed.root / name / "references/number.md").read_text() == f"{number}\n"
            assert (shed.root / name / "SKILL.md").read_text().endswith(f"\n{number}\n")
        assert (shed.root / "rooms/guest/SKILL.md").exists() == (number % 2 == 0)
        assert not list((shed.root / ".journal").glob("*.*"))
        assert shed.library.found().broken == ()


def test_kills_at_moments_of_no_ones_choice(tmp_path: Path) -> None:
    kill_rounds(tmp_path, 6)


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_fifty_kills_at_moments_of_no_ones_choice(tmp_path: Path) -> None:
    kill_rounds(tmp_path, 50)
