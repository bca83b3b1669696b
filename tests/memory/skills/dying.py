"""Dies by SIGKILL at the n-th step on the disk: run as a program, it says for each n what the next start finds.

    python -m tests.memory.skills.dying FOLDER STRIDE

STRIDE 1 tries every step of the repair as well, a larger one some of them.
"""

from __future__ import annotations

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


def dies(at: int, work: Callable[[], object]) -> bool:
    """Do the work in a process of its own that kills itself before step `at`; whether it came to that."""
    child = os.fork()
    if child == 0:
        steps = itertools.count()

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            changes = event in STEPS or (event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_CREAT)
            if changes and next(steps) == at:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)
        work()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def shape(root: Path) -> str:
    """What is there, the name of the archive's folder aside."""
    found = {name.partition("@")[0] if name.startswith(".archive/") else name: kind for name, kind in tree(root).items()}
    return json.dumps(found, sort_keys=True)


def main(folder: Path, stride: int) -> None:
    os.fsync = lambda handle: None  # what is written outlives the process without it; only a power cut needs it
    before = shape(stocked(folder / "model").root)
    assert isinstance(Shed(folder / "model").do(*BATCH), SkillApplied)
    after = shape(folder / "model" / "skills")
    seen = {before: "nothing", after: "all"}
    for at in itertools.count():
        told = []
        for again in itertools.chain([None], range(at % stride, 1000, stride)):
            home = folder / "home"
            shutil.rmtree(home, ignore_errors=True)
            shed = stocked(home)
            killed = dies(at, lambda: Shed(home).do(*BATCH))
            twice = again is not None and dies(again, lambda: Shed(home).store.repair())
            lines = Shed(home).store.repair()
            records = sorted(each.name for each in (shed.root / ".journal").glob("*.*"))
            state = seen.get(shape(shed.root), "torn")
            told.append([state, bool(records), len(lines), len(Shed(home).store.history())])
            usable = isinstance(Shed(home).do(create("another")), SkillApplied)
            assert usable, "the next change is refused"
            if again is not None and not twice:
                break
            if not killed:
                print(json.dumps({"at": at, "killed": False, "told": told}))
                return
        print(json.dumps({"at": at, "killed": True, "told": told}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
