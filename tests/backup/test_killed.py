"""Backups and restores are killed in the middle: nothing that was there is lost, and the next one goes through."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gateway.backup.making import backups
from gateway.backup.restoring import restore
from gateway.config.paths import Profile
from gateway.state.health import inspect
from tests.backup.house import backed_up, contents, furnished
from tests.fakes.clock import FakeClock

ROOT = Path(__file__).parents[2]
BEGIN = (
    "from gateway.cli.main import main; import sys; import gateway.backup.restoring; print('on', flush=True); main()"
)


def killed(home: Path, after: float, *words: str) -> None:
    """`innkeeper backup …` as a process, killed so many seconds after it had begun; it may be done by then."""
    environment = {"INNKEEPER_HOME": str(home), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-c", BEGIN, "backup", *words]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    assert process.stdout.readline() == b"on\n"
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    process.stdout.close()
    process.wait()


def everywhere(profile: Profile) -> list[tuple[str, bytes]]:
    """What lies in the profile, and in everything that was ever set aside."""
    places = [profile.folder, *profile.folder.glob("set-aside-*")]
    return [pair for place in places for pair in contents(place).items()]


@pytest.mark.parametrize("rounds", [6, pytest.param(60, marks=pytest.mark.soak)])
async def test_a_killed_restore_loses_nothing(tmp_path: Path, rounds: int) -> None:
    profile = await furnished(tmp_path / "home")
    made, dice = backed_up(profile), random.Random(7)
    for number in range(rounds):
        (profile.memories / "MEMORY.md").write_text(f"Newer than the backup, {number}", encoding="utf-8")
        before = contents(profile.folder)
        killed(profile.folder, dice.random() * 0.4, "restore", "--force", str(made.backup.path))
        there = everywhere(profile)
        assert [path for path, data in before.items() if (path, data) not in there] == []
        for database in profile.folder.glob("**/state.db"):
            if not database.parent.name.startswith(".restoring-"):
                assert inspect(database).health.faults == ()
        restore(made.backup.path, profile, FakeClock(), force=True)
        assert inspect(profile.database).health.faults == ()
        assert b"Newer" not in b"".join(contents(profile.folder).values())
        assert not list(profile.folder.glob(".restoring-*"))


@pytest.mark.parametrize("rounds", [4, pytest.param(40, marks=pytest.mark.soak)])
async def test_a_killed_backup_is_none(tmp_path: Path, rounds: int) -> None:
    profile = await furnished(tmp_path / "home")
    dice = random.Random(8)
    for _ in range(rounds):
        killed(profile.folder, dice.random() * 0.4, "create")
        assert all(each.manifest is not None for each in backups(profile))
    made = backed_up(profile)
    assert [each.path for each in backups(profile)].count(made.backup.path) == 1
    assert [each.name for each in profile.backups.iterdir() if each.name.startswith(".")] == [".lock"]
