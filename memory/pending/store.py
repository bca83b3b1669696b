"""The folder of pending writes of one kind: staged, listed, claimed by one process, given back, done with.

A claim is a rename under a lock that the kernel lets go of when the process dies; a claimed file whose lock is free
belongs to nobody, and `resolve` mends it. Files are written by `memory.files` alone.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from urllib.parse import quote, unquote

from memory.files import FileTrouble, read, write_atomic
from memory.model import Author, Draft, Reason, Refused, Staged
from memory.pending.model import ID, PendingWrite, Unusable, dump, gist, load, pins_of

CLAIMED = ".claimed"
REPLACES = "replaces:"
"""The flag of an edited write, with the id of the one before."""

Decision = Literal["approve", "reject", "edit"]
_DECISIONS: tuple[Decision, ...] = ("approve", "reject", "edit")


@dataclass(frozen=True, slots=True)
class Claim:
    """One decision being carried out: nobody else can take the write meanwhile. `path` is the claimed file."""

    write: PendingWrite
    decision: Decision
    who: str
    path: Path


@dataclass(frozen=True, slots=True)
class Broken:
    """A file that cannot be carried out as it is, and why; it can be rejected."""

    id: str
    why: str


class PendingStore:
    """`folder` is `pending/memory`. `file_of(draft)` names the store's file relative to the memories folder; `now()`
    in seconds since the epoch; `staged` hears of each new write."""

    def __init__(
        self, folder: Path, now: Callable[[], float], *, staged: Callable[[PendingWrite], object] = lambda write: None
    ) -> None:
        self._folder = folder
        self._now = now
        self._staged = staged

    def put(self, draft: Draft, author: Author, file: str, why: str) -> Staged | Refused:
        """Put a valid write aside. The same one that waits already is not put there twice."""
        write = PendingWrite(
            id=self._fresh_id(),
            target=draft.target,
            file=file,
            author=author,
            created_at=self._now(),
            changes=draft.changes,
            pins=pins_of(draft.changes),
            gist=gist(draft.changes),
        )
        try:
            same = next((each for each in self.waiting() if each.same_as(write)), None)
            if same is not None:
                return Staged(
                    draft.target, same.id, f"This waits already, as {same.id}: {why}. Nothing is saved yet."
                )
            self.keep(write)
        except FileTrouble as error:
            return Refused(draft.target, Reason.UNWRITABLE, f"It has to wait ({why}), but {error} Nothing was saved.")
        self._staged(write)
        words = f"It waits for a yes as {write.id}: {why}. Nothing is saved yet; say so, and do not try again."
        return Staged(draft.target, write.id, words)

    def keep(self, write: PendingWrite) -> None:
        """Write its file. Raises FileTrouble."""
        write_atomic(self._path(write.id), dump(write))

    def waiting(self) -> list[PendingWrite]:
        """What can be decided, the oldest first. Raises FileTrouble."""
        found = [each for each in map(self._read, self._ids()) if isinstance(each, PendingWrite)]
        return sorted(found, key=lambda each: (each.created_at, each.id))

    def broken(self) -> list[Broken]:
        """Files in the folder that are no pending writes, or can never be carried out."""
        return [each for each in map(self._read, self._ids()) if isinstance(each, Broken)]

    def get(self, name: str) -> PendingWrite | Broken | None:
        """The write that waits under exactly this id."""
        return self._read(name) if ID.fullmatch(name) else None

    def ids(self) -> list[str]:
        """The ids of all files that wait, broken ones included."""
        return self._ids()

    @contextmanager
    def claimed(self, name: str, decision: Decision, who: str) -> Iterator[Claim | Broken | None]:
        """Take a write for a decision; None when somebody else did, or it is not there. Inside the block it belongs
        to this process; at its end the file is given back unless `close` was called."""
        path = self._path(name)
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW) if ID.fullmatch(name) else None
        except (OSError, ValueError):
            handle = None
        if handle is None:  # a name that is no id leads nowhere, least of all out of the folder
            yield None
            return
        try:
            target = self._folder / f"{name}.{decision}.{quote(who, safe='')}{CLAIMED}"
            if not _lock(handle) or not _same(handle, path) or not _renamed(path, target):
                yield None
                return
            try:
                write = self._parsed(target, name)
                yield write if isinstance(write, Broken) else Claim(write, decision, who, target)
            finally:
                if target.exists():
                    target.rename(path)
        finally:
            os.close(handle)

    @staticmethod
    def close(path: Path) -> None:
        """The decision stands and is on record: the file goes."""
        path.unlink(missing_ok=True)

    def path_of_claim(self, name: str) -> Path | None:
        """The claimed file of a write that somebody decides right now."""
        return next(iter(self._folder.glob(f"{name}.*{CLAIMED}")), None) if ID.fullmatch(name) else None

    @contextmanager
    def orphans(self) -> Iterator[list[Claim]]:
        """Claims whose process died, locked for the block. Those that are at work are left alone."""
        handles: list[int] = []
        found: list[Claim] = []
        try:
            for path in sorted(self._folder.glob(f"*{CLAIMED}")):
                claim = self._orphan(path, handles)
                found += [claim] if claim is not None else []
            yield found
        finally:
            for handle in handles:
                os.close(handle)

    def give_back(self, claim: Claim) -> None:
        """A dead process had taken it and done nothing: it waits again."""
        claim.path.rename(self._path(claim.write.id))

    def _orphan(self, path: Path, handles: list[int]) -> Claim | None:
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            return None
        handles.append(handle)
        if not _lock(handle) or not _same(handle, path):
            return None
        name, _, rest = path.name.removesuffix(CLAIMED).partition(".")
        decision, _, who = rest.partition(".")
        write = self._parsed(path, name)
        known = next((each for each in _DECISIONS if each == decision), None)
        if isinstance(write, Broken) or known is None:
            if not self._path(name).exists() and ID.fullmatch(name):
                path.rename(self._path(name))
            return None
        return Claim(write, known, unquote(who), path)

    def _ids(self) -> list[str]:
        return sorted(path.stem for path in self._folder.glob("*.json") if ID.fullmatch(path.stem))

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"

    def _read(self, name: str) -> PendingWrite | Broken | None:
        return self._parsed(self._path(name), name) if self._path(name).exists() else None

    @staticmethod
    def _parsed(path: Path, name: str) -> PendingWrite | Broken:
        try:
            write = load(read(path) or "", name)
        except (Unusable, FileTrouble) as error:
            return Broken(name, str(error))
        return write if write.unpinned is None else Broken(name, write.unpinned)

    def _fresh_id(self) -> str:
        while True:
            name = secrets.token_hex(4)
            if not any(self._folder.glob(f"{name}.*")):
                return name


def edited(write: PendingWrite, name: str, text: str) -> PendingWrite:
    """The same wish with another text, under a new id: an old button must not stand for a new text. Raises ValueError
    when it is not clear which text is meant."""
    texts = [each for each in write.changes if each.after is not None]
    if len(write.changes) != 1 or not texts:
        what = "several changes" if len(write.changes) > 1 else "a removal, and has no text"
        raise ValueError(f"{write.id} is {what}: reject it, and use /remember or /forget.")
    changes = (replace(write.changes[0], after=text),)
    flags = (*write.author.flags, f"{REPLACES}{write.id}")
    author = replace(write.author, flags=flags)
    return replace(write, id=name, changes=changes, gist=gist(changes), author=author)


def _lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _same(handle: int, path: Path) -> bool:
    """Whether the path still names the opened file."""
    try:
        ours, theirs = os.fstat(handle), path.lstat()
    except OSError:
        return False
    return (ours.st_dev, ours.st_ino) == (theirs.st_dev, theirs.st_ino)


def _renamed(path: Path, target: Path) -> bool:
    try:
        path.rename(target)
    except OSError:
        return False
    return True
