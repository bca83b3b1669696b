"""The gateway is killed while it looks back: each review that is due is committed once, and its writes told once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.scenarios.review_ledger import running
from tests.scenarios.review_siege import Moment, review_siege, schedule
from tests.scenarios.test_kill import Say, say, seed_for

__all__ = ["say"]

KILLS: tuple[Moment, ...] = ("starting", "queueing", "reading", "writing", "ending", "telling", "any")
DRAINS: tuple[Moment, ...] = ("queueing", "reading", "writing", "ending", "telling", "any")


async def killed(folder: Path, seed: int, moments: Sequence[Moment], say: Say) -> None:
    async with review_siege(folder, seed, len(moments)) as scene:
        for moment in moments:
            await scene.kill_at(moment)
        ledger = await scene.end()
        faults = [*ledger.faults(), *scene.host.faults]
        say(f"kill -9, seed {seed}: {scene.summary(ledger)}")
        assert not faults, "\n".join([f"seed {seed}", *faults])
        assert ledger.unbooked <= len(moments), "a kill costs one call's note at most"


async def drained(folder: Path, seed: int, moments: Sequence[Moment], say: Say) -> None:
    async with review_siege(folder, seed, len(moments), drain_seconds=1) as scene:
        for moment in moments:
            assert await scene.drain_at(moment) == 0, scene.gateway.said()
            assert not running(scene.gateway.database), "an orderly end leaves no review claimed"
        ledger = await scene.end()
        faults = [*ledger.faults(), *scene.host.faults]
        say(f"SIGTERM, seed {seed}: {scene.summary(ledger)}")
        assert not faults, "\n".join([f"seed {seed}", *faults])
        assert (ledger.died, ledger.unbooked) == (0, 0), "an orderly end loses nothing"
        assert not scene.host.doubtful, "an orderly end leaves no call in doubt"


async def test_a_review_whose_process_is_killed_is_committed_once(tmp_path: Path, say: Say) -> None:
    await killed(tmp_path, seed_for(1), ["queueing", "writing"], say)


async def test_a_review_whose_process_is_asked_to_stop_goes_on_in_the_next(tmp_path: Path, say: Say) -> None:
    await drained(tmp_path, seed_for(2), ["writing"], say)


@pytest.mark.soak
@pytest.mark.timeout(900)
async def test_fifty_kills(tmp_path: Path, say: Say) -> None:
    await killed(tmp_path, seed_for(3), schedule(seed_for(3), 50, KILLS), say)


@pytest.mark.soak
@pytest.mark.timeout(300)
async def test_ten_orderly_ends(tmp_path: Path, say: Say) -> None:
    await drained(tmp_path, seed_for(4), schedule(seed_for(4), 10, DRAINS), say)
