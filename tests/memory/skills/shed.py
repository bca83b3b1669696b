"""A skills folder with a store over it, a clock of the test's own, and short names for what is done to skills."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from memory.model import Author, Origin
from memory.skills.apply import Check, Decide, SkillStore
from memory.skills.journal import KEPT
from memory.skills.library import Library
from memory.skills.model import SkillAction, SkillApplied, SkillOperation, SkillOutcome, SkillRefused

BY = Author(Origin.FOREGROUND, "20261130-1f2e3d4c", "17")
ADA = Author(Origin.COMMAND, who="telegram:111")


def skill(
    name: str, description: str = "Tidies notes. Use when they grow.", body: str = "1. Read.\n2. Tidy.\n"
) -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n\n{body}"


def create(name: str, content: str | None = None, category: str = "") -> SkillOperation:
    return SkillOperation(SkillAction.CREATE, name, skill(name) if content is None else content, category=category)


def edit(name: str, content: str) -> SkillOperation:
    return SkillOperation(SkillAction.EDIT, name, content)


def patch(name: str, old_text: str, content: str, file: str = "") -> SkillOperation:
    return SkillOperation(SkillAction.PATCH, name, content, old_text, file)


def delete(name: str) -> SkillOperation:
    return SkillOperation(SkillAction.DELETE, name)


def write_file(name: str, file: str, content: str = "a note\n") -> SkillOperation:
    return SkillOperation(SkillAction.WRITE_FILE, name, content, file=file)


def remove_file(name: str, file: str) -> SkillOperation:
    return SkillOperation(SkillAction.REMOVE_FILE, name, file=file)


def tree(folder: Path, *, ours: bool = False) -> dict[str, str]:
    """Everything in a folder: what a file holds and may, where a link leads. Folders count. Without `ours`, the
    store's own records are left out; the archive is not."""
    seen = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not ours and name.split("/")[0] in (".journal", ".lock", ".usage.json", ".usage.lock"):
            continue
        mode = f"{path.lstat().st_mode:o}"
        if path.is_symlink():
            seen[name] = f"link to {path.readlink()}"
        elif path.is_dir():
            seen[name] = f"folder {mode}"
        elif path.is_file():
            seen[name] = f"{mode} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        else:
            seen[name] = f"other {mode}"
    return seen


class Shed:
    """Real files in `root`, which is `skills/` in a folder that holds other things of the profile. `put` writes a
    file as a person's editor would; `time` is there to be moved."""

    def __init__(
        self,
        folder: Path,
        *,
        external: Sequence[Path] = (),
        check: Check | None = None,
        decide: Decide | None = None,
        patience: float = 5,
        remembers: int = KEPT,
    ) -> None:
        self.home = folder
        self.root = folder / "skills"
        self.time = 1_800_000_000.0
        self.library = Library(self.root, external)
        self.store = SkillStore(
            self.library, lambda: self.time, check=check, decide=decide, patience=patience, remembers=remembers
        )

    def put(self, path: str, content: str | bytes | None = None) -> Path:
        """Without content, a sound SKILL.md of the folder's name."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        content = skill(file.parent.name) if content is None else content
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def do(self, *operations: SkillOperation, by: Author = BY) -> SkillOutcome:
        return self.store.apply(operations, by)

    def done(self, *operations: SkillOperation, by: Author = BY) -> SkillApplied:
        outcome = self.do(*operations, by=by)
        assert isinstance(outcome, SkillApplied), outcome
        return outcome

    def refused(self, *operations: SkillOperation) -> SkillRefused:
        """Refused, with a sentence, and nothing of the home is another than before."""
        self.root.mkdir(parents=True, exist_ok=True)
        (self.root / ".lock").touch()
        before = tree(self.home)
        outcome = self.do(*operations)
        assert isinstance(outcome, SkillRefused), outcome
        assert outcome.message.endswith(".") or "\\n" in outcome.message
        assert tree(self.home) == before
        return outcome

    def names(self) -> list[str]:
        return [each.name for each in self.library.found().skills]

    def why(self, name: str) -> str:
        """Why a skill is broken."""
        return next(str(each) for each in self.library.found().broken if each.name == name)
