"""A process that puts writes aside and decides them, for tests that let several race, or kill one.

`python -m tests.fakes.memory_decider stage FOLDER COUNT` stages the same writes as everybody else and prints their
ids. `contend FOLDER WHO` reads orders (`approve ID`) from its input and answers each with what became of it.
`restless FOLDER SEED` stages and decides until it is killed, and says before and after what it does.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

from memory.model import Staged
from memory.pending.resolve import Approved, Decided, Edited, Rejected, Resolution
from tests.memory.pending.desk import Desk
from tests.memory.shelf import add, patch, remove

KEPT = 6
"""Entries that the restless one has at most, so that the store never fills."""


def told(resolution: Resolution) -> list[str]:
    """What a resolution says: its kind, and who won where somebody else did."""
    match resolution:
        case Decided(receipt):
            return ["Decided", receipt.result, receipt.who]
        case _:
            return [type(resolution).__name__]


def decide(desk: Desk, order: str, name: str, who: str) -> Resolution:
    if order == "edit":
        return desk.resolver.edit(name, f"edited {name}", who)
    return (desk.resolver.approve if order == "approve" else desk.resolver.reject)(name, who)


def stage(folder: str, count: str) -> None:
    desk = Desk(Path(folder))
    print(json.dumps([desk.stage(add(f"tea {number}")) for number in range(int(count))]))


def contend(folder: str, who: str) -> None:
    desk = Desk(Path(folder))
    print("ready", flush=True)
    for line in sys.stdin:
        order, name = line.split()
        print(json.dumps(told(decide(desk, order, name, who))), flush=True)


def restless(folder: str, seed: str) -> None:
    desk = Desk(Path(folder))
    dice = random.Random(f"{seed}{time.monotonic_ns()}")
    while True:
        desk.time = time.time()
        entries = desk.entries()
        wish = add(f"tea {time.monotonic_ns()}")
        if len(entries) >= KEPT:
            wish = remove(entries[0])
        elif entries and dice.random() < 0.4:
            wish = patch(dice.choice(entries), f"milk {time.monotonic_ns()}")
        outcome = desk.do(wish)
        assert isinstance(outcome, Staged), outcome
        name = outcome.pending_id
        print("staged", name, flush=True)
        order = dice.choice(["approve", "approve", "approve", "reject", "edit"])
        resolution = decide(desk, order, name, f"who:{order}")
        if isinstance(resolution, Approved | Rejected | Edited):
            result = {"approve": "approved", "reject": "rejected", "edit": "edited"}[order]
            print(result, name, flush=True)
            if isinstance(resolution, Edited):
                print("staged", resolution.write.id, flush=True)
                print("approving", resolution.write.id, flush=True)
                decide(desk, "approve", resolution.write.id, "who:approve")


MODES = {"stage": stage, "contend": contend, "restless": restless}

if __name__ == "__main__":
    MODES[sys.argv[1]](*sys.argv[2:])
