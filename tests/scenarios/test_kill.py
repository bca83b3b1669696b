"""The gateway is killed while five chats talk to it: nothing is lost, nothing is answered or done twice."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.scenarios.siege import BLIND, NONCES, Moment, Network, schedule, siege

KILLS: tuple[Moment, ...] = ("starting", "receiving", "model", "parts", "tool", "idle")
DRAINS: tuple[Moment, ...] = ("listening", "receiving", "model", "parts", "tool", "idle")
NETWORKS = pytest.mark.parametrize("network", [BLIND, NONCES], ids=lambda network: network.name.partition(",")[0])


def seed_for(number: int) -> int:
    """The seed of a test; INNKEEPER_TEST_SEED moves them all."""
    return number + int(os.environ.get("INNKEEPER_TEST_SEED", "0"))


Say = Callable[[str], None]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    """Prints a line for whoever looks, also when the test passes."""

    def line(text: str) -> None:
        with capsys.disabled():
            print(f"\n{text}")

    return line


async def killed(folder: Path, network: Network, seed: int, moments: Sequence[Moment], say: Say) -> None:
    async with siege(folder, network, seed) as scene:
        for moment in moments:
            await scene.kill_at(moment)
        ledger = await scene.end()
        faults = [*ledger.faults(), *scene.host.faults]
        say(f"kill -9, seed {seed}: {scene.summary(ledger)}")
        assert not faults, "\n".join([f"seed {seed}", *faults])


async def drained(folder: Path, network: Network, seed: int, moments: Sequence[Moment], say: Say) -> None:
    async with siege(folder, network, seed, drain_seconds=1) as scene:
        for moment in moments:
            assert await scene.drain_at(moment) == 0, scene.gateway.said()
        ledger = await scene.end()
        faults = [*ledger.faults(), *scene.host.faults]
        say(f"SIGTERM, seed {seed}: {scene.summary(ledger)}")
        assert not faults, "\n".join([f"seed {seed}", *faults])
        assert not scene.unknown.parts, "an orderly end leaves no part in doubt"
        assert not scene.unknown.previews, "an orderly end leaves no preview in doubt"


async def test_a_gateway_that_is_killed_goes_on_where_it_stood(tmp_path: Path, say: Say) -> None:
    await killed(tmp_path, BLIND, seed_for(1), ["tool", "model"], say)


@pytest.mark.soak  # the check has it over Discord, which can tell
async def test_a_network_that_can_tell_leaves_no_doubt_after_a_kill(tmp_path: Path, say: Say) -> None:
    await killed(tmp_path, NONCES, seed_for(1), ["receiving", "parts"], say)


async def test_a_gateway_that_is_asked_to_stop_loses_nothing(tmp_path: Path, say: Say) -> None:
    await drained(tmp_path, BLIND, seed_for(2), ["parts"], say)


@pytest.mark.soak
@pytest.mark.timeout(900)
@NETWORKS
async def test_sixty_kills(tmp_path: Path, network: Network, say: Say) -> None:
    await killed(tmp_path, network, seed_for(3), schedule(seed_for(3), 60, KILLS), say)


@pytest.mark.soak
@pytest.mark.timeout(300)
@NETWORKS
async def test_ten_orderly_ends(tmp_path: Path, network: Network, say: Say) -> None:
    await drained(tmp_path, network, seed_for(4), schedule(seed_for(4), 10, DRAINS), say)


async def test_a_gateway_that_is_asked_to_stop_while_it_starts_closes_in_good_order(tmp_path: Path) -> None:
    async with siege(tmp_path, BLIND, seed_for(5)) as scene:
        await scene.gateway.start()
        while scene.gateway.runs and not scene.gateway.database.exists():
            await asyncio.sleep(0.001)
        assert await scene.gateway.terminate() == 0, scene.gateway.said()
