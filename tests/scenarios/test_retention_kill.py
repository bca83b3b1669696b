"""`innkeeper sessions prune` is killed at any moment: the next one ends what it began, and nothing half is shown."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import pytest

from gateway.state.store import SqliteStore
from tests.fakes.past import Talk, had
from tests.scenarios.shell import COMMAND, Home


async def killed(home: Home, seconds: float) -> None:
    """Begin to prune, and die."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "sessions", "prune", "--older-than", "30", env=home.environment, stdout=asyncio.subprocess.DEVNULL
    )
    try:
        await asyncio.wait_for(process.wait(), seconds)
    except TimeoutError:
        process.kill()
        await process.wait()


async def counts(home: Home) -> dict[str, int]:
    store = await SqliteStore.open(home.folder / "state.db")

    def work(db: Any) -> dict[str, int]:
        tables = ("sessions", "turns", "messages", "outbox", "search_gone")
        return {name: db.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}

    try:
        return await store.database.read(work)
    finally:
        await store.close()


async def rounds(folder: Path, many: int, seed: int) -> None:
    home, chance = Home(folder), random.Random(seed)
    folder.chmod(0o700)
    store = await SqliteStore.open(folder / "state.db")
    await had(store, *(Talk(f"old{number}", 90, turns=400) for number in range(3)), Talk("live"))
    while await store.search.index():
        pass
    await store.close()
    for _ in range(many):
        await killed(home, chance.uniform(0.45, 0.75))
        listed = json.loads((await home.innkeeper("sessions", "list", "--json")).out)
        assert {each["messages"] for each in listed if each["id"] != "live"} <= {800}, "a half one is in no list"
    done = await home.innkeeper("sessions", "prune", "--older-than", "30")
    assert done.code == 0, done.err
    assert await counts(home) == {"sessions": 1, "turns": 1, "messages": 2, "outbox": 1, "search_gone": 0}
    assert (await home.innkeeper("doctor", "--db")).code == 0


async def test_killed_while_old_sessions_leave(tmp_path: Path) -> None:
    await rounds(tmp_path / "home", 2, 1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
async def test_killed_again_and_again(tmp_path: Path, seed: int) -> None:
    await rounds(tmp_path / "home", 6, seed)
