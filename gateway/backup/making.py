"""Making backups of a profile, listing and proving them, and letting old ones go.

A backup gets its name only after it was unpacked into a scratch folder and counted there. Beside a running gateway
or without one. When that happens is for others to say.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from gateway.backup.archive import pack, read_manifest, room, unpack
from gateway.backup.counting import Counted, counted, fits
from gateway.backup.errors import BackupFault, Damaged
from gateway.backup.gathering import Gathered, digested, gather
from gateway.backup.manifest import DATABASE, Manifest
from gateway.backup.settings_copy import copy_settings
from gateway.config.paths import Profile
from gateway.state.backup import backup_database
from gateway.state.connection import DatabaseFault
from memory.files import Busy, FileTrouble, locked

KEPT = 7
PATIENCE = 2.0
"""Seconds to wait for another backup to end before giving up."""

_NAME = re.compile(r"innkeeper-(?P<profile>[a-z0-9][a-z0-9._-]*)-\d{8}T\d{6}Z(?:-\d+)?\.zip")
_SCRATCH = (".making-", ".proof-")

Progress = Callable[[str, int, int], object]
"""Told what is being done (database, files, packing, counting, proving), how much of it is done, and of how much:
none of none, where nobody knows. Where it raises BackupFault, the work stops."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that lies in the profile's folder. `manifest` is None when it cannot be read, and `fault` says why."""

    path: Path
    size: int
    manifest: Manifest | None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Made:
    """A new backup, proven; the older ones that went."""

    backup: Backup
    manifest: Manifest
    removed: tuple[Path, ...]


def silent(stage: str, done: int, total: int) -> None:
    """Nobody looks."""


def create(
    profile: Profile,
    now: float,
    variables: Mapping[str, str],
    progress: Progress = silent,
    keep: int = KEPT,
) -> Made:
    """Make a backup, prove it, and let all but the newest `keep` go. `now` in seconds since the epoch; `variables`
    are the usual variables of secret keys, for what is written in their place.

    Synchronous. Raises BackupFault, and then nothing is left behind and nothing went.
    """
    with _alone(profile) as folder:
        manifest, draft = _drafted(profile, folder, now, variables, progress)
        try:
            _proven(draft, folder, progress)
            path = _named(draft, folder, profile, now)
        finally:
            draft.unlink(missing_ok=True)
        removed = thin(profile, keep, spare=path)
    return Made(Backup(path, path.stat().st_size, manifest), manifest, removed)


def backups(profile: Profile) -> list[Backup]:
    """The profile's backups, the newest first."""
    found = []
    for path in reversed(_files(profile)):
        try:
            found.append(Backup(path, path.stat().st_size, read_manifest(path)))
        except BackupFault as error:
            found.append(Backup(path, path.stat().st_size, None, str(error)))
        except FileNotFoundError:
            continue
    return found


def surplus(profile: Profile, keep: int = KEPT) -> tuple[Path, ...]:
    """The backups that `thin` would remove, were one more made now: the foresight of a dry run."""
    files = _files(profile)
    return tuple(files[: max(len(files) + 1 - keep, 0)])


def thin(profile: Profile, keep: int = KEPT, spare: Path | None = None) -> tuple[Path, ...]:
    """Remove all but the newest `keep` backups of this profile; `spare` stays whatever its name says."""
    files = [each for each in _files(profile) if each != spare]
    gone = files[: max(len(files) + (spare is not None) - keep, 0)]
    for path in gone:
        path.unlink(missing_ok=True)
    return tuple(gone)


def verify(archive: Path, profile: Profile, progress: Progress = silent) -> tuple[Manifest, Counted]:
    """Unpack a backup into a scratch folder, compare every file, open the database, and count. Raises BackupFault,
    Damaged when it is not as it was made."""
    with _alone(profile) as folder:
        return _proven(archive, folder, progress)


@contextmanager
def _alone(profile: Profile) -> Iterator[Path]:
    """The folder of backups, with nobody else at work in it and nothing left of those who died there."""
    folder = profile.backups
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with ExitStack() as stack:
            try:
                stack.enter_context(locked(folder / ".lock", PATIENCE))
            except Busy:
                raise BackupFault(f"Another backup is at work in {folder}; try again when it is done.") from None
            for stray in folder.iterdir():
                if stray.name.startswith(_SCRATCH):
                    shutil.rmtree(stray) if stray.is_dir() and not stray.is_symlink() else stray.unlink()
            yield folder
    except FileTrouble as error:
        raise BackupFault(str(error)) from None
    except OSError as error:
        raise BackupFault(f"{error.filename or folder}: {error.strerror or error}") from None


