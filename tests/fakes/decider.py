"""A process that decides pending writes on order, as a second `innkeeper memory approve` would.

`python -m tests.fakes.decider FOLDER NAME`: each line `approve|reject ID` is answered by one line, what came of
it and who was first.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from gateway.config.paths import Profile
from gateway.config.schema import Settings
from gateway.engine.gates.gatekeeper import memories
from memory.pending.resolve import Approved, Decided, Kept, Rejected, Resolution


def main(folder: str, name: str) -> None:
    home = Path(folder)
    resolver = memories(Profile("default", home, home), Settings, time.time).resolver
    print("ready", flush=True)
    for line in sys.stdin:
        order, which = line.split()
        decide = resolver.approve if order == "approve" else resolver.reject
        print(_told(decide(which, name), name), flush=True)


def _told(resolution: Resolution, name: str) -> str:
    match resolution:
        case Approved():
            return f"approved {name}"
        case Rejected():
            return f"rejected {name}"
        case Decided(receipt):
            return f"late {receipt.who}"
        case Kept(why=why):
            return f"kept {why}"
        case _:
            return f"strange {resolution}"


if __name__ == "__main__":
    main(*sys.argv[1:])
