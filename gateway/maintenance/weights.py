"""Downloaded weights of models that nobody uses: told for a while, then deleted; and what broken downloads left.

The folder is shared by all profiles, so the settings of all of them are read. Weights that a person put there are
left alone.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock, Timeout

from gateway.config.paths import Profile
from gateway.config.profiles import profiles
from gateway.config.schema import Settings, flattened
from gateway.models.pull import TEMPORARY, remove
from gateway.models.unused import Unused, unused
from gateway.schedule.maintenance import JobReport
from gateway.state.protocols import Store

DAY = 86_400.0
UNUSED_DAYS = 30
"""Days after which weights are deleted that no settings name and that were not loaded."""

LOCK = ".pull.lock"


async def clean_up(
    profile: Profile, store: Store, settings: Settings, now: Callable[[], float], *, dry: bool
) -> JobReport:
    """Raises OSError where another profile's settings cannot be read: then nothing goes."""
    chosen = [str(value) for _, value in flattened(settings)]
    chosen += [str(each) for each in (await store.facts.everywhere("model")).values()]
    asked = [job.spec.model for job in await store.jobs.all() if job.spec.model]
    used = await _used(store, now() - UNUSED_DAYS * DAY)
    moment = now()

    def work() -> tuple[list[Unused], int]:
        found = unused(profile.models, [*_written(profile.home), *chosen, *asked, *used])
        if not dry:
            for each in found:
                if _old(each, moment):
                    remove(each.entry, profile.models)
        return found, _broken(profile.models, dry=dry)

    found, broken = await asyncio.to_thread(work)
    return _report(found, broken, moment, dry=dry)


def _report(found: list[Unused], broken: int, now: float, *, dry: bool) -> JobReport:
    gone, kept = [each for each in found if _old(each, now)], [each for each in found if not _old(each, now)]
    told = []
    if gone:
        names = ", ".join(f"{each.entry.name} ({_size(each.size)})" for each in gone)
        verb = "would be" if dry else "was" if len(gone) == 1 else "were"
        told.append(
            f"{names} {verb} deleted, not used for {UNUSED_DAYS} days (innkeeper models pull fetches it again)"
        )
    if kept:
        names = ", ".join(f"{each.entry.name} ({_size(each.size)})" for each in kept)
        told.append(f"{names} {'is' if len(kept) == 1 else 'are'} not in use, and not for {UNUSED_DAYS} days yet")
    if broken:
        told.append(f"{_size(broken)} of a download that broke off {'would go' if dry else 'went'}")
    figures = {
        "deleted": len(gone),
        "unused": len(kept),
        "bytes": sum(each.size for each in gone) + broken,
    }
    return JobReport(
        "; ".join(told) or "all weights are in use, or none are there", figures, tell=bool(gone) and not dry
    )


async def _used(store: Store, since: float) -> list[str]:
    """The models that answered lately."""
    return [line.model for line in await store.usage.since(since)]


def _written(home: Path) -> list[str]:
    """The text of every profile's settings: what is named there in any place counts."""
    files = [each.config for each in profiles(home)]
    return [each.read_text(encoding="utf-8", errors="replace") for each in files if each.exists()]


def _old(each: Unused, now: float) -> bool:
    return each.since < now - UNUSED_DAYS * DAY


def _broken(models: Path, *, dry: bool) -> int:
    """Bytes that a killed download left; none while one is at work."""
    folder = models / TEMPORARY
    if not folder.is_dir():
        return 0
    try:
        with FileLock(models / LOCK, timeout=0):
            size = sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())
            if not dry:
                shutil.rmtree(folder, ignore_errors=True)
            return size
    except Timeout:
        return 0


def _size(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
