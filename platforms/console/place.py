"""Where the console's socket lies, and how one process takes that place.

Owns the file in the profile folder, its detour through a private folder when the path is too long for a socket,
and the replacement of what a dead process left. Who may own a profile at all is decided by the profile's lock.
"""

from __future__ import annotations

import os
import shutil
import socket
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from platforms.errors import PlatformDown

NAME = "gateway.sock"
DETOUR = "gateway.sock.path"
LONGEST_PATH = 100
"""In bytes: the address of a socket holds 104 to 108, its closing zero included."""
_PREFIX = "innkeeper-"


@dataclass(frozen=True, slots=True)
class Place:
    """A bound socket that does not listen yet, and the files that go with it."""

    socket: socket.socket
    path: Path
    inode: int | None
    detour: Path | None = None

    def leave(self) -> None:
        """Take the files away; a process that took the place over since keeps its own."""
        if _inode(self.path) == self.inode:
            self.path.unlink(missing_ok=True)
        if self.detour is not None:
            if _read(self.detour) == self.path:
                self.detour.unlink(missing_ok=True)
            shutil.rmtree(self.path.parent, ignore_errors=True)


def locate(folder: Path) -> Path:
    """Where a window finds the socket of this profile; nothing need be there."""
    if _fits(folder / NAME):
        return folder / NAME
    return _read(folder / DETOUR) or folder / NAME


def take(folder: Path) -> Place:
    """Bind the profile's socket with mode 0600. Raises PlatformDown when a live process serves it."""
    _clear(locate(folder))
    folder.mkdir(parents=True, exist_ok=True)
    if _fits(folder / NAME):
        return Place(_bind(folder / NAME), folder / NAME, _inode(folder / NAME))
    detour = folder / DETOUR
    old = _read(detour)
    if old is not None and old.parent.name.startswith(_PREFIX):
        shutil.rmtree(old.parent, ignore_errors=True)
    path = Path(tempfile.mkdtemp(prefix=_PREFIX)) / NAME
    if not _fits(path):
        path.parent.rmdir()
        raise PlatformDown(f"console: no folder for temporary files has a short enough path for a socket ({path})")
    bound = _bind(path)
    fresh = folder / (DETOUR + ".new")
    fresh.write_text(str(path), encoding="utf-8")
    fresh.chmod(0o600)
    fresh.replace(detour)
    return Place(bound, path, _inode(path), detour)


def _bind(path: Path) -> socket.socket:
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        bound.bind(str(path))
        path.chmod(0o600)  # before it listens, so that nobody gets in between
        bound.listen()  # a window that comes before the adapter is ready waits, and is not turned away
        bound.setblocking(False)
    except OSError as error:
        bound.close()
        raise PlatformDown(f"console: cannot open {path}: {error.strerror or error}") from error
    return bound


def _clear(path: Path) -> None:
    """Remove the socket of a dead process; refuse when it is alive or when something else lies there."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return
    if not stat.S_ISSOCK(mode):
        raise PlatformDown(f"console: {path} is in the way and is not a socket; move it elsewhere")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
        except OSError as error:
            raise PlatformDown(f"console: cannot tell who serves {path}: {error.strerror or error}") from error
    raise PlatformDown(f"console: another process serves {path}")


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) <= LONGEST_PATH


def _read(detour: Path) -> Path | None:
    try:
        named = detour.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return Path(named) if named else None


def _inode(path: Path) -> int | None:
    try:
        return path.lstat().st_ino
    except OSError:
        return None
