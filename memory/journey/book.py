"""The journey as it can be read and changed at one moment: the stores of some files, and the skills. Synchronous.

Dating and joining is `timeline`'s part, checking and keeping that of the stores. Which files somebody may see is for
whoever opens the book to say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from memory.entries import parse
from memory.files import FileTrouble, read
from memory.journal import Record
from memory.journey.model import Timeline
from memory.journey.timeline import Craft, timeline
from memory.journey.traces import Live, traces
from memory.model import Target
from memory.shelf import Shelf
from memory.skills.apply import SkillStore
from memory.skills.caretaker import Caretaker
from memory.skills.frontmatter import Malformed
from memory.skills.journal import Deed
from memory.skills.library import Library
from memory.skills.model import SKILL_FILE, Skill
from memory.skills.putting_back import archived_as
from memory.skills.tree import Tree
from memory.skills.usage import Tally
from memory.skills.validate import sound

T = TypeVar("T")

Files = Sequence[tuple[Target, str]]
"""Files of the memory folder, each with its store."""


class Workshop(Protocol):
    """The profile's skills."""

    @property
    def library(self) -> Library: ...
    @property
    def store(self) -> SkillStore: ...
    @property
    def caretaker(self) -> Caretaker: ...


class Book:
    """`files()` are those that are shown and changed; without `skills` there are none. Everything raises
    `FileTrouble` where entries cannot be read; of skills, what cannot be read is left out."""

    def __init__(self, shelf: Shelf, files: Callable[[], Files], skills: Workshop | None = None) -> None:
        self.shelf = shelf
        self.skills = skills
        self._files = files

    def timeline(self, seen: Mapping[str, float], now: float, *, gone: bool = False) -> Timeline:
        """As `memory.journey.timeline.timeline`."""
        return timeline(self.records(), self._live(), self._craft(gone), seen=seen, now=now, gone=gone)

    def records(self) -> list[Record]:
        """The changes of the files, the oldest first."""
        shown = {file for _, file in self._files()}
        return [each for each in self.shelf.changes() if each.file in shown]

    def deeds(self) -> list[Deed]:
        """The changes of skills, the newest first."""
        return self.skills.store.history() if self.skills is not None else []

    def steps(self, name: str) -> list[str]:
        """The ids of the changes that touched an entry since it came, the oldest first."""
        found = traces(self.records(), self._live())
        return next((each.steps for each in found if each.id == name), [])

    def _live(self) -> list[Live]:
        return [
            Live(target, file, parse(read(self.shelf.holding(target, file).path(target)) or ""))
            for target, file in self._files()
        ]

    def _craft(self, gone: bool) -> Craft:
        skills = self.skills
        if skills is None:
            return Craft()
        deeds = _readable(self.deeds)
        try:
            tallies = skills.store.usage.all()
        except FileTrouble:
            tallies = {}
        there = skills.library.found().skills
        stale = _readable(lambda: _stale(skills))
        away = _readable(lambda: _away(skills, tallies)) if gone else ()
        return Craft(there, away, tallies, deeds, stale)


def _stale(skills: Workshop) -> list[str]:
    """The names of those that nobody has used for long."""
    return [each.name for each in skills.caretaker.dry_run().plan.verdicts if each.state != "active"]


def _away(skills: Workshop, tallies: Mapping[str, Tally]) -> list[Skill]:
    """What was put away, the last one of each name; one that cannot be read is left out."""
    tree, last = Tree(skills.library.root), {}
    for place in skills.store.archived():
        last[archived_as(place)[1]] = place
    found = []
    for name, place in last.items():
        try:
            it = sound((tree.read(f"{place}/{SKILL_FILE}") or b"").decode("utf-8"), name)
        except (FileTrouble, Malformed, UnicodeDecodeError):
            continue
        category = archived_as(place)[0].rpartition("/")[0]
        source = tallies[name].source if name in tallies else "person"
        folder = skills.library.root / place
        found.append(Skill(name, it.description, folder, category, it.head.fields, it.head.body, source))
    return found


def _readable(look: Callable[[], Sequence[T]]) -> Sequence[T]:
    """Figures and the like are worth less than what they are about: without them the rest is still shown."""
    try:
        return look()
    except FileTrouble:
        return ()
