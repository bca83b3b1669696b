"""A decision about skills that is killed before each of its steps on the file system, one after the other, until it
gets through.

`python -m tests.fakes.skill_stops FOLDER DECISION STRIDE` (1 leaves out no step) prints what was wrong afterwards,
one JSON line for each stop: its number, the step, and the faults (none: an empty list).
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from memory.pending.outcomes import Approved, Decided
from tests.fakes.memory_stops import killed_before
from tests.memory.skills.pending_desk import SkillDesk, create, delete, patch, write

Tree = dict[str, bytes]


def wish(desk: SkillDesk) -> str:
    """One that changes, adds, and puts away; its id."""
    desk.save(create("deploy"), create("old"), write("old", "scripts/run.sh", "run\n"))
    return desk.stage(
        patch("deploy", "copy it", "ship it"), write("deploy", "references/how.md", "how\n"), delete("old")
    )


def done(before: Tree) -> Tree:
    """The files after it."""
    changed = {path: data.replace(b"copy it", b"ship it") for path, data in before.items() if "old/" not in path}
    return changed | {"deploy/references/how.md": b"how\n"}


def faults(folder: Path, decision: str, name: str, before: Tree, death: bool) -> list[str]:
    """What the next start finds, and then the next decision."""
    desk, found = SkillDesk(folder), []
    desk.store.repair()
    desk.resolver.mend()
    receipt, there = desk.receipts.receipt(name), name in desk.waiting()
    if there == (receipt is not None):
        found.append(f"waits: {there}, receipt: {receipt}")
    if [each for each in desk.names() if not each.endswith(".json")]:
        found.append(f"left behind: {desk.names()}")
    result = receipt.result if receipt is not None else "waits"
    if desk.tree() != (done(before) if result == "approved" else before):
        found.append(f"{result}: {sorted(desk.tree())}")
    if (desk.store.carried_out(name) is not None) != (result == "approved"):
        found.append(f"{result}: the journal has {desk.store.carried_out(name)}")
    if not death and (receipt is None or not decision.startswith(receipt.result[:4])):
        found.append(f"it got through and {result}")
    again = desk.approve(name, "alive:1")  # what is left must work once, and nothing twice
    if not isinstance(again, Approved if result == "waits" else Decided):
        found.append(f"{result}, then approved: {again}")
    if desk.tree() != (before if result == "rejected" else done(before)):
        found.append(f"{result}, at the end: {sorted(desk.tree())}")
    if len([path for path in desk.tree(archive=True) if path.endswith("SKILL.md")]) != (result != "rejected"):
        found.append(f"{result}, in the archive: {sorted(desk.tree(archive=True))}")
    return found


def main(folder: str, decision: str, stride: str) -> None:
    start = Path(folder) / "start"
    name = wish(SkillDesk(start))
    before = SkillDesk(start).tree()
    stop, death = 1, True
    while death:
        place = Path(folder) / str(stop)
        shutil.copytree(start, place)
        log = place / "step"

        def decide(place: Path = place) -> object:
            desk = SkillDesk(place)
            return (desk.resolver.approve if decision == "approve" else desk.resolver.reject)(name, "dead:1")

        death = killed_before(stop, log, decide)
        print(json.dumps([stop, log.read_text(), faults(place, decision, name, before, death)]), flush=True)
        stop += int(stride)


if __name__ == "__main__":
    main(*sys.argv[1:])
