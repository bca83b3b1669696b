"""Where the bytes of attachments lie: one folder of the profile's cache, private, named by content.

Owns writing, and taking old files away. Which files are still wanted is the caller's knowledge.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}


@dataclass(frozen=True, slots=True)
class Swept:
    """What a clean-up took: files, and their bytes."""

    files: int
    bytes: int


class FileCache:
    """The folder, made when the first file is kept. Every call touches the disk: for a thread. `one_each`: each file
    has a folder of its own, that goes with it."""

    def __init__(self, folder: Path, *, one_each: bool = False) -> None:
        self._folder = folder
        self._one_each = one_each

    def keep(self, data: bytes, media_type: str) -> str:
        """Put the bytes away and return their path. The same bytes lie there once; their age counts from now.

        Nothing that a sender chose is part of the path. Raises OSError.
        """
        digest = hashlib.sha256(data).hexdigest()[:40]
        room = self._folder / digest[:2]
        path = room / f"{digest[2:]}{_ENDINGS.get(media_type, '.bin')}"
        for folder in (self._folder, room):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.is_file() and path.stat().st_size == len(data):
            os.utime(path)
            return str(path)
        draft = room / f".{secrets.token_hex(8)}"
        try:
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
        return str(path)

    def sweep(self, wanted: Collection[str], oldest: float, room: int, *, dry: bool = False) -> Swept:
        """Take away files last kept before `oldest` (seconds since the epoch), then the oldest until the rest fits
        into `room` bytes; with `dry`, only say what that is. What is in `wanted` stays, whatever its age."""
        kept = [each for each in self._files() if str(each[2]) not in wanted]
        total = sum(length for _, length, _ in self._files())
        files = freed = 0
        for changed, length, path in sorted(kept):
            if changed >= oldest and total <= room:
                break
            if not dry:
                self._take(path)
            files, freed, total = files + 1, freed + length, total - length
        return Swept(files, freed)

    def paths(self) -> list[Path]:
        """Every file that lies there."""
        return [path for _, _, path in self._files()]

    def discard(self, paths: Collection[str], oldest: float) -> Swept:
        """Take away these files, where they lie in this folder and were last kept before `oldest`."""
        files = freed = 0
        for changed, length, path in self._files():
            if str(path) in paths and changed < oldest:
                self._take(path)
                files, freed = files + 1, freed + length
        return Swept(files, freed)

    def _take(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        if self._one_each:
            with suppress(OSError):  # somebody put something beside it
                path.parent.rmdir()

    def _files(self) -> Iterator[tuple[float, int, Path]]:
        """Time, size and path of each file, drafts that a crash left included."""
        for room in self._folder.iterdir() if self._folder.is_dir() else ():
            for path in room.iterdir() if room.is_dir() and not room.is_symlink() else ():
                try:
                    found = path.lstat()
                except FileNotFoundError:
                    continue
                yield found.st_mtime, found.st_size, path
