"""A thousand chats that write a hundred messages a second: what is added, what is lost, what it weighs."""

from __future__ import annotations

import asyncio
import resource
import tempfile
import time
from pathlib import Path

from tests.bench.figures import milliseconds
from tests.bench.inn import TimedPlatform, Times, timed_model
from tests.fakes.guesthouse import guesthouse

CHATS, PER_SECOND, SECONDS = 1000, 100, 60


async def rows() -> list[tuple[str, str]]:
    times = Times()
    with tempfile.TemporaryDirectory() as folder:
        platform = TimedPlatform(times)
        async with guesthouse(Path(folder), timed_model(times), adapter=platform):
            began, spent = time.perf_counter(), time.process_time()
            for number in range(PER_SECOND * SECONDS):
                await asyncio.sleep(max(0.0, began + number / PER_SECOND - time.perf_counter()))
                text = f"message {number}"
                times.said[text] = time.perf_counter()
                await platform.say(text, chat=f"c{number % CHATS}")
            await platform.until(lambda: len(times.sent) >= len(times.said), seconds=60)
            cpu = time.process_time() - spent
    added = [times.sent[key] - times.said[key] for key in times.sent]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    what = f"{CHATS} chats, {PER_SECOND} messages a second in process, {SECONDS} s"
    return [
        (f"{what}: added in all", milliseconds(added)),
        (f"{what}: answered", f"{len(times.sent)} of {len(times.said)}"),
        (f"{what}: processor time a message, peak memory", f"{cpu / len(times.said) * 1e3:.1f} ms, {peak:.0f} MB"),
    ]
