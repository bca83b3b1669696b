"""The backup as a piece of the night's work: made and proven, or foretold. When, and who hears, is for others."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import dataclass

from gateway.backup.errors import BackupFault
from gateway.backup.making import KEPT, create, surplus, weight
from gateway.config.paths import Profile


@dataclass(frozen=True, slots=True)
class Night:
    """What came of it, or would: one line, and figures for whoever reads them as data."""

    summary: str
    figures: Mapping[str, int]


async def nightly(
    profile: Profile, now: float, variables: Mapping[str, str], *, dry: bool, keep: int = KEPT
) -> Night:
    """Make a backup off the loop, and let the oldest go; with `dry`, say what that would be. Arguments as in
    `create`. Raises BackupFault. Cancelled, it stops at the next step, and leaves nothing behind."""
    if dry:
        gone, size = await asyncio.to_thread(surplus, profile, keep), await asyncio.to_thread(weight, profile)
        names = f", and remove {', '.join(each.name for each in gone)}" if gone else ", and remove none"
        return Night(f"it would copy {size / 1e6:.1f} MB{names}", {"removed": len(gone)})
    stopped = threading.Event()

    def step(stage: str, done: int, total: int) -> None:
        if stopped.is_set():
            raise BackupFault("it was stopped")

    try:
        made = await asyncio.to_thread(create, profile, now, variables, step, keep)
    except asyncio.CancelledError:
        stopped.set()  # a thread cannot be cancelled, and the process would wait for it
        raise
    counts = made.manifest.counts
    told = ", ".join(f"{name} {counts.get(name, 0):,}" for name in ("messages", "entries", "skills", "pending"))
    removed = f"; {len(made.removed)} older removed" if made.removed else ""
    summary = f"{made.backup.path.name}, {made.backup.size / 1e6:.1f} MB, proven: {told}{removed}"
    return Night(summary, {**counts, "bytes": made.backup.size, "removed": len(made.removed)})
