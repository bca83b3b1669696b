"""What changed in the house, noticed by whoever looks on: marks of folders and tables, taken while somebody listens.

The program is not the only one that changes these files: the shell does, and people with an editor do.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path

from gateway.clock import Clock
from gateway.config.paths import Profile

SECONDS = 1.0
"""Between two looks."""

HEALTH_SECONDS = 15.0
"""After which how things are doing counts as changed, whatever is known of it."""

DEEPEST = 6
"""Folders below the first one that are looked into."""

Marks = dict[str, object]


class Pulse:
    """Takes marks by topic, and says which topics are different. `tables` gives the marks of what the database
    holds, `version` a number that changes with it."""

    def __init__(
        self,
        profile: Profile,
        version: Callable[[], Awaitable[int]],
        tables: Callable[[], Awaitable[Mapping[str, tuple[object, ...]]]],
        clock: Clock,
    ) -> None:
        self._folders = {"memory": profile.memories, "pending": profile.pending, "skills": profile.skills}
        self._version = version
        self._tables = tables
        self._clock = clock
        self._marks: Marks = {}
        self._committed: int | None = None
        self._beat = 0.0

    async def begin(self) -> None:
        """Whatever is now is known: what changes from here on counts. Raises DatabaseFault."""
        self._marks, self._committed = {}, None
        await self.changed()

    async def changed(self) -> list[str]:
        """The topics that are different since the last look. Raises DatabaseFault."""
        marks: Marks = dict(await asyncio.to_thread(self._look))
        committed = await self._version()
        if committed != self._committed:
            self._committed = committed
            marks |= await self._tables()
        found = [topic for topic, mark in marks.items() if topic in self._marks and self._marks[topic] != mark]
        self._marks |= marks
        if self._clock.monotonic() - self._beat >= HEALTH_SECONDS:
            self._beat = self._clock.monotonic()
            found += ["health"] if "health" not in found else []
        return found

    def _look(self) -> Marks:
        return {topic: hash(tuple(sorted(_stamps(folder)))) for topic, folder in self._folders.items()}


def _stamps(folder: Path, deep: int = DEEPEST) -> Iterator[tuple[str, int, int]]:
    """Path, time and size of every file. What goes away meanwhile is gone."""
    try:
        with os.scandir(folder) as found:
            entries = list(found)
    except OSError:
        return
    for each in entries:
        try:
            if each.is_dir(follow_symlinks=False):
                if deep:
                    yield from _stamps(Path(each.path), deep - 1)
            elif not each.name.endswith(".lock"):
                status = each.stat(follow_symlinks=False)
                yield each.path, status.st_mtime_ns, status.st_size
        except OSError:
            continue
