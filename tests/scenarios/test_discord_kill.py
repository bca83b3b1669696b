"""The gateway is killed and stopped while five chats talk to it on Discord: each message gets its own answer once.

Direct chats, a channel and a thread. Connections break besides, and whatever is written while the house is down is
fetched. Discord can always tell what became of a part, by its nonce or by its history: none is left in doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.scenarios.discord_siege import DiscordSiege, discord_siege
from tests.scenarios.siege import Moment, schedule
from tests.scenarios.test_kill import DRAINS, KILLS, Say, say, seed_for

__all__ = ["say"]  # the fixture

UNREST = 0.25


async def judged(scene: DiscordSiege, seed: int, how: str, say: Say) -> None:
    ledger = await scene.end()
    faults = [*ledger.faults(), *scene.record.faults(), *scene.host.faults]
    say(f"{how} over Discord, seed {seed}: {scene.summary(ledger)}")
    assert not faults, "\n".join([f"seed {seed}", *faults])


async def killed(folder: Path, seed: int, moments: Sequence[Moment], say: Say, unrest: float = 0.0) -> None:
    async with discord_siege(folder, seed, unrest=unrest) as scene:
        for moment in moments:
            await scene.kill_at(moment)
        await judged(scene, seed, "kill -9", say)


async def drained(folder: Path, seed: int, moments: Sequence[Moment], say: Say, unrest: float = 0.0) -> None:
    async with discord_siege(folder, seed, drain_seconds=1, unrest=unrest) as scene:
        for moment in moments:
            assert await scene.drain_at(moment) == 0, scene.gateway.said()
        await judged(scene, seed, "SIGTERM", say)
        assert not scene.unknown.parts, "an orderly end leaves no part in doubt"
        assert not scene.unknown.previews, "an orderly end leaves no preview in doubt"


async def test_a_gateway_that_is_killed_goes_on_where_it_stood(tmp_path: Path, say: Say) -> None:
    await killed(tmp_path, seed_for(21), ["receiving", "parts"], say)


@pytest.mark.soak  # the check has orderly ends over the post and over Telegram
async def test_a_gateway_that_is_asked_to_stop_loses_nothing(tmp_path: Path, say: Say) -> None:
    await drained(tmp_path, seed_for(22), ["parts"], say)


@pytest.mark.soak
@pytest.mark.timeout(1200)
async def test_sixty_kills(tmp_path: Path, say: Say) -> None:
    await killed(tmp_path, seed_for(23), schedule(seed_for(23), 60, KILLS), say, UNREST)


@pytest.mark.soak
@pytest.mark.timeout(600)
async def test_twenty_orderly_ends(tmp_path: Path, say: Say) -> None:
    await drained(tmp_path, seed_for(24), schedule(seed_for(24), 20, DRAINS), say, UNREST)
