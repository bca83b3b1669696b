"""Dies at the n-th step on the disk, or has the disk fail there: run as a program, it says for each n what is found.

    python -m tests.memory.skills.dying FOLDER kill|fault STRIDE

The repair is killed as well, at every STRIDE-th step, after every STRIDE-th kill.
"""

from __future__ import annotations

import errno
import itertools
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from memory.skills.model import SkillApplied
from tests.memory.skills.shed import Shed, create, delete, edit, patch, remove_file, skill, tree, write_file

STEPS = ("os.rename", "os.link", "os.mkdir", "os.remove", "os.rmdir", "os.chmod")
BATCH = (
    create("audit", category="ops"),
    write_file("audit", "references/deep/a.md"),
    patch("deploy", "1. Read.", "1. Look."),
    remove_file("deploy", "references/hosts.md"),
    write_file("deploy", "scripts/run.sh", "echo hi\n"),
    edit("minutes", skill("minutes", "Writes minutes.")),
    delete("notes"),
)


def stocked(folder: Path) -> Shed:
    shed = Shed(folder)
    shed.put("ops/deploy/SKILL.md")
    shed.put("ops/deploy/references/hosts.md", "one\n")
    shed.put("ops/deploy/scripts/run.sh", "echo\n").chmod(0o755)
    shed.put("minutes/SKILL.md")
    shed.put("notes/SKILL.md")
    shed.put("notes/assets/a.bin", b"\xff\0")
    shed.put("notes/.hidden", "x")
    return shed


def happens(at: int, what: Callable[[], object], work: Callable[[], object]) -> int:
    """Do the work in a process of its own, and let `what` happen before step `at`. Its exit code: 0 when the work
    came to an applied change, 3 when it did not, 9 when it was killed; 16 more when that step was never reached."""
    child = os.fork()
    if child == 0:
        steps = itertools.count()

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            made = event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_CREAT
            if (made or event in STEPS) and next(steps) == at:
                what()

        sys.addaudithook(hook)
        outcome = work()
        # Steps that were never reached are told apart from those that were.
        os._exit((0 if isinstance(outcome, SkillApplied) else 3) + (16 if next(steps) <= at else 0))
    _, status = os.waitpid(child, 0)
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def dies() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fails() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def shape(root: Path) -> str:
    """What is there, the name of the archive's folder aside."""
    found = {
        name.partition("@")[0] if name.startswith(".archive/") else name: kind for name, kind in tree(root).items()
    }
    return json.dumps(found, sort_keys=True)


def a_round(home: Path, what: Callable[[], object], at: int, again: int | None) -> tuple[Shed, int, int]:
    """A change to which it happens, and then a repair, to which it may happen as well; both exit codes."""
    shutil.rmtree(home, ignore_errors=True)
    shed = stocked(home)
    code = happens(at, what, lambda: Shed(home).do(*BATCH))
    second = happens(again, what, lambda: Shed(home).store.repair()) if again is not None else 0
    return shed, code, second


def main(folder: Path, manner: str, stride: int) -> None:
    os.fsync = lambda handle: None  # what is written outlives the process without it; only a power cut needs it
    what = dies if manner == "kill" else fails
    before = shape(stocked(folder / "model").root)
    assert isinstance(Shed(folder / "model").do(*BATCH), SkillApplied)
    seen = {before: "nothing", shape(folder / "model" / "skills"): "all"}
    # An empty folder may stay behind when the disk fails after the last step; it harms nobody.
    (folder / "model/skills/ops/deploy/references").mkdir(mode=0o755)
    seen[shape(folder / "model" / "skills")] = "all"
    home = folder / "home"
    for at in itertools.count():
        told = []
        repairs = range(at // stride % stride, 1000, stride) if at % stride == 0 and manner == "kill" else ()
        for again in itertools.chain([None], repairs):
            shed, code, second = a_round(home, what, at, again)
            state = seen.get(shape(shed.root), "torn") if manner == "fault" else ""
            lines = Shed(home).store.repair()
            records = [each.name for each in (shed.root / ".journal").glob("*.*")]
            settled = seen.get(shape(shed.root), "torn")
            told.append([code % 16, state, settled, len(records), len(Shed(home).store.history()), lines])
            assert isinstance(Shed(home).do(create("another")), SkillApplied), "the next change is refused"
            if code >= 16 or (again is not None and second >= 16):
                break
        print(json.dumps({"at": at, "reached": code < 16, "told": told}), flush=True)
        if code >= 16:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
