"""Putting a backup back: unpacked and proven beside the profile, then put in place by renames.

What was there is set aside in the profile's folder and never deleted; .env, logs, caches and backups stay.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gateway.backup.archive import unpack
from gateway.backup.counting import counted, fits
from gateway.backup.errors import BackupFault, Occupied
from gateway.backup.making import Progress, silent
from gateway.backup.manifest import DATABASE, PARTS, Manifest
from gateway.clock import Clock
from gateway.config.dotenv import read_env
from gateway.config.lock import ProfileLock
from gateway.config.paths import Profile
from gateway.config.profiles import prepare
from gateway.errors import ConfigurationError

_UNPACKING = ".restoring-"
_BESIDE = tuple(f"{DATABASE}{each}" for each in ("-wal", "-shm", "-journal"))


@dataclass(frozen=True, slots=True)
class Restored:
    """`aside` is where the profile's earlier contents are now, None when it was empty. `missing` are the names that
    settings or .env had and that this profile's .env does not have."""

    manifest: Manifest
    aside: Path | None
    missing: tuple[str, ...]


def restore(
    archive: Path, profile: Profile, clock: Clock, *, force: bool = False, progress: Progress = silent
) -> Restored:
    """Put a backup into an empty profile, or with `force` into one whose contents are set aside first.

    Raises ProfileLocked while a gateway runs, Occupied, Damaged, BackupFault; the profile is then as it was.
    """
    with ProfileLock(profile, clock):
        try:
            if not force and (found := occupied(profile)):
                raise Occupied(
                    f"The profile '{profile.name}' is not empty (it has {', '.join(found)}). With --force its "
                    f"contents are set aside first, in {profile.folder}; or make another profile for it: innkeeper "
                    "profile create NAME, then innkeeper -p NAME backup restore …"
                )
            _swept(profile.folder)
            fresh = Path(tempfile.mkdtemp(prefix=_UNPACKING, dir=profile.folder))
            try:
                manifest = unpack(archive, fresh, lambda done, total: progress("proving", done, total))
                seen = counted(fresh)
                fits(manifest, seen)
                if seen.too_new:
                    raise BackupFault(
                        f"its database is at version {seen.database}, this Innkeeper knows {seen.known}: "
                        "upgrade innkeeper, then restore"
                    )
                for link in manifest.links:
                    (fresh / link.path).symlink_to(link.goal)
                aside = _exchanged(profile.folder, fresh, clock.now())
            finally:
                shutil.rmtree(fresh)
        except OSError as error:
            raise BackupFault(f"{error.filename or profile.folder}: {error.strerror or error}") from None
        prepare(profile)
        # The logins are those of the backup: whoever was logged out since must not be in again.
        profile.dashboard_key.unlink(missing_ok=True)
    return Restored(manifest, aside, _missing(profile, manifest))


def occupied(profile: Profile) -> list[str]:
    """The parts of a profile that hold what somebody would miss. Starter settings alone are nothing."""
    found = [name for name in (DATABASE, "AGENTS.md") if (profile.folder / name).exists()]
    for folder in (profile.memories, profile.skills, profile.pending):
        if any(not each.is_dir() and not each.name.endswith(".lock") for each in folder.rglob("*")):
            found.append(folder.name)
    return found


def _exchanged(folder: Path, fresh: Path, now: float) -> Path | None:
    """Set aside what is there and put the new in its place; all of it, or nothing. Where the old is now."""
    there = [name for name in (*PARTS, *_BESIDE) if os.path.lexists(folder / name) and not _hollow(folder / name)]
    aside = _new_folder(folder, now) if there else None
    done: list[tuple[Path, Path]] = []
    try:
        for name in there:
            assert aside is not None
            _moved(folder / name, aside / name, done)
        for name in PARTS:
            if os.path.lexists(folder / name) and os.path.lexists(fresh / name):
                (folder / name).rmdir() if not _folders(folder / name) else shutil.rmtree(folder / name)
            if os.path.lexists(fresh / name):
                _moved(fresh / name, folder / name, done)
        _settled(folder)
    except BaseException:
        for source, goal in reversed(done):
            goal.rename(source)
        if aside is not None:
            aside.rmdir()
        raise
    return aside


def _moved(source: Path, goal: Path, done: list[tuple[Path, Path]]) -> None:
    source.rename(goal)
    done.append((source, goal))


def _hollow(path: Path) -> bool:
    """A folder with nothing but folders and locks in it, as `profile create` makes them."""
    if path.is_symlink() or not path.is_dir():
        return False
    return all(each.is_dir() or each.name.endswith(".lock") for each in path.rglob("*"))


def _folders(path: Path) -> bool:
    return any(path.iterdir())


def _new_folder(folder: Path, now: float) -> Path:
    stamp = datetime.fromtimestamp(now, UTC).strftime("%Y%m%dT%H%M%SZ")
    number = 1
    while True:
        made = folder / f"set-aside-{stamp}{'' if number == 1 else f'-{number}'}"
        try:
            made.mkdir(mode=0o700)
            return made
        except FileExistsError:
            number += 1


def _swept(folder: Path) -> None:
    """What a killed restore left unpacked; the backup itself still has all of it."""
    for stray in folder.glob(f"{_UNPACKING}*"):
        if stray.is_dir() and not stray.is_symlink():
            shutil.rmtree(stray)


def _settled(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _missing(profile: Profile, manifest: Manifest) -> tuple[str, ...]:
    try:
        there = read_env(profile.env)
    except ConfigurationError:
        there = {}
    return tuple(name for name in manifest.missing if not there.get(name))
