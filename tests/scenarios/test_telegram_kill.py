"""The gateway is killed and stopped while five people write to it on Telegram: each message gets its own answer once.

A part whose delivery is unknown is not sent again, and its chat is told; how many there were is printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.scenarios.siege import Moment, schedule
from tests.scenarios.telegram_siege import telegram_siege
from tests.scenarios.test_kill import DRAINS, KILLS, Say, say, seed_for

__all__ = ["say"]  # the fixture


async def killed(folder: Path, seed: int, moments: Sequence[Moment], say: Say) -> None:
    async with telegram_siege(folder, seed) as scene:
        for moment in moments:
            await scene.kill_at(moment)
        ledger = await scene.end()
        faults = [*ledger.faults(), *scene.host.faults]
        say(f"kill -9 over Telegram, seed {seed}: {scene.summary(ledger)}")
        assert not faults, "\n".join([f"seed {seed}", *faults])


async def drained(folder: Path, seed: int, moments: Sequence[Moment], say: Say) -> None:
    async with telegram_siege(folder, seed, drain_seconds=1) as scene:
        for moment in moments:
            assert await scene.drain_at(moment) == 0, scene.gateway.said()
        ledger = await scene.end()
        faults = [*ledger.faults(), *scene.host.faults]
        say(f"SIGTERM over Telegram, seed {seed}: {scene.summary(ledger)}")
        assert not faults, "\n".join([f"seed {seed}", *faults])
        assert not scene.unknown.parts, "an orderly end leaves no part in doubt"
        assert not scene.unknown.previews, "an orderly end leaves no preview in doubt"


async def test_a_gateway_that_is_killed_goes_on_where_it_stood(tmp_path: Path, say: Say) -> None:
    await killed(tmp_path, seed_for(11), ["receiving", "parts"], say)


async def test_a_gateway_that_is_asked_to_stop_loses_nothing(tmp_path: Path, say: Say) -> None:
    await drained(tmp_path, seed_for(12), ["parts"], say)


@pytest.mark.soak
@pytest.mark.timeout(900)
async def test_sixty_kills(tmp_path: Path, say: Say) -> None:
    await killed(tmp_path, seed_for(13), schedule(seed_for(13), 60, KILLS), say)


@pytest.mark.soak
@pytest.mark.timeout(600)
async def test_twenty_orderly_ends(tmp_path: Path, say: Say) -> None:
    await drained(tmp_path, seed_for(14), schedule(seed_for(14), 20, DRAINS), say)
