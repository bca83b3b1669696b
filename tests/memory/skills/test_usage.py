"""The sidecar: counted by many at once, never torn, never written over when it cannot be read."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import pytest

from memory.files import FileTrouble, Unreadable, Unwritable
from memory.skills.usage import SIDECAR, Tally, Usage

ROOT = Path(__file__).parents[3]
COUNTING = """
import sys
from pathlib import Path
from memory.skills.usage import Usage
usage = Usage(Path(sys.argv[1]), lambda: 5.0)
for number in range(int(sys.argv[2])):
    usage.viewed("notes")
    usage.used(["notes", sys.argv[3]])
    print(number, flush=True)
"""


@pytest.fixture
def usage(tmp_path: Path) -> Usage:
    return Usage(tmp_path, lambda: 100.0)


def counter(folder: Path, times: int, name: str) -> subprocess.Popen[str]:
    command = (sys.executable, "-c", COUNTING, str(folder), str(times), name)
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_nothing_is_known_before_anything_happened(usage: Usage, tmp_path: Path) -> None:
    assert (usage.all(), usage.of("notes"), usage.source("notes")) == ({}, Tally(), "person")
    assert list(tmp_path.iterdir()) == []


def test_what_happens_is_counted(usage: Usage, tmp_path: Path) -> None:
    usage.created(["notes"], "agent")
    usage.viewed("notes")
    usage.used(["notes", "notes", "other"])
    usage.pin("notes", True)
    usage.changed([], "person", patched=["notes"], archived=["other"])
    assert usage.of("notes") == Tally(1, 1, 1, 100.0, 100.0, 100.0, 100.0, None, "agent", True)
    assert usage.of("other") == Tally(uses=1, used=100.0, archived=100.0)
    assert usage.of("notes").active == 100.0
    assert Tally().active is None
    usage.changed(["notes"], "person", restored=["other"])
    assert usage.of("notes") == Tally(created=100.0, pinned=True)
    assert usage.of("other").archived is None
    usage.comes_from(["notes"], "hub")
    assert Usage(tmp_path, lambda: 0.0).source("notes") == "hub"


def test_what_a_newer_version_keeps_there_stays(usage: Usage, tmp_path: Path) -> None:
    kept = {"version": 1, "more": [1], "skills": {"notes": {"stars": 5, "views": 2}}}
    (tmp_path / SIDECAR).write_text(json.dumps(kept))
    usage.viewed("notes")
    document = json.loads((tmp_path / SIDECAR).read_text())
    assert document["more"] == [1]
    assert (document["skills"]["notes"]["stars"], document["skills"]["notes"]["views"]) == (5, 3)


def test_what_people_made_unusable_counts_as_not_there(usage: Usage, tmp_path: Path) -> None:
    odd = {"views": "many", "uses": True, "patches": -1, "used": "now", "pinned": "yes", "source": "moon"}
    (tmp_path / SIDECAR).write_text(json.dumps({"skills": {"notes": odd, "other": 5}}))
    assert usage.all() == {"notes": Tally(source="hub"), "other": Tally()}
    usage.viewed("notes")
    assert usage.of("notes") == Tally(views=1, viewed=100.0, source="hub")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"skills": []}', "[" * 100_000])
def test_a_file_that_cannot_be_read_is_left_alone(usage: Usage, tmp_path: Path, text: str) -> None:
    (tmp_path / SIDECAR).write_text(text)
    for change in (lambda: usage.viewed("notes"), usage.all):
        with pytest.raises(Unreadable, match=r"Mend it, or move it away\."):
            change()
    assert usage.source("notes") == "hub"
    assert (tmp_path / SIDECAR).read_text() == text


@pytest.mark.parametrize("name", [SIDECAR, ".usage.lock"])
def test_a_link_is_not_followed(usage: Usage, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text('{"skills": {}}')
    (tmp_path / name).symlink_to(outside)
    with pytest.raises((Unreadable, Unwritable), match="link"):
        usage.viewed("notes")
    assert outside.read_text() == '{"skills": {}}'


def test_many_processes_lose_no_count(tmp_path: Path) -> None:
    counters = [counter(tmp_path, 10, f"own-{number}") for number in range(4)]
    for each in counters:
        each.communicate()
        assert each.returncode == 0
    usage = Usage(tmp_path, lambda: 0.0)
    assert (usage.of("notes").views, usage.of("notes").uses) == (40, 40)
    assert [usage.of(f"own-{number}").uses for number in range(4)] == [10] * 4


def test_a_killed_one_leaves_a_whole_file(tmp_path: Path) -> None:
    sure = 0
    for pause in (0.0, 0.003, 0.007):
        one = counter(tmp_path, 10_000, "own")
        assert one.stdout is not None
        one.stdout.readline()
        time.sleep(pause)
        os.kill(one.pid, signal.SIGKILL)
        sure += 1 + sum(line.endswith("\n") for line in one.stdout)
        one.wait()
        one.stdout.close()
        usage = Usage(tmp_path, lambda: 0.0)
        usage.repair()
        assert sure <= usage.of("own").uses <= usage.of("notes").views
        sure = usage.of("own").uses
    assert sorted(path.name for path in tmp_path.iterdir()) == [SIDECAR, ".usage.lock"]


def test_the_file_is_one_that_people_can_read(usage: Usage, tmp_path: Path) -> None:
    usage.created(["notes"], "bundled")
    kept = json.loads((tmp_path / SIDECAR).read_text())
    assert kept == {"version": 1, "skills": {"notes": asdict(Tally(created=100.0, source="bundled"))}}
    assert issubclass(Unreadable, FileTrouble)
