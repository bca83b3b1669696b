"""The gateway's own share of the time to an answer, at one, a hundred and a thousand chats."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

from tests.bench.figures import milliseconds
from tests.bench.inn import TimedPlatform, Times, timed_model
from tests.fakes.guesthouse import guesthouse


async def rows() -> list[tuple[str, str]]:
    out = []
    for chats, rounds in ((1, 200), (100, 5), (1000, 1)):
        times = await _talk(chats, rounds)
        label = f"{chats} chat{'s at once' if chats > 1 else ''}"
        out.append((f"message received → request leaves for the model, {label}", milliseconds(times.to_model())))
        out.append((f"answer complete → handed to the platform, {label}", milliseconds(times.to_platform())))
    return out


async def _talk(chats: int, rounds: int) -> Times:
    times = Times()
    with tempfile.TemporaryDirectory() as folder:
        platform = TimedPlatform(times)
        async with guesthouse(Path(folder), timed_model(times), adapter=platform):
            for number in range(rounds):
                await asyncio.gather(*(_one(platform, times, chat, number) for chat in range(chats)))
    return times


async def _one(platform: TimedPlatform, times: Times, chat: int, number: int) -> None:
    text = f"message {number} of chat {chat}"
    times.said[text] = time.perf_counter()
    await platform.reply_to(text, chat=f"c{chat}", seconds=60)
