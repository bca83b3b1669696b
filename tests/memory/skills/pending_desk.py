"""A profile's skills behind a gate, with a clock and a guard of the test's own, and short names for what is done
there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memory.gate import Rule
from memory.model import Author, Origin, Reason
from memory.pending.outcomes import Approved
from memory.pending.receipts import Receipts
from memory.pending.skill_model import SkillWrite
from memory.pending.skill_resolve import SkillResolution, SkillResolver
from memory.pending.skill_store import SkillPendings
from memory.skills.apply import SkillStore
from memory.skills.gated import SkillGate
from memory.skills.library import Library
from memory.skills.model import (
    SkillAction,
    SkillApplied,
    SkillDraft,
    SkillOperation,
    SkillOutcome,
    SkillRefused,
    SkillStaged,
    SkillUnchanged,
    Source,
)

ADA, BOB = "telegram:1", "telegram:2"
BY = Author(Origin.FOREGROUND, "20261130-1f2e3d4c", "turn:17", chat="telegram:2")
BODY = "Run the build.\nThen copy it.\n"


def text(name: str, body: str = BODY) -> str:
    """A SKILL.md."""
    return f"---\nname: {name}\ndescription: How to do {name}\n---\n\n{body}"


def create(name: str, body: str = BODY, category: str = "") -> SkillOperation:
    return SkillOperation(SkillAction.CREATE, name, text(name, body), category=category)


def patch(name: str, old_text: str, content: str, file: str = "") -> SkillOperation:
    return SkillOperation(SkillAction.PATCH, name, content, old_text, file)


def edit(name: str, body: str) -> SkillOperation:
    return SkillOperation(SkillAction.EDIT, name, text(name, body))


def delete(name: str) -> SkillOperation:
    return SkillOperation(SkillAction.DELETE, name)


def write(name: str, file: str, content: str) -> SkillOperation:
    return SkillOperation(SkillAction.WRITE_FILE, name, content, file=file)


def remove(name: str, file: str) -> SkillOperation:
    return SkillOperation(SkillAction.REMOVE_FILE, name, file=file)


class SkillDesk:
    """Real files. A second desk on the same folder is another process, or the next start. `evil` is what the guard
    refuses; `rule`, `sources`, `time` are there to be moved. `receipt` is called just before a receipt is written."""

    def __init__(self, folder: Path, *, rule: Rule = True, receipt: Callable[[], object] = lambda: None) -> None:
        self.folder, self.rule = folder, rule
        self.skills = folder / "skills"
        self.time = 1_800_000_000.0
        self.evil = "evil"
        self.sources: dict[str, Source] = {}
        self._receipt = receipt
        self.heard: list[str] = []
        self.pendings = SkillPendings(
            folder / "pending" / "skills", lambda: self.time, staged=lambda write: self.heard.append(write.id)
        )
        gate = SkillGate(
            lambda: self.rule,
            lambda name: self.sources.get(name, "agent"),
            lambda chat: chat is not None and chat.startswith("console:"),
            lambda who: who == ADA,
            self.pendings.put,
        )
        self.store = SkillStore(Library(self.skills), lambda: self.time, check=self._check, decide=gate, patience=60)
        self.receipts = Receipts(folder / "pending" / "skills" / "decided.jsonl")
        self.resolver = SkillResolver(self.pendings, self.receipts, self.store, self._now)

    def _now(self) -> float:
        self._receipt()
        return self.time

    def _check(self, draft: SkillDraft) -> SkillRefused | None:
        if any(self.evil.encode() in (change.after or b"") for change in draft.changes):
            return SkillRefused(Reason.SCAN, "Not kept: the guard found it.")
        return None

    # What a turn does

    def do(self, *operations: SkillOperation, by: Author = BY) -> SkillOutcome:
        self.time += 1
        return self.store.apply(operations, by)

    def stage(self, *operations: SkillOperation, by: Author = BY) -> str:
        """Put aside; its id."""
        outcome = self.do(*operations, by=by)
        assert isinstance(outcome, SkillStaged), outcome
        return outcome.pending_id

    def refused(self, *operations: SkillOperation, by: Author = BY) -> SkillRefused:
        """Refused, and nothing was put aside by it."""
        before = self.names()
        outcome = self.do(*operations, by=by)
        assert isinstance(outcome, SkillRefused), outcome
        assert self.names() == before
        return outcome

    # What people do

    def save(self, *operations: SkillOperation) -> None:
        """By an operator's hand, past the gate."""
        outcome = self.do(*operations, by=Author(Origin.COMMAND, who=ADA))
        assert isinstance(outcome, SkillApplied | SkillUnchanged), outcome

    def write(self, path: str, content: str | bytes) -> None:
        """As a person's editor would."""
        place = self.skills / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())

    def approve(self, name: str, who: str = ADA) -> SkillResolution:
        return self.resolver.approve(name, who)

    def approved(self, name: str) -> Approved[SkillWrite, SkillApplied | SkillUnchanged]:
        resolution = self.approve(name)
        assert isinstance(resolution, Approved), resolution
        return resolution

    # What is there

    def tree(self, *, archive: bool = False) -> dict[str, bytes]:
        """Every file of every skill, by its path; with `archive`, those that were put away, by their path there
        without the time."""
        root = self.skills / ".archive" if archive else self.skills
        found = {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*")) if path.is_file()}
        return {name: path.read_bytes() for name, path in found.items() if archive or not name.startswith(".")}

    def body(self, name: str) -> str:
        """What stands below the frontmatter."""
        return self.tree()[f"{name}/SKILL.md"].decode().partition("---\n\n")[2]

    def file(self, name: str) -> Path:
        """A pending write's file."""
        return self.folder / "pending" / "skills" / f"{name}.json"

    def fields(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.file(name).read_text(encoding="utf-8"))
        return found

    def alter(self, name: str, **fields: Any) -> None:
        """Edit a pending write's file by hand."""
        kept = json.dumps({**self.fields(name), **fields}, ensure_ascii=True)
        self.file(name).write_text(kept, encoding="utf-8")

    def get(self, name: str) -> SkillWrite:
        found = self.pendings.get(name)
        assert isinstance(found, SkillWrite), found
        return found

    def waiting(self) -> list[str]:
        return [each.id for each in self.pendings.waiting()]

    def broken(self) -> dict[str, str]:
        return {each.id: each.why for each in self.pendings.broken()}

    def names(self) -> list[str]:
        """Every write and claim in the folder of what waits."""
        folder = self.folder / "pending" / "skills"
        found = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
        return [name for name in found if name.endswith((".json", ".claimed"))]
