"""The house's own jobs in a home with 100,000 messages, 40 writes that wait and 60 skills that nobody used: what each
reports and how long it takes, and the backup restored and counted."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from tests.maintenance.home import PENDING, STALE, lived_in, restored, worked

MESSAGES = 100_000


async def rows() -> list[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        home, other = Path(folder) / "home", Path(folder) / "other"
        home.mkdir(mode=0o700)
        shell = await lived_in(home, MESSAGES)
        # The shell runs loops of its own.
        done = await asyncio.to_thread(worked, shell)
        counts = await asyncio.to_thread(restored, shell, other)
    figures = done["backup"].came["figures"]
    same = all(figures[name] == count for name, count in counts.items())
    head = f"maintenance: {MESSAGES:,} messages, {PENDING} waiting writes, {STALE} unused skills"
    out = [(f"{head}; {each.name}", f"{each.seconds:.1f} s: {each.came['detail']}") for each in done.values()]
    told = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    return [*out, ("the backup, restored and counted", f"{told}; {'the same' if same else 'DIFFERENT'} counts")]
