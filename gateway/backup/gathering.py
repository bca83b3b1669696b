"""A profile's own files, copied to a folder as they are at one moment while others may write.

Memory and skills are copied under their locks, with what waits for them, so that a write is either waiting or made.
The database, and what may be kept, are for others.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from gateway.backup.manifest import FOLDERS, KeptFile, KeptLink, safe
from memory.files import locked

LINKED = ("SOUL.md", "AGENTS.md", "config.yaml", "memories/MEMORY.md", "memories/USER.md")
"""Files that people keep elsewhere and link to: what they say is copied. No other link is followed."""

_DEEPEST = 30
_TRIES = 20
_CHUNK = 1024 * 1024


@dataclass(slots=True)
class Gathered:
    """What was copied, and lines about what was not."""

    files: list[KeptFile] = field(default_factory=list)
    links: list[KeptLink] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


class Moved(Exception):
    """Something went away, or came, while it was copied."""


def gather(source: Path, target: Path) -> Gathered:
    """Copy SOUL.md, AGENTS.md, memory, skills and what waits; the target is an empty folder. Raises `FileTrouble`
    when a lock cannot be had, OSError when the target cannot be written."""
    found = Gathered()
    for name in ("SOUL.md", "AGENTS.md"):
        if (source / name).exists():
            _take(source, target, name, found)
    for room in ("memories", "skills"):
        waiting = "pending/memory" if room == "memories" else "pending/skills"
        with ExitStack() as stack:
            if (source / room).is_dir():
                stack.enter_context(locked(source / room / ".lock"))
            # What waits first: while the lock is held, nobody can carry it out.
            _steadily(source, target, waiting, found)
            _folder(source, target, room, found)
    found.left_out += _elsewhere(source)
    return found


def _steadily(source: Path, target: Path, name: str, found: Gathered) -> None:
    """Copy a folder in which files are renamed without a lock: again, until it was the same before and after."""
    for attempt in range(_TRIES):
        tried = Gathered()
        before = sorted(_names(source / name))
        try:
            _folder(source, target, name, tried, strict=attempt < _TRIES - 1)
        except Moved:
            _emptied(target / name)
            continue
        if before == sorted(_names(source / name)) or attempt == _TRIES - 1:
            found.files += tried.files
            found.links += tried.links
            found.left_out += tried.left_out
            return
        _emptied(target / name)


def _names(folder: Path) -> list[str]:
    try:
        return [each.name for each in folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _emptied(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


def _folder(source: Path, target: Path, name: str, found: Gathered, depth: int = 0, *, strict: bool = False) -> None:
    try:
        entries = sorted(os.scandir(source / name), key=lambda each: each.name)
    except FileNotFoundError:
        return
    except OSError as error:
        found.left_out.append(f"{name}: {error.strerror}")
        return
    for entry in entries:
        path = f"{name}/{entry.name}"
        if _passing(entry.name):
            continue
        if not safe(path) or not _writable(path):
            found.left_out.append(f"{path!a}: its name cannot be kept")
        elif entry.is_dir(follow_symlinks=False):
            if depth < _DEEPEST:
                _folder(source, target, path, found, depth + 1, strict=strict)
            else:
                found.left_out.append(f"{path}: too deep")
        else:
            _take(source, target, path, found, strict=strict)


def _take(source: Path, target: Path, path: str, found: Gathered, *, strict: bool = False) -> None:
    """Copy one file, or note why not."""
    here = source / path
    try:
        if here.is_symlink() and path not in LINKED:
            if (goal := _second_name(here)) is not None:
                found.links.append(KeptLink(path, goal))
            else:
                found.left_out.append(f"{path}: a link to something elsewhere")
            return
        found.files.append(copied(here, target, path, follow=path in LINKED))
    except FileNotFoundError:
        if strict:
            raise Moved from None
        found.left_out.append(f"{path}: it went away")
    except Unfit as error:
        found.left_out.append(f"{path}: {error}")


class Unfit(Exception):
    """Something that is no ordinary file, or that may not be read."""


def copied(source: Path, target: Path, path: str, *, follow: bool = False) -> KeptFile:
    """Copy one file to `target/path`, for its owner alone. Raises FileNotFoundError, Unfit, and OSError when the
    target cannot be written."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    try:
        handle = os.open(source, flags)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Unfit(error.strerror or str(error)) from None
    with os.fdopen(handle, "rb") as file:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            raise Unfit("no ordinary file")
        goal = placed(target, path)
        size, digest = written(file, goal)
    return KeptFile(path, size, digest, bool(mode & stat.S_IXUSR))


def placed(folder: Path, path: str) -> Path:
    """Where a file goes; the folders above it are there afterwards, for their owner alone."""
    here = folder
    for part in path.split("/")[:-1]:
        here = here / part
        here.mkdir(mode=0o700, exist_ok=True)
    return folder / path


def written(source: IO[bytes], goal: Path, most: int | None = None) -> tuple[int, str]:
    """Write what can be read to a new file; its size and digest. Stops one byte after `most`."""
    digest, size = hashlib.sha256(), 0
    with os.fdopen(os.open(goal, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        while piece := source.read(_CHUNK if most is None else min(_CHUNK, most + 1 - size)):
            file.write(piece)
            digest.update(piece)
            size += len(piece)
    return size, digest.hexdigest()


def digested(path: Path, name: str) -> KeptFile:
    """A file that is in place already, under the name by which the manifest has it."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return KeptFile(name, path.stat().st_size, digest)


def _second_name(link: Path) -> str | None:
    """The file in the same folder that a link names, if it does nothing else."""
    goal = str(link.readlink())
    there = link.with_name(goal) if goal and "/" not in goal and goal not in (".", "..") else None
    return goal if there is not None and there.is_file() and not there.is_symlink() else None


def _passing(name: str) -> bool:
    """Locks, and what is being written."""
    return name.endswith(".lock") or (name.startswith(".") and name.endswith((".tmp", ".new")))


def _writable(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _elsewhere(source: Path) -> Iterator[str]:
    """What else lies there and is no part of a backup: said, so that nobody misses it when it is too late."""
    pending = source / "pending"
    strangers = [f"pending/{each}" for each in _names(pending) if each not in ("memory", "skills", "calls")]
    if any(each.endswith(".json") for each in _names(pending / "calls")):
        yield "pending/calls: calls of tools that wait are left out, so that none is made twice"
    known = {
        *FOLDERS,
        "SOUL.md",
        "AGENTS.md",
        "config.yaml",
        ".env",
        "backups",
        "logs",
        "cache",
        "models",
        "profiles",
    }
    known |= {"gateway.lock", "gateway.sock", "active_profile"}
    strangers += [
        each for each in _names(source) if each not in known and not each.startswith(("state.", "set-aside-"))
    ]
    for each in sorted(strangers):
        if not _passing(each) and not each.startswith("."):
            yield f"{each if _writable(each) else ascii(each)}: not a part of a profile"
