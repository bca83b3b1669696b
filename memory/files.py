"""Memory files on disk: read whole, or replaced whole. Nothing else in this package writes a file.

A missing file is empty; one that cannot be read is a fault, and no caller may take it for empty. Entries and their
meaning belong to `memory.entries`.
"""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path


class FileTrouble(Exception):
    """The root. `str(error)` names the file and says in plain words what is wrong with it."""


class Unreadable(FileTrouble):
    """The file is there and its text cannot be had. Nothing may be written over it."""


class Unwritable(FileTrouble):
    """The new text could not be put in place; the file is as it was."""


def read(path: Path) -> str | None:
    """The file's text as it is, byte order mark and line ends included; None when there is no file.

    Raises `Unreadable`.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise Unreadable(f"{path} is no ordinary file.")
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        if path.is_symlink():
            raise Unreadable(f"{path} is a link to a file that is not there.") from None
        return None
    except UnicodeDecodeError as error:
        raise Unreadable(
            f"{path} is not UTF-8 text (byte {error.start + 1} is {error.object[error.start]:#04x}). "
            "Save it as UTF-8, or move it away."
        ) from error
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {_reason(error)}.") from error


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
    try:
        goal = Path(os.path.realpath(path))
        goal.parent.mkdir(parents=True, exist_ok=True)
        _replace(goal, data)
    except OSError as error:
        raise Unwritable(f"{path} was not written: {_reason(error)}.") from error


def _replace(goal: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{goal.name}.", suffix=".tmp", dir=goal.parent)
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


def _sync_folder(folder: Path) -> None:
    """The rename itself is on the disk only when the folder is."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
