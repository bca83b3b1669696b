"""Several people and processes decide the same write at the same moment: it is done once, and the others are told."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from tests.scenarios.gate import GATED, HOME, SOON, adds, carded, cards, waiting
from tests.scenarios.telegram_inn import PATIENCE, Inn, telegram_inn


class Decider:
    """Another process on the same folder."""

    def __init__(self, name: str, process: asyncio.subprocess.Process) -> None:
        self.name = name
        self._process = process

    async def told(self, order: str = "") -> str:
        """Give an order; the answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if order:
            self._process.stdin.write(f"{order}\n".encode())
        line = await asyncio.wait_for(self._process.stdout.readline(), PATIENCE)
        return line.decode().strip()


@asynccontextmanager
async def decider(folder: Path, name: str) -> AsyncIterator[Decider]:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.fakes.decider", str(folder), name), stdin=pipe, stdout=pipe
    )
    try:
        made = Decider(name, process)
        assert await made.told() == "ready"
        yield made
    finally:
        process.kill()
        await process.wait()


async def decided(inn: Inn, name: str) -> str:
    """What the chat reads about it."""
    about = f"{name} "

    def told() -> list[str]:
        return [text for text in inn.ada.texts() if about in text and not text.startswith("🔏")]

    await inn.server.until(lambda: bool(told()), PATIENCE)
    return told()[-1]


async def rounds(folder: Path, count: int) -> None:
    """Each round stages one write; two processes and the card in the chat decide it at once."""
    winners = set()
    async with (
        telegram_inn(folder, 10_000_000, **GATED, access=HOME) as inn,
        inn.open(SOON),
        AsyncExitStack() as stack,
    ):
        others = [await stack.enter_async_context(decider(folder, name)) for name in ("one", "two")]
        for number in range(count):
            inn.write("USER.md", "Ada is called Ada.")
            text = f"Ada likes tea number {number}."
            inn.host.script.append(adds(text))
            inn.ada.says("I like tea.")
            card = await carded(inn, inn.ada.chat, len(cards(inn.ada.chat)) + 1)
            (name,) = (each["id"] for each in waiting(folder))
            order = "reject" if number % 4 == 3 else "approve"
            inn.server.press(111, card.message_id, "✅ Approve")
            await asyncio.sleep(number % 6 * 0.002)  # now these, now those are the first
            asks = [each.told(f"{order if each.name == 'one' else 'approve'} {name}") for each in others]
            said, here = await asyncio.gather(*asks), await decided(inn, name)
            won = [each for each in said if not each.startswith("late")]
            won += ["approved telegram:111"] if "approved;" in here else []
            assert len(won) == 1, (said, here)
            result, _, who = won[0].partition(" ")
            assert [each for each in said if each.startswith("late")] == [f"late {who}"] * (
                len(said) - (who != "telegram:111")
            )
            assert who == "telegram:111" or f"was {result} already, by {who}" in here
            assert inn.file("USER.md").count(text) == (result == "approved")
            assert waiting(folder) == []
            assert list((folder / "pending" / "memory").iterdir()) == []
            winners.add(who)
    journal = (folder / "memories" / "journal.jsonl").read_text()
    assert journal.count('"state": "decided"') == count
    assert count < 100 or len(winners) > 1, "they never came close"


async def test_applied_once_and_every_loser_is_told(tmp_path: Path) -> None:
    await rounds(tmp_path, 4)


@pytest.mark.soak
async def test_applied_once_two_hundred_times(tmp_path: Path) -> None:
    await rounds(tmp_path, 200)
