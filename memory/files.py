"""Memory files on disk: read whole, or replaced whole; the journal's lines appended. Nothing else in this package
writes a file.

A missing file is empty; one that cannot be read is a fault, and no caller may take it for empty. Entries and their
meaning belong to `memory.entries`.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCK_SECONDS = 10.0
"""How long a writer waits for another one. A write takes milliseconds."""

_LOCK_POLL = 0.005
_TEMPORARY = ".tmp"


class FileTrouble(Exception):
    """The root. `str(error)` names the file and says in plain words what is wrong with it."""


class Unreadable(FileTrouble):
    """The file is there and its text cannot be had. Nothing may be written over it."""


class Unwritable(FileTrouble):
    """The new text could not be put in place; the file is as it was."""


class Busy(FileTrouble):
    """Another process or task kept the lock for too long."""


def read(path: Path) -> str | None:
    """The file's text as it is, byte order mark and line ends included; None when there is no file.

    Raises `Unreadable`.
    """
    data = read_bytes(path)
    return None if data is None else decoded(path, data)


def decoded(path: Path, data: bytes) -> str:
    """The bytes of that file as text. Raises `Unreadable`."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(
            f"{path} is not UTF-8 text (byte {error.start + 1} is {error.object[error.start]:#04x}). "
            "Save it as UTF-8, or move it away."
        ) from error


def read_bytes(path: Path) -> bytes | None:
    """The file's bytes; None when there is no file. Raises `Unreadable`."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise Unreadable(f"{path} is no ordinary file.")
        return path.read_bytes()
    except FileNotFoundError:
        if path.is_symlink():
            raise Unreadable(f"{path} is a link to a file that is not there.") from None
        return None
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {_reason(error)}.") from error


def digest(data: bytes | None) -> str | None:
    """A name for a file's bytes; None for no file."""
    return None if data is None else hashlib.sha256(data).hexdigest()


@contextmanager
def locked(path: Path, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Keep every other writer out, in this process and in others. The kernel gives the lock back when a process dies.

    Raises `Busy` after `seconds`, `Unwritable` when the lock file cannot be made.
    """
    from filelock import FileLock, Timeout  # brings asyncio with it: not for those who only read

    lock = FileLock(path, thread_local=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=seconds, poll_interval=_LOCK_POLL)
    except Timeout:
        raise Busy(
            f"Another write to {path.parent} has not ended for {seconds:g} seconds. Nothing was changed; try again."
        ) from None
    except OSError as error:
        raise Unwritable(f"{path.parent} cannot be locked for writing: {_reason(error)}.") from error
    try:
        yield
    finally:
        lock.release()


def write_atomic(path: Path, text: str) -> None:
    """Replace the file by one with this text; afterwards it is on the disk, also after a power cut.

    A reader sees the old text or the new one, never a part. Folders are made when missing; a link stays a link and
    its goal is replaced. The permissions of an existing file are kept, a new one is the owner's alone. Raises
    `Unwritable`. Two writers at once are kept apart by the caller.
    """
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Unwritable(f"{path} was not written: the text holds half a character at {error.start}.") from error
    write_bytes_atomic(path, data)


def write_bytes_atomic(path: Path, data: bytes) -> None:
    """`write_atomic` for bytes."""
    try:
        goal = Path(os.path.realpath(path))
        goal.parent.mkdir(parents=True, exist_ok=True)
        _replace(goal, data)
    except OSError as error:
        raise Unwritable(f"{path} was not written: {_reason(error)}.") from error


def append(path: Path, data: bytes, *, sync: bool) -> None:
    """Add bytes at the end, all or none of them; with `sync` they are on the disk afterwards. Raises `Unwritable`.

    Two writers at once are kept apart by the caller.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            size = os.fstat(handle).st_size
            try:
                _write_all(handle, data)
                if sync:
                    os.fsync(handle)
            except OSError:
                # A full disk must not leave half a line for the next writer to go on from.
                os.ftruncate(handle, size)
                raise
        finally:
            os.close(handle)
        if sync and not size:
            _sync_folder(path.parent)
    except OSError as error:
        raise Unwritable(f"{path} was not written: {_reason(error)}.") from error


def cut(path: Path, size: int) -> None:
    """Shorten a file to `size` bytes. Raises `Unwritable`."""
    try:
        os.truncate(path, size)
    except OSError as error:
        raise Unwritable(f"{path} was not written: {_reason(error)}.") from error


def alias(path: Path, goal: Path) -> None:
    """Let `path` name the same file as `goal` in its folder, unless there is something already, or nothing to name.
    Raises `Unwritable`."""
    if path.is_symlink() or path.exists() or not goal.exists():
        return
    try:
        path.symlink_to(goal.name)
        _sync_folder(path.parent)
    except OSError as error:
        raise Unwritable(f"{path} was not written: {_reason(error)}.") from error


def backup(path: Path, data: bytes, stamp: str) -> Path:
    """Keep these bytes beside the file, as `NAME.STAMP.bak`; a copy that is there already is enough. Where it lies.

    Raises `Unwritable`.
    """
    for there in backups(path):
        try:
            if read_bytes(there) == data:
                return there
        except Unreadable:
            continue
    copy, number = path.with_name(f"{path.name}.{stamp}.bak"), 1
    while copy.exists():
        number += 1
        copy = path.with_name(f"{path.name}.{stamp}-{number}.bak")
    write_bytes_atomic(copy, data)
    return copy


def backups(path: Path) -> list[Path]:
    """The copies that `backup` made of a file, the oldest first."""
    return sorted(path.parent.glob(f"{path.name}.*.bak"))


def clear_strays(path: Path) -> int:
    """Remove what a killed writer of this file left half written, beside it and beside its goal when it is a link.

    The caller holds the lock, so nobody is writing. The number of files removed. Raises `Unwritable`.
    """
    strays = {
        stray
        for place in (path, Path(os.path.realpath(path)))
        for stray in place.parent.glob(f".{place.name}.*{_TEMPORARY}")
    }
    for stray in strays:
        try:
            stray.unlink(missing_ok=True)
        except OSError as error:
            raise Unwritable(f"{stray} was not removed: {_reason(error)}.") from error
    return len(strays)


def _replace(goal: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{goal.name}.", suffix=_TEMPORARY, dir=goal.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            if goal.exists():
                os.fchmod(file.fileno(), stat.S_IMODE(goal.stat().st_mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(goal)
    finally:
        # Gone already when the rename succeeded.
        temporary.unlink(missing_ok=True)
    _sync_folder(goal.parent)


def _write_all(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _sync_folder(folder: Path) -> None:
    """The rename itself is on the disk only when the folder is."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
