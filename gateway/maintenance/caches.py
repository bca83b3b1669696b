"""What lies in a profile's folders to be quick or for the moment, and goes when it is old: files of conversations,
saved states of the local model, large texts, old logs, and what processes that died left behind.

Which files of conversations are still wanted is the store's knowledge. Nothing here is the only copy of anything but
of old log lines.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gateway.attachments.upkeep import Upkeep
from gateway.config.paths import Profile
from gateway.schedule.maintenance import JobReport
from memory.providers.spill import spilled

DAY = 86_400.0
LEFT_DAYS = 2
"""Days after which what was being fetched or unpacked is nobody's any more."""

SLOT_DAYS = 30
"""Days after which the local model reads a chat again rather than finding its state saved."""

SPILL_DAYS = 30
"""Days after which the file of a large text goes: a conversation that went on since has read it, or never will."""

LOG_DAYS = 90
"""Days after which log files that are written to no more are deleted; the newest are bounded by their size."""

OLD_LOG = re.compile(r"(?:gateway|agent|local-host)\.log\.\d+")
SCRATCH = ("hub/hub-*", "theirs-*")
"""In the cache: where skills are fetched to, and where another program's database is copied to."""


@dataclass(frozen=True, slots=True)
class Old:
    """Files or folders of one kind that are past their time, and their bytes. `kind` names one of them."""

    kind: str
    paths: tuple[Path, ...]
    bytes: int


async def clean_up(
    profile: Profile, upkeep: Upkeep, spills: Path, now: Callable[[], float], *, dry: bool
) -> JobReport:
    """`spills` is the folder of large texts. Raises OSError and DatabaseFault."""
    swept = await upkeep.sweep(dry=dry)
    found = await asyncio.to_thread(lambda: [each for each in past(profile, spills, now()) if each.paths])
    if not dry:
        await asyncio.to_thread(_remove, found)
    figures = {"files": swept.files, "bytes": swept.bytes + sum(each.bytes for each in found)}
    told = [f"{swept.files} {'file' if swept.files == 1 else 'files'} of conversations"] if swept.files else []
    for each in found:
        figures[f"{each.kind}s".replace(" ", "_")] = len(each.paths)
        told.append(f"{len(each.paths)} {each.kind}{'' if len(each.paths) == 1 else 's'}")
    if not told:
        return JobReport("nothing is old enough to go", figures)
    verb = "would go" if dry else "went"
    return JobReport(f"{', '.join(told)} {verb}, {figures['bytes'] / 1e6:.1f} MB", figures)


def past(profile: Profile, spills: Path, now: float) -> Iterator[Old]:
    """What is past its time besides files of conversations. Reads folders."""
    slots = [each for each in _in(profile.cache / "slots") if each.suffix in (".slot", ".part")]
    yield _old("saved state", slots, now - SLOT_DAYS * DAY)
    logs = [each for each in _in(profile.logs) if OLD_LOG.fullmatch(each.name)]
    yield _old("old log", logs, now - LOG_DAYS * DAY)
    scratch = [each for pattern in SCRATCH for each in profile.cache.glob(pattern)]
    yield _old("leftover", scratch, now - LEFT_DAYS * DAY)
    yield _old("large text", spilled(spills), now - SPILL_DAYS * DAY)


def _in(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _old(kind: str, paths: list[Path], before: float) -> Old:
    found, size = [], 0
    for path in paths:
        try:
            seen = path.lstat()
            if seen.st_mtime < before:
                size += sum(each.lstat().st_size for each in path.rglob("*")) if path.is_dir() else seen.st_size
                found.append(path)
        except FileNotFoundError:  # it went while we looked
            continue
    return Old(kind, tuple(found), size)


def _remove(found: list[Old]) -> None:
    for each in found:
        for path in each.paths:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
