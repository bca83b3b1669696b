"""What comes from outside, before it is let in: a folder, a zip or a tar, as a list of names and the bytes of some.

Nothing is unpacked to the disk. Names that lead anywhere refuse the whole of it, as do devices, counts and sizes that
no skill has; links are named and never followed. Which of the files make a skill belongs to `parcel`.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import stat
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, Protocol, cast

from memory.files import Unreadable
from memory.skills.model import FILE_BYTES
from memory.skills.tree import Kind, Tree
from memory.skills.validate import shown

ARCHIVE_BYTES = 32 << 20
"""An archive as it lies there."""

UNPACKED_BYTES = 128 << 20
"""A tar without its compression: a repository may hold more than skills."""

MOST_MEMBERS = 5_000
_DIRECTORY_BYTES = 2 << 20
_NAME_CHARS = 400
_DEEPEST = 20
_BLOCK = 1 << 20
_ABOUT = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
_ABOUT_BYTES = 2_560
_ABOUT_ALL_BYTES = 1 << 20
_DRIVE = re.compile(r"[A-Za-z]:")
_CHANGED = "it changed while it was read."

_Broken = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError,
    ValueError, OverflowError, NotImplementedError, RuntimeError, IndexError, struct.error,
)  # fmt: skip
"""What the standard library raises for archives that are none, or that lie."""


class Rejected(Exception):
    """It is not let in. `str(error)` says why, in one sentence."""


@dataclass(frozen=True, slots=True)
class Content:
    """One thing in a crate; `size` in bytes, as it is said there."""

    kind: Kind
    size: int = 0


class Crate(Protocol):
    """`contents` are all files and links by path, with slashes; folders are left out. `read` gives a file's bytes and
    raises `Rejected` for one that is none, is larger than a skill's file may be, or is not what it said it was."""

    @property
    def contents(self) -> Mapping[str, Content]: ...

    def read(self, path: str) -> bytes: ...

    def close(self) -> None: ...


def opened(path: Path) -> Crate:
    """The crate at a path; the caller closes it. Raises `Rejected`."""
    try:
        if path.is_dir():
            return Folder(path)
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise Rejected(f"{path} is neither a folder nor a file.")
        with path.open("rb") as file:
            head = file.read(6)
    except FileNotFoundError:
        raise Rejected(f"There is nothing at {path}.") from None
    except OSError as error:
        raise Rejected(f"{path} cannot be read: {(error.strerror or str(error)).lower()}.") from error
    if about.st_size > ARCHIVE_BYTES:
        raise Rejected(f"The archive has {about.st_size:,} bytes, at most {ARCHIVE_BYTES:,} are read.")
    try:
        return Zip(path) if head[:2] == b"PK" else Tar(path, head)
    except _Broken as error:
        raise Rejected(f"{path.name} is no archive that can be read (zip, tar, tar.gz, tar.bz2, tar.xz).") from error


class Folder:
    """A folder on this machine. It may itself be reached by a link; below it none is followed."""

    def __init__(self, path: Path) -> None:
        self._tree = Tree(path)
        found: dict[str, Content] = {}
        try:
            for name, kind in self._tree.walk(""):
                _count(found)
                found[_plain(name)] = Content(kind)
        except Unreadable as error:
            raise Rejected(str(error)) from error
        self.contents: Mapping[str, Content] = found

    def read(self, path: str) -> bytes:
        try:
            data = self._tree.read(path, FILE_BYTES)
        except Unreadable as error:
            raise Rejected(str(error)) from error
        if data is None:
            raise Rejected(f"{shown(path)} cannot be read: {_CHANGED}")
        return data

    def close(self) -> None:
        """Nothing is held."""


class Zip:
    """A zip, read without being unpacked."""

    def __init__(self, path: Path) -> None:
        _check_directory(path)
        self._zip = zipfile.ZipFile(path)
        try:
            self._members = dict(_zipped(self._zip))
        except BaseException:
            self._zip.close()
            raise
        self.contents: Mapping[str, Content] = {
            name: Content(_zip_kind(each), each.file_size) for name, each in self._members.items()
        }

    def read(self, path: str) -> bytes:
        _check_file(path, self.contents[path])
        try:
            with self._zip.open(self._members[path]) as file:
                return _bounded(path, file)
        except _Broken as error:
            raise _spoilt(path, error) from error

    def close(self) -> None:
        self._zip.close()


class Tar:
    """A tar, whose compression is taken off into a file without a name, up to a limit."""

    def __init__(self, path: Path, head: bytes) -> None:
        plain = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 - closed by close()
        self._plain = plain
        try:
            _take_off(path, head, plain)
            plain.seek(0)
            self._tar = _Tape.open(fileobj=plain, mode="r:")
            self._members = dict(_tarred(self._tar))
        except BaseException:
            plain.close()
            raise
        self.contents: Mapping[str, Content] = {
            name: Content(_tar_kind(each), each.size) for name, each in self._members.items()
        }

    def read(self, path: str) -> bytes:
        _check_file(path, self.contents[path])
        try:
            file = self._tar.extractfile(self._members[path])
            if file is None:
                raise Rejected(f"{shown(path)} is no ordinary file.")
            return _bounded(path, file)
        except _Broken as error:
            raise _spoilt(path, error) from error

    def close(self) -> None:
        self._tar.close()
        self._plain.close()


# Names


