"""The folder of pending writes of one kind: staged, listed, claimed by one process, given back, done with.

A claim is a rename under a lock that the kernel lets go of when the process dies; a claimed file whose lock is free
belongs to nobody, and `resolve` mends it. Files are written by `memory.files` alone.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from urllib.parse import quote, unquote

from memory.entries import tidy
from memory.files import FileTrouble, Unwritable, decoded, write_atomic
from memory.model import Author, Draft, Reason, Refused, Staged
from memory.pending.model import ID, PendingWrite, Unusable, dump, gist, load, pins_of

CLAIMED = ".claimed"
REPLACES = "replaces:"
"""The flag of an edited write, with the id of the one before."""

Decision = Literal["approve", "reject", "edit"]
_DECISIONS: tuple[Decision, ...] = ("approve", "reject", "edit")
_CLAIM = re.compile(r"([0-9a-f]{8})\.(approve|reject|edit)(?:-([0-9a-f]{8}))?\.(.*)\.claimed", re.DOTALL)
MOST = 500
MOST_OF_A_CHAT = 100
"""Writes that may wait, in all and from one chat: nobody decides more, and one room must not crowd out the others."""

LONGEST = 20_000
"""Characters that the changes of one write may pass through beyond what the file holds before and after: people are
to read all of it before they say yes."""

_WHO = 150
"""Characters of the decider in a file's name, which may have 255 bytes; the receipt has all of them."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A file that cannot be carried out as it is, and why; it can be rejected."""

    id: str
    why: str


@dataclass(frozen=True, slots=True)
class Claim:
    """One decision being carried out: nobody else can take the write meanwhile. `path` is the claimed file; what is
    no ordinary file is claimed in its place. `heir` is the id of the write that an edit puts there instead."""

    id: str
    write: PendingWrite | Broken
    decision: Decision
    who: str
    path: Path
    heir: str = ""


class PendingStore:
    """`folder` is `pending/memory`; `now()` in seconds since the epoch; `staged` hears of each new write."""

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
            waiting = self.waiting()
            same = next((each for each in waiting if each.same_as(write)), None)
            if same is not None:
                return Staged(
                    draft.target, same.id, f"This waits already, as {same.id}: {why}. Nothing is saved yet."
                )
            if (full := _too_much(write, draft, waiting)) is not None:
                return Refused(draft.target, Reason.INVALID, f"It has to wait ({why}), but {full} Nothing was saved.")
            self.keep(write)
        except FileTrouble as error:
            return Refused(draft.target, Reason.UNWRITABLE, f"It has to wait ({why}), but {error} Nothing was saved.")
        self._staged(write)
        words = f"It waits for a yes as {write.id}: {why}. Nothing is saved yet."
        return Staged(draft.target, write.id, words)

    def keep(self, write: PendingWrite) -> None:
        """Write its file. Raises FileTrouble."""
        write_atomic(self._path(write.id), dump(write))

    def waiting(self) -> list[PendingWrite]:
        """What can be decided, the oldest first."""
        found = [each for each in map(self._read, self.ids()) if isinstance(each, PendingWrite)]
        return sorted(found, key=lambda each: (each.created_at, each.id))

    def broken(self) -> list[Broken]:
        """Files in the folder that are no pending writes, or can never be carried out."""
        return [each for each in map(self._read, self.ids()) if isinstance(each, Broken)]

    def get(self, name: str) -> PendingWrite | Broken | None:
        """The write that waits under exactly this id."""
        return self._read(name) if ID.fullmatch(name) else None

    def ids(self) -> list[str]:
        """The ids of all files that wait, broken ones included."""
        return sorted(path.stem for path in self._folder.glob("*.json") if ID.fullmatch(path.stem))

    def there(self, name: str) -> bool:
        """Whether something of that id waits, or is being decided right now. A file that is renamed at this moment
        may be overlooked: ask twice."""
        return ID.fullmatch(name) is not None and any(self._folder.glob(f"{name}.*"))

    @contextmanager
    def claimed(self, name: str, decision: Decision, who: str) -> Iterator[Claim | None]:
        """Take a write for a decision; None when somebody else did, or it is not there. Inside the block it belongs
        to this process. One that is neither closed nor given back there is as if the process had died."""
        path = self._path(name)
        # A name that is no id leads nowhere, least of all out of the folder.
        opened = _opened(path) if ID.fullmatch(name) else None
        if not isinstance(opened, int):
            yield None if opened is None else Claim(name, Broken(name, opened), decision, who, path)
            return
        try:
            heir = self._fresh_id() if decision == "edit" else ""
            word = f"{decision}-{heir}" if heir else decision
            target = self._folder / f"{name}.{word}.{quote(who, safe='', errors='replace')[:_WHO]}{CLAIMED}"
            write = self._parsed(target, name) if _taken(opened, path, target) else None
            yield None if write is None else Claim(name, write, decision, who, target, heir)
        finally:
            os.close(opened)

    def close(self, claim: Claim) -> None:
        """The decision stands and is on record: the file goes. Raises FileTrouble."""
        try:
            claim.path.unlink(missing_ok=True)
        except OSError as error:
            raise Unwritable(f"{claim.path} was not removed: {error.strerror}.") from error

    def give_back(self, claim: Claim) -> None:
        """Nothing was done: it waits again. Raises FileTrouble."""
        try:
            claim.path.rename(self._path(claim.id))
        except OSError as error:
            raise Unwritable(f"{claim.path} was not renamed: {error.strerror}.") from error

    @contextmanager
    def orphans(self) -> Iterator[list[Claim]]:
        """Claims whose process died, locked for the block. Those that are at work are left alone."""
        handles: list[int] = []
        try:
            yield [
                claim
                for path in sorted(self._folder.glob(f"*{CLAIMED}"))
                if (claim := self._orphan(path, handles)) is not None
            ]
        finally:
            for handle in handles:
                os.close(handle)

    def _orphan(self, path: Path, handles: list[int]) -> Claim | None:
        named, opened = _CLAIM.fullmatch(path.name), _opened(path)
        if not isinstance(opened, int):
            return None
        handles.append(opened)
        if named is None or not _lock(opened) or not _same(opened, path):
            return None
        name, word, heir, who = named.groups()
        decision = next(each for each in _DECISIONS if each == word)
        write = self._parsed(path, name)
        return None if write is None else Claim(name, write, decision, unquote(who), path, heir or "")

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"

    def _read(self, name: str) -> PendingWrite | Broken | None:
        return self._parsed(self._path(name), name)

    @staticmethod
    def _parsed(path: Path, name: str) -> PendingWrite | Broken | None:
        """None when there is no file, or no longer."""
        opened = _opened(path)
        if not isinstance(opened, int):
            return None if opened is None else Broken(name, opened)
        try:
            with os.fdopen(opened, "rb") as file:
                write = load(decoded(path, file.read()), name)
        except (Unusable, FileTrouble, OSError) as error:
            return Broken(name, str(error))
        return write if write.unpinned is None else Broken(name, write.unpinned)

    def _fresh_id(self) -> str:
        while True:
            name = secrets.token_hex(4)
            if not self.there(name):
                return name


