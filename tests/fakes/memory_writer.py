"""A process that changes memory without pause and says what it is about to do and what was acknowledged.

`python -m tests.fakes.memory_writer FOLDER NAME COUNT SEED`: COUNT 0 goes on until it is killed. Lines: `try` and
`ok`, each with a number and the entries of this writer as they will be, as JSON.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

from memory.model import Action, Applied, Author, Limits, Operation, Origin, Target
from memory.store import Stores

KEPT = 4
"""Entries that one writer has at most."""


def wish(mine: list[str], name: str, number: int, dice: random.Random) -> tuple[list[Operation], list[str]]:
    """The next operations, and this writer's entries after them."""
    fresh = f"{name}-{number} " + "tea " * dice.randrange(1, 60)
    fresh = fresh.strip()
    add = Operation(Action.ADD, fresh)
    if len(mine) >= KEPT:
        return [Operation(Action.REMOVE, old_text=mine[0]), add], [*mine[1:], fresh]
    if mine and dice.random() < 0.4:
        at = dice.randrange(len(mine))
        return [Operation(Action.PATCH, fresh, mine[at])], [*mine[:at], fresh, *mine[at + 1 :]]
    if len(mine) > 1 and dice.random() < 0.3:
        return [Operation(Action.REMOVE, old_text=mine[-1])], mine[:-1]
    return [add], [*mine, fresh]


def main(folder: str, name: str, count: str, seed: str) -> None:
    stores = Stores(Path(folder), lambda: Limits(memory=100_000), time.time, patience=60)
    dice = random.Random(f"{seed}{name}")
    mine = [entry for entry in stores.entries(Target.MEMORY) if entry.startswith(f"{name}-")]
    number = 0
    while number < int(count) or count == "0":
        number += 1
        operations, then = wish(mine, name, time.monotonic_ns() if count == "0" else number, dice)
        print("try", json.dumps(then), flush=True)
        outcome = stores.apply(Target.MEMORY, operations, Author(Origin.FOREGROUND, name, str(number)))
        assert isinstance(outcome, Applied), outcome
        print("ok", json.dumps(then), flush=True)
        mine = then


if __name__ == "__main__":
    main(*sys.argv[1:])
