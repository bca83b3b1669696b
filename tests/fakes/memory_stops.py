"""A decision that is killed before each of its steps on the file system, one after the other, until it gets through.

`python -m tests.fakes.memory_stops FOLDER DECISION` prints what was wrong afterwards, one JSON line for each stop:
its number, the step, and the faults (none: an empty list).
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from memory.pending.resolve import Approved, Decided
from tests.memory.pending.desk import Desk
from tests.memory.shelf import add, patch

STEPS = (
    "open", "os.rename", "os.remove", "os.truncate", "os.mkdir", "os.rmdir", "os.link", "fcntl.flock", "os.listdir",
    "os.scandir",
)  # fmt: skip
BEFORE, AFTER, EDITED = "likes tea", "likes milk", "likes coffee"


def decide(desk: Desk, decision: str, name: str, who: str) -> object:
    if decision == "edit":
        return desk.resolver.edit(name, EDITED, who)
    return (desk.resolver.approve if decision == "approve" else desk.resolver.reject)(name, who)


def killed_before(stop: int, log: Path, step: Callable[[], object]) -> bool:
    """Do something in a child that dies before its step `stop` on the file system, which is named in `log`; whether
    it died."""
    child = os.fork()
    if child:
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])
    count, note = 0, os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)

    def watch(event: str, args: tuple[object, ...]) -> None:
        nonlocal count
        if event in STEPS:
            count += 1
            if count == stop:
                os.write(note, f"{event} {args[0]}".encode())
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)
    try:
        step()
    finally:
        os._exit(0)


def faults(folder: Path, decision: str, name: str, death: bool) -> list[str]:
    """What the next start finds, and then the next decision."""
    desk, found = Desk(folder), []
    desk.stores.repair()
    desk.resolver.mend()
    receipt, waiting = desk.stores.receipt(name), desk.waiting()
    entries, there = desk.entries(), name in desk.waiting()
    if there == (receipt is not None):
        found.append(f"waits: {there}, receipt: {receipt}")
    if [each for each in desk.names() if not each.endswith(".json") and not each.endswith(".tmp")]:
        found.append(f"left behind: {desk.names()}")
    heirs = [each for each in waiting if each != name]
    result = receipt.result if receipt is not None else "waits"
    expected = {
        "approved": ([AFTER], []),
        "rejected": ([BEFORE], []),
        "edited": ([BEFORE], [receipt.detail] if receipt is not None else []),
        "waits": ([BEFORE], []),
    }
    if (entries, heirs) != expected[result]:
        found.append(f"{result}: {entries}, in its place {heirs}")
    if desk.applied(name) != (result == "approved"):
        found.append(f"{result}: carried out {desk.applied(name)} times")
    if not death and (receipt is None or not decision.startswith(receipt.result[:4])):
        found.append(f"it got through and {result}")
    return found + _afterwards(desk, name, result, heirs)


def _afterwards(desk: Desk, name: str, result: str, heirs: list[str]) -> list[str]:
    """Approving what is left must work once, and approving the rest must not."""
    again = desk.approve(name, "alive:1")
    if not isinstance(again, Approved if result == "waits" else Decided):
        return [f"{result}, then approved: {again}"]
    wrong = [f"the heir: {it}" for each in heirs if not isinstance(it := desk.approve(each), Approved)]
    end = {"waits": AFTER, "approved": AFTER, "rejected": BEFORE, "edited": EDITED}[result]
    return wrong if desk.entries() == [end] else [*wrong, f"{result}, at the end: {desk.entries()}"]


def main(folder: str, decision: str) -> None:
    stop, death = 0, True
    while death:
        stop += 1
        place = Path(folder) / str(stop)
        place.mkdir(parents=True)
        desk = Desk(place)
        desk.save(add(BEFORE))
        name = desk.stage(patch("tea", "milk"))
        death = killed_before(stop, place / "step", partial(decide, Desk(place), decision, name, "dead:1"))
        print(json.dumps([stop, (place / "step").read_text(), faults(place, decision, name, death)]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