@contextmanager
def _scratch(folder: Path, prefix: str) -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix=prefix, dir=folder))
    try:
        yield made
    finally:
        shutil.rmtree(made)


def _drafted(
    profile: Profile, folder: Path, now: float, variables: Mapping[str, str], progress: Progress
) -> tuple[Manifest, Path]:
    room(folder, 2 * weight(profile))
    with _scratch(folder, ".making-") as staging:
        gathered = _gathered(profile, staging, progress)
        settings = copy_settings(profile, staging, variables)
        seen = counted(staging, _stopped(progress))
        manifest = Manifest(
            made_at=float(int(now)),
            profile=profile.name,
            innkeeper=version("innkeeper"),
            database=seen.database,
            counts=seen.counts,
            files=tuple(sorted([*gathered.files, *settings.files], key=lambda each: each.path)),
            links=tuple(gathered.links),
            left_out=(*gathered.left_out, *settings.left_out),
            secrets=settings.taken,
            variables=settings.variables,
        )
        draft = folder / f".making-{os.getpid()}.zip"
        try:
            pack(staging, manifest, draft, lambda done, total: progress("packing", done, total))
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    return manifest, draft


def _gathered(profile: Profile, staging: Path, progress: Progress) -> Gathered:
    # Files first: what a message says was kept is then never older than the message.
    gathered = gather(profile.folder, staging)
    progress("files", len(gathered.files), len(gathered.files))

    def told(done: int, total: int) -> None:
        progress("database", done, total)

    if profile.database.exists():
        goal = staging / DATABASE
        try:
            backup_database(profile.database, goal, told)
        except DatabaseFault as error:
            raise BackupFault(str(error)) from None
        gathered.files.append(digested(goal, DATABASE))
    return gathered


def _stopped(progress: Progress) -> Callable[[], bool]:
    """Whether whoever is told wants the work to end: reading a large database to its last page takes a while."""

    def asked() -> bool:
        try:
            progress("counting", 0, 0)
        except BackupFault:
            return True
        return False

    return asked


def _proven(archive: Path, folder: Path, progress: Progress) -> tuple[Manifest, Counted]:
    with _scratch(folder, ".proof-") as scratch:
        manifest = unpack(archive, scratch, lambda done, total: progress("proving", done, total))
        found = counted(scratch, _stopped(progress))
        if found.too_new and manifest.database != found.database:
            raise Damaged("the database in the copy has another version than its manifest says")
        fits(manifest, found)
    return manifest, found


def _named(draft: Path, folder: Path, profile: Profile, now: float) -> Path:
    """Give the proven file its name, which nobody else has."""
    stamp = datetime.fromtimestamp(now, UTC).strftime("%Y%m%dT%H%M%SZ")
    number = 1
    while True:
        path = folder / f"innkeeper-{profile.name}-{stamp}{'' if number == 1 else f'-{number}'}.zip"
        try:
            os.link(draft, path)
            break
        except FileExistsError:
            number += 1
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    return path


def _files(profile: Profile) -> list[Path]:
    """The profile's own backups, the oldest first: their names tell."""
    try:
        entries = list(profile.backups.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = [(match, each) for each in entries if (match := _NAME.fullmatch(each.name)) and each.is_file()]
    return sorted((each for match, each in found if match["profile"] == profile.name), key=_order)


def _order(path: Path) -> tuple[str, int]:
    stamp, _, number = path.stem.rpartition("Z")
    return stamp, int(number.strip("-") or 1)


def weight(profile: Profile) -> int:
    """About how many bytes will be copied."""
    files = [profile.database, profile.database.with_name(profile.database.name + "-wal")]
    total = sum(each.stat().st_size for each in files if each.exists())
    for folder in (profile.memories, profile.skills, profile.pending):
        for parent, _, names in os.walk(folder):
            for name in names:
                try:
                    total += (Path(parent) / name).lstat().st_size
                except FileNotFoundError:
                    continue
    return total
