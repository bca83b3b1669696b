"""Two stores in a folder, with a clock of the test's own, and short names for what is done to them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memory.model import Action, Applied, Author, Limits, Operation, Origin, Outcome, Refused, Target
from memory.store import Check, Decide, Stores

MEMORY, USER = Target.MEMORY, Target.USER
BY = Author(Origin.FOREGROUND, "20261130-1f2e3d4c", "17")


def add(content: str) -> Operation:
    return Operation(Action.ADD, content)


def patch(old_text: str, content: str) -> Operation:
    return Operation(Action.PATCH, content, old_text)


def remove(old_text: str) -> Operation:
    return Operation(Action.REMOVE, old_text=old_text)


class Shelf:
    """Real files. `write` puts a file there as a person's editor would; `time` and `limits` are there to be moved."""

    def __init__(
        self,
        folder: Path,
        limits: Limits | None = None,
        *,
        check: Check | None = None,
        decide: Decide | None = None,
        patience: float = 5,
    ) -> None:
        self.folder = folder / "memories"
        self.limits = limits or Limits()
        self.time = 1_800_000_000.0
        self.stores = Stores(
            self.folder, lambda: self.limits, lambda: self.time, check=check, decide=decide, patience=patience
        )

    def path(self, target: Target = MEMORY) -> Path:
        return self.stores.path(target)

    def write(self, text: str | bytes, target: Target = MEMORY) -> None:
        self.folder.mkdir(exist_ok=True)
        self.path(target).write_bytes(text.encode() if isinstance(text, str) else text)

    def bytes(self, target: Target = MEMORY) -> bytes:
        return self.path(target).read_bytes()

    def names(self) -> list[str]:
        """What lies in the folder, the lock aside."""
        return sorted(found.name for found in self.folder.iterdir() if found.name != ".lock")

    def do(self, *operations: Operation, target: Target = MEMORY, by: Author = BY) -> Outcome:
        self.time += 1
        return self.stores.apply(target, operations, by)

    def done(self, *operations: Operation, target: Target = MEMORY, by: Author = BY) -> Applied:
        outcome = self.do(*operations, target=target, by=by)
        assert isinstance(outcome, Applied), outcome
        return outcome

    def refused(self, *operations: Operation, target: Target = MEMORY, by: Author = BY) -> Refused:
        """Refused, and nothing on the disk is different."""
        before = self.bytes(target) if self.path(target).exists() else None
        outcome = self.do(*operations, target=target, by=by)
        assert isinstance(outcome, Refused), outcome
        assert (self.bytes(target) if self.path(target).exists() else None) == before
        return outcome

    def fill(self, entries: Sequence[str], target: Target = MEMORY) -> None:
        self.done(*map(add, entries), target=target)

    def entries(self, target: Target = MEMORY) -> list[str]:
        return list(self.stores.entries(target))
