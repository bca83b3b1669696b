"""Replacing a settings file as a whole: a crash leaves the old file or the new one, never a part."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_atomically(path: Path, data: bytes, mode: int | None = None) -> None:
    """Write beside the file, flush to disk, rename over it. A link is followed, so that it stays a link.

    `mode` None keeps an existing file's mode, and gives a new one to its owner only. Raises OSError; the old file
    is then untouched.
    """
    target = path.resolve()
    if mode is None:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".new", dir=target.parent)
    new = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        new.chmod(mode)
        new.replace(target)
    finally:
        new.unlink(missing_ok=True)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
