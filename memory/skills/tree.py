"""The files below one folder, reached step by step from it: no link on the way is followed, so that nothing outside
is read or written, whatever changes meanwhile. The only writer of skills' files.

The folder itself may be reached by a link: where it lies is the person's choice. What a change is, and in which order
it is made, belongs to `apply`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from memory.files import Unreadable, Unwritable

Kind = Literal["file", "folder", "link", "other"]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_DEEPEST = 12
_ABSENT = (errno.ENOENT, errno.ENOTDIR)
_LINKED = (errno.ELOOP, errno.EMLINK)


class Tree:
    """Paths are relative to `root`, with slashes, without `.` and `..`. Reading raises `Unreadable`, changing raises
    `Unwritable`; both name the path and say why."""

    def __init__(self, root: Path) -> None:
        self._root = root

    # Reading

    def kind(self, path: str) -> Kind | None:
        """What is there; None for nothing. What lies behind a link is not there."""
        try:
            with self._parent(path) as (folder, name):
                mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        except OSError as error:
            if error.errno in _ABSENT + _LINKED:
                return None
            raise self._unreadable(path, error) from error
        return _kind(mode)

    def read(self, path: str, most: int | None = None) -> bytes | None:
        """The file's bytes; None when there is nothing. More than `most` bytes are not read. Raises `Unreadable`,
        also for what is no ordinary file."""
        try:
            with self._parent(path) as (folder, name):
                handle = os.open(name, _READ, dir_fd=folder)
        except OSError as error:
            if error.errno in _ABSENT:
                return None
            raise self._unreadable(path, error) from error
        try:
            about = os.fstat(handle)
            if not stat.S_ISREG(about.st_mode):
                raise Unreadable(f"{self._root / path} is no ordinary file.")
            if most is not None and about.st_size > most:
                raise Unreadable(f"{self._root / path} has {about.st_size:,} bytes, at most {most:,} are read.")
            with os.fdopen(handle, "rb", closefd=False) as file:
                return file.read()
        except OSError as error:
            raise self._unreadable(path, error) from error
        finally:
            os.close(handle)

    def walk(self, path: str, *, hidden: bool = False) -> Iterator[tuple[str, Kind]]:
        """Everything below a folder but folders, sorted, relative to that folder; names that begin with a dot only
        with `hidden`. Links are named and not followed; a folder that lies very deep is named as `other`. Raises
        `Unreadable`."""
        try:
            with self._opened(path) as folder, os.scandir(folder) as entries:
                listed = sorted((each.name, _kind(each.stat(follow_symlinks=False).st_mode)) for each in entries)
        except OSError as error:
            if error.errno in _ABSENT:
                return
            raise self._unreadable(path, error) from error
        for name, kind in listed:
            if name.startswith(".") and not hidden:
                continue
            if kind != "folder" or path.count("/") > _DEEPEST:
                yield name, "other" if kind == "folder" else kind
            else:
                yield from ((f"{name}/{rest}", each) for rest, each in self.walk(_joined(path, name), hidden=hidden))

    def names(self, path: str) -> list[tuple[str, Kind]]:
        """What lies directly in a folder, sorted; nothing when there is none. Raises `Unreadable`."""
        try:
            with self._opened(path) as folder, os.scandir(folder) as entries:
                return sorted((each.name, _kind(each.stat(follow_symlinks=False).st_mode)) for each in entries)
        except OSError as error:
            if error.errno in _ABSENT:
                return []
            raise self._unreadable(path, error) from error

    # Changing

    def make_folder(self, path: str) -> bool:
        """Make one folder whose parent is there; False when it was there already."""
        try:
            with self._parent(path) as (folder, name):
                try:
                    os.mkdir(name, 0o700, dir_fd=folder)
                except FileExistsError:
                    with self._opened(path):
                        return False
                os.fsync(folder)
                return True
        except OSError as error:
            raise self._unwritable(path, error) from error

    def make_folders(self, path: str) -> None:
        parts = path.split("/")
        for number in range(1, len(parts) + 1):
            self.make_folder("/".join(parts[:number]))

    def create(self, path: str, data: bytes, mode: int = 0o600) -> None:
        """A new file, on the disk when this returns. Its folder has to be there."""
        try:
            with self._parent(path) as (folder, name):
                handle = os.open(name, _NEW, mode, dir_fd=folder)
                with os.fdopen(handle, "wb") as file:
                    os.fchmod(handle, mode)
                    file.write(data)
                    file.flush()
                    os.fsync(handle)
        except OSError as error:
            raise self._unwritable(path, error) from error

    def mode(self, path: str) -> int | None:
        """The permissions of what is there; None for nothing."""
        try:
            with self._parent(path) as (folder, name):
                return stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
        except OSError as error:
            if error.errno in _ABSENT:
                return None
            raise self._unreadable(path, error) from error

    def move(self, path: str, to: str) -> None:
        """Rename; a file that is there is replaced in one step. The new name's folder has to be there."""
        try:
            with self._parent(path) as (folder, name), self._parent(to) as (new_folder, new_name):
                os.rename(name, new_name, src_dir_fd=folder, dst_dir_fd=new_folder)
        except OSError as error:
            raise self._unwritable(to, error) from error

    def keep(self, path: str, at: str) -> None:
        """Let a file have a second name, so that it outlives its replacement; a copy where there is no second name to
        be had."""
        try:
            with self._parent(path) as (folder, name), self._parent(at) as (new_folder, new_name):
                os.link(name, new_name, src_dir_fd=folder, dst_dir_fd=new_folder, follow_symlinks=False)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS):
                raise self._unwritable(at, error) from error
            data = self.read(path)
            if data is not None:
                self.create(at, data, self.mode(path) or 0o600)

    def remove(self, path: str) -> None:
        """Remove a file or link; nothing there is as well."""
        try:
            with self._parent(path) as (folder, name):
                os.unlink(name, dir_fd=folder)
        except OSError as error:
            if error.errno not in _ABSENT:
                raise self._unwritable(path, error) from error

    def remove_empty(self, path: str) -> bool:
        """Remove a folder that is empty; False when it is not, or not there."""
        try:
            with self._parent(path) as (folder, name):
                os.rmdir(name, dir_fd=folder)
            return True
        except OSError as error:
            if error.errno in (*_ABSENT, *_LINKED, errno.ENOTEMPTY, errno.EEXIST):
                return False
            raise self._unwritable(path, error) from error

    def clear(self, path: str) -> None:
        """Remove a folder with all that is in it. For our own folders only; nothing of a person's is ever deleted."""
        for name, kind in self.names(path):
            if kind == "folder":
                self.clear(_joined(path, name))
            else:
                self.remove(_joined(path, name))
        self.remove_empty(path)

    def sync(self, path: str) -> None:
        """Let names in a folder (`""` is the root) be on the disk when this returns."""
        try:
            with self._opened(path) as folder:
                os.fsync(folder)
        except OSError as error:
            if error.errno not in _ABSENT:
                raise self._unwritable(path, error) from error

    # Inside

    @contextmanager
    def _opened(self, path: str) -> Iterator[int]:
        """The folder of that path; every step is a folder itself. Raises OSError."""
        handle = os.open(self._root, _FOLDER & ~os.O_NOFOLLOW)
        try:
            for part in path.split("/") if path else ():
                if part in ("", ".", ".."):
                    raise OSError(errno.EINVAL, "the path is no plain one")
                below = os.open(part, _FOLDER, dir_fd=handle)
                os.close(handle)
                handle = below
            yield handle
        finally:
            os.close(handle)

    @contextmanager
    def _parent(self, path: str) -> Iterator[tuple[int, str]]:
        above, _, name = path.rpartition("/")
        if name in ("", ".", ".."):
            raise OSError(errno.EINVAL, "the path is no plain one")
        with self._opened(above) as folder:
            yield folder, name

    def _unreadable(self, path: str, error: OSError) -> Unreadable:
        return Unreadable(f"{self._root / path} cannot be read: {_reason(error)}.")

    def _unwritable(self, path: str, error: OSError) -> Unwritable:
        return Unwritable(f"{self._root / path} was not written: {_reason(error)}.")


def _joined(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def _kind(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "other"


def _reason(error: OSError) -> str:
    if error.errno in _LINKED:
        return "it is a link, and links are not followed"
    if error.errno == errno.ENOTDIR:
        return "what should be a folder is none (links are not followed)"
    return (error.strerror or str(error)).lower()
