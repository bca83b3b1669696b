"""The backup as a piece of the night's work."""

from __future__ import annotations

import asyncio
from pathlib import Path

from gateway.backup.making import backups
from gateway.backup.nightly import nightly
from tests.backup.house import COUNTS, NOW, furnished


async def test_a_dry_night_foretells_what_the_next_one_does(tmp_path: Path) -> None:
    profile = await furnished(tmp_path / "home")
    dry = await nightly(profile, NOW, {}, dry=True, keep=2)
    assert "remove none" in dry.summary
    assert not profile.backups.exists()
    for night in range(2):
        assert (await nightly(profile, NOW + night, {}, dry=False, keep=2)).figures["removed"] == 0
    oldest = backups(profile)[-1].path
    foretold = await nightly(profile, NOW + 2, {}, dry=True, keep=2)
    assert (oldest.name in foretold.summary, oldest.exists()) == (True, True)
    done = await nightly(profile, NOW + 2, {}, dry=False, keep=2)
    assert {name: done.figures[name] for name in COUNTS} == COUNTS
    assert (done.figures["removed"], oldest.exists()) == (1, False)
    assert "proven: messages 40, entries 3, skills 1, pending 1" in done.summary


async def test_a_backup_that_is_stopped_stops_and_leaves_nothing(tmp_path: Path) -> None:
    profile = await furnished(tmp_path / "home")
    making = asyncio.ensure_future(nightly(profile, NOW, {}, dry=False))
    while not profile.backups.exists():
        await asyncio.sleep(0.001)
    making.cancel()
    await asyncio.wait([making])
    assert making.cancelled()
    await asyncio.get_running_loop().shutdown_default_executor()
    assert [each.name for each in profile.backups.iterdir()] == [".lock"]
