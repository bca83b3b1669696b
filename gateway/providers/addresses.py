"""Where a skill may be fetched from, read out of what a person wrote or an index says (pure but for making paths
absolute). Fetching is `fetching`'s and `git`'s part."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal
from urllib.parse import urljoin, urlsplit

from memory.skills.crate import Rejected
from memory.skills.model import NAME
from memory.skills.validate import shown

Kind = Literal["path", "archive", "git", "index", "name"]

_LONGEST = 2_000
_ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".skill")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://|:)")
_SSH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:[^:].*")
_REF = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,199}")


@dataclass(frozen=True, slots=True)
class Address:
    """`where` is a path, an address, or a name to look up; `ref` a branch, tag or commit, empty for the default."""

    kind: Kind
    where: str
    ref: str = ""

    def __str__(self) -> str:
        """As it is kept, and can be read again."""
        prefix = "git+" if self.kind == "git" else ""
        return f"{prefix}{self.where}{f'#{self.ref}' if self.ref else ''}"

    @property
    def scheme(self) -> str:
        """`https` and so on; empty for paths and names."""
        match = _SCHEME.match(self.where)
        if match is not None:
            return match[1].lower()
        return "ssh" if self.kind == "git" else ""


def read(text: str) -> Address:
    """What a person ordered. Raises `Rejected`."""
    text = text.strip()
    if not text or len(text) > _LONGEST or not text.isprintable():
        raise Rejected(f"{shown(text)} is no address.")
    if text.startswith("-"):
        raise Rejected(f"{shown(text)} is no address: it begins with a hyphen.")
    bare, _, ref = text.partition("#")
    if bare.startswith("git+"):
        return _git(bare.removeprefix("git+"), ref, text)
    match = _SCHEME.match(bare)
    scheme = match[1].lower() if match else ""
    if scheme in ("ssh", "git", "file") or bare.endswith(".git") or (not scheme and _SSH.fullmatch(bare)):
        return _git(bare, ref, text)
    if scheme in ("http", "https"):
        _check_host(bare, text)
        if ref:
            raise Rejected(f"{shown(text)}: only the address of a git repository goes on with #.")
        return Address("index" if urlsplit(bare).path.endswith(".json") else "archive", bare)
    if scheme:
        raise Rejected(f"{shown(text)}: {scheme} is not spoken here. Use https, ssh, or a path.")
    if NAME.fullmatch(text) and not text.endswith((*_ARCHIVES, ".json")):
        return Address("name", text)
    path = str(Path(text).expanduser().absolute())
    return Address("index" if path.endswith(".json") else "path", path)


def from_index(source: str, index: Address) -> Address:
    """What an index says, which nobody here wrote: an address no less safe than the index's own, or one relative to
    it, below its folder. Raises `Rejected`."""
    if not source.isprintable() or not source.strip() or len(source) > _LONGEST:
        raise Rejected(f"{shown(source)} is no address.")
    if not (_SCHEME.match(source.removeprefix("git+")) or _SSH.fullmatch(source.removeprefix("git+"))):
        return _relative(source, index)
    address = read(source)
    if address.kind not in ("archive", "git"):
        raise Rejected(f"{shown(source)}: an index may not lead to another index.")
    allowed = ("https", "ssh") if index.scheme == "https" else ("https", "ssh", "http")
    if address.scheme not in allowed:
        raise Rejected(f"{shown(source)}: an index may lead to {', '.join(allowed)}, not to {address.scheme}.")
    return address


def _relative(source: str, index: Address) -> Address:
    parts = PurePosixPath(source).parts
    if ".." in parts or not parts or source.startswith(("/", "~", "-")) or any(sign in source for sign in "\\:+"):
        raise Rejected(f"{shown(source)} is neither an address nor a plain path below the folder of the index.")
    if index.scheme:
        whole = urljoin(index.where, source)
        if urlsplit(whole)[:2] != urlsplit(index.where)[:2]:
            raise Rejected(f"{shown(source)} leads to another machine than the index's.")
        return read(whole)
    folder = Path(index.where).parent
    path = (folder / source).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise Rejected(f"{shown(source)} is a link that leads out of the folder of the index.")
    return Address("path", str(path))


def _git(where: str, ref: str, text: str) -> Address:
    if ref and (_REF.fullmatch(ref) is None or ".." in ref):
        raise Rejected(f"{shown(ref)} is no name of a branch, tag or commit.")
    match = _SCHEME.match(where)
    if match is None and _SSH.fullmatch(where) is None:
        where = Path(where).expanduser().absolute().as_uri()
    elif match is not None and (match[1].lower() not in ("https", "http", "ssh", "git", "file") or "::" in match[0]):
        raise Rejected(f"{shown(text)}: {match[1]} is not spoken here. Use https, ssh, or a path.")
    if match is not None and match[1].lower() != "file":
        _check_host(where, text)
    return Address("git", where, ref)


def _check_host(address: str, text: str) -> None:
    try:
        parts = urlsplit(address)
        host, secret = parts.hostname, parts.password
        parts.port  # noqa: B018 - raises for what is no port
    except ValueError:
        raise Rejected(f"{shown(text)} is no address.") from None
    if not host or host.startswith("-"):
        raise Rejected(f"{shown(text)} names no machine.")
    if secret is not None or (parts.username and parts.scheme in ("http", "https")):
        raise Rejected("The address holds a name or password, which would stand in the lock file. Leave it out.")
