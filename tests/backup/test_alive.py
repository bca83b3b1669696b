"""Backups made while others write as fast as they can: each is of one moment, and can be lived in."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from gateway.backup.restoring import restore
from gateway.config.paths import Profile
from gateway.config.profiles import prepare
from gateway.state.health import inspect
from gateway.state.store import SqliteStore
from memory.files import locked
from tests.backup.house import NOW, backed_up, furnished
from tests.fakes.clock import FakeClock
from tests.fakes.past import Talk, had
from tests.memory.pending.desk import Desk
from tests.memory.skills.pending_desk import SkillDesk

ROOT = Path(__file__).parents[2]


def restless(module: str, folder: Path) -> subprocess.Popen[bytes]:
    command = (sys.executable, "-m", f"tests.fakes.{module}", "restless", str(folder), "7")
    said = folder.parent / module
    with said.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdout=output)
    while not said.stat().st_size:  # until it is at work
        assert process.poll() is None
        time.sleep(0.02)
    return process


def faults(folder: Path) -> list[str]:
    """What is wrong with memory, skills and what waits, once the next start has mended what it mends."""
    desk, skills, found = Desk(folder), SkillDesk(folder), []
    desk.stores.repair()
    desk.resolver.mend()
    found += [f"{name} is broken: {why}" for name, why in desk.broken().items()]
    applied = Counter(each.author.pending for each in desk.stores.history() if each.author.pending)
    found += [f"{name} was made {count} times" for name, count in applied.items() if count > 1]
    found += [f"{name} waits and was made" for name in desk.waiting() if applied[name]]
    skills.store.repair()
    skills.resolver.mend()
    for name in {path.partition("/")[0] for path in skills.tree() if not path.startswith(".")}:
        stamps = {_stamp(text) for path, text in skills.tree().items() if path.startswith(f"{name}/")}
        found += [f"{name} is half made: {stamps}"] if len(stamps) > 1 else []
    return found


def _stamp(text: bytes) -> bytes:
    return text.rpartition(b"stamp ")[2].split()[0]


@pytest.mark.parametrize("rounds", [6, pytest.param(30, marks=pytest.mark.soak)])
async def test_beside_restless_writers(tmp_path: Path, rounds: int) -> None:
    home = tmp_path / "home"
    profile = prepare(Profile("default", home, home))
    writers = [restless(each, home) for each in ("memory_decider", "skill_decider")]
    store = await SqliteStore.open(profile.database)
    talking = asyncio.ensure_future(_talk(store))
    try:
        for number in range(rounds):
            made = await asyncio.to_thread(backed_up, profile, NOW + number)
            other = prepare(Profile("other", tmp_path / f"other{number}", tmp_path / f"other{number}"))
            restore(made.backup.path, other, FakeClock())
            assert faults(other.folder) == []
            health = inspect(other.database)
            assert health.health.faults == ()
            rows = {each.name: each.rows for each in health.tables}
            assert rows["messages"] == made.manifest.counts["messages"]
        assert all(each.poll() is None for each in writers)
    finally:
        talking.cancel()
        await asyncio.wait([talking])
        await store.close()
        for writer in writers:
            os.kill(writer.pid, signal.SIGKILL)
            writer.wait()
    assert made.manifest.counts["messages"] > 0


@pytest.mark.parametrize("room", ["memories", "skills"])
async def test_it_waits_for_whoever_writes(tmp_path: Path, room: str) -> None:
    """A file that is changed under the lock is in the backup as it is when the lock is given back."""
    profile = await furnished(tmp_path / "home")
    file = profile.folder / room / "half.md"
    with locked(profile.folder / room / ".lock"):
        file.write_text("half")
        making = asyncio.ensure_future(asyncio.to_thread(backed_up, profile))
        for _ in range(20):
            await asyncio.sleep(0.01)
        assert not making.done()
        file.write_text("whole")
    made = await making
    with zipfile.ZipFile(made.backup.path) as archive:
        assert archive.read(f"{room}/half.md") == b"whole"


async def _talk(store: SqliteStore) -> None:
    number = 0
    while True:
        number += 1
        await had(store, Talk(f"s{number}", 1))
