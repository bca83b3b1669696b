"""A caretaker over a shed, with jobs that are only names."""

from __future__ import annotations

from memory.skills.caretaker import Caretaker, Consolidation
from memory.skills.curator import DAY, Rules
from tests.memory.skills.shed import Shed

T = 1_800_000_000.0
RULES = Rules()


class Care:
    """A caretaker over a shed; `jobs` are the names that jobs refer to."""

    def __init__(self, shed: Shed, rules: Rules = RULES, consolidation: Consolidation | None = None) -> None:
        self.shed = shed
        self.jobs: set[str] = set()
        self.taker = Caretaker(
            shed.library, shed.store.usage, shed.store, lambda: rules, lambda: shed.time, self.refers, consolidation
        )

    def refers(self, name: str) -> bool:
        return name in self.jobs

    def later(self, days: float) -> None:
        self.shed.time += days * DAY