def _plain(name: str) -> str:
    """The name of a member as a path. Raises `Rejected` for one that leads anywhere but down."""
    bare = name.removesuffix("/")
    while bare.startswith("./"):
        bare = bare[2:]
    if not bare or bare == ".":
        return ""
    why = None
    if not bare.isprintable():
        why = "has signs that cannot be printed"
    elif bare.startswith(("/", "~")) or _DRIVE.match(bare):
        why = "is absolute"
    elif "\\" in bare:
        why = "has a backslash"
    elif ".." in bare.split("/"):
        why = "leads out of the archive"
    elif any(part in ("", ".") for part in bare.split("/")):
        why = "has empty parts"
    elif len(bare) > _NAME_CHARS or bare.count("/") > _DEEPEST:
        why = "is longer or deeper than any file's of a skill"
    if why is not None:
        raise Rejected(f"It holds a file whose name {why}: {shown(name)}. Nothing of it is taken.")
    return bare


def _count(found: Mapping[str, object]) -> None:
    if len(found) >= MOST_MEMBERS:
        raise Rejected(f"It holds more than {MOST_MEMBERS:,} files. Nothing of it is taken.")


def _twice(name: str) -> Rejected:
    return Rejected(f"It holds {shown(name)} twice. Nothing of it is taken.")


def _check_file(path: str, content: Content) -> None:
    if content.kind != "file":
        raise Rejected(f"{shown(path)} is no ordinary file ({content.kind}).")
    if content.size > FILE_BYTES:
        raise Rejected(f"{shown(path)} has {content.size:,} bytes, at most {FILE_BYTES:,} are allowed.")


def _bounded(path: str, file: IO[bytes]) -> bytes:
    """All of it, and never more than a file of a skill may have, whatever was said of its size."""
    data = file.read(FILE_BYTES + 1)
    if len(data) > FILE_BYTES:
        raise Rejected(f"{shown(path)} has more bytes than it says, at most {FILE_BYTES:,} are allowed.")
    return data


def _spoilt(path: str, error: BaseException) -> Rejected:
    return Rejected(
        f"{shown(path)} cannot be read out of the archive: {' '.join(str(error).split()) or 'it is broken'}."
    )


# Zip


def _check_directory(path: Path) -> None:
    """A zip's list of contents is read in one piece by whoever opens it, so its size is looked at before."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 65_600))
        tail = file.read()
    at = len(tail) - 22 if tail[-22:-18] == b"PK\5\6" and tail[-2:] == b"\0\0" else tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) - at < 22:
        raise Rejected(f"{path.name} is no zip that can be read: its end is missing.")
    count, length = struct.unpack("<HI", tail[at + 10 : at + 16])
    if b"PK\6\7" in tail[max(0, at - 20) : at] or count > MOST_MEMBERS or length > _DIRECTORY_BYTES:
        raise Rejected(f"It holds more than {MOST_MEMBERS:,} files, or says so. Nothing of it is taken.")


def _zipped(archive: zipfile.ZipFile) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    seen: dict[str, object] = {}
    for each in archive.infolist():
        _count(seen)
        name = _plain(each.orig_filename)
        if name in seen and not each.is_dir():
            raise _twice(name)
        seen[name] = None
        if _zip_kind(each) == "other":
            raise Rejected(f"It holds a device or pipe: {shown(name)}. Nothing of it is taken.")
        if each.flag_bits & 0x1:
            raise Rejected(f"It is encrypted ({shown(name)}). Nothing of it is taken.")
        if name and not each.is_dir():
            yield name, each


def _zip_kind(member: zipfile.ZipInfo) -> Kind:
    mode = member.external_attr >> 16
    form = stat.S_IFMT(mode)
    if form == stat.S_IFLNK:
        return "link"
    return "file" if form in (0, stat.S_IFREG, stat.S_IFDIR) else "other"


# Tar


class _Head(tarfile.TarInfo):
    """Says no to long texts about members: the library searches them in a way that long ones can make last for ever,
    and a name has no need of them."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type in _ABOUT and isinstance(archive, _Tape):
            archive.about += self.size
            if self.size > _ABOUT_BYTES or archive.about > _ABOUT_ALL_BYTES:
                raise Rejected(
                    f"It says {self.size:,} bytes about one file, or too much about all. Nothing is taken."
                )
        return super()._proc_member(archive)  # type: ignore[misc, no-any-return]  # its types do not know it


class _Tape(tarfile.TarFile):
    """`about` is how much it said of its members."""

    tarinfo = _Head
    about = 0


def _take_off(path: Path, head: bytes, plain: BinaryIO) -> None:
    """Write the tar without its compression. Raises `Rejected` where it grows past the limit."""
    taken = 0
    with _source(path, head) as source:
        while block := source.read(_BLOCK):
            taken += len(block)
            if taken > UNPACKED_BYTES:
                raise Rejected(f"Unpacked it has more than {UNPACKED_BYTES:,} bytes. Nothing of it is taken.")
            plain.write(block)


def _source(path: Path, head: bytes) -> IO[bytes]:
    if head.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.open(path))
    if head.startswith(b"BZh"):
        return cast(IO[bytes], bz2.open(path))
    return cast(IO[bytes], lzma.open(path)) if head.startswith(b"\xfd7zXZ") else path.open("rb")


def _tarred(archive: tarfile.TarFile) -> Iterator[tuple[str, tarfile.TarInfo]]:
    seen: dict[str, object] = {}
    for each in archive:
        _count(seen)
        name = _plain(each.name)
        if name in seen and not each.isdir():
            raise _twice(name)
        seen[name] = None
        if _tar_kind(each) == "other" and not each.isdir():
            raise Rejected(f"It holds a device or pipe: {shown(name)}. Nothing of it is taken.")
        if each.issparse() or each.size < 0:
            raise Rejected(
                f"It holds a file that says it is larger than it is: {shown(name)}. Nothing of it is taken."
            )
        if name and not each.isdir():
            yield name, each


def _tar_kind(member: tarfile.TarInfo) -> Kind:
    if member.issym() or member.islnk():
        return "link"
    return "file" if member.isreg() else "other"
