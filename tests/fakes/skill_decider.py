"""A process that puts changes of skills aside and decides them, for tests that let several race, or kill one.

`python -m tests.fakes.skill_decider stage FOLDER COUNT` stages the same changes as everybody else and prints their
ids. `contend FOLDER WHO` reads orders (`approve ID`) from its input and answers each with what became of it.
`restless FOLDER SEED` stages and decides until it is killed, and says before and after what it does.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

from memory.pending.outcomes import Approved, Decided, Rejected
from memory.pending.skill_resolve import SkillResolution
from memory.skills.model import SkillStaged
from tests.memory.skills.pending_desk import SkillDesk, create, delete, patch, write

MADE = ("one", "two", "three", "four")
"""The names of all skills that the restless one makes."""


def told(resolution: SkillResolution) -> list[str]:
    """What a resolution says: its kind, and who won where somebody else did."""
    match resolution:
        case Decided(receipt):
            return ["Decided", receipt.result, receipt.who]
        case _:
            return [type(resolution).__name__]


def decide(desk: SkillDesk, order: str, name: str, who: str) -> SkillResolution:
    return (desk.resolver.approve if order == "approve" else desk.resolver.reject)(name, who)


def stage(folder: str, count: str) -> None:
    desk = SkillDesk(Path(folder))
    print(json.dumps([desk.stage(create(f"skill-{number}")) for number in range(int(count))]))


def contend(folder: str, who: str) -> None:
    desk = SkillDesk(Path(folder))
    print("ready", flush=True)
    for line in sys.stdin:
        order, name = line.split()
        print(json.dumps(told(decide(desk, order, name, who))), flush=True)


def restless(folder: str, seed: str) -> None:
    """Each change touches several files, all of which carry the same stamp: a half-made one shows."""
    desk = SkillDesk(Path(folder))
    dice = random.Random(f"{seed}{time.monotonic_ns()}")
    while True:
        desk.time = time.time()
        stamp, name = f"stamp {time.monotonic_ns()}", dice.choice(MADE)
        there = f"{name}/SKILL.md" in desk.tree()
        notes = [write(name, f"references/{number}.md", stamp) for number in range(3)]
        if not there:
            wish = [create(name, f"{stamp}\n"), *notes]
        elif dice.random() < 0.3:
            wish = [delete(name)]
        else:
            wish = [patch(name, desk.body(name), f"{stamp}\n"), *notes]
        outcome = desk.do(*wish)
        assert isinstance(outcome, SkillStaged), outcome
        print("staged", outcome.pending_id, flush=True)
        order = dice.choice(["approve", "approve", "approve", "reject"])
        resolution = decide(desk, order, outcome.pending_id, f"who:{order}")
        if isinstance(resolution, Approved | Rejected):
            print("approved" if order == "approve" else "rejected", outcome.pending_id, flush=True)


MODES = {"stage": stage, "contend": contend, "restless": restless}

if __name__ == "__main__":
    MODES[sys.argv[1]](*sys.argv[2:])
