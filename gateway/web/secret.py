"""The key that signs the dashboard's cookies: made at the first need, kept where only this account reads it.

It lies in the profile's cache, which no backup takes along; without it, everybody logs in once more.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

LENGTH = 64
"""Hexadecimal digits: 256 bits."""


def signing_key(path: Path) -> str:
    """The key in this file; a new one when there is none, or it is cut off. Synchronous. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for _ in range(3):
        try:
            found = path.read_text(encoding="ascii", errors="replace").strip()
        except FileNotFoundError:
            _make(path)
            continue
        if len(found) == LENGTH and all(sign in "0123456789abcdef" for sign in found):
            path.chmod(0o600)
            return found
        path.unlink(missing_ok=True)  # a crash cut it off
    raise OSError(f"{path} cannot be kept: remove it and try again")


def _make(path: Path) -> None:
    """Write it beside and put it into its place whole; whoever was faster keeps theirs."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(secrets.token_hex(LENGTH // 2))
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(fresh, path)
    except FileExistsError:
        pass
    finally:
        fresh.unlink(missing_ok=True)
