"""One process listens with one token: a lock file for each bot and address, outside of every profile.

The kernel holds the lock, so it ends with its process however that ends; what the file says is for people.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import tempfile
from pathlib import Path

from platforms.errors import PlatformDown


def usual_folder() -> Path:
    """Where all of this user's profiles meet: the cache folder, else one among the temporary files."""
    cache = Path.home() / ".cache" / "innkeeper"
    try:
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.gettempdir()) / f"innkeeper-{os.getuid()}"
    return cache


class TokenLock:
    """The right to listen with a token. `folder` is shared by all profiles of this user."""

    def __init__(self, platform: str, folder: Path, token: str, address: str, profile: str) -> None:
        # The name tells nobody the token.
        name = hashlib.sha256(f"{address}\0{token}".encode()).hexdigest()[:24]
        self._path = folder / f"{platform}-{name}.lock"
        self._profile = profile
        self._handle: int | None = None

    def acquire(self) -> None:
        """Raises PlatformDown, naming the holder, when another profile or process listens with this token."""
        if self._handle is not None:
            return
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise PlatformDown(f"cannot lock the bot's token in {self._path.parent}: {error.strerror}") from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise PlatformDown(
                f"this bot's token is in use by {self._holder()}; stop that one, or give this profile its own bot"
            ) from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps({"pid": os.getpid(), "profile": self._profile}).encode(), 0)
        self._handle = handle

    def release(self) -> None:
        """The file stays: removing it would let two processes lock two files."""
        if self._handle is not None:
            os.ftruncate(self._handle, 0)
            os.close(self._handle)
            self._handle = None

    def _holder(self) -> str:
        try:
            record = json.loads(self._path.read_bytes())
            return f"process {int(record['pid'])} (profile {record['profile']})"
        except (OSError, ValueError, LookupError, TypeError):
            return "another process"
