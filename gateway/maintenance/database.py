"""Whether the database is whole, and whether what was said is found: a quick look, and a thorough one.

A look changes nothing, but for an index that misses messages: another one is built beside it. How each is done is
the state room's matter.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from gateway.errors import InnkeeperError
from gateway.schedule.maintenance import JobReport
from gateway.state.health import Health, examine, inspect
from gateway.state.index_care import SearchCare
from gateway.state.search_protocols import Search

T = TypeVar("T")

SAMPLE = 200
"""Messages that are looked up in the index by their own words."""

UNFOUND = "messages of a sample were not found"


class Unsound(InnkeeperError):
    """The database is damaged; the text says how, and what to do."""


async def quick_check(path: Path, search: Search, *, dry: bool) -> JobReport:
    """Raises Unsound, and DatabaseFault where it cannot be read."""
    health = await looked(lambda stopped: examine(path, stopped))
    _sound(path, health)
    return await _with_index(f"{_size(health)}: every page can be read", health, search, dry=dry)


async def integrity_check(path: Path, search: Search, *, dry: bool) -> JobReport:
    """The same to the last page, with what refers to what. Raises likewise."""
    found = await looked(lambda stopped: inspect(path, stopped))
    _sound(path, found.health)
    free = f"; {found.free / 1e6:.1f} MB of it hold nothing" if found.free * 4 >= found.health.size > 0 else ""
    words = f"{_size(found.health)}: every page is whole, and every row refers to what there is{free}"
    report = await _with_index(words, found.health, search, dry=dry)
    return JobReport(report.summary, {**report.figures, "free_bytes": found.free}, report.tell)


async def looked(look: Callable[[Callable[[], bool]], T]) -> T:
    """A look off the loop, which ends soon after it was cancelled: `look` is told when that is so."""
    stopped = threading.Event()
    try:
        return await asyncio.to_thread(look, stopped.is_set)
    except asyncio.CancelledError:
        stopped.set()  # a thread cannot be cancelled, and the process would wait for it
        raise


async def _with_index(words: str, health: Health, search: Search, *, dry: bool) -> JobReport:
    known, missing = await SearchCare(search).known(), await search.check(SAMPLE)
    figures = {"bytes": health.size, "not_found": len(missing)}
    if missing:
        if not dry:
            await search.rebuild(f"{len(missing)} {UNFOUND}")
        anew = "would be" if dry else "is"
        lines = [f"{len(missing)} {UNFOUND} by their own words: the index {anew} built anew", *known]
        return JobReport(f"{words}. The search index: {'; '.join(lines)}", figures, tell=not dry)
    if known:
        return JobReport(f"{words}. The search index: {'; '.join(known)}", figures)
    return JobReport(f"{words}, and the search index has what was said", figures)


def _sound(path: Path, health: Health) -> None:
    if health.faults:
        raise Unsound(
            f"{path.name} is damaged: {'; '.join(health.faults)}. Stop the gateway, keep a copy of the file, and put "
            "a backup in its place: innkeeper backup list"
        )


def _size(health: Health) -> str:
    return f"{health.size / 1e6:.1f} MB, version {health.version}"
