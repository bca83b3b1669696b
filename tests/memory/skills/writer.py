"""Changes skills until it is killed, and says after each change how far it got: python -m … FOLDER."""

from __future__ import annotations

import sys
from pathlib import Path

from memory.skills.model import SkillApplied, SkillOperation
from tests.memory.skills.shed import Shed, create, delete, edit, skill, write_file

NAMES = ("one", "two", "three")


def batch(number: int) -> list[SkillOperation]:
    """All files say the same number; one skill comes and goes."""
    operations: list[SkillOperation] = []
    for name in NAMES:
        content = skill(name, body=f"{number}\n")
        operations.append(create(name, content) if number == 0 else edit(name, content))
        operations.append(write_file(name, "references/number.md", f"{number}\n"))
    coming = skill("guest", body=f"{number}\n")
    operations.append(create("guest", coming, category="rooms") if number % 2 == 0 else delete("guest"))
    return operations


def main(folder: Path) -> None:
    shed = Shed(folder)
    shed.store.repair()
    one = shed.root / "one/references/number.md"
    number = int(one.read_text()) + 1 if one.exists() else 0
    while True:
        shed.time += 1
        outcome = shed.do(*batch(number))
        assert isinstance(outcome, SkillApplied), outcome
        print(number, flush=True)
        number += 1


if __name__ == "__main__":
    main(Path(sys.argv[1]))
