"""Which files models may look at: regular files within the folders that the owner opened, and none that is hidden,
holds secrets, or is the house's own. Every call touches the disk: for a thread.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

LARGEST = 50_000_000
"""Bytes of a file that is opened at all."""

SAMPLE = 8192
"""Bytes by which a file is taken for text or not."""

_SECRETS = re.compile(
    r"""(?ix) (?: .*\.(?:env|pem|key|p12|pfx|p8|jks|keystore|kdbx?|ppk|gpg|pgp|ovpn|tfstate|htpasswd)(?:\..*)?
    | (?:env|netrc|_netrc|htpasswd|shadow|passwd|master\.key|wallet\.dat)
    | id_(?:rsa|dsa|ecdsa|ed25519)\w*(?:\..*)?
    | .*(?:credential|secret|password|passwd|api[-_]?key|private[-_]?key|auth[-_]?token|access[-_]?token)s?
      (?:\.(?:txt|json|ya?ml|toml|ini|cfg|conf|csv|xml|properties|md|log|bak))?
    | .*(?:credential|secret|password|service[-_]?account|kubeconfig)s?[-_.\d].*
      \.(?:json|ya?ml|toml|ini|cfg|conf|csv|xml|properties|tfvars|bak)
    | .*\.tfvars | kubeconfig | (?:.*[-_.])?tokens?\.(?:txt|json|ya?ml|toml|ini|cfg|conf|properties|bak) )"""
)
"""Names of files that hold keys or passwords, by what such files are usually called."""

_KEY = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----|PuTTY-User-Key-File-|AGE-SECRET-KEY-")


class NotShown(Exception):
    """Why a file is not shown, in one line for the model."""


@dataclass(frozen=True, slots=True)
class Rules:
    """`roots` are the open folders, `closed` folders that stay closed even inside them."""

    roots: tuple[Path, ...]
    closed: tuple[Path, ...] = ()

    def found(self, asked: str) -> Path:
        """The real place of what is asked for: a path, absolute or within one of the roots. Raises NotShown."""
        if not asked or "\0" in asked or len(asked) > 4096:
            raise NotShown("that is no path")
        given = Path(asked).expanduser() if asked.startswith("~/") else Path(asked)
        places = [given] if given.is_absolute() else [root / given for root in self.roots]
        for place in places:
            try:
                real = place.resolve(strict=True)
            except (OSError, RuntimeError, ValueError):  # it is not there, links lead in a circle, or it is no name
                continue
            if (root := self._root(real)) is None:
                continue
            if (why := self.kept_back(real, root)) is not None:
                raise NotShown(why)
            return real
        folders = ", ".join(map(str, self.roots))
        raise NotShown(f"there is no {asked} in the folders that are open to you: {folders}")

    def kept_back(self, real: Path, root: Path) -> str | None:
        """Why a real place within a root is not shown; None where it is."""
        parts = real.relative_to(root).parts
        if any(real.is_relative_to(each) for each in self.closed):
            return "that place stays closed"
        if any(part.startswith(".") for part in parts):
            return "hidden files and folders are not shown"
        if parts and _SECRETS.fullmatch(parts[-1]):
            return "files that may hold keys or passwords are not shown"
        return None

    def walk(self, below: Sequence[Path]) -> Iterator[Path | None]:
        """The files below these folders that may be shown, in order of their names; None for each other one and for
        each folder, so that who counts or looks at the clock can stop. Links are not followed."""
        for top in below:
            root = self._root(top)
            if root is None:
                continue
            for folder, folders, names in os.walk(top, followlinks=False):
                yield None
                here = Path(folder)
                folders[:] = sorted(
                    each for each in folders if not each.startswith(".") and here / each not in self.closed
                )
                for name in sorted(names):
                    path = here / name
                    shown = self.kept_back(path, root) is None and not path.is_symlink()
                    yield path if shown else None

    def _root(self, real: Path) -> Path | None:
        return next((root for root in self.roots if real.is_relative_to(root)), None)


def rules(roots: Sequence[Path], closed: Sequence[Path] = ()) -> Rules:
    """By folders as configured: links in their own names are followed; what is no folder is left out."""
    real = [each.resolve() for each in roots]
    return Rules(
        tuple(dict.fromkeys(each for each in real if each.is_dir())), tuple(each.resolve() for each in closed)
    )


def data_of(real: Path, most: int = LARGEST) -> bytes:
    """The bytes of a regular file at a real place; it waits for no pipe and no device, and follows no link that was
    put there meanwhile. Raises NotShown."""
    try:
        handle = _opened(real)
    except OSError as error:
        raise NotShown(f"the file cannot be read: {error.strerror or error}") from None
    try:
        _judge(os.fstat(handle), most)
        with os.fdopen(handle, "rb", closefd=False) as file:
            data = file.read(most + 1)
    except OSError as error:
        raise NotShown(f"the file cannot be read: {error.strerror or error}") from None
    finally:
        os.close(handle)
    if len(data) > most:
        raise NotShown("the file changed while it was read")
    if _KEY.search(data):
        raise NotShown("files that hold keys are not shown")
    return data


def _opened(real: Path) -> int:
    """A handle, reached a folder at a time, none of them by a link. Raises OSError."""
    through = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    here = os.open(real.anchor, through)
    try:
        for part in real.parts[1:-1]:
            inner = os.open(part, through, dir_fd=here)
            os.close(here)
            here = inner
        return os.open(real.name or ".", os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
    finally:
        os.close(here)


def _judge(status: os.stat_result, most: int) -> None:
    """Raises NotShown for what is no regular file, or too large."""
    if stat.S_ISDIR(status.st_mode):
        raise NotShown("that is a folder; search_files lists what is in it")
    if not stat.S_ISREG(status.st_mode):
        raise NotShown("that is no regular file")
    if status.st_size > most:
        raise NotShown(f"the file is too large: {status.st_size:,} bytes, at most {most:,} are read")


def text_of(data: bytes) -> str | None:
    """The bytes as text, in UTF-8 or what a byte order mark says; None for a binary file."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    if b"\0" in data[:SAMPLE]:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    odd = sum(not each.isprintable() and each not in "\t\n\r\f" for each in text[:SAMPLE])
    return None if odd * 20 > len(text[:SAMPLE]) else text
