"""Changes of skills: under a lock, on what is there at that moment, all or nothing, journaled, and counted.

Two seams are for those who look at a change before it is made: the guard, and the gate that may let it wait. What
operations come to belongs to `edits`, the steps on the disk to `journal`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import takewhile
from typing import cast

from memory.files import LOCK_SECONDS, Busy, FileTrouble, Unreadable, Unwritable, locked
from memory.model import Author, Origin, Reason
from memory.skills.edits import objection, plan
from memory.skills.journal import KEPT, Content, Deed, Deeds, Move, Write, fresh_id
from memory.skills.library import Library
from memory.skills.model import (
    ARCHIVE,
    JOURNAL,
    SKILL_FILE,
    FileChange,
    Found,
    SkillAction,
    SkillApplied,
    SkillDraft,
    SkillOperation,
    SkillOutcome,
    SkillRefused,
    SkillStaged,
    SkillUnchanged,
    Source,
    digest,
)
from memory.skills.putting_back import archived_as, archived_places, inverse
from memory.skills.tree import Tree
from memory.skills.usage import Usage

Check = Callable[[SkillDraft], SkillRefused | None]
"""Looks at what would be kept; its refusal is final. The guard."""

Decide = Callable[[SkillDraft, Author], SkillStaged | SkillRefused | None]
"""Lets a valid change be made (None), or has put it aside. The gate."""

_OURS = (Origin.FOREGROUND, Origin.REVIEW, Origin.CRON)


class SkillStore:
    """What `memory.store.Stores` is for memory. `now()` in seconds since the epoch; `patience` is how long to wait
    for another writer, in seconds; `remembers` is how many changes can be looked up and taken back. Writing never
    raises for what can go wrong with files: that is a `SkillRefused`."""

    def __init__(
        self,
        library: Library,
        now: Callable[[], float],
        *,
        check: Check | None = None,
        decide: Decide | None = None,
        patience: float = LOCK_SECONDS,
        remembers: int = KEPT,
    ) -> None:
        self._library = library
        self._root = library.root
        self._tree = Tree(library.root)
        self._now = now
        self._check = check
        self._decide = decide
        self._patience = patience
        self._deeds = Deeds(self._tree, remembers)
        self.usage = Usage(library.root, now, patience)

    # Changing

    def apply(self, operations: Sequence[SkillOperation], by: Author) -> SkillOutcome:
        """All of the operations, or none."""
        try:
            with self._alone():
                draft = plan(self._library.found(), self._tree, operations)
                if isinstance(draft, SkillRefused):
                    return draft
                return self._through(draft, by) or self._make(draft, by, None)
        except FileTrouble as error:
            return _refusal(error)

    def carry_out(self, draft: SkillDraft, by: Author, source: Source | None = None) -> SkillOutcome:
        """Make a draft that was put aside and approved, or planned by `plan_install`: past the gate, on exactly the
        files that it pins, by every other check. `source` is where new skills come from, and those that change do
        from then on; without it, it follows from who wished for it."""
        try:
            with self._alone():
                if (refused := self.rehearse(draft)) is not None:
                    return refused
                if not draft.changes and not draft.archives:
                    return SkillUnchanged(draft.names, draft.notes)
                return self._make(draft, by, source)
        except FileTrouble as error:
            return _refusal(error)

    def rehearse(self, draft: SkillDraft) -> SkillRefused | None:
        """Why `carry_out` would refuse; nothing is written."""
        try:
            refused = objection(self._library.found(), self._tree, draft)
            return refused or (self._check(draft) if self._check is not None else None)
        except FileTrouble as error:
            return _refusal(error)

    def archive(self, name: str, by: Author) -> SkillOutcome:
        """Put a skill away, past the gate."""
        try:
            with self._alone():
                draft = plan(self._library.found(), self._tree, [SkillOperation(SkillAction.DELETE, name)])
                return draft if isinstance(draft, SkillRefused) else self._make(draft, by, None)
        except FileTrouble as error:
            return _refusal(error)

    def archived(self) -> tuple[str, ...]:
        """What was put away and can be restored, the oldest first: `.archive/ops/deploy@20270115T090000Z`. Raises
        `FileTrouble`."""
        return tuple(archived_places(self._tree))

    def restore(self, name: str, by: Author) -> SkillOutcome:
        """Bring back the skill of that name that was put away last (or one of `archived()`), byte for byte, to where
        it was."""
        try:
            with self._alone():
                places = [each for each in archived_places(self._tree) if name in (each, archived_as(each)[1])]
                if not places:
                    return SkillRefused(Reason.UNKNOWN, f"No skill {name} was put away.")
                place, skill = archived_as(places[-1])
                if (refused := self._taken(self._library.found(), place, skill)) is not None:
                    return refused
                before = self._tree.read(f"{places[-1]}/{SKILL_FILE}")
                shown = FileChange(f"{place}/{SKILL_FILE}", None, before, place)
                draft = SkillDraft((shown,), f"restore '{skill}'", (skill,))
                deed = self._deed(draft, by, [Move(places[-1], place)], restored=(skill,))
                return self._commit(deed, draft, {})
        except FileTrouble as error:
            return _refusal(error)

    def undo(self, by: Author, name: str | None = None) -> SkillOutcome:
        """Take back the change of that id (a unique prefix suffices), or the last one that is no undo itself and was
        not taken back. Refused when a file changed since."""
        try:
            with self._alone():
                deed = self._undoable(name)
                if isinstance(deed, SkillRefused):
                    return deed
                steps, contents, changes = inverse(self._tree, self._deeds, deed)
                back = [archived_as(each.path) for each in steps if isinstance(each, Move) and each.path[0] == "."]
                found = self._library.found()
                for place, skill in back:
                    if (refused := self._taken(found, place, skill)) is not None:
                        return refused
                draft = SkillDraft(changes, f"undo: {deed.gist}", deed.names)
                new = self._deed(draft, by, steps, undoes=deed.id, restored=tuple(skill for _, skill in back))
                return self._commit(new, draft, contents)
        except FileTrouble as error:
            return _refusal(error)

    # What happened

    def history(self, count: int | None = None) -> list[Deed]:
        """The last changes, the newest first. Raises `FileTrouble`."""
        return list(self._deeds.done())[:count] if self._root.is_dir() else []

    def since(self, moment: float) -> list[Deed]:
        """Those of `history` that were made at this moment or later, in seconds since the epoch."""
        return list(takewhile(lambda each: each.time >= moment, self._deeds.done())) if self._root.is_dir() else []

    def carried_out(self, pending: str) -> str | None:
        """The id of the change that an approval of this pending write made, if it did, once what a dead process left
        half done is settled. Raises `FileTrouble`."""
        with self._alone():
            return next((each.id for each in self._deeds.done() if each.author.pending == pending), None)

    def repair(self) -> list[str]:
        """At start: end what a killed writer left open. Lines for the log."""
        if not self._root.is_dir():
            return []
        try:
            with self._locked():
                lines = self._settle()
            self._counted(self.usage.repair)
            return lines
        except FileTrouble as error:
            return [str(error)]

    # Inside

    @contextmanager
    def _locked(self) -> Iterator[None]:
        lock = self._root / ".lock"
        if lock.is_symlink():
            raise Unwritable(f"{lock} is a link; it was not followed.")
        with locked(lock, self._patience):
            yield

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Nobody else writes, and nothing is half done."""
        with self._locked():
            self._settle()
            yield

    def _settle(self) -> list[str]:
        lines = []
        for deed in self._deeds.open():
            if self._deeds.complete(deed):
                self._finish(deed)
                lines.append(f"an interrupted change of skills was found complete ({deed.gist})")
                continue
            left = self._deeds.give_back(deed)
            lines.append(f"an interrupted change of skills was given back ({deed.gist})")
            if left:
                lines.append(f"these files were changed meanwhile and left as they are: {', '.join(left)}")
        return lines

    def _through(self, draft: SkillDraft, by: Author) -> SkillOutcome | None:
        """What stands against making it now; None when nothing does."""
        if not draft.changes and not draft.archives:
            return SkillUnchanged(draft.names, draft.notes)
        refused = self._check(draft) if self._check is not None else None
        return refused or (self._decide(draft, by) if self._decide is not None else None)

    def _make(self, draft: SkillDraft, by: Author, source: Source | None) -> SkillApplied:
        steps: list[Move | Write] = [Move(folder, self._shelf(folder)) for folder in draft.archives]
        written = [each for each in draft.changes if each.skill not in draft.archives]
        steps += [Write(each.path, digest(each.before), digest(each.after), each.skill) for each in written]
        created = {each.name for each in written if each.file == SKILL_FILE and each.before is None}
        patched = dict.fromkeys(each.name for each in written if each.name not in created)
        deed = self._deed(draft, by, steps)
        deed = replace(
            deed,
            created=tuple(sorted(created)),
            patched=tuple(patched),
            archived=tuple(each.rpartition("/")[2] for each in draft.archives),
            source=source or ("agent" if by.origin in _OURS else "person"),
        )
        contents = {each.path: Content(each.after) for each in written if each.after is not None}
        applied = self._commit(deed, draft, contents)
        if source is not None and patched:
            self._counted(lambda: self.usage.comes_from(patched, source))
        return applied

    def _deed(
        self,
        draft: SkillDraft,
        by: Author,
        steps: Sequence[Move | Write],
        *,
        restored: tuple[str, ...] = (),
        undoes: str | None = None,
    ) -> Deed:
        return Deed(fresh_id(), self._now(), by, draft.gist, tuple(steps), restored=restored, undoes=undoes)

    def _commit(self, deed: Deed, draft: SkillDraft, contents: dict[str, Content]) -> SkillApplied:
        """Put together, made, read back, done. Raises `FileTrouble` when it did not happen."""
        deed = self._deeds.prepare(deed, contents)
        try:
            self._deeds.perform(deed)
        except FileTrouble:
            self._deeds.give_back(deed)
            raise
        self._finish(deed)
        return SkillApplied(deed.id, draft, tuple(each.to for each in deed.steps if isinstance(each, Move)))

    def _finish(self, deed: Deed) -> None:
        """After the last step: from here on it happened, whatever fails."""
        source = cast(Source, deed.source)
        counts = {"patched": deed.patched, "archived": deed.archived, "restored": deed.restored}
        self._counted(lambda: self.usage.changed(deed.created, source, **counts))
        for step in deed.steps:
            if isinstance(step, Write) and step.after is None:
                self._prune(step.path)
        try:
            self._deeds.close(deed)
            self._deeds.let_go()
        except FileTrouble:
            pass  # the files are on the disk, and the next writer finds that out

    def _counted(self, count: Callable[[], None]) -> None:
        try:
            count()
        except FileTrouble:
            pass  # figures are worth less than what they are about

    def _prune(self, path: str) -> None:
        """Remove the folders above a file that went, as long as they are empty."""
        try:
            while (path := path.rpartition("/")[0]) and self._tree.remove_empty(path):
                continue
        except FileTrouble:
            pass  # an empty folder harms nobody

    def _shelf(self, folder: str) -> str:
        """A free place in the archive."""
        stamp = f"{datetime.fromtimestamp(self._now(), UTC):%Y%m%dT%H%M%SZ}"
        place, number = f"{ARCHIVE}/{folder}@{stamp}", 1
        while self._tree.kind(place) is not None:
            number += 1
            place = f"{ARCHIVE}/{folder}@{stamp}-{number}"
        for above in (ARCHIVE, JOURNAL):
            if self._tree.kind(above) == "link":
                raise Unwritable(f"{self._root / above} is a link, and links are not followed.")
        return place

    def _taken(self, found: Found, place: str, name: str) -> SkillRefused | None:
        """Why a skill cannot come back to its place."""
        folders = [each.folder for each in found.skills if each.name == name]
        folders += [each.folder for each in found.broken if each.name == name]
        there = str(folders[0]) if folders else None
        if there is None and self._tree.kind(place) is not None and next(self._tree.walk(place, hidden=True), None):
            there = str(self._root / place)
        category = place.rpartition("/")[0]
        if there is None and category and self._tree.kind(f"{category}/{SKILL_FILE}") is not None:
            there = str(self._root / category)
        return None if there is None else SkillRefused(Reason.CHANGED, f"Its place is taken by {there}.")

    def _undoable(self, name: str | None) -> Deed | SkillRefused:
        done = list(self._deeds.done())
        # What was taken back and then restored counts as never taken back.
        gone: set[str] = set()
        for each in done:
            if each.undoes is not None and each.id not in gone:
                gone.add(each.undoes)
        if name is None:
            last = next((each for each in done if each.undoes is None and each.id not in gone), None)
            return last or SkillRefused(Reason.UNKNOWN, "There is nothing to take back.")
        named = [each for each in done if each.id.startswith(name)]
        if len(named) != 1:
            words = f"No change of skills has the id {name}." if not named else f"{name} means several changes."
            return SkillRefused(Reason.AMBIGUOUS if named else Reason.UNKNOWN, words)
        if named[0].id in gone:
            return SkillRefused(Reason.CHANGED, f"{named[0].id} was taken back already.")
        return named[0]


def _refusal(error: FileTrouble) -> SkillRefused:
    match error:
        case Busy():
            reason = Reason.BUSY
        case Unreadable():
            reason = Reason.UNREADABLE
        case _:
            reason = Reason.UNWRITABLE
    return SkillRefused(reason, str(error))
