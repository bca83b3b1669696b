"""A folder of pending writes of any kind: listed, claimed by one process, given back, done with.

A claim is a rename under a lock that the kernel lets go of when the process dies; a claimed file whose lock is free
belongs to nobody, and `deciding` mends it. Files are written by `memory.files` alone; what is in one is the kind's.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Literal, Protocol, TypeVar
from urllib.parse import quote, unquote

from memory.files import FileTrouble, Unwritable, decoded, write_atomic
from memory.model import Author
from memory.pending.fields import ID, Unusable

CLAIMED = ".claimed"
Decision = Literal["approve", "reject", "edit"]
_DECISIONS: tuple[Decision, ...] = ("approve", "reject", "edit")
_CLAIM = re.compile(r"([0-9a-f]{8})\.(approve|reject|edit)(?:-([0-9a-f]{8}))?\.(.*)\.claimed", re.DOTALL)
MOST = 500
MOST_OF_A_CHAT = 100
"""Writes that may wait, in all and from one chat: nobody decides more, and one room must not crowd out the others."""

_WHO = 150
"""Characters of the decider in a file's name, which may have 255 bytes; the receipt has all of them."""


class Waiting(Protocol):
    """What every kind of pending write has. `created_at` in seconds since the epoch; `unpinned` says why it can never
    be carried out, for one that was made by hand or by something older."""

    @property
    def id(self) -> str: ...
    @property
    def author(self) -> Author: ...
    @property
    def created_at(self) -> float: ...
    @property
    def unpinned(self) -> str | None: ...


W = TypeVar("W", bound=Waiting)


@dataclass(frozen=True, slots=True)
class Broken:
    """A file that cannot be carried out as it is, and why; it can be rejected."""

    id: str
    why: str


@dataclass(frozen=True, slots=True)
class Claim(Generic[W]):
    """One decision being carried out: nobody else can take the write meanwhile. `path` is the claimed file; what is
    no ordinary file is claimed in its place. `heir` is the id of the write that an edit puts there instead."""

    id: str
    write: W | Broken
    decision: Decision
    who: str
    path: Path
    heir: str = ""


class PendingFolder(Generic[W]):
    """`folder` is `pending/KIND`. `load` reads a write of a given id out of a file's text, or raises Unusable; `dump`
    is the inverse."""

    def __init__(self, folder: Path, load: Callable[[str, str], W], dump: Callable[[W], str]) -> None:
        self._folder = folder
        self._load = load
        self._dump = dump

    def keep(self, write: W) -> None:
        """Write its file. Raises FileTrouble."""
        write_atomic(self._path(write.id), self._dump(write))

    def mark(self, write: W) -> str:
        """A name for everything that is in it: a surface that keeps it with what it showed can say so later."""
        return hashlib.sha256(self._dump(write).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def waiting(self) -> list[W]:
        """What can be decided, the oldest first."""
        found = [each for each in map(self._read, self.ids()) if not isinstance(each, Broken | None)]
        return sorted(found, key=lambda each: (each.created_at, each.id))

    def broken(self) -> list[Broken]:
        """Files in the folder that are no pending writes, or can never be carried out."""
        return [each for each in map(self._read, self.ids()) if isinstance(each, Broken)]

    def get(self, name: str) -> W | Broken | None:
        """The write that waits under exactly this id."""
        return self._read(name) if ID.fullmatch(name) else None

    def ids(self) -> list[str]:
        """The ids of all files that wait, broken ones included."""
        return sorted(path.stem for path in self._folder.glob("*.json") if ID.fullmatch(path.stem))

    def size(self) -> int:
        """Bytes of all files that wait."""
        total = 0
        for name in self.ids():
            with suppress(OSError):  # it was decided meanwhile
                total += self._path(name).lstat().st_size
        return total

    def there(self, name: str) -> bool:
        """Whether something of that id waits, or is being decided right now. A file that is renamed at this moment
        may be overlooked: ask twice."""
        return ID.fullmatch(name) is not None and any(self._folder.glob(f"{name}.*"))

    def fresh_id(self) -> str:
        """An id that nothing here has."""
        while True:
            name = secrets.token_hex(4)
            if not self.there(name):
                return name

    @contextmanager
    def claimed(self, name: str, decision: Decision, who: str) -> Iterator[Claim[W] | None]:
        """Take a write for a decision; None when somebody else did, or it is not there. Inside the block it belongs
        to this process. One that is neither closed nor given back there is as if the process had died."""
        path = self._path(name)
        # A name that is no id leads nowhere, least of all out of the folder.
        opened = _opened(path) if ID.fullmatch(name) else None
        if not isinstance(opened, int):
            yield None if opened is None else Claim(name, Broken(name, opened), decision, who, path)
            return
        try:
            heir = self.fresh_id() if decision == "edit" else ""
            word = f"{decision}-{heir}" if heir else decision
            target = self._folder / f"{name}.{word}.{quote(who, safe='', errors='replace')[:_WHO]}{CLAIMED}"
            write = self._parsed(target, name) if _taken(opened, path, target) else None
            yield None if write is None else Claim(name, write, decision, who, target, heir)
        finally:
            os.close(opened)

    def close(self, claim: Claim[W]) -> None:
        """The decision stands and is on record: the file goes. Raises FileTrouble."""
        try:
            claim.path.unlink(missing_ok=True)
        except OSError as error:
            raise Unwritable(f"{claim.path} was not removed: {error.strerror}.") from error

    def give_back(self, claim: Claim[W]) -> None:
        """Nothing was done: it waits again. Raises FileTrouble."""
        try:
            claim.path.rename(self._path(claim.id))
        except OSError as error:
            raise Unwritable(f"{claim.path} was not renamed: {error.strerror}.") from error

    @contextmanager
    def orphans(self) -> Iterator[list[Claim[W]]]:
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

    def _orphan(self, path: Path, handles: list[int]) -> Claim[W] | None:
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

    def _read(self, name: str) -> W | Broken | None:
        return self._parsed(self._path(name), name)

    def _parsed(self, path: Path, name: str) -> W | Broken | None:
        """None when there is no file, or no longer."""
        opened = _opened(path)
        if not isinstance(opened, int):
            return None if opened is None else Broken(name, opened)
        try:
            with os.fdopen(opened, "rb") as file:
                write = self._load(decoded(path, file.read()), name)
        except (Unusable, FileTrouble, OSError) as error:
            return Broken(name, str(error))
        return write if write.unpinned is None else Broken(name, write.unpinned)


def crowded(author: Author, waiting: Sequence[Waiting]) -> str | None:
    """Why no more may wait, as the rest of a sentence."""
    here = sum(each.author.chat == author.chat for each in waiting)
    if len(waiting) >= MOST or here >= MOST_OF_A_CHAT:
        return f"{len(waiting)} writes wait already: an operator has to decide some of them first."
    return None


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
