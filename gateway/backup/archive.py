"""Between a folder and one compressed file: written whole and private, and read as if an enemy had made it.

The form is zip: it has no links and no devices, and nothing is written but what the manifest names, to the size that
it names, with the bytes that it names.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from gateway.backup.errors import BackupFault, Damaged
from gateway.backup.gathering import placed, written
from gateway.backup.manifest import MOST_BYTES, MOST_FILES, NAME, KeptFile, Manifest, dumped, loaded

SPARE = 50 * 1024 * 1024
"""Bytes of the disk that are left to others."""

_EARLIEST = 315_532_800.0
"""1980, the first year that a zip file can name."""
_CHUNK = 1024 * 1024
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, UnicodeError)
"""What the library raises for files that are none, or damaged, or made to hurt."""

Count = Callable[[int, int], object]
"""Told how many bytes are done, and of how many."""


def pack(folder: Path, manifest: Manifest, target: Path, told: Count) -> None:
    """Write a new file for its owner alone, on the disk when this returns. Raises OSError, FileExistsError too."""
    handle = os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w+b") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            archive.writestr(_entry(NAME, manifest.made_at), dumped(manifest), zipfile.ZIP_DEFLATED)
            done, total = 0, manifest.size
            for each in manifest.files:
                with (folder / each.path).open("rb") as source:
                    with archive.open(_entry(each.path, manifest.made_at), "w", force_zip64=True) as goal:
                        while piece := source.read(_CHUNK):
                            goal.write(piece)
                            told(done := done + len(piece), total)
        file.flush()
        os.fsync(file.fileno())


def read_manifest(archive: Path) -> Manifest:
    """What a backup says of itself; its files are not looked at. Raises Damaged, or BackupFault."""
    try:
        with _opened(archive) as found:
            return _manifest(found)
    except _BROKEN as error:
        raise Damaged(f"{archive.name} is no backup, or it is damaged: {error}") from None
    except OSError as error:
        raise BackupFault(f"{archive} cannot be read: {error.strerror or error}") from None


def unpack(archive: Path, folder: Path, told: Count) -> Manifest:
    """Put every file of a backup into an empty folder, each for its owner alone, and compare it with its digest.

    Raises Damaged, and BackupFault when there is no room; what is in the folder then is worth nothing.
    """
    try:
        with _opened(archive) as found:
            manifest = _manifest(found)
            members = _members(found, manifest)
            room(folder, manifest.size)
            done = 0
            for each in manifest.files:
                _put(found, members[each.path], each, folder)
                told(done := done + each.size, manifest.size)
            return manifest
    except _BROKEN as error:
        raise Damaged(f"{archive.name} is no backup, or it is damaged: {error}") from None
    except OSError as error:
        raise BackupFault(f"{archive.name} could not be unpacked in {folder}: {error.strerror or error}") from None


def room(folder: Path, needed: int) -> None:
    """Raises BackupFault unless the folder's disk has room for so many bytes, and some to spare."""
    free = shutil.disk_usage(folder).free
    if free < needed + SPARE:
        raise BackupFault(
            f"{folder} has {free / 1e6:,.0f} MB of room, and this needs {needed / 1e6:,.0f} MB: make room"
        )


def _entry(path: str, made_at: float) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(path, time.gmtime(max(made_at, _EARLIEST))[:6])
    entry.external_attr = (stat.S_IFREG | 0o600) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _opened(archive: Path) -> zipfile.ZipFile:
    if not stat.S_ISREG(archive.stat().st_mode):
        raise Damaged(f"{archive} is no file")
    return zipfile.ZipFile(archive)


def _manifest(archive: zipfile.ZipFile) -> Manifest:
    if len(archive.infolist()) > MOST_FILES + 1:
        raise Damaged("it has more files than any profile has")
    try:
        entry = archive.getinfo(NAME)
    except KeyError:
        raise Damaged(f"it has no {NAME}, so it is no backup that Innkeeper made") from None
    _ordinary(entry)
    if entry.file_size > MOST_BYTES:
        raise Damaged(f"its {NAME} is too large")
    with archive.open(entry) as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise Damaged(f"its {NAME} is too large")
    return loaded(data)


def _members(archive: zipfile.ZipFile, manifest: Manifest) -> dict[str, zipfile.ZipInfo]:
    """What the archive holds, by name, once it is exactly what the manifest says."""
    members: dict[str, zipfile.ZipInfo] = {}
    for entry in archive.infolist():
        if entry.filename in members:
            raise Damaged(f"{entry.filename!r} is in it twice")
        members[entry.filename] = entry
    sizes = {each.path: each.size for each in manifest.files}
    if strangers := members.keys() - sizes.keys() - {NAME}:
        raise Damaged(f"its {NAME} does not know {min(strangers)!r}")
    for path, size in sizes.items():
        if (found := members.get(path)) is None:
            raise Damaged(f"{path} is missing in it")
        _ordinary(found)
        if found.file_size != size:
            raise Damaged(f"{path} has another size than its {NAME} says")
    return members


def _ordinary(entry: zipfile.ZipInfo) -> None:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG) or entry.is_dir():
        raise Damaged(f"{entry.filename!r} is no ordinary file in it")
    if entry.flag_bits & 1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Damaged(f"{entry.filename!r} is kept in a way that Innkeeper never uses")


def _put(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, kept: KeptFile, folder: Path) -> None:
    goal = placed(folder, kept.path)
    with archive.open(entry) as file:
        size, digest = written(file, goal, kept.size)
    if (size, digest) != (kept.size, kept.sha256):
        raise Damaged(f"{kept.path} is not what was put into it")
    if kept.executable:
        goal.chmod(0o700)