def _too_much(write: PendingWrite, draft: Draft, waiting: Sequence[PendingWrite]) -> str | None:
    """Why it is more than people can decide, as the rest of a sentence."""
    shown = sum(len(each.before or "") + len(each.after or "") for each in write.changes)
    if shown > LONGEST + sum(map(len, (*draft.before, *draft.after))):
        return "it is too long to be read before somebody says yes: make fewer changes at once."
    here = sum(each.author.chat == write.author.chat for each in waiting)
    if len(waiting) >= MOST or here >= MOST_OF_A_CHAT:
        return f"{len(waiting)} writes wait already: an operator has to decide some of them first."
    return None


def edited(write: PendingWrite, name: str, text: str) -> PendingWrite:
    """The same wish with another text, under a new id: an old button must not stand for a new text. Raises ValueError
    when it is not clear which text is meant."""
    texts = [each for each in write.changes if each.after is not None]
    if len(write.changes) != 1 or not texts:
        what = "several changes" if len(write.changes) > 1 else "a removal, and has no text"
        raise ValueError(f"{write.id} is {what}: reject it, and use /remember or /forget.")
    changes = (replace(write.changes[0], after=tidy(text)),)
    flags = (*write.author.flags, f"{REPLACES}{write.id}")
    author = replace(write.author, flags=flags)
    return replace(write, id=name, changes=changes, gist=gist(changes), author=author)


def _opened(path: Path) -> int | str | None:
    """A handle of an ordinary file, None when nothing is there, or why it is not opened: links are not followed, and
    what would make a reader wait is left alone."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        return "it is a link" if path.is_symlink() else f"it cannot be opened: {error.strerror}"
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    return "it is no ordinary file"


def _taken(handle: int, path: Path, target: Path) -> bool:
    """Whether the opened file is ours now, and has its new name."""
    if not _lock(handle) or not _same(handle, path):
        return False
    try:
        path.rename(target)
    except OSError:
        return False
    return True


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
