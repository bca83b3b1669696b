"""Passing lines while a model reads: they tell what takes long, and nothing waits for them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from gateway.models.client import ReadingProgress, Waiting
from platforms.in_process import InProcess
from platforms.messages import ChatRef
from tests.fakes.guesthouse import guesthouse
from tests.fakes.scripted_model import Turn


class Stuck(InProcess):
    """A network on which every passing line hangs."""

    async def progress(self, chat: ChatRef, text: str) -> None:
        await asyncio.Event().wait()


async def test_an_answer_does_not_wait_for_a_passing_line(tmp_path: Path) -> None:
    slow = Turn("Here I am.", before=[Waiting("loading model"), ReadingProgress(10, 100), ReadingProgress(50, 100)])
    async with guesthouse(tmp_path, [slow], adapter=Stuck()) as house:
        assert await house.adapter.reply_to("Hello", seconds=5) == "Here I am."


async def test_what_is_read_already_is_no_news(tmp_path: Path) -> None:
    quick = Turn("Here I am.", before=[ReadingProgress(100, 100)])
    async with guesthouse(tmp_path, [quick]) as house:
        await house.adapter.reply_to("Hello")
        assert house.adapter.progressed() == []


async def test_lines_come_in_order_and_the_last_one_always_comes(tmp_path: Path) -> None:
    read = asyncio.Event()
    lines = [ReadingProgress(number, 100) for number in range(1, 60)]
    async with guesthouse(tmp_path, [Turn([read, "Read."], before=lines)]) as house:
        await house.adapter.say("Hello")
        await house.adapter.until(lambda: "reading 59 of 100 tokens" in house.adapter.progressed())
        assert house.adapter.progressed() == sorted(house.adapter.progressed(), key=lambda line: int(line.split()[1]))
        read.set()
        await house.adapter.until_text("Read.")
