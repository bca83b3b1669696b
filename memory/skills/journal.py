"""The record of changes to skills, and how one is made so that a kill at any moment leaves all of it or nothing.

A change is a folder in `.journal/`: `NAME.prep` while it is put together, `NAME.open` while it is being made, `NAME`
when it is done. It holds the plan, the new files, and the old ones, which are what undo needs. Callers hold the lock.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from memory.files import Unreadable, Unwritable
from memory.model import Author, Origin
from memory.skills.model import JOURNAL, digest
from memory.skills.tree import Tree

KEPT = 200
"""Changes that can be looked up and taken back; older ones are let go of."""

_DONE = re.compile(r"\d{8}T\d{12}Z-[0-9a-f]{8}")
_PLAN = "plan.json"
_TICK = 1e-6


@dataclass(frozen=True, slots=True)
class Move:
    """A folder that gets another place."""

    path: str
    to: str


@dataclass(frozen=True, slots=True)
class Write:
    """A file that gets another content; `before` and `after` are hashes, None for no file. `skill` is the place of
    the skill that it is part of."""

    path: str
    before: str | None
    after: str | None
    skill: str


@dataclass(frozen=True, slots=True)
class Content:
    """What a new file holds, and its permissions; one that is there already keeps its own."""

    data: bytes
    mode: int = 0o600


@dataclass(frozen=True, slots=True)
class Deed:
    """One change: its steps in order, and what is counted when it is done. `folders` are those that it makes on the
    way. `created`, `patched`, `archived` and `restored` are names of skills. `time` in seconds since the epoch."""

    id: str
    time: float
    author: Author
    gist: str
    steps: tuple[Move | Write, ...]
    folders: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    patched: tuple[str, ...] = ()
    archived: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    source: str = "person"
    undoes: str | None = None

    @property
    def folder(self) -> str:
        moment = datetime.fromtimestamp(self.time, UTC)
        return f"{JOURNAL}/{moment:%Y%m%dT%H%M%S%f}Z-{self.id}"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.created, *self.patched, *self.archived, *self.restored)))


def fresh_id() -> str:
    return secrets.token_hex(4)


class Deeds:
    """Everything raises `FileTrouble`."""

    def __init__(self, tree: Tree, kept: int = KEPT) -> None:
        self._tree = tree
        self._kept = kept

    # Making one

    def prepare(self, deed: Deed, contents: Mapping[str, Content]) -> Deed:
        """Put it together: on the disk, and found by whoever repairs, when this returns. `contents` has what each
        file that is written will hold. The deed comes back with the folders that it will make."""
        last = next(self.done(), None)
        # The names tell the order, also when the clock stands still or goes back.
        time = deed.time if last is None else max(deed.time, last.time + _TICK)
        deed = replace(deed, time=time, folders=tuple(self._missing(deed)))
        tree, folder = self._tree, f"{deed.folder}.prep"
        for each in (folder, f"{folder}/new", f"{folder}/old"):
            tree.make_folders(each)
        for number, step in enumerate(deed.steps):
            if isinstance(step, Write) and step.after is not None:
                content = contents[step.path]
                tree.create(f"{folder}/new/{number}", content.data, tree.mode(step.path) or content.mode)
        tree.create(f"{folder}/{_PLAN}", _dump(deed))
        for each in (f"{folder}/new", folder):
            tree.sync(each)
        tree.move(folder, f"{deed.folder}.open")
        tree.sync(JOURNAL)
        return deed

    def perform(self, deed: Deed) -> None:
        """Take the steps; what they did is on the disk when this returns. After a fault, `give_back`."""
        tree = self._tree
        for folder in deed.folders:
            tree.make_folder(folder)
        for number, step in enumerate(deed.steps):
            if isinstance(step, Write) and step.before is not None and step.after is not None:
                tree.keep(step.path, f"{deed.folder}.open/old/{number}")
        tree.sync(f"{deed.folder}.open/old")
        for number, step in enumerate(deed.steps):
            old, new = (f"{deed.folder}.open/{side}/{number}" for side in ("old", "new"))
            match step:
                case Move(path, to):
                    self._prune_below(to)
                    tree.move(path, to)
                case Write(path, before=None):
                    tree.keep(new, path)  # unlike a rename, this replaces nothing
                    tree.remove(new)
                case Write(path, after=None):
                    tree.move(path, old)
                case Write(path):
                    tree.move(new, path)
        for folder in sorted({above for step in deed.steps for above in _above(step)}):
            tree.sync(folder)
        tree.sync(f"{deed.folder}.open/old")
        if not self.complete(deed):
            raise Unwritable("What was written does not read back.")

    def complete(self, deed: Deed) -> bool:
        """Whether every step was taken."""
        return all(self._taken(deed, step) for step in deed.steps)

    def close(self, deed: Deed) -> None:
        """It is done, for good: from here on it is history."""
        self._tree.move(f"{deed.folder}.open", deed.folder)
        self._tree.sync(JOURNAL)

    def give_back(self, deed: Deed) -> list[str]:
        """Undo the steps that were taken, the last first; as often as is needed. Files that somebody else changed
        meanwhile are left alone, and named."""
        left: list[str] = []
        for number, step in reversed(list(enumerate(deed.steps))):
            match step:
                case Write():
                    if not self._file_back(step, f"{deed.folder}.open/old/{number}"):
                        left.append(step.path)
                case Move(path, to) if self._tree.kind(to) == "folder" and self._tree.kind(path) is None:
                    self._tree.move(to, path)
                case Move():
                    continue
        for folder in reversed(deed.folders):
            self._tree.remove_empty(folder)
        for folder in sorted({above for step in deed.steps for above in _above(step)}):
            self._tree.sync(folder)
        aside = f"{deed.folder}.{'left' if left else 'prep'}"
        self._tree.move(f"{deed.folder}.open", aside)
        if not left:
            self._tree.clear(aside)
        return left

    # Looking them up

    def open(self) -> list[Deed]:
        """Those that a dead process did not end; at most one, unless people copied folders. What was only being put
        together goes."""
        found = []
        for name, kind in self._tree.names(JOURNAL):
            path = f"{JOURNAL}/{name}"
            if kind == "folder" and name.endswith(".prep"):
                self._tree.clear(path)
            elif kind == "folder" and name.endswith(".open") and (deed := self._load(path)) is not None:
                found.append(deed)
        return found

    def done(self) -> Iterator[Deed]:
        """Those that were made, the newest first; what people made unusable is passed over."""
        for name in self._done_names():
            try:
                deed = self._load(f"{JOURNAL}/{name}")
            except Unreadable:
                continue
            if deed is not None:
                yield deed

    def old(self, deed: Deed, step: Write) -> Content:
        """What a file was before."""
        path = f"{deed.folder}/old/{deed.steps.index(step)}"
        data = self._tree.read(path)
        if data is None or digest(data) != step.before:
            raise Unreadable(f"What {step.path} was before is not kept any more.")
        return Content(data, self._tree.mode(path) or 0o600)

    def let_go(self) -> None:
        """Forget what is too old."""
        for name in list(self._done_names())[self._kept :]:
            self._tree.move(f"{JOURNAL}/{name}", f"{JOURNAL}/{name}.prep")
            self._tree.clear(f"{JOURNAL}/{name}.prep")

    # Inside

    def _taken(self, deed: Deed, step: Move | Write) -> bool:
        match step:
            case Move(path, to):
                return self._tree.kind(to) == "folder" and self._tree.kind(path) is None
            case Write(path, _, after, _):
                return self._is(path, after)

    def _is(self, path: str, hashed: str | None) -> bool:
        """Whether a file has that content; what is no file has none, and is not nothing."""
        kind = self._tree.kind(path)
        return kind in (None, "file") and digest(self._tree.read(path) if kind else None) == hashed

    def _file_back(self, step: Write, old: str) -> bool:
        """Give one file back; False when it is neither what it was nor what it was to be."""
        if self._is(step.path, step.before):
            return True
        if not self._is(step.path, step.after) and not self._is(step.path, None):
            return False
        if step.before is None:
            self._tree.remove(step.path)
            return True
        if self._tree.kind(old) != "file":
            return False
        self._tree.move(old, step.path)
        return True

    def _missing(self, deed: Deed) -> list[str]:
        """The folders that are not there and will be needed, the outer ones first."""
        wanted: dict[str, None] = {}
        for step in deed.steps:
            goal = step.to if isinstance(step, Move) else step.path
            if isinstance(step, Move) or step.after is not None:
                parts = goal.split("/")[:-1]
                wanted |= dict.fromkeys("/".join(parts[:number]) for number in range(1, len(parts) + 1))
        return [folder for folder in wanted if self._tree.kind(folder) is None]

    def _prune_below(self, folder: str) -> None:
        """Let a place be free in which only empty folders are left."""
        for name, kind in self._tree.names(folder):
            if kind == "folder":
                self._prune_below(f"{folder}/{name}")
        self._tree.remove_empty(folder)

    def _done_names(self) -> list[str]:
        return [name for name, _ in reversed(self._tree.names(JOURNAL)) if _DONE.fullmatch(name)]

    def _load(self, folder: str) -> Deed | None:
        """The deed in a folder; None for one without a plan, which nothing was done on the strength of."""
        data = self._tree.read(f"{folder}/{_PLAN}")
        if data is None:
            return None
        try:
            return _deed(json.loads(data))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise Unreadable(f"{folder}/{_PLAN} cannot be understood ({error}). Move that folder away.") from None


def _above(step: Move | Write) -> Sequence[str]:
    """The folders in which names change."""
    return [each.rpartition("/")[0] for each in ((step.path, step.to) if isinstance(step, Move) else (step.path,))]


def _dump(deed: Deed) -> bytes:
    author = deed.author
    fields = {
        "id": deed.id,
        "time": deed.time,
        "gist": deed.gist,
        "origin": author.origin.value,
        "session": author.session,
        "message": author.message,
        "who": author.who,
        "chat": author.chat,
        "flags": list(author.flags),
        "pending": author.pending,
        "speaker": author.speaker,
        "steps": [
            {"move": each.path, "to": each.to}
            if isinstance(each, Move)
            else {"write": each.path, "before": each.before, "after": each.after, "skill": each.skill}
            for each in deed.steps
        ],
        **{name: list(getattr(deed, name)) for name in _LISTS},
        "source": deed.source,
        "undoes": deed.undoes,
    }
    return json.dumps(fields, ensure_ascii=False, indent=1).encode("utf-8", "replace")


_LISTS = ("folders", "created", "patched", "archived", "restored")


def _deed(fields: Mapping[str, Any]) -> Deed:
    author = Author(
        Origin(fields["origin"]),
        fields["session"],
        fields["message"],
        fields["who"],
        chat=fields["chat"],
        flags=tuple(fields["flags"]),
        pending=fields["pending"],
        speaker=fields["speaker"],
    )
    steps = tuple(
        Move(each["move"], each["to"])
        if "move" in each
        else Write(each["write"], each["before"], each["after"], each["skill"])
        for each in fields["steps"]
    )
    done = Deed(fields["id"], float(fields["time"]), author, fields["gist"], steps)
    lists: dict[str, Any] = {name: tuple(fields[name]) for name in _LISTS}
    return replace(done, source=fields["source"], undoes=fields["undoes"], **lists)
