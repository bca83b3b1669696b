"""A profile's memory behind a gate, with a clock, limits and a scan of the test's own, and short names for what is
done there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memory.gate import Gate, Rule
from memory.model import (
    Applied,
    Author,
    Draft,
    Limits,
    Operation,
    Origin,
    Outcome,
    Reason,
    Refused,
    Staged,
    Target,
    Unchanged,
)
from memory.pending.model import PendingWrite
from memory.pending.resolve import Approved, Resolution, Resolver
from memory.pending.store import PendingStore
from memory.shelf import Shelf
from tests.memory.shelf import BY, MEMORY, USER

ADA, BOB = "telegram:1", "telegram:2"


class Desk:
    """Real files. A second desk on the same folder is another process, or the next start. `evil` is what the scan
    refuses; `rule`, `limits`, `time` are there to be moved. `receipt` is called just before a receipt is written."""

    def __init__(
        self,
        folder: Path,
        *,
        rule: Rule = True,
        receipt: Callable[[], object] = lambda: None,
    ) -> None:
        self.folder, self.rule = folder, rule
        self.limits = Limits()
        self.time = 1_800_000_000.0
        self.evil = "evil"
        self._receipt = receipt
        self.heard: list[str] = []
        self.pendings = PendingStore(
            folder / "pending" / "memory", lambda: self.time, staged=lambda write: self.heard.append(write.id)
        )
        gate = Gate(lambda: self.rule, lambda chat: False, lambda who: who == ADA, self.pendings.put)
        self.shelf = Shelf(
            folder / "memories", lambda: self.limits, lambda: self.time, check=self._check, decide=gate, patience=60
        )
        self.stores = self.shelf.own
        self.resolver = Resolver(self.pendings, self.shelf.holding, self.stores, self._now)

    def _now(self) -> float:
        self._receipt()
        return self.time

    def _check(self, draft: Draft) -> Refused | None:
        if any(self.evil in (change.after or "") for change in draft.changes):
            return Refused(draft.target, Reason.SCAN, "Not kept: the threat scan found it.")
        return None

    # What a turn does

    def do(self, *operations: Operation, target: Target = MEMORY, by: Author = BY) -> Outcome:
        self.time += 1
        return self.stores.apply(target, operations, by)

    def stage(self, *operations: Operation, target: Target = MEMORY, by: Author = BY) -> str:
        """Put aside; its id."""
        outcome = self.do(*operations, target=target, by=by)
        assert isinstance(outcome, Staged), outcome
        return outcome.pending_id

    def refused(self, *operations: Operation, target: Target = MEMORY, by: Author = BY) -> Refused:
        """Refused, and nothing was put aside by it."""
        before = self.names()
        outcome = self.do(*operations, target=target, by=by)
        assert isinstance(outcome, Refused), outcome
        assert self.names() == before
        return outcome

    # What people do

    def save(self, *operations: Operation, target: Target = MEMORY) -> None:
        """By an operator's hand, past the gate."""
        outcome = self.do(*operations, target=target, by=Author(Origin.COMMAND, who=ADA))
        assert not isinstance(outcome, Refused | Staged), outcome

    def write(self, text: str, target: Target = MEMORY) -> None:
        """As a person's editor would."""
        self.path(target).parent.mkdir(parents=True, exist_ok=True)
        self.path(target).write_text(text, encoding="utf-8")

    def approve(self, name: str, who: str = ADA) -> Resolution:
        return self.resolver.approve(name, who)

    def approved(self, name: str) -> Approved[PendingWrite, Applied | Unchanged]:
        resolution = self.approve(name)
        assert isinstance(resolution, Approved), resolution
        return resolution

    # What is there

    def entries(self, target: Target = MEMORY) -> list[str]:
        return list(self.stores.entries(target))

    def path(self, target: Target = MEMORY) -> Path:
        return self.folder / "memories" / target.file_name

    def file(self, name: str) -> Path:
        """A pending write's file."""
        return self.folder / "pending" / "memory" / f"{name}.json"

    def fields(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.file(name).read_text(encoding="utf-8"))
        return found

    def alter(self, name: str, **fields: Any) -> None:
        """Edit a pending write's file by hand."""
        text = json.dumps({**self.fields(name), **fields}, ensure_ascii=True)
        self.file(name).write_text(text, encoding="utf-8")

    def get(self, name: str) -> PendingWrite:
        write = self.pendings.get(name)
        assert isinstance(write, PendingWrite), write
        return write

    def waiting(self) -> list[str]:
        return [write.id for write in self.pendings.waiting()]

    def broken(self) -> dict[str, str]:
        return {each.id: each.why for each in self.pendings.broken()}

    def names(self) -> list[str]:
        """Everything in the folder of what waits."""
        folder = self.folder / "pending" / "memory"
        return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []

    def applied(self, name: str) -> int:
        """How often the journal has seen it carried out."""
        return sum(record.author.pending == name for record in self.stores.history())


__all__ = ["ADA", "BOB", "MEMORY", "USER", "Desk"]
