"""A memory folder and a skills folder with a journey over both, and a clock of the test's own."""

from __future__ import annotations

from pathlib import Path

from memory.journey.book import Book, Files
from memory.journey.meant import Changed, Unknown
from memory.journey.model import Node, Timeline
from memory.model import Author, Limits, Operation, Origin, Target
from memory.shelf import OWN, Shelf
from memory.skills.apply import SkillStore
from memory.skills.caretaker import Caretaker
from memory.skills.curator import Rules
from memory.skills.library import Library
from memory.skills.model import SkillApplied, SkillOperation
from memory.store import Decide

SAID = Author(Origin.FOREGROUND, "20261130-1f2e3d4c", "turn:17")
REVIEWED = Author(Origin.REVIEW, "20261130-1f2e3d4c", "review:3")
ADA = Author(Origin.COMMAND, who="telegram:111")
START = 1_800_000_000.0
BOBS = "people/telegram-222.md"


class Workshop:
    """Real skills in a folder."""

    def __init__(self, folder: Path, now: object) -> None:
        self.library = Library(folder)
        self.store = SkillStore(self.library, now)  # type: ignore[arg-type]
        usage = self.store.usage
        self.caretaker = Caretaker(self.library, usage, self.store, Rules, now, lambda name: False)  # type: ignore[arg-type]


class Pages:
    """Real files. Each change takes a second; `time` is there to be moved."""

    def __init__(self, folder: Path, decide: Decide | None = None) -> None:
        self.folder = folder / "memories"
        self.time = START
        self.shelf = Shelf(self.folder, Limits, lambda: self.time, decide=decide)
        self.skills = Workshop(folder / "skills", lambda: self.time)
        self.files: Files = list(OWN.items())
        self.seen: dict[str, float] = {}

    @property
    def book(self) -> Book:
        return Book(self.shelf, lambda: self.files, self.skills)

    def timeline(self, *, gone: bool = False) -> Timeline:
        return self.book.timeline(self.seen, self.time, gone=gone)

    def nodes(self, *, gone: bool = False) -> list[Node]:
        return list(self.timeline(gone=gone).nodes)

    def node(self, text: str) -> Node:
        """The one whose text this is, gone or not."""
        (found,) = [each for each in self.nodes(gone=True) if text in (each.text, each.id)]
        return found

    def do(self, *operations: Operation, target: Target = Target.USER, by: Author = SAID, file: str = "") -> str:
        """The id of the change."""
        self.time += 1
        outcome = self.shelf.holding(target, file or OWN[target]).apply(target, operations, by)
        assert hasattr(outcome, "id"), outcome
        return str(outcome.id)

    def craft(self, *operations: SkillOperation, by: Author = SAID) -> str:
        self.time += 1
        outcome = self.skills.store.apply(operations, by)
        assert isinstance(outcome, SkillApplied), outcome
        return outcome.id

    def write(self, text: str, target: Target = Target.USER) -> None:
        """A person's editor."""
        self.folder.mkdir(exist_ok=True)
        (self.folder / OWN[target]).write_text(text)

    def read(self, target: Target = Target.USER) -> str:
        return (self.folder / OWN[target]).read_text()


def change_id(done: Changed | Unknown) -> str:
    assert isinstance(done, Changed), done
    assert hasattr(done.outcome, "id"), done.outcome
    return str(done.outcome.id)
