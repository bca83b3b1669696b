"""A writer is killed in the middle of a change: afterwards all of it is there, or nothing."""

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

from tests.memory.skills.shed import Shed
from tests.memory.skills.writer import NAMES

ROOT = Path(__file__).parents[3]


def every_step(folder: Path, stride: int) -> list[dict[str, list[list[object]]]]:
    done = subprocess.run(
        (sys.executable, "-m", "tests.memory.skills.dying", str(folder), str(stride)),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_every_step(folder: Path, stride: int) -> None:
    rounds = every_step(folder, stride)
    assert len(rounds) > 30
    told = [each for line in rounds for each in line["told"]]
    # All or nothing, with nothing left over in the journal, and a history that says the same.
    assert {(state, records, history) for state, records, _, history in map(tuple, told)} == {
        ("nothing", False, 0),
        ("all", False, 1),
    }
    assert rounds[-1]["told"] == [["all", False, 0, 1]]


def test_a_kill_at_any_step_leaves_all_or_nothing(tmp_path: Path) -> None:
    check_every_step(tmp_path, 23)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_a_kill_at_any_step_and_at_any_step_of_the_repair(tmp_path: Path) -> None:
    check_every_step(tmp_path, 1)


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
